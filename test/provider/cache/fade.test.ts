import { describe, expect, it } from 'vitest';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { createLifetime, FADE_BINS, type FadeMode } from '../../../src/provider/cache/ttl.js';
import { mark1h, mark5m, prefixOf, send } from '../../helpers/cache-request.js';
import { sharedData } from '../../helpers/recordings/shared.js';

function readAfter(gapMs: number, fade: FadeMode, seed = 0, text = 'prompt'): number {
  const cache = createPromptCache({ fade, seed });
  const one = { view: prefixOf([[text, 2_000]]), breakpoints: [mark5m(0)] };
  send(cache, { ...one, startMs: 0 });
  return send(cache, { ...one, startMs: gapMs }).readTokens;
}

describe('the fade of five-minute entries', () => {
  it('CCH-2 is off unless asked for', () => {
    expect(readAfter(300_000, 'off')).toBe(0);
  });

  it('CCH-2 expected: alive while at least half of the recorded requests hit, up to 330 seconds', () => {
    expect(readAfter(329_999, 'expected')).toBe(2_000);
    expect(readAfter(330_000, 'expected')).toBe(0);
  });

  it('CCH-2 sampled: the same seed gives the same fate, and never an early end', () => {
    for (let i = 0; i < 50; i++) {
      expect(readAfter(320_000, 'sampled', 7, `prompt ${i}`)).toBe(
        readAfter(320_000, 'sampled', 7, `prompt ${i}`),
      );
      expect(readAfter(299_999, 'sampled', 7, `prompt ${i}`)).toBe(2_000);
      expect(readAfter(420_000, 'sampled', 7, `prompt ${i}`)).toBe(0);
    }
  });

  it('CCH-2 sampled: shares of survivors follow the recorded ones', () => {
    const lifetime = createLifetime('sampled', 3);
    const drawn = Array.from({ length: 20_000 }, (_, i) => lifetime(300_000, i * 7_919, i));
    for (const [i, { toMs, fullHitShare }] of FADE_BINS.entries()) {
      const fromMs = FADE_BINS[i - 1]?.toMs ?? 300_000;
      const alive = drawn.filter((lifetimeMs) => lifetimeMs > (fromMs + toMs) / 2).length / drawn.length;
      expect(Math.abs(alive - fullHitShare)).toBeLessThan(0.015);
    }
  });

  it.each(['expected', 'likely', 'sampled'] as const)(
    'CCH-2 %s: entries of an hour live for that hour',
    (fade) => {
      for (const [startMs, tokens] of [
        [10 * 60_000, 2_000],
        [3_599_999, 2_000],
        [3_600_000, 0],
      ] as const) {
        const cache = createPromptCache({ fade, seed: 3 });
        const one = { view: prefixOf([['prompt', 2_000]]), breakpoints: [mark1h(0)] };
        send(cache, { ...one, startMs: 0 });
        expect(send(cache, { ...one, startMs }).readTokens).toBe(tokens);
      }
    },
  );

  it.skipIf(!sharedData.present)('CCH-2 the curve is the recorded table', () => {
    const rows = sharedData
      .read('derived/cache-ttl-hit-rates.csv')
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const recorded = rows
      .filter(([ttl, from, to]) => ttl === '5m' && Number(from) >= 300 && Number(to) > 0 && Number(to) <= 420)
      .map(([, from, to, , share]) => ({
        fromMs: Number(from) * 1_000,
        toMs: Number(to) * 1_000,
        fullHitShare: Number(share),
      }));
    const bins = FADE_BINS.map((bin, i) => ({ fromMs: FADE_BINS[i - 1]?.toMs ?? 300_000, ...bin }));
    expect(bins).toEqual(recorded);
  });
});
