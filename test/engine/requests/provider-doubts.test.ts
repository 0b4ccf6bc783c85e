import { describe, expect, it } from 'vitest';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { createWarnings } from '../../../src/core/run/warning.js';
import {
  type ProviderDoubts,
  providerDoubts,
  warnOfDoubts,
} from '../../../src/engine/requests/provider-doubts.js';
import { planOf } from '../../helpers/plan.js';

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

  it.each([
    ['deepseek', 'deepseek-v4-flash', /^DeepSeek: .* cache\.ttl has no say in it$/],
    ['bedrock', 'nova-pro', /^nova-pro has no lifetime of an hour: its entries live five minutes$/],
    ['anthropic', 'claude-opus-5', null],
  ])('CCH-2 an hour at %s of %s is told as %s', (provider, model, sentence) => {
    const hour = { ...plan, provider, cache: { ...plan.cache, ttl: '1h' as const } };
    const [{ noHour }] = providerDoubts(hour, { provider: undefined, models: [model], ofAgents: [] }) as [
      ProviderDoubts,
    ];
    if (sentence === null) expect(noHour).toBeNull();
    else expect(noHour).toMatch(sentence);
  });

  it('that tokens are taken to be the same is doubtful where another model stands in, and only there', () => {
    const said = (...models: readonly string[]): number => under('deepseek', ...models)[0]!.doubts.length;
    expect(said('claude-opus-5') - said('deepseek-v4-flash')).toBe(1);
  });
});

describe('what a run says of its providers', () => {
  const codesOf = (of: RunPlan, ...models: readonly string[]): readonly string[] => {
    const warnings = createWarnings();
    warnOfDoubts(of, { provider: undefined, models, ofAgents: [] }, warnings);
    return [...new Set(warnings.list().map(({ code }) => code))];
  };
  const codes = (provider: string | undefined, ...models: readonly string[]): readonly string[] =>
    codesOf(provider === undefined ? plan : { ...plan, provider }, ...models);

  it('names several of them, chance and the model that stands in', () => {
    expect(codes('deepseek', 'claude-opus-5')).toEqual(['provider-assumption', 'model-assumed']);
    expect(codes('openai', 'gpt-5.5')).toEqual(['chance-drawn', 'provider-assumption']);
    expect(codes(undefined, 'gpt-5.5', 'claude-opus-5')).toContain('several-providers');
    expect(codes(undefined, 'gpt-5.5')).not.toContain('several-providers');
  });

  it('CCH-2 an hour that is asked for and not to be had is told, where there is a cache', () => {
    const hour = { ...plan, cache: { ...plan.cache, ttl: '1h' as const } };
    expect(codesOf({ ...hour, provider: 'deepseek' }, 'deepseek-v4-flash')).toContain('no-hour');
    expect(codesOf({ ...plan, provider: 'deepseek' }, 'deepseek-v4-flash')).not.toContain('no-hour');
    expect(codesOf({ ...hour, provider: 'anthropic' }, 'claude-opus-5')).not.toContain('no-hour');
    const off = { ...hour, cache: { ...hour.cache, mode: 'off' as const } };
    expect(codesOf({ ...off, provider: 'deepseek' }, 'deepseek-v4-flash')).not.toContain('no-hour');
  });
});
