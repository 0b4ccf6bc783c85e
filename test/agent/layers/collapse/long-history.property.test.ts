import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Block } from '../../../../src/core/model/block.js';
import { runSent } from '../../../helpers/capture.js';
import { forAll } from '../../../helpers/for-all.js';
import { anyWindow, buildSession, sessionSteps } from '../../../helpers/generators/arbitrary-session.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../../helpers/plan.js';

/** Snip, collapse or both, with limits that short sessions reach. */
const settings = fc
  .record({
    snip: fc.boolean(),
    collapse: fc.boolean(),
    above: fc.constantFrom(20_000, 35_000, 60_000),
    keep: fc.integer({ min: 1, max: 4 }),
    minTokens: fc.constantFrom(1, 3_000),
    cached: fc.boolean(),
  })
  .map(({ snip, collapse, above, keep, minTokens, cached }) => ({
    'snip.enabled': snip,
    'snip.aboveTokens': above,
    'snip.downToTokens': above - 10_000,
    'snip.keepRounds': keep,
    'snip.minTokens': minTokens,
    'collapse.enabled': collapse,
    'autoCompact.enabled': !collapse,
    'collapse.aboveTokens': above,
    'collapse.downToTokens': above - 10_000,
    'collapse.keepPrompts': keep - 1,
    'microcompact.cached.enabled': cached,
    'microcompact.cached.minActive': 4,
    'microcompact.cached.keepRecent': 2,
  }));

/** INV-1: the user speaks first and last, and every call is answered once by what follows it. */
function expectPaired(blocks: readonly Block[]): void {
  expect(blocks[0]?.role).toBe('user');
  expect(blocks.at(-1)?.role).toBe('user');
  const open = new Set<string>();
  for (const [i, block] of blocks.entries()) {
    if (block.kind === 'tool_use') open.add(block.toolUseId!);
    if (block.kind === 'tool_result') expect(open.delete(block.toolUseId!)).toBe(true);
    if (block.role === 'assistant' && blocks[i - 1]?.role === 'user' && block.kind !== 'tool_use') {
      expect([...open]).toEqual([]);
    }
  }
  expect([...open]).toEqual([]);
}

describe('snip and collapse over generated sessions', () => {
  it('INV-1 keep every request valid, never add a token, act once a turn, and account for what they take', () => {
    forAll({ numRuns: propertyRuns(50) }, sessionSteps, settings, anyWindow, (steps, set, window) => {
      const { entries, sent } = runSent(
        planOf({ policy: 'claude-code/2026', window, set: { ...set, 'client.thinking': 'keep-all' } }),
        buildSession(steps),
      );
      for (const { purpose, blocks, systemEnd } of sent)
        if (purpose === 'main') expectPaired(blocks!.slice(systemEnd));
      const turns = new Set<string>();
      let out = 0;
      for (const entry of entries) {
        if (entry.type === 'layer') out += entry.saved;
        if (entry.type === 'returned') out -= entry.tokens;
        if (entry.type === 'request' && entry.purpose === 'main')
          expect(entry.uncompactedTokens).toBe(entry.context - entry.output + out);
        if (entry.type !== 'layer' || (entry.layer !== 'snip' && entry.layer !== 'collapse')) continue;
        expect(entry.trueAfter).toBeLessThan(entry.trueBefore);
        expect(entry.saved).toBe(entry.trueBefore - entry.trueAfter);
        expect(entry.calls).toBe(0);
        const place = `${entry.layer} ${entry.thread} ${entry.turn}`;
        expect(turns.has(place)).toBe(false);
        turns.add(place);
      }
    });
  });

  it('FLG-1 change nothing while they are off', () => {
    forAll({ numRuns: 6 }, sessionSteps, settings, (steps, set) => {
      const off = { ...set, 'snip.enabled': false, 'collapse.enabled': false };
      const log = (change: object) => {
        const plan = planOf({
          policy: 'claude-code/2026',
          window: 90_000,
          set: { 'autoCompact.enabled': off['autoCompact.enabled'], ...change },
        });
        return runLog(plan, buildSession(steps)).filter(({ type }) => type !== 'run');
      };
      const { 'snip.aboveTokens': above, 'collapse.aboveTokens': fold } = off;
      expect(log({ 'snip.aboveTokens': above, 'collapse.aboveTokens': fold })).toEqual(log({}));
    });
  });

  it('FLG-1 a session that is taken up at any point sends what its record says', () => {
    forAll({ numRuns: 20 }, sessionSteps, settings, (steps, set) => {
      const quiet = {
        'microcompact.timeBased.enabled': false,
        'microcompact.apiNative.enabled': false,
        'sessionMemory.enabled': false,
        'autoMemory.enabled': false,
        'storage.enabled': false,
        'client.thinking': 'keep-all',
        'autoCompact.enabled': false,
        'compact.enabled': false,
        'reactive.enabled': false,
      };
      const plain = steps.filter((step) => step.do !== 'compact');
      const transcript = buildSession([...plain, { do: 'resume' }]);
      const run = (change: object) =>
        logFor({ policy: 'claude-code/2026', set: { ...quiet, ...change } }, transcript);
      const entries = run({ ...set, 'autoCompact.enabled': false, 'microcompact.cached.enabled': false });
      if (ofType(entries, 'lost').length > 0) return;
      const last = mainRequests(entries).at(-1)!;
      const acted = ofType(entries, 'layer').some(({ turn }) => turn === last.turn);
      if (!acted) expect(last.prompt).toBe(last.uncompactedTokens);
    });
  });
});
