import { describe, expect, it } from 'vitest';
import { createProviderCache } from '../../../src/provider/cache/prefix-cache.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { cacheRulesOf } from '../../../src/provider/providers/providers.js';
import { mark1h, mark5m, numbered, prefixOf, send } from '../../helpers/cache-request.js';

const MINUTE = 60_000;

describe('marks of the client', () => {
  it('may ask for an hour at Anthropic; Qwen has one lifetime', () => {
    const after20 = (provider: string) => {
      const cache = createProviderCache(provider, {});
      const view = prefixOf(numbered(5));
      const first = send(cache, { view, breakpoints: [mark1h(4)], startMs: 0, endsAtMs: () => 1_000 });
      const later = send(cache, { view, breakpoints: [mark1h(4)], startMs: 20 * MINUTE });
      return [first.write5mTokens, first.write1hTokens, later.readTokens];
    };
    expect(after20('anthropic')).toEqual([0, 5_000, 5_000]);
    expect(after20('qwen-explicit')).toEqual([5_000, 0, 0]);
  });

  it('look back as many blocks as the rules say', () => {
    const most = cacheRulesOf('anthropic', 'x').lookback!;
    expect(most).toBe(20);
    const read = (further: number): number => {
      const cache = createProviderCache('anthropic', {});
      send(cache, { view: prefixOf(numbered(5)), breakpoints: [mark5m(4)], startMs: 0 });
      const view = prefixOf(numbered(5 + further));
      return send(cache, { view, breakpoints: [mark5m(4 + further)], startMs: 10_000 }).readTokens;
    };
    expect([read(most - 1), read(most)]).toEqual([5_000, 0]);
  });
});

describe('caches of several providers behind one door', () => {
  it('each request goes to the one of its model; all are counted and emptied together', () => {
    const cache = createProviderCache(({ provider }) => provider, {});
    const claude = resolveModel('claude-sonnet-4-5');
    const glm = resolveModel('glm-5');
    const view = prefixOf(numbered(5));
    const ask = (model: typeof claude, startMs: number) =>
      send(cache, { model, view, breakpoints: [mark5m(4)], startMs }).readTokens;
    expect([ask(claude, 0), ask(glm, 0)]).toEqual([0, 0]);
    // One entry at the mark, and one for each position.
    expect(cache.size).toBe(1 + 5);
    expect([ask(claude, 10_000), ask(glm, 10_000)]).toEqual([5_000, 5_000]);
    cache.clear();
    expect(cache.size).toBe(0);
    expect([ask(claude, 20_000), ask(glm, 20_000)]).toEqual([0, 0]);
  });
});
