import { describe, expect, it } from 'vitest';
import { createProviderCache } from '../../src/cache/provider-cache.js';
import { cacheRulesOf } from '../../src/cache/providers.js';
import { mark1h, mark5m, numbered, prefixOf, send } from '../helpers/cache-request.js';

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
