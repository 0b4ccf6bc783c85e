import { describe, expect, it } from 'vitest';
import { MODEL_TABLE } from '../../src/cache/model-table.js';
import { keepsLastTurnOnly } from '../../src/model/thinking-rule.js';

describe('thinking of earlier turns', () => {
  it.each(
    MODEL_TABLE.flatMap(({ id, aliases, thinking }) =>
      [id, ...aliases].map((name) => [name, thinking] as const),
    ),
  )('K5 of %s is what its row says: %s', (name, thinking) => {
    expect(keepsLastTurnOnly(name)).toBe(thinking === 'keep-last-turn');
  });

  it('K5 is kept by models that no row knows', () => {
    expect(
      ['claude-x', 'claude-opus-4-6', 'claude-sonnet-4-6', 'unknown', ''].map(keepsLastTurnOnly),
    ).toEqual([false, false, false, false, false]);
  });
});
