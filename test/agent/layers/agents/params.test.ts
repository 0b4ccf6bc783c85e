import { describe, expect, it } from 'vitest';
import { layerRegistry } from '../../../../src/agent/layers/registry.js';
import type { ParamSpec } from '../../../../src/core/run/params.js';

/** The numbers among the parameters of all layers, without those that tests of a value of their own are about. */
const NUMBERS = layerRegistry
  .all()
  .flatMap(({ params }) => params)
  .flatMap(({ path, kind }: ParamSpec) => (kind.type === 'integer' ? [{ path, ...kind }] : []));

/** Numbers of which zero would mean that a layer is there and can never do anything, or has no place to do it in. */
const FROM: Readonly<Record<string, number>> = {
  'snip.keepRounds': 1,
  'snip.minTokens': 1,
  'microcompact.cached.minActive': 1,
  'microcompact.apiNative.keepToolUses': 1,
  'microcompact.apiNative.thinkingKeepTurns': 1,
  'window.explicit': 1_000,
  'window.setting': 100_000,
  'window.maxOutput': 1,
  'idleCompact.minLifetimeMinutes': 1,
  'compact.forkMaxOutputTokens': 1,
  'compact.quoteTokens': 1,
  'breaker.maxFailures': 1,
  'thrash.maxRefills': 1,
  'reactive.maxPerTurn': 1,
  'sessionMemory.sectionChars': 200,
  'autoMemory.indexLines': 1,
  'autoMemory.indexBytes': 1,
  'autoMemory.lineChars': 40,
  'dreaming.filesPerTurn': 1,
  'agents.maxChildren': 1,
};

/** Numbers that have an end below a thousand million: shares of a hundred, children of one turn, and the window of a setting. */
const UP_TO: Readonly<Record<string, number>> = {
  'window.percent': 100,
  'window.setting': 1_000_000,
  'agents.maxChildren': 1_000,
};

describe('a number among the parameters of a layer', () => {
  it.each(NUMBERS)('$path begins at $min and ends at $max', ({ path, min, max }) => {
    expect([min, max]).toEqual([FROM[path] ?? 0, UP_TO[path] ?? 1_000_000_000]);
  });
});
