import { describe, expect, it } from 'vitest';
import { MS_PER_MINUTE } from '../../../../src/core/base/clock.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { above, compactionPlan } from '../../../helpers/drive/above-threshold.js';
import type { Conversation } from '../../../helpers/generators/conversation.js';
import { mainRequests, ofType, type PlanInit, runLog } from '../../../helpers/plan.js';

const POLICY = 'claude-code/2.1.299';
const MODEL = 'claude-opus-4-6[1m]';

/** A conversation of some tokens whose last answer ends a turn. */
const long = (tokens: number): Conversation => above({ from: tokens, rounds: 1 });

function run(talk: Conversation | Transcript, { set = {}, ...init }: PlanInit = {}) {
  const transcript = 'transcript' in talk ? talk.transcript() : talk;
  const plan = compactionPlan(POLICY, {
    model: MODEL,
    cache: { ttl: '1h' },
    ...init,
    set: { 'client.suggestions': 'off', ...set },
  });
  const entries = runLog(plan, transcript);
  const requests = mainRequests(entries);
  return {
    entries,
    requests,
    facts: foldLog(entries),
    compactions: ofType(entries, 'layer').filter((entry) => entry.action === 'compact'),
    summary: ofType(entries, 'request').find(({ purpose }) => purpose === 'compact'),
  };
}

/** The answer before the pause ends then; the pause begins with it. */
const backAfter = (minutes: number, tokens = 440_000) =>
  run(
    long(tokens)
      .wait(minutes * 60)
      .turn(10, 10),
    { set: { 'idleCompact.afterEnd': false } },
  );

describe('idle compaction', () => {
  it('comes 54 minutes after the last response: 90 % of an hour', () => {
    const { compactions, requests, summary } = backAfter(90);
    expect(compactions).toMatchObject([{ trigger: 'idle', outcome: 'done', layer: 'full-compact' }]);
    const before = requests.at(-2)!;
    const sinceMs = summary!.t - (before.t + before.latencyMs);
    expect(Math.abs(sinceMs - 54 * MS_PER_MINUTE)).toBeLessThanOrEqual(1);
  });

  it('reads what is cached, and whoever comes back writes a small part of 440,000 tokens', () => {
    const { summary, requests } = backAfter(90);
    expect(summary!.read).toBeGreaterThan(400_000);
    expect(requests.at(-1)!.write1h).toBeLessThan(106_000);
    const without = run(long(440_000).wait(5_400).turn(10, 10), {
      set: { 'idleCompact.enabled': false },
    });
    expect(without.compactions).toEqual([]);
    expect(without.requests.at(-1)!.write1h).toBeGreaterThan(400_000);
  });

  it.each([
    ['the user is back before', () => backAfter(53)],
    ['the conversation is below 200,000 tokens', () => backAfter(90, 199_000)],
    [
      'entries live five minutes',
      () => run(long(440_000).wait(5_400).turn(10, 10), { cache: { ttl: '5m' } }),
    ],
    [
      'automatic compaction is off',
      () => run(long(440_000).wait(5_400).turn(10, 10), { set: { 'autoCompact.enabled': false } }),
    ],
    [
      'a tool is at work: the turn has not ended',
      () =>
        run(
          long(440_000)
            .human(10)
            .tools([{ tool: 'Bash', tokens: 50 }])
            .wait(5_400)
            .answer(10),
          { set: { 'idleCompact.afterEnd': false } },
        ),
    ],
    [
      'the process has ended: a new one takes the session up',
      () =>
        run(
          long(440_000)
            .wait(5_400)
            .event((at) => ({ kind: 'resume', at, reason: 'resume' }))
            .turn(10, 10),
          { set: { 'idleCompact.afterEnd': false } },
        ),
    ],
    [
      'a program drives the session',
      () =>
        run({
          ...long(440_000).wait(5_400).turn(10, 10).transcript(),
          entrypoint: 'sdk-cli',
        }),
    ],
  ])('does not come where %s', (_, made) => {
    expect(made().compactions).toEqual([]);
  });

  it('obeys the size that the user sets', () => {
    const talk = () => long(150_000).wait(5_400).turn(10, 10);
    expect(run(talk(), { set: { 'idleCompact.minTokens': 140_000 } }).compactions).toHaveLength(1);
    expect(run(talk(), { set: { 'idleCompact.minTokens': 160_000 } }).compactions).toEqual([]);
  });

  it('is paid for by sessions that nobody continues, and the result says what that was', () => {
    const { compactions, summary, facts } = run(long(440_000));
    expect(compactions).toMatchObject([{ trigger: 'idle', outcome: 'done' }]);
    expect(facts.compactions).toMatchObject({ idle: 1, idleUnused: 1, idleUnusedNanoUsd: summary!.cost });
    expect(backAfter(90).facts.compactions).toMatchObject({ idle: 1, idleUnused: 0, idleUnusedNanoUsd: 0 });
    expect(run(long(440_000), { set: { 'idleCompact.afterEnd': false } }).compactions).toEqual([]);
  });

  it('does not come again in the same pause where it failed', () => {
    const talk = long(440_000).wait(3 * 3_600);
    const faults = [{ call: 'compact', error: 'tool_call' }] as const;
    const { compactions } = run(talk.turn(10, 10), {
      faults,
      set: { 'idleCompact.afterEnd': false },
    });
    expect(compactions.map(({ outcome }) => outcome)).toEqual(['failed']);
  });
});
