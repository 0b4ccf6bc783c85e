import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../src/agent/layers/registry.js';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { above, COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';

const POLICY = 'claude-code/2026';

describe('cached microcompaction', () => {
  const talk = () => {
    const built = new Conversation().human(100);
    for (let i = 0; i < 30; i++) built.tools([{ tool: 'Read', tokens: 1_500 }]);
    return built.answer(10);
  };
  const run = (isOn: boolean) =>
    runSent(
      planOf({
        policy: POLICY,
        set: { ...COMPACTION_ONLY, 'microcompact.cached.enabled': isOn },
      }),
      talk().transcript(),
    );

  it('MIC-3 INV-3 C7 the bytes of every request are those of a run without it; reads drop by exactly the deleted tokens', () => {
    const on = run(true);
    const off = run(false);
    expect(ofType(on.entries, 'layer').filter((entry) => entry.action === 'delete').length).toBeGreaterThan(
      2,
    );
    expect(sentFor(on.sent, 'main').map((request) => request.prefixes)).toEqual(
      sentFor(off.sent, 'main').map((request) => request.prefixes),
    );
    const whole = mainRequests(off.entries);
    let deleted = 0;
    const turns = new Map(ofType(on.entries, 'layer').map((entry) => [entry.turn, entry.saved]));
    for (const [i, request] of mainRequests(on.entries).entries()) {
      deleted += turns.get(request.turn) ?? 0;
      expect(request.read).toBe(whole[i]!.read - deleted);
      expect(request.prompt).toBe(whole[i]!.prompt - deleted);
      expect(request.write5m).toBe(whole[i]!.write5m);
    }
    // Three deletions of seven results each.
    expect(deleted).toBe(21 * 1_500);
    // BRD-3: a drop that the client knows of is no break.
    expect(ofType(on.entries, 'break')).toEqual([]);
  });

  it('C7 billed as read, deleted content stays among the reads until the cache is gone', () => {
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true };
    const entries = (billDeleted: string) =>
      logFor({ policy: POLICY, set: { ...set, 'microcompact.cached.billDeleted': billDeleted } }, talk());
    const reads = (billDeleted: string) => mainRequests(entries(billDeleted)).map((request) => request.read);
    expect(reads('read')).toEqual(mainRequests(run(false).entries).map((request) => request.read));
    expect(mainRequests(entries('read')).map((request) => request.estimatedTokens)).toEqual(
      mainRequests(entries('free')).map((request) => request.estimatedTokens),
    );
    expect(logFor({ policy: POLICY, set }, talk())).toEqual(entries('free'));
  });

  it('C7 LOP-3 what it prevents is the same, however deleted content is billed', () => {
    // A window of 80,000 tokens has its threshold 33,000 below: the untouched conversation crosses it.
    const crossings = (billDeleted: string) =>
      ofType(
        logFor(
          {
            policy: POLICY,
            set: {
              ...COMPACTION_ONLY,
              'microcompact.cached.enabled': true,
              'microcompact.cached.billDeleted': billDeleted,
              'window.explicit': 80_000,
            },
          },
          talk(),
        ),
        'crossing',
      ).map(({ turn, state, uncompactedTokens: untouched, threshold }) => [
        turn,
        state,
        untouched,
        threshold,
      ]);
    expect(crossings('free')).toHaveLength(1);
    expect(crossings('free')[0]![3]).toBe(47_000);
    expect(crossings('read')).toEqual(crossings('free'));
  });

  it('MIC-3 the counter sees what the model sees', () => {
    const last = (entries: readonly LogEntry[]) => mainRequests(entries).at(-1)!.estimatedTokens!;
    expect(last(run(true).entries)).toBeLessThan(last(run(false).entries) - 20 * 1_500);
  });
});

describe('microcompaction that rewrites', () => {
  it('C12 two layers in one turn destroy 135,540 cached tokens, not 135,420 and 135,540', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Read', tokens: 13_524 }]);
    // The last request holds 15,100 + 10 × 13,544 = 150,540 tokens; then comes more than any clearing makes room for.
    talk.tools([{ tool: 'Task', tokens: 132_000 }]).answer(10);
    const set = { 'counter.newContent': 'rough' };
    const entries = logFor({ policy: 'claude-code/2.0', set }, talk);
    // The first result stands behind 15,120 tokens, the conversation behind 15,000.
    expect(ofType(entries, 'layer')).toMatchObject([
      { turn: 12, layer: 'microcompact', outcome: 'done', cacheLost: 150_540 - 15_120 },
      { turn: 12, layer: 'full-compact', outcome: 'done', cacheLost: 120 },
    ]);
    expect(metricValues(foldLog(entries)).cacheTokensDestroyed).toBe(135_540);
  });

  it('MIC-2 time-based: reads fall once, at the gap', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Read', tokens: 2_000 }]);
    talk
      .answer(10)
      .wait(90 * 60)
      .human(20);
    for (let i = 0; i < 6; i++) talk.tools([{ tool: 'Read', tokens: 2_000 }]);
    const set = { ...COMPACTION_ONLY, 'microcompact.timeBased.enabled': true };
    const entries = logFor({ policy: POLICY, set }, talk.answer(10));
    const reads = mainRequests(entries).map((request) => request.read);
    const falls = reads.flatMap((read, i) => (i > 0 && read < reads[i - 1]! ? [i] : []));
    expect(falls).toEqual([11]); // eleven requests before the gap
    expect(reads[11]).toBe(0);
    expect(ofType(entries, 'layer')).toMatchObject([{ trigger: 'idle', turn: 12, cacheLost: 0 }]);
  });

  it('MIC-1 token-triggered: the next read is the system + tools prefix only', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 30; i++) talk.tools([{ tool: 'Read', tokens: 4_500 }]);
    const entries = logFor({ policy: 'claude-code/2.1' }, talk.answer(10));
    const [cleared] = ofType(entries, 'layer').filter((entry) => entry.layer === 'microcompact');
    const next = mainRequests(entries).find((request) => request.turn === cleared!.turn)!;
    expect(next.read).toBe(15_000);
    expect(next.cause).toBe('microcompaction');
    expect(cleared!.cacheLost).toBeGreaterThan(58_000);
    expect(next.rewritten).toBeGreaterThan(30_000);
  });
});

describe('the summariser and the cache', () => {
  const summaryOf = (policy: string, from: number) => {
    const entries = logFor({ policy, set: COMPACTION_ONLY }, above({ from, rounds: 2, before: 60 }));
    const call = ofType(entries, 'request').find((entry) => entry.purpose === 'compact')!;
    return { call, values: metricValues(foldLog(entries)), facts: foldLog(entries) };
  };

  it('FUL-4 CCH-4 the fork of 2026 reads the main prefix, those of 2.0 and 2.1 pay for everything; the metrics tell the money', () => {
    const forked = summaryOf(POLICY, 168_000);
    const own = summaryOf('claude-code/2.1', 168_000);
    const old = summaryOf('claude-code/2.0', 188_000);
    expect(forked.call.read / forked.call.prompt).toBeGreaterThan(0.97);
    expect(forked.call.write5m + forked.call.write1h).toBe(0);
    expect(own.call.read).toBe(0);
    expect(old.call.read).toBe(0);
    const input = (entry: typeof forked.call) => entry.readCost + entry.writeCost + entry.inputCost;
    expect(input(own.call) / input(forked.call)).toBeGreaterThan(5);
    expect(own.values.costUsdLayers!).toBeGreaterThan(forked.values.costUsdLayers! * 3);
    expect(own.facts.cost.byLayer.compact).toBe(own.call.cost);
  });

  it('FUL-4 the fork leaves nothing in the cache: the next main request reads what it would have read', () => {
    const talk = () => above({ from: 168_000, rounds: 3, before: 60 }).transcript();
    const plan = planOf({ policy: POLICY, set: COMPACTION_ONLY });
    const entries = runLog(plan, talk());
    const turn = ofType(entries, 'layer').find((entry) => entry.action === 'compact')!.turn;
    expect(mainRequests(entries).find((request) => request.turn === turn)!.read).toBe(15_000);
  });

  it('FUL-11 from a pivot the prefix and its cache survive, up to a pivot it is rewritten', () => {
    const run = (direction: 'from' | 'up_to') => {
      const talk = new Conversation().human(100);
      for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Task', tokens: 2_000 }]);
      talk
        .answer(10)
        .event((at) => ({
          kind: 'manual-compact',
          at,
          compaction: { instructions: null, partial: { direction, messagesBack: 9 } },
        }))
        .turn(20, 10);
      const set = { ...COMPACTION_ONLY, 'client.breakpoints': 'system+last' };
      const { entries, sent } = runSent(planOf({ policy: POLICY, set }), talk.transcript());
      const main = sentFor(sent, 'main');
      const [before, after] = main.slice(-2);
      const same = after!.prefixes.filter((digest, i) => digest === before!.prefixes[i]).length;
      const summary = ofType(entries, 'request').find((entry) => entry.purpose === 'compact')!;
      return { same, read: mainRequests(entries).at(-1)!.read, summary };
    };
    const from = run('from');
    const upTo = run('up_to');
    // Tools, system, the prompt and six rounds of two blocks stay; then the summary begins.
    expect(from.same).toBe(2 + 1 + 2 * 6);
    expect(from.read).toBe(15_100 + 6 * 2_020);
    expect(upTo.same).toBe(2);
    expect(upTo.read).toBe(15_000);
    expect(from.summary.read / from.summary.prompt).toBeGreaterThan(0.9);
  });
});

describe('a resume after a compaction', () => {
  it.each(policyRegistry.names.filter((name) => name.startsWith('claude-code/')))(
    'FUL-8 STO-3 %s: the next request is the same byte for byte',
    (policy) => {
      const talk = (resumed: boolean) => {
        const built = above({ from: 160_000, rounds: 1 });
        for (let i = 0; i < 8; i++) {
          built.human(30);
          built.tools([{ tool: 'Read', tokens: 4_000, path: `/repo/${i}.ts` }]).answer(20);
        }
        if (resumed) built.event((at) => ({ kind: 'resume', at, reason: 'restart' }));
        return built.turn(10, 10).transcript();
      };
      // Layers whose changes live in memory only are told apart elsewhere; compaction and storage must survive.
      const set = {
        'microcompact.token.enabled': false,
        'microcompact.timeBased.enabled': false,
        'microcompact.cached.enabled': false,
        'microcompact.apiNative.enabled': false,
        'autoMemory.enabled': false,
        'client.newProcess': 'same',
      };
      const plan = planOf({ policy, set, model: 'claude-sonnet-4' }); // on older models 2.1.325 would not compact
      const straight = runSent(plan, talk(false));
      const resumed = runSent(plan, talk(true));
      expect(ofType(straight.entries, 'layer').some((entry) => entry.action === 'compact')).toBe(true);
      expect(sentFor(resumed.sent, 'main').map((request) => request.digest)).toEqual(
        sentFor(straight.sent, 'main').map((request) => request.digest),
      );
      expect(mainRequests(resumed.entries).at(-1)).toEqual(mainRequests(straight.entries).at(-1));
    },
  );
});

describe('every layer off', () => {
  const transcripts = ['bugfix', 'huge-outputs', 'long-idle', 'parallel-tools'].map((workload) =>
    generateTranscript({ workload, turns: 120, seed: 3, model: 'claude-sonnet-4-5' }),
  );

  it.each(policyRegistry.names.filter((name) => name.startsWith('claude-code/')))(
    'FLG-1 %s without its layers is the policy none with the same client',
    (policy) => {
      const off: Record<string, unknown> = {};
      for (const name of policyRegistry.get(policy).layers) off[layerRegistry.get(name).killSwitch] = false;
      const { params } = planOf({ policy, set: off }).policy;
      const client: Record<string, unknown> = {};
      for (const path of Object.keys(params))
        if (/^(client|counter|window)\./.test(path)) client[path] = params[path];
      for (const transcript of transcripts) {
        const without = logFor({ policy, set: off }, transcript);
        const none = logFor({ policy: 'none', set: client }, transcript);
        // What is kept free for the answer still shows in what the client says is left (WIN-5).
        const rest = (entries: readonly LogEntry[]) =>
          entries.filter((entry) => entry.type !== 'run' && entry.type !== 'status');
        expect(rest(without)).toEqual(rest(none));
        expect(ofType(without, 'layer')).toEqual([]);
      }
    },
  );
});
