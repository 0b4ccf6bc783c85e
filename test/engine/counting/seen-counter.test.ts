import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counterRules, SeenCounter } from '../../../src/engine/counting/seen-counter.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { messageFrom, userText } from '../../helpers/blocks.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { forAll } from '../../helpers/for-all.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';

/** True tokens of the placeholder. */
const PLACEHOLDER = 12;

/** 15,100 tokens and this many turns with a result of some size; four characters a token. */
function work(turns: number, tokens: number, tool = 'Read', prefixTokens = 15_000): Conversation {
  const talk = new Conversation({ toolsTokens: prefixTokens - 3_000, systemTokens: 3_000 }).human(100);
  for (let i = 0; i < turns; i++) talk.tools([{ tool, tokens }]);
  return talk;
}

const idle = (talk: Conversation, tokens = 10) =>
  talk
    .answer(10)
    .wait(75 * 60)
    .turn(tokens, 10);

describe('what is cleared leaves the counter as it was added', () => {
  it('C28 144,652 tokens that the usage counted are taken off as 144,652, not as 193,024', () => {
    // 29 of 34 results of 5,000 are cleared after the pause; the rest of the turn is known by usage.
    const set = { ...COMPACTION_ONLY, 'autoCompact.enabled': false, 'microcompact.timeBased.enabled': true };
    const entries = logFor(
      { policy: 'claude-code/2026', set, model: 'claude-opus-4-6' },
      idle(work(34, 5_000)),
    );
    const [cleared] = ofType(entries, 'layer');
    expect(cleared).toMatchObject({ saved: 29 * (5_000 - PLACEHOLDER), details: { ids: 29 } });
    expect(cleared!.saved).toBe(144_652);
    expect(cleared!.estimatedBefore! - cleared!.estimatedAfter!).toBe(144_652);
  });

  it('C28 what is newer than the usage is taken off as it was estimated, a third more included', () => {
    // Eight parallel results of 3,000 tokens arrive after the pause: five stay, three go.
    const set = { ...COMPACTION_ONLY, 'microcompact.timeBased.enabled': true };
    const talk = new Conversation().human(100);
    talk.tools(Array.from({ length: 8 }, () => ({ tool: 'Read', tokens: 3_000 })));
    const entries = logFor({ policy: 'claude-code/2026', set }, talk.wait(75 * 60).answer(10));
    const [cleared] = ofType(entries, 'layer');
    // 33 characters of the placeholder are 8 tokens of the estimate.
    expect(cleared!.estimatedBefore! - cleared!.estimatedAfter!).toBe(((3_000 - 8) * 3 * 4) / 3);
  });

  it('C28 a block that grows is added whole, whatever the usage did not count', () => {
    const counter = new SeenCounter(counterRules(planOf({ policy: 'claude-code/2026' }).policy.params, 1));
    const text = (tokens: number) => userText(tokens);
    const held = (tokens: number) => new Map([['m', messageFrom('human', 'm', [text(tokens)])]]);
    counter.anchor({ input: 1_000, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 }, 0);
    counter.returnUncounted(100);
    counter.replace([{ messageId: 'm', blockIndex: 0, block: text(30) }], held(10), new Set());
    expect(counter.tokens).toBe(1_020);
    counter.replace([{ messageId: 'm', blockIndex: 0, block: null }], held(100), new Set());
    expect(counter.tokens).toBe(1_020); // the hundred that the usage never counted
  });

  it('C28 after a resume nothing is taken off that the usage did not count', () => {
    const set = {
      ...COMPACTION_ONLY,
      'autoCompact.enabled': false,
      'microcompact.timeBased.enabled': true,
      'client.newProcess': 'same',
    };
    const talk = idle(work(20, 5_000))
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .wait(75 * 60)
      .turn(10, 10);
    const entries = logFor({ policy: 'claude-code/2026', set }, talk);
    const [first, again] = ofType(entries, 'layer');
    expect(first!.estimatedBefore! - first!.estimatedAfter!).toBe(15 * 4_988);
    expect(again).toMatchObject({ saved: 15 * 4_988 });
    expect(again!.estimatedAfter).toBe(again!.estimatedBefore);
  });

  it('C28 for any counter the drop is what the blocks had added, and the next usage agrees', () => {
    forAll(
      { numRuns: 40 },
      fc.constantFrom('none', 'rough', 'padded'),
      fc.constantFrom(0.5, 1, 2),
      fc.array(fc.integer({ min: 50, max: 4_000 }), { minLength: 6, maxLength: 24 }),
      fc.integer({ min: 0, max: 6 }),
      (newContent, estimatorFactor, sizes, parallel) => {
        const set = {
          ...COMPACTION_ONLY,
          'microcompact.timeBased.enabled': true,
          'counter.newContent': newContent,
        };
        const talk = new Conversation().human(100);
        for (const tokens of sizes) talk.tools([{ tool: 'Read', tokens }]);
        if (parallel > 0) talk.tools(Array.from({ length: parallel }, () => ({ tool: 'Bash', tokens: 600 })));
        talk.wait(75 * 60).answer(10);
        const plan = planOf({ policy: 'claude-code/2026', set, estimatorFactor });
        const entries = runLog(plan, talk.transcript());
        const [cleared] = ofType(entries, 'layer');
        // The results of the latest call are newer than the usage; the last five results stay.
        const all = [...sizes, ...Array.from({ length: parallel }, () => 600)];
        const newer = parallel > 0 ? parallel : 1;
        const gone = all.slice(0, -5);
        const known = gone.slice(0, all.length - newer).reduce((sum, size) => sum + size - PLACEHOLDER, 0);
        const estimated = gone.slice(all.length - newer).reduce((sum, size) => sum + size - 8, 0);
        const third = newContent === 'none' ? 0 : newContent === 'padded' ? 4 / 3 : 1;
        const drop = known + estimated * third * estimatorFactor;
        expect(Math.abs(cleared!.estimatedBefore! - cleared!.estimatedAfter! - drop)).toBeLessThanOrEqual(2);
        // What the usage will count of the older part is never more than what the counter still has of it.
        const last = mainRequests(entries).at(-1)!;
        const rest = all.slice(-newer).reduce((sum, size) => sum + size, 0);
        expect(last.estimatedTokens!).toBeGreaterThanOrEqual(last.prompt - rest);
      },
    );
  });
});

describe('a microcompaction that makes room ends the pass', () => {
  it.each([
    ['claude-code/2.0', 187_000],
    ['claude-code/2.1', 155_000],
    ['claude-code/2.1.7', 155_000],
  ])('C24 %s at its threshold of %i clears and does not compact', (policy, threshold) => {
    // Up to 60,000 tokens that nothing clears, then results until one step crosses warning and threshold at once.
    const talk = work(20, 5_000, 'Read', threshold - 125_000);
    const before = threshold - 125_000 + 100 + 20 * 5_020;
    talk.tools([{ tool: 'Task', tokens: threshold - before - 20 }]).tools([{ tool: 'Task', tokens: 10 }]);
    const set = { 'sessionMemory.enabled': false, 'storage.enabled': false, 'window.warningOffset': 0 };
    const entries = logFor({ policy, set }, talk.answer(10));
    const layers = ofType(entries, 'layer');
    expect(layers.map(({ layer, action }) => `${layer} ${action}`)).toEqual(['microcompact clear']);
    expect(layers[0]!.estimatedBefore).toBeGreaterThanOrEqual(threshold);
    // 20 results of 5,000: 12 go, then 40,000 are left.
    expect(layers[0]).toMatchObject({ saved: 12 * 4_988, details: { ids: 12 } });
    expect(layers[0]!.estimatedBefore! - layers[0]!.estimatedAfter!).toBe(12 * 4_988);
    expect(metricValues(foldLog(entries)).compactions).toBe(0);
  });

  it('C24 R17 but not of claude-code/2.0.76, which counts what the API reported', () => {
    const talk = work(20, 5_000, 'Read', 30_000).tools([{ tool: 'Task', tokens: 24_480 }]);
    const set = { 'storage.enabled': false, 'window.warningOffset': 0 };
    const log = logFor(
      { policy: 'claude-code/2.0.76', set },
      talk.tools([{ tool: 'Task', tokens: 10 }]).answer(10),
    );
    expect(ofType(log, 'layer').map(({ layer, action }) => `${layer} ${action}`)).toEqual([
      'microcompact clear',
      'full-compact compact',
    ]);
  });
});
