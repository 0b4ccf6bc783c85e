import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import { logFor, mainRequests, type PlanInit } from '../../helpers/plan.js';
import { call, count, event, meta, read, result, say, turn } from '../../helpers/recordings/rollout.js';

/** On the steps of GPT-5.6: 768 + 6 · 1,024. */
const HEAD = 6_912;

/** A rollout whose first request found a head that others keep; two more follow at once, the last after two hours. */
function rollout(model = 'gpt-5.6-sol', cached = HEAD): Transcript {
  return read([
    meta(0),
    turn(0, model),
    say(1, 'user', 'look'),
    call(3, 'a'),
    result(4, 'a'),
    count(4, 22_000, { input: 22_000, cached, output: 10 }),
    call(8, 'b'),
    result(9, 'b'),
    count(9, 45_000, { input: 23_000, cached: 21_248, output: 10 }),
    say(10, 'assistant', 'done'),
    count(10, 68_000, { input: 23_500, cached: 22_272, output: 10 }),
    event(11, 'task_complete'),
    event(7_200, 'task_started'),
    say(7_200, 'user', 'and then'),
    call(7_205, 'c'),
    result(7_206, 'c'),
    count(7_206, 92_000, { input: 24_000, cached, output: 10 }),
  ]);
}

function reads(transcript: Transcript, init: PlanInit = {}): readonly number[] {
  return mainRequests(logFor({ policy: 'unbounded', ...init }, transcript)).map(
    ({ read: tokens }: RequestEntry) => tokens,
  );
}

describe('what others keep of a recording’s prompts (K11)', () => {
  it('is read by the first request, and by one that finds nothing of its own any more', () => {
    // The others read the prompt before them on the steps: 768 + 20 · 1,024, and one step more.
    expect(reads(rollout())).toEqual([HEAD, 21_248, 22_272, HEAD]);
  });

  it('is nothing where the recorded first request found nothing', () => {
    expect(reads(rollout('gpt-5.6-sol', 0))).toEqual([0, 21_248, 22_272, 0]);
  });

  it('is left out where the plan says that the first request is cold', () => {
    expect(reads(rollout(), { set: { 'client.firstRequest': 'cold' } })).toEqual([0, 21_248, 22_272, 0]);
  });

  it('is not there for another model than the recorded one', () => {
    expect(reads(rollout(), { model: 'gpt-5.6-terra' })).toEqual([0, 21_248, 22_272, 0]);
  });

  it('is not there for a cache with marks, which the client warms', () => {
    expect(reads(rollout('claude-sonnet-4-5'))[0]).toBe(0);
  });
});
