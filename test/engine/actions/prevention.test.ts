import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../src/agent/layers/registry.js';
import { Limits } from '../../../src/core/run/limit.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, ofType, planOf, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

const POLICY = 'claude-code/2026';
const CACHED = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true } as const;

/** 15,100 tokens and this many turns with a result of some size. */
function work(turns: number, tokens: number, tool = 'Read'): Conversation {
  const talk = new Conversation().human(100);
  for (let i = 0; i < turns; i++) talk.tools([{ tool, tokens }]);
  return talk;
}

function run(talk: Conversation, set: Readonly<Record<string, unknown>> = CACHED): LogEntry[] {
  return logFor({ policy: POLICY, set }, talk);
}

describe('compactions that layers prevent', () => {
  it('C10 none while the untouched context stays below the threshold, however much is taken out', () => {
    // 15,100 + 29 × 5,020 = 160,680 at the last request, below 167,000.
    const entries = run(work(29, 5_000).answer(10));
    expect(metricValues(foldLog(entries)).tokensSaved).toBeGreaterThan(100_000);
    expect(ofType(entries, 'crossing')).toEqual([]);
  });

  it('C10 one when it crosses, and none for the rest of the way', () => {
    const entries = run(work(60, 5_000).answer(10));
    // At turn 31 the counter knows 15,100 + 29 × 5,020 + 20 and adds a third to the newest result: 167,367.
    expect(ofType(entries, 'crossing')).toMatchObject([
      {
        state: 'avoided',
        turn: 31,
        threshold: 167_000,
        uncompactedTokens: 167_367,
        layers: ['microcompact'],
      },
    ]);
    expect(ofType(entries, 'layer').some(({ action }) => action === 'compact')).toBe(false);
    expect(metricValues(foldLog(entries))).toMatchObject({ compactionsPrevented: 1, compactionsDeferred: 0 });
  });

  it('C10 a compaction that comes later was put off, and the next crossing counts again', () => {
    // Results that no layer clears fill the real context too.
    const talk = work(20, 5_000);
    for (let i = 0; i < 30; i++) talk.tools([{ tool: 'Task', tokens: 5_000 }]);
    // Behind the compaction as many results that are cleared as cross the threshold a second time.
    for (let i = 0; i < 40; i++) talk.tools([{ tool: 'Read', tokens: 5_000 }]);
    const entries = run(talk.answer(10));
    const done = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    expect(done).toMatchObject([{ outcome: 'done' }]);
    expect(ofType(entries, 'crossing').map(({ state, turn }) => [state, turn < done[0]!.turn])).toEqual([
      ['avoided', true],
      ['made', false],
      ['avoided', false],
    ]);
    expect(metricValues(foldLog(entries))).toMatchObject({ compactionsPrevented: 1, compactionsDeferred: 1 });
  });

  it('C10 it counts for the layer without which the context would have crossed', () => {
    // What storage takes out, some 250 tokens, is less than the untouched context is over the threshold.
    const talk = new Conversation().human(100).tools([{ tool: 'Bash', tokens: 800 }]);
    for (let i = 0; i < 40; i++) talk.tools([{ tool: 'Read', tokens: 5_000 }]);
    const set = { ...CACHED, 'storage.enabled': true, 'storage.tools': { Bash: 3_000 } };
    const entries = run(talk.answer(10), set);
    expect(foldLog(entries).layers.storage.saved).toBeGreaterThan(0);
    expect(ofType(entries, 'crossing')).toMatchObject([{ layers: ['microcompact'] }]);
  });

  it('C10 for all of them where no single one would have been enough to miss', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 6; i++) talk.tools([{ tool: 'Bash', tokens: 12_000 }]);
    for (let i = 0; i < 20; i++) talk.tools([{ tool: 'Read', tokens: 5_000 }]);
    const set = { ...CACHED, 'storage.enabled': true };
    expect(ofType(run(talk.answer(10), set), 'crossing')).toMatchObject([
      { layers: ['storage', 'microcompact'] },
    ]);
  });

  it('C10 a compaction by hand in between ends it: one that the context needs later was not put off', () => {
    const talk = work(40, 5_000).answer(10);
    talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const entries = run(
      talk
        .human(10)
        .tools([{ tool: 'Task', tokens: 160_000 }])
        .answer(10),
    );
    const done = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    expect(done.map(({ trigger }) => trigger)).toEqual(['manual', 'auto']);
    expect(ofType(entries, 'crossing').map(({ state }) => state)).toEqual(['avoided']);
    expect(metricValues(foldLog(entries))).toMatchObject({ compactionsPrevented: 1, compactionsDeferred: 0 });
  });

  describe('when another model with another threshold takes over', () => {
    /** This many turns on a model of 1,000,000 tokens behind a crossing of 167,000 on one of 200,000. */
    const switched = (turns: number, tokens: number, tool: string): Conversation => {
      const talk = work(40, 5_000).answer(10).wait(5);
      talk.event((at) => ({ kind: 'model-switch', at, model: LONG }));
      const later = new Conversation({ model: LONG, ids: 'b-' }).wait(60).turn(10, 10).human(10);
      for (let i = 0; i < turns; i++) later.tools([{ tool, tokens }]);
      talk.steps.push(...later.answer(10).steps);
      return talk;
    };
    const LONG = 'claude-opus-4-6[1m]';

    it('C10 a compaction there does not take back the one that was prevented here', () => {
      // With some 41,000 tokens before it less than the window of 1,000,000, so the summary is written.
      const entries = run(switched(1, 940_000, 'Task'));
      const done = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
      expect(done).toMatchObject([{ outcome: 'done' }]);
      expect(ofType(entries, 'crossing')).toMatchObject([{ state: 'avoided', threshold: 167_000 }]);
      expect(metricValues(foldLog(entries))).toMatchObject({
        compactionsPrevented: 1,
        compactionsDeferred: 0,
      });
    });

    it('C10 a crossing there counts again', () => {
      const entries = run(switched(30, 30_000, 'Read'));
      expect(ofType(entries, 'crossing')).toMatchObject([
        { state: 'avoided', threshold: 167_000 },
        { state: 'avoided', threshold: 967_000 },
      ]);
    });
  });

  it('C10 under a policy file it counts in the threads that the rule which compacts is for', () => {
    // 15,100 + 12 × 3,020 tokens pass 40,000; with at most six results there are never more than 34,000.
    const long = (ids: string) => {
      const talk = new Conversation({ ids }).wait(2).human(100);
      for (let i = 0; i < 12; i++) talk.tools([{ tool: 'Read', tokens: 3_000 }]);
      return talk.answer(10);
    };
    const crossingsWith = (threads: 'all' | 'main') => {
      const plan = planUnder(
        {
          rules: [
            {
              when: { toolResults: '>= 6' },
              select: { what: 'tool-results', keep: { last: 3 } },
              replace: { with: 'placeholder' },
            },
            { threads, when: { tokens: '>= 40k' }, select: { what: 'history' }, ask: { shape: 'own' } },
          ],
        },
        {},
      );
      const main = long('');
      const transcript = main.transcript({ threads: [main.thread(), long('b-').thread('child', 'main')] });
      return ofType(runLog(plan, transcript), 'crossing').map(({ thread, state, threshold }) =>
        [thread, state, threshold].join(' '),
      );
    };
    expect(crossingsWith('main')).toEqual(['main avoided 40000']);
    expect(crossingsWith('all').sort()).toEqual(['child avoided 40000', 'main avoided 40000']);
  });

  it('BRK-2 C10 a subagent never compacts, so nothing prevents it from doing so', () => {
    const main = new Conversation()
      .human(100)
      .tools([{ tool: 'Task', tokens: 100 }])
      .wait(900)
      .answer(10);
    const child = new Conversation().wait(2).human(50);
    for (let i = 0; i < 16; i++) child.tools([{ tool: 'Bash', tokens: 12_000 }]);
    const threads = [main.thread(), child.answer(10).thread('child', 'main')];
    const plan = planOf({ policy: POLICY, set: { ...CACHED, 'storage.enabled': true } });
    const entries = runLog(plan, { ...main.transcript(), threads });
    expect(metricValues(foldLog(entries)).tokensSaved).toBeGreaterThan(170_000);
    expect(ofType(entries, 'crossing')).toEqual([]);
  });
});

describe('WIN-7 a layer says where it compacts by itself', () => {
  const thresholdOf = (name: string, policy: string, set: Readonly<Record<string, unknown>> = {}) => {
    const plan = planOf({ policy, set });
    return layerRegistry.get(name).compactsAt?.({
      params: plan.policy.params,
      source: 'main',
      limits: new Limits(plan.policy),
      model: { name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 },
    });
  };

  it('auto-compaction where it is on, a policy file by its rules, others nowhere', () => {
    // 200,000 − 20,000 for the answer − 13,000.
    expect(thresholdOf('auto-compact', POLICY)!.limit.value).toBe(167_000);
    expect(thresholdOf('auto-compact', POLICY, { 'autoCompact.enabled': false })).toBeNull();
    expect(thresholdOf('rules', 'peers/zed')!.limit.value).toBeGreaterThan(0);
    expect(thresholdOf('storage', POLICY)).toBeUndefined();
    expect(thresholdOf('dreaming', POLICY)).toBeUndefined();
  });
});
