import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { NO_TIMING } from '../../../src/engine/requests/run-env.js';
import type { StatusCheck } from '../../../src/engine/requests/shown-status.js';
import { replayParts } from '../../../src/engine/run/replay.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { valueBlocks } from '../../../src/report/text/terminal-blocks.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';

/** 15,100 tokens and 5,020 a turn. */
function work(turns: number): Conversation {
  const talk = new Conversation().human(100);
  for (let i = 0; i < turns; i++) talk.tools([{ tool: 'Task', tokens: 5_000 }]);
  return talk.answer(10);
}

function run(init: PlanInit, talk: Conversation) {
  const entries = logFor(init, talk);
  return { entries, status: ofType(entries, 'status'), facts: foldLog(entries) };
}

describe('what the client shows of its context', () => {
  it('C30 warning and error are entered at a request and left at one, in the log and as metrics', () => {
    const policy = 'claude-code/2.1.112';
    const { entries, status, facts } = run({ policy, set: COMPACTION_ONLY }, work(34));
    // Usage and the newest result: 15,100 + 5,020 (k − 1) before call k. 147,000 is passed at call 28, 167,000 at call 32.
    expect(status).toMatchObject([
      { n: 1, turn: 1, estimatedTokens: 100, limit: 167_000, percentLeft: 100, warning: false, error: false },
      {
        n: 28,
        turn: 28,
        estimatedTokens: 150_640,
        limit: 167_000,
        percentLeft: 10,
        warning: true,
        error: true,
      },
      { turn: 32, warning: false, error: false },
    ]);
    expect(facts.status).toMatchObject({
      warning: { turns: 4, times: 1, firstRequest: 28 },
      error: { turns: 4, times: 1, firstRequest: 28 },
      leastPercentLeft: 1,
    });
    // Call 31 sees 165,700 of 167,000.
    expect(metricValues(facts)).toMatchObject({
      warningShownTurns: 4,
      errorShownTurns: 4,
      leastPercentLeft: 0.01,
    });
    // The request of the compaction comes before call 32: its number is 33.
    const last = mainRequests(entries).find(({ turn }) => turn === 32)!;
    expect(facts.status!.warning.leftAt).toBe(last.n);
    const rows = valueBlocks(facts).flatMap(({ rows: all }) => all.map(({ cells }) => cells));
    expect(rows).toContainEqual(['least left', '1%', 'of the limit that the client shows']);
    expect(rows).toContainEqual([
      'turns with warning',
      '4',
      'entered once, first at request 28, last left at 33',
    ]);
  });

  it('C30 warning and error have offsets of their own', () => {
    const set = { ...COMPACTION_ONLY, 'window.errorOffset': 8_000 };
    const { status, facts } = run({ policy: 'claude-code/2.1.112', set }, work(30));
    expect(status.map(({ n, warning, error }) => [n, warning, error])).toEqual([
      [1, false, false],
      [28, true, false],
      [30, true, true],
    ]);
    expect(facts.status).toMatchObject({ warning: { turns: 4 }, error: { turns: 2, leftAt: null } });
  });

  it('C30 without auto-compaction the limit is the effective window, of the model where the policy has none', () => {
    const off = { ...COMPACTION_ONLY, 'autoCompact.enabled': false };
    const { status } = run({ policy: 'claude-code/2.1.112', set: off }, work(30));
    expect(status.map(({ n, limit }) => [n, limit])).toEqual([
      [1, 180_000],
      [30, 180_000],
    ]);
    const none = run({ policy: 'none' }, work(36));
    expect(none.status.map(({ n, limit, warning }) => [n, limit, warning])).toEqual([
      [1, 200_000, false],
      [34, 200_000, true],
    ]);
    expect(metricValues(none.facts).warningShownTurns).toBe(4);
  });

  it('C30 without a window there is nothing to show: no entry, and no number', () => {
    const { status, facts } = run({ policy: 'unbounded' }, work(60));
    expect(status).toEqual([]);
    expect(metricValues(facts)).toMatchObject({
      warningShownTurns: null,
      errorShownTurns: null,
      leastPercentLeft: null,
    });
  });

  it('C30 another model brings another limit', () => {
    const talk = new Conversation().turn(100, 10);
    talk.event((at) => ({ kind: 'model-switch', at, model: 'claude-opus-4-6' }));
    const later = new Conversation({ model: 'claude-opus-4-6', ids: 'later ' }).wait(60).turn(10, 10);
    const joined = { ...talk.thread(), steps: [...talk.steps, ...later.steps] };
    const plan = planOf({ policy: 'claude-code/2.1.112' });
    const entries = runLog(plan, { ...talk.transcript(), threads: [joined] });
    const [first, second] = mainRequests(entries);
    expect(ofType(entries, 'status').map(({ n, limit }) => [n, limit])).toEqual([
      [first!.n, 167_000],
      [second!.n, 967_000],
    ]);
  });

  it('C30 of subagents nothing is shown', () => {
    const main = work(2);
    const child = new Conversation({ ids: 'child ' }).wait(2).turn(50, 10);
    const threads = [main.thread(), child.thread('child', 'main')];
    const entries = logFor({ policy: 'claude-code/2.1.112' }, { ...main.transcript(), threads });
    expect(ofType(entries, 'status').map(({ thread }) => thread)).toEqual(['main']);
  });
});

describe('who listens to how full a conversation is', () => {
  it('C30 hears of each request of a main thread, in the place of the log', () => {
    const checks: StatusCheck[] = [];
    const entries: LogEntry[] = [];
    const parts = replayParts(
      planOf({ policy: 'claude-code/2.1.112', set: COMPACTION_ONLY }),
      work(3).transcript(),
      { write: (entry) => entries.push(entry) },
      NO_TIMING,
      { onStatus: (check) => checks.push(check) },
    );
    while (parts.next().done !== true);
    expect(ofType(entries, 'status')).toEqual([]);
    expect(checks.map(({ n, turn, thread }) => [n, turn, thread])).toEqual([
      [1, 1, 'main'],
      [2, 2, 'main'],
      [3, 3, 'main'],
      [4, 4, 'main'],
    ]);
    // The model is the same object as long as it is the same model.
    expect(new Set(checks.map(({ model }) => model)).size).toBe(1);
    expect(checks[0]!.model).toMatchObject({ name: 'claude-sonnet-4-5' });
  });

  it('C30 hears of no limits where a policy has no bound, and nothing is shown', () => {
    const checks: StatusCheck[] = [];
    const plan = planOf({ policy: 'unbounded' });
    const sink = { write: () => {} };
    const parts = replayParts(plan, work(1).transcript(), sink, NO_TIMING, {
      onStatus: (check) => checks.push(check),
    });
    while (parts.next().done !== true);
    expect(checks.map(({ model }) => model)).toEqual([null, null]);
    expect(ofType(runLog(plan, work(1).transcript()), 'status')).toEqual([]);
  });
});
