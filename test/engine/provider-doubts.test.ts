import { describe, expect, it } from 'vitest';
import { providerDoubts, tellDoubts } from '../../src/engine/requests/provider-doubts.js';
import { createWarnings } from '../../src/model/warning.js';
import { planOf } from '../helpers/plan.js';

const plan = { ...planOf({ policy: 'none' }), model: null };
const under = (provider: string | undefined, ...models: readonly string[]) =>
  providerDoubts(provider === undefined ? plan : { ...plan, provider }, {
    provider: undefined,
    models,
    ofAgents: [],
  });

describe('what is not known of a provider', () => {
  it.each([
    ['deepseek', ['claude-opus-5'], 'deepseek-v4-pro'],
    ['deepseek', ['mystery-1'], 'deepseek-v4-pro'],
    ['deepseek', ['mystery-1', 'claude-opus-5'], 'deepseek-v4-pro'],
    ['deepseek', ['deepseek-v4-flash'], null],
    ['deepseek', ['claude-opus-5', 'deepseek-v4-flash'], null],
    [undefined, ['mystery-1'], null],
    [undefined, ['claude-opus-5'], null],
  ])('under %s the models %j are stood for by %s', (provider, models, standIn) => {
    const sentence = `DeepSeek serves none of the models of the session: ${standIn} stands for them`;
    expect(under(provider, ...models).map((each) => each.standIn)).toEqual([standIn && sentence]);
  });

  it.each([
    ['openai', 'hits'],
    ['vertex-gemini', 'lifetimes'],
    ['deepseek', 'none'],
    ['anthropic', 'none'],
  ])('%s: chance decides %s', (provider, chance) => {
    expect(under(provider, 'claude-opus-5')[0]!.chance).toBe(chance);
  });

  it('that tokens are taken to be the same is doubtful where another model stands in, and only there', () => {
    const said = (...models: readonly string[]): number => under('deepseek', ...models)[0]!.doubts.length;
    expect(said('claude-opus-5') - said('deepseek-v4-flash')).toBe(1);
  });
});

describe('what a run says of its providers', () => {
  const codes = (provider: string | undefined, ...models: readonly string[]): readonly string[] => {
    const warnings = createWarnings();
    tellDoubts(
      provider === undefined ? plan : { ...plan, provider },
      { provider: undefined, models, ofAgents: [] },
      warnings,
    );
    return [...new Set(warnings.list().map(({ code }) => code))];
  };

  it('names several of them, chance and the model that stands in', () => {
    expect(codes('deepseek', 'claude-opus-5')).toEqual(['provider-assumption', 'model-assumed']);
    expect(codes('openai', 'gpt-5.5')).toEqual(['chance-drawn', 'provider-assumption']);
    expect(codes(undefined, 'gpt-5.5', 'claude-opus-5')).toContain('several-providers');
    expect(codes(undefined, 'gpt-5.5')).not.toContain('several-providers');
  });
});
