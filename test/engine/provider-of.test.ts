import { describe, expect, it } from 'vitest';
import { providersOf } from '../../src/engine/requests/provider-of.js';
import { planOf } from '../helpers/plan.js';

const plan = { ...planOf({ policy: 'none' }), model: null };

describe('whose cache a run goes by', () => {
  it.each([
    [
      'the provider of each model',
      ['gpt-5.4', 'claude-opus-5', 'gpt-5.4'],
      undefined,
      ['openai', 'anthropic'],
    ],
    ['what its reader says, for a model that nobody knows', ['mystery-1'], 'openai', ['openai']],
    ['Anthropic, where its reader names somebody unknown', ['mystery-1'], 'acme', ['anthropic']],
    ['Anthropic, where nobody says anything', ['mystery-1'], undefined, ['anthropic']],
  ])('is %s', (_what, models, provider, expected) => {
    expect(providersOf(plan, { provider, models })).toEqual(expected);
  });

  it('is the one that the plan names, whatever was recorded', () => {
    expect(providersOf({ ...plan, provider: 'kimi' }, { provider: 'openai', models: ['gpt-5.4'] })).toEqual([
      'kimi',
    ]);
  });
});
