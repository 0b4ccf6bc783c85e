import { describe, expect, it } from 'vitest';
import { autoCompactLayer } from '../../../../src/agent/layers/auto-compact/auto-compact.js';
import { CompactionHistory } from '../../../../src/agent/layers/auto-compact/history.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import type { QuerySource } from '../../../../src/core/run/layer.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { above, compactionPlan } from '../../../helpers/drive/above-threshold.js';
import { layerContext, moment, viewOf } from '../../../helpers/drive/drive-session-memory.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../../../helpers/plan.js';

const POLICY = 'claude-code/2026';

function run(init: PlanInit, talk: Conversation | Transcript) {
  const transcript = talk instanceof Conversation ? talk.transcript() : talk;
  const entries = runLog(compactionPlan(POLICY, init), transcript);
  return {
    entries,
    facts: foldLog(entries),
    compactions: ofType(entries, 'layer').filter((entry) => entry.action === 'compact'),
    breaker: ofType(entries, 'breaker'),
  };
}

const FAILING = [{ call: 'compact', error: 'tool_call' }] as const;
const manual = (talk: Conversation) =>
  talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));

it('R17 a turn counts what was cleared in it, until a compaction has replaced the history', () => {
  const history = new CompactionHistory();
  history.noteCount(3, 900);
  history.noteCount(3, 500);
  expect([100, 950].map((tokens) => history.countWith(3, tokens))).toEqual([900, 950]);
  expect(history.countWith(4, 100)).toBe(100);
  history.replaced(3);
  expect(history.countWith(3, 100)).toBe(100);
});

describe('the breaker', () => {
  const talk = (rounds = 14) => above({ from: 168_000, rounds });

  it('BRK-1 three failures in a row and no more attempts in this session; each avoided one is told', () => {
    const { compactions, breaker } = run({ faults: FAILING }, talk().turn(10, 10));
    expect(compactions.map((entry) => entry.outcome)).toEqual(['failed', 'failed', 'failed']);
    expect(breaker.map((entry) => entry.state)).toEqual(['tripped', ...Array(12).fill('skipped')]);
    expect(breaker[0]).toMatchObject({ failures: 3, turn: compactions[2]!.turn });
  });

  it('BRK-1 a success resets the count', () => {
    // Two requests fail an attempt (fork and direct call): attempts 1, 2 and 4, 5, 6 fail, the third succeeds.
    const faults = [
      { call: 'compact', error: 'tool_call', to: 4 },
      { call: 'compact', error: 'tool_call', from: 6 },
    ] as const;
    const long = above({ from: 168_000, rounds: 4 }).human(10);
    for (let i = 0; i < 20; i++) long.tools([{ tool: 'Task', tokens: 7_500 }]);
    for (let i = 0; i < 6; i++) long.tools([{ tool: 'Task', tokens: 20 }]);
    const { compactions, breaker } = run({ faults }, long.answer(10));
    expect(compactions.map((entry) => entry.outcome)).toEqual([
      'failed',
      'failed',
      'done',
      'failed',
      'failed',
      'failed',
    ]);
    expect(breaker.filter((entry) => entry.state !== 'skipped')).toMatchObject([
      { state: 'reset', failures: 0 },
      { state: 'tripped', failures: 3 },
    ]);
  });

  it('BRK-1 FUL-10 a manual compaction resets it, too', () => {
    const faults = [{ call: 'compact', error: 'tool_call', to: 6 }] as const;
    const { compactions, breaker } = run({ faults }, manual(talk(6)).turn(10, 10));
    expect(compactions.map((entry) => `${entry.trigger} ${entry.outcome}`)).toEqual([
      'auto failed',
      'auto failed',
      'auto failed',
      'manual done',
    ]);
    expect(breaker.at(-1)).toMatchObject({ state: 'reset' });
  });

  it('BRK-1 per prompt, where the client counts so: the next prompt tries again', () => {
    const { compactions } = run({ policy: 'claude-code/2.1.112', faults: FAILING }, talk().turn(10, 10));
    expect(compactions).toHaveLength(4);
  });

  it('BRK-5 without it a failing session tries on every turn to the end; with it exactly three times', () => {
    const off = run({ faults: FAILING, set: { 'breaker.maxFailures': null } }, talk(40));
    const on = run({ faults: FAILING }, talk(40));
    expect(off.facts.compactions.failed).toBe(40);
    expect(on.facts.compactions.failed).toBe(3);
    expect(on.facts.breaker).toMatchObject({ trips: 1, skips: 37 });
    expect(off.facts.layers['full-compact'].calls).toBe(80);
    expect(on.facts.layers['full-compact'].calls).toBe(6);
  });
});

describe('guards', () => {
  const due = (source: QuerySource, set: Record<string, boolean> = {}) => {
    const plan = planOf({ policy: POLICY, set });
    const context = layerContext(plan.policy.params);
    const at = moment(0, { point: 'before-request', source });
    return autoCompactLayer.create({ ...context, source, plan }).due(at, viewOf([], 190_000));
  };

  it.each(['compact', 'session_memory', 'auto_memory', 'dream', 'fork', 'subagent'] as const)(
    'BRK-2 FLG-2 never from inside %s',
    (source) => {
      expect(due(source)).toBe(false);
      expect(due('main')).toBe(true);
    },
  );

  it('BRK-2 a subagent compacts where the policy says so', () => {
    expect(due('subagent', { 'autoCompact.subagents': true })).toBe(true);
  });

  it('a model that is left out compacts only when the user set a window', () => {
    const set = { 'autoCompact.exceptModels': ['claude-sonnet-4-5'] };
    const talk = () => above({ from: 168_000, rounds: 2 });
    const policy = 'claude-code/2.1.325';
    expect(run({ policy, set }, talk()).compactions).toEqual([]);
    expect(run({ policy, set: { ...set, 'window.explicit': 200_000 } }, talk()).compactions).toHaveLength(1);
  });
});

describe('recompaction', () => {
  /** A floor of 160,000 tokens that no compaction removes. */
  const floor = (rounds: number) => above({ prefixTokens: 166_000, from: 168_000, rounds, before: 2 });

  it('BRK-3 BRK-4 a result at the threshold is told as thrash when the next turn compacts again', () => {
    const { compactions, facts } = run({ policy: 'claude-code/2026' }, floor(4));
    expect(compactions[0]!.details).toMatchObject({
      chained: false,
      thrash: false,
      turnsSincePrevious: null,
      previousTurn: null,
      threshold: 167_000,
      source: 'main',
      recompactsNextTurn: true, // FUL-12
    });
    expect(compactions[1]!.details).toMatchObject({
      chained: true,
      thrash: true,
      turnsSincePrevious: 1,
      previousTurn: compactions[0]!.turn,
    });
    expect(facts.compactions.thrash).toBe(compactions.length - 1);
    expect(facts.compactions.chained).toBe(compactions.length - 1);
  });

  it('BRK-3 the thrash guard ends the run at the fourth trigger', () => {
    const policy = 'claude-code/2.1.112';
    const { compactions, entries } = run({ policy }, floor(12));
    expect(compactions).toHaveLength(3);
    const ends = ofType(entries, 'notice').filter((entry) => entry.what === 'run-ended');
    expect(ends).toHaveLength(1);
    expect(ofType(entries, 'lost')).toMatchObject([{ calls: 14 - 4 }]); // the second of 14 calls was the first above
  });

  it('BRK-3 a refill counts once for each compaction, however often the next attempt fails', () => {
    const policy = 'claude-code/2.1.112';
    const faults = [{ call: 'compact', error: 'tool_call', from: 2 }] as const;
    const { compactions, entries } = run({ policy, faults }, floor(12));
    expect(compactions.map((entry) => entry.outcome)).toEqual(['done', 'failed', 'failed', 'failed']);
    expect(ofType(entries, 'notice')).toEqual([]);
  });

  it('BRK-3 refills count in a row: one compaction that holds lets the guard begin again', () => {
    // Two refilled at once, a third that lasts for more than three turns, two refilled at once again: five go through.
    const talk = above({ prefixTokens: 20_000, from: 168_000, rounds: 1 }).human(10);
    const refill = () => talk.tools([{ tool: 'Task', tokens: 150_000 }]);
    refill();
    refill();
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Task', tokens: 20_000 }]);
    refill();
    refill();
    const set = { 'blocking.enabled': false };
    const { compactions, entries } = run({ policy: 'claude-code/2.1.112', set }, talk.answer(10));
    const turnsSince = compactions.map((entry) => entry.details.turnsSincePrevious as number | null);
    expect(turnsSince.filter((turns) => turns !== null && turns <= 3).length).toBeGreaterThanOrEqual(3);
    expect(turnsSince.some((turns) => turns !== null && turns > 3)).toBe(true);
    expect(ofType(entries, 'notice').filter((entry) => entry.what === 'run-ended')).toEqual([]);
    expect(ofType(entries, 'lost')).toEqual([]);
  });

  it('BRK-3 compactions with more than three turns between them are no thrash', () => {
    const slow = above({ prefixTokens: 20_000, from: 168_000, rounds: 1 }).human(10);
    for (let i = 0; i < 60; i++) slow.tools([{ tool: 'Task', tokens: 12_000 }]);
    const { compactions, entries } = run({ policy: 'claude-code/2.1.112' }, slow.answer(10));
    expect(compactions.length).toBeGreaterThan(4);
    expect(ofType(entries, 'notice')).toEqual([]);
  });
});

describe('cleanup', () => {
  it('CLN-1 the file-read state starts over with what was restored', () => {
    const talk = new Conversation({ toolsTokens: 100_000 }).human(100);
    for (let i = 0; i < 8; i++) talk.tools([{ tool: 'Read', tokens: 8_200, path: `/repo/${i}.ts` }]);
    manual(manual(talk)).answer(10);
    const { compactions } = run({}, talk);
    // Five files come back; the second compaction knows these five and no other.
    expect(compactions.map((entry) => entry.details.restoredFiles)).toEqual([5, 5]);
    const six = run({ set: { 'restore.files': 6 } }, talk).compactions;
    expect(six.map((entry) => entry.details.restoredFiles)).toEqual([6, 6]);
  });

  it('CLN-1 pinned deletions and cleared results are forgotten with the history', () => {
    const set = { 'microcompact.cached.enabled': true };
    const talk = new Conversation().human(100);
    for (let i = 0; i < 13; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    manual(talk);
    for (let i = 0; i < 13; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    const entries = run({ set }, talk.answer(10)).entries;
    const deletions = ofType(entries, 'layer').filter((entry) => entry.action === 'delete');
    expect(deletions.map((entry) => entry.details.pinned)).toEqual([7, 7]);
    const compaction = ofType(entries, 'layer').find((entry) => entry.action === 'compact')!;
    expect(compaction.trueAfter).toBeGreaterThan(0);
  });

  it('CLN-1 also when the new history has as many messages as the old one', () => {
    const set = { 'microcompact.cached.enabled': true, 'restore.files': 8 };
    const eight = Array.from({ length: 8 }, (_, i) => ({ tool: 'Read', tokens: 300, path: `/repo/${i}.ts` }));
    // Prompt, call, eight results and answer: eleven; then boundary, summary, eight files and the next prompt.
    const talk = manual(new Conversation().human(100).tools(eight).answer(10)).human(10);
    for (let i = 0; i < 13; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    const { entries } = run({ set }, talk.answer(10));
    const deletions = ofType(entries, 'layer').filter((entry) => entry.action === 'delete');
    expect(deletions).toMatchObject([{ turn: 2 + 13, details: { ids: 7, pinned: 7 } }]);
  });

  it('CLN-2 the compaction of a subagent leaves the main thread alone', () => {
    const main = new Conversation().human(100);
    for (let i = 0; i < 13; i++) main.tools([{ tool: 'Read', tokens: 1_000 }]);
    main.wait(200);
    for (let i = 0; i < 3; i++) main.tools([{ tool: 'Read', tokens: 1_000 }]);
    main.answer(10);
    const child = new Conversation({ toolsTokens: 150_000 }).wait(60).human(50);
    for (const tokens of [9_000, 9_000, 100]) child.tools([{ tool: 'Read', tokens }]);
    child.answer(10);
    const set = { 'microcompact.cached.enabled': true, 'autoCompact.subagents': true };
    const transcript = { ...main.transcript(), threads: [main.thread(), child.thread('child', 'main')] };
    const together = run({ set }, transcript);
    expect(together.compactions.map((entry) => entry.thread)).toEqual(['child']);
    const alone = run({ set }, main);
    const ofMain = (entries: typeof together.entries) =>
      ofType(entries, 'request')
        .filter((entry) => entry.thread === 'main')
        .map(({ prompt, read, estimatedTokens: seen, rewritten }) => ({ prompt, read, seen, rewritten }));
    expect(ofMain(together.entries)).toEqual(ofMain(alone.entries));
  });

  it('CLN-3 BRD-3 the break after a compaction is expected, the request after it has a new baseline', () => {
    const { entries, compactions } = run({}, above({ from: 168_000, rounds: 4 }));
    expect(compactions).toHaveLength(1);
    const breaks = ofType(entries, 'break');
    expect(breaks).toMatchObject([{ cause: 'compaction', expected: true }]);
  });
});
