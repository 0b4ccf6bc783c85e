import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { apiNativeMicrocompactLayer } from '../../../../src/agent/layers/microcompact/api-native.js';
import {
  cachedMicrocompactLayer,
  timeBasedMicrocompactLayer,
  tokenMicrocompactLayer,
} from '../../../../src/agent/layers/microcompact/microcompact.js';
import { COMPACTABLE_TOOLS } from '../../../../src/agent/layers/support/compactable.js';
import type { Block } from '../../../../src/core/model/block.js';
import type { LayerDefinition } from '../../../../src/core/run/layer.js';
import type { ParamValue } from '../../../../src/core/run/params.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';
import { forAll } from '../../../helpers/for-all.js';

interface Form {
  readonly layer: LayerDefinition;
  readonly keeps: number;
  readonly set: Readonly<Record<string, ParamValue>>;
}

const FORMS: readonly Form[] = [
  {
    layer: tokenMicrocompactLayer,
    keeps: 3,
    set: {
      'microcompact.token.requiresWarning': false,
      'microcompact.token.targetTokens': 2_000,
      'microcompact.token.minSaving': 500,
    },
  },
  { layer: timeBasedMicrocompactLayer, keeps: 5, set: { 'microcompact.timeBased.gapMinutes': 0 } },
  { layer: cachedMicrocompactLayer, keeps: 5, set: {} },
  {
    layer: apiNativeMicrocompactLayer,
    keeps: 1,
    set: {
      'microcompact.apiNative.triggerTokens': 3_000,
      'microcompact.apiNative.keepTokens': 1_000,
      'microcompact.apiNative.clearAtLeast': 300,
      'microcompact.apiNative.clearToolInputs': [],
    },
  },
];

const results = fc.array(
  fc.record({
    tool: fc.constantFrom('Read', 'Bash', 'Edit', 'Task', 'mcp__db__query', 'TodoWrite'),
    tokens: fc.integer({ min: 1, max: 1_500 }),
    chars: fc.integer({ min: 0, max: 6_000 }),
  }),
  { minLength: 1, maxLength: 40 },
);

function blocksOf(driver: LayerDriver): readonly Block[] {
  return driver.messages.flatMap((message) => message.blocks);
}

describe.each(FORMS)('$layer.name', ({ layer, keeps, set }) => {
  it('INV-3 is idempotent, keeps the latest, never adds tokens, touches compactable results only', () => {
    forAll({ numRuns: 60 }, results, fc.integer({ min: 1, max: 8 }), (shapes, every) => {
      const driver = new LayerDriver([layer], set);
      shapes.forEach((shape, i) => {
        driver.exchange(`t${i}`, shape);
        driver.turn++;
        driver.now += 1_000;
        if (i % every !== 0 && i !== shapes.length - 1) return;
        const before = blocksOf(driver);
        const trueBefore = driver.trueTokens;
        const alreadyCleared = driver.cleared().length;
        driver.ask();
        const after = blocksOf(driver);
        expect(driver.trueTokens).toBeLessThanOrEqual(trueBefore);
        expect(driver.cleared().length).toBeGreaterThanOrEqual(alreadyCleared);
        expect(after).toHaveLength(before.length);
        const compactable = before.filter(
          (block) => block.kind === 'tool_result' && COMPACTABLE_TOOLS.includes(block.tool ?? ''),
        );
        const latest = new Set(compactable.slice(-keeps));
        before.forEach((block, position) => {
          if (after[position] === block) return;
          expect(compactable).toContain(block);
          expect(latest.has(block)).toBe(false);
          expect(after[position]).toMatchObject({ toolUseId: block.toolUseId, tool: block.tool });
          expect(after[position]!.tokens).toBeLessThan(block.tokens);
        });
        if (layer === cachedMicrocompactLayer) expect(after).toEqual(before);
        expect(driver.ask()).toEqual([]);
      });
    });
  });

  it('MIC-5 INV-3 each report adds up', () => {
    forAll({ numRuns: 60 }, results, (shapes) => {
      const driver = new LayerDriver([layer], set);
      shapes.forEach((shape, i) => {
        driver.exchange(`t${i}`, shape);
        driver.turn++;
        driver.now += 1_000;
        driver.ask();
      });
      for (const report of driver.reports) {
        expect(report.trueBefore - report.trueAfter).toBe(report.saved);
        expect(report.saved).toBeGreaterThan(0);
      }
      const done = driver.actions.filter(({ kind }) => kind === 'rewrite-blocks' || kind === 'delete-cached');
      expect(driver.reports).toHaveLength(done.length);
    });
  });
});
