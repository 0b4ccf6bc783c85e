import { describe, expect, it } from 'vitest';
import { thinkingRule } from '../../../src/core/model/model-name.js';
import { MODELS } from '../../../src/provider/prices/models.js';

describe('thinking of earlier turns', () => {
  it.each(
    MODELS.rows.flatMap(({ id, aliases, thinking }) =>
      [id, ...aliases].map((name) => [name, thinking] as const),
    ),
  )('K5 of %s is what its row says: %s', (name, thinking) => {
    expect(thinkingRule(name)).toBe(thinking);
  });

  it('K5 goes behind an answer on GPT-5 to 5.5 and on models that reasoned before, and stays from GPT-5.6 on', () => {
    for (const name of ['gpt-5', 'gpt-5.3-codex-spark', 'gpt-5.4', 'openai/gpt-5.5', 'o4-mini'])
      expect(thinkingRule(name), name).toBe('keep-open-turn');
    for (const name of ['gpt-5.6-sol', 'gpt-6-sol', 'gpt-5.10', 'gpt-4.1', 'o5'])
      expect(thinkingRule(name), name).toBe('keep-all');
  });

  it('K5 is kept by models that no row knows', () => {
    const names = ['claude-x', 'claude-opus-4-6', 'claude-sonnet-4-6', 'unknown', ''];
    expect(names.map(thinkingRule)).toEqual(names.map(() => 'keep-all'));
  });
});
