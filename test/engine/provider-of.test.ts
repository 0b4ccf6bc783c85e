import { describe, expect, it } from 'vitest';
import { resolveModel } from '../../src/cache/models.js';
import { cacheKinds, providerOf, providersOf } from '../../src/engine/requests/provider-of.js';
import { Conversation } from '../helpers/conversation.js';
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

describe('what requests need to know of the cache', () => {
  const session = (model: string) => new Conversation({ model }).human(10).answer(10).transcript();
  const kindOf = (provider: string) => {
    const { chance, reads } = cacheKinds({ ...plan, provider }, session('claude-opus-5'));
    return `${chance} ${reads}`;
  };

  it.each([
    ['anthropic', 'none exact'], // marks
    ['deepseek', 'none grain'], // ends of requests, four hours
    ['openai', 'drawn grain'], // hits by chance
    ['vertex-gemini', 'drawn grain'], // lifetimes by chance
    ['openai-5.6', 'none grain'],
  ])('%s: %s', (provider, kind) => {
    expect(kindOf(provider)).toBe(kind);
  });

  it('is the most careful answer where models are of several providers, each of which has its own cache', () => {
    const one = session('gpt-5.4');
    const [other] = session('claude-opus-5').threads;
    const both = { ...one, threads: [...one.threads, { ...other!, id: 'other' }] };
    expect(cacheKinds(plan, both)).toMatchObject({ chance: 'drawn', reads: 'grain' });
    const provider = providerOf(plan, both);
    if (typeof provider !== 'function') throw new Error('one provider for all');
    expect([resolveModel('gpt-5.4'), resolveModel('claude-opus-5')].map(provider)).toEqual([
      'openai',
      'anthropic',
    ]);
  });

  it('luck is drawn by the session', () => {
    const one = session('gpt-5.4');
    expect(cacheKinds(plan, one).session).toBe(cacheKinds(plan, { ...one }).session);
    expect(cacheKinds(plan, one).session).not.toBe(cacheKinds(plan, { ...one, id: 'another' }).session);
  });
});
