import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

const short = () => new Conversation().turn(100, 10).turn(20, 10);
const run = (init: PlanInit, talk = short()) => logFor(init, talk);
const refusals = (entries: readonly LogEntry[]) => ofType(entries, 'refused').length;

describe('a call that the API does not answer', () => {
  it('is tried again as often as the client does, and ends its prompt then', () => {
    const faults = [{ call: 'main', error: 'overloaded', to: 30 }] as const;
    for (const retries of [0, 1, 3]) {
      const entries = run({ faults, set: { 'client.retries': retries } });
      expect(ofType(entries, 'refused').map(({ turn }) => turn)).toEqual([
        ...Array(retries + 1).fill(1),
        ...Array(retries + 1).fill(2),
      ]);
      expect(ofType(entries, 'lost').map(({ calls }) => calls)).toEqual([1, 1]);
      expect(ofType(entries, 'end')[0]).toMatchObject({ turns: 2, requests: 0 });
    }
  });

  it('is answered at last, as late as the tries took, and all that follows with it', () => {
    const faults = [{ call: 'main', error: 'overloaded', to: 2, retryAfterSeconds: 9 }] as const;
    const entries = run({ faults, set: { 'client.retries': 5 } });
    const [first, second] = mainRequests(entries);
    expect(refusals(entries)).toBe(2);
    expect(first!.t).toBeGreaterThanOrEqual(18_000);
    // The second prompt came one second behind the start of the first call.
    expect(second!.t).toBe(first!.t + 1_000);
    expect(ofType(entries, 'lost')).toEqual([]);
  });

  it('is not tried again where it would be refused again', () => {
    const faults = [{ call: 'main', error: 'invalid_request', nth: 1 }] as const;
    const entries = run({ faults, set: { 'client.retries': 5 } });
    expect(refusals(entries)).toBe(1);
    expect(ofType(entries, 'notice')).toMatchObject([
      { what: 'prompt-ended', message: expect.stringContaining('the API refused the request') },
    ]);
    expect(mainRequests(entries).map(({ turn }) => turn)).toEqual([2]);
  });

  it.each([
    [false, 1],
    [true, 2],
  ])('REA-1 as too long is sent once more where the client does so: %s', (resends, sent) => {
    const faults = [{ call: 'main', error: 'prompt_too_long', from: 1, to: 9 }] as const;
    const set = { 'client.resendWithoutStreaming': resends };
    const first = new Conversation().turn(100, 10);
    expect(refusals(run({ faults, set }, first))).toBe(sent);
  });
});

describe('turns', () => {
  it('are those of main threads; what an agent does beside them is none', () => {
    const main = new Conversation()
      .human(10)
      .tools([{ tool: 'Task', tokens: 5 }])
      .wait(50)
      .answer(10);
    const child = new Conversation()
      .wait(5)
      .human(10)
      .tools([{ tool: 'Read', tokens: 5 }])
      .answer(5);
    const threads = [main.thread(), child.thread('child', 'main')];
    const entries = logFor({}, main.transcript({ threads }));
    expect(ofType(entries, 'end')[0]).toMatchObject({ turns: 2, requests: 4 });
    expect(ofType(entries, 'request').map(({ thread, turn }) => `${thread} ${turn}`)).toEqual([
      'main 1',
      'child 1',
      'child 2',
      'main 2',
    ]);
  });
});

describe('what a usage says of content that was deleted on the server', () => {
  /** Seven of twelve results are deleted before request 13. */
  const work = () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 14; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    return talk.answer(10);
  };
  const seenOf = (bill: 'free' | 'read') => {
    const set = {
      ...COMPACTION_ONLY,
      'microcompact.cached.enabled': true,
      'microcompact.cached.billDeleted': bill,
      'counter.newContent': 'rough',
    };
    return mainRequests(run({ policy: 'claude-code/2026', set }, work())).slice(-2);
  };

  it.each(['free', 'read'] as const)('MIC-3 C10 it is seen once and no more, billed as %s', (bill) => {
    for (const { estimatedTokens: seen, uncompactedTokens: untouched, context, output, turn } of seenOf(
      bill,
    )) {
      // True tokens are four characters each, so that counter and truth agree.
      expect(seen).toBe(15_100 + (turn - 1) * 1_020 - 7_000);
      expect(untouched).toBe(15_100 + (turn - 1) * 1_020);
      expect(context).toBe(seen! + output);
    }
  });
});

it('a policy file that estimates the conversation counts responses as well as what they answer', () => {
  const plan = planUnder(
    {
      count: { source: 'estimate', includes: [] },
      rules: [{ when: { tokens: '>= 190k' }, ask: { shape: 'own' } }],
    },
    {},
  );
  const talk = new Conversation().turn(100, 70).turn(30, 10).turn(5, 1);
  // True tokens are four characters each, as the estimate has it.
  expect(mainRequests(runLog(plan, talk.transcript())).map(({ estimatedTokens }) => estimatedTokens)).toEqual(
    [100, 100 + 70 + 30, 200 + 10 + 5],
  );
});
