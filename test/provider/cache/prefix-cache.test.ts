import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestText } from '../../../src/core/base/digest.js';
import type { PrefixView } from '../../../src/core/model/prefix.js';
import type { CacheRules, HitChance } from '../../../src/core/run/provider.js';
import { createPrefixCache } from '../../../src/provider/cache/prefix-cache.js';
import type { CacheOutcome, CacheRequest, PromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { numbered, prefixOf, send, type TestBlock } from '../../helpers/cache-request.js';
import { forAll } from '../../helpers/for-all.js';

const MINUTE = 60_000;
/** A row without a minimum of its own: the rules decide. */
const model = resolveModel('glm-5');

const PLAIN: CacheRules = {
  lookback: null,
  grain: null,
  minimum: null,
  minimumFor: 'silent-models',
  written: 'every-grain',
  storesOutput: false,
  visibleAfter: { event: 'response-start', plusMs: 0 },
  lifetime: { idleMs: 5 * MINUTE, longMs: null, maxMs: null, refresh: 'on-hit', tail: [] },
  hit: null,
  tellsWrites: false,
};

const HALF: HitChance = { logOdds: 0, perLogSecond: 0, sessions: [1], partial: [0] };

function cacheOf(rules: Partial<CacheRules>, seed = 1): PromptCache {
  return createPrefixCache(() => ({ ...PLAIN, ...rules }), seed);
}

function ask(
  cache: PromptCache,
  blocks: readonly TestBlock[],
  startMs: number,
  more: Partial<CacheRequest> = {},
  systemEnd = 0,
): CacheOutcome {
  return send(cache, { model, view: prefixOf(blocks, 0, systemEnd), breakpoints: [], startMs, ...more });
}

describe('what is read', () => {
  it('is the longest prefix that was sent, wherever the new one leaves it', () => {
    const cache = cacheOf({});
    expect(ask(cache, numbered(10), 0).readTokens).toBe(0);
    const edited: TestBlock[] = [...numbered(7), ['edited', 500], ['more', 500]];
    expect(ask(cache, edited, 10_000)).toMatchObject({ readTokens: 7_000, promptTokens: 8_000 });
  });

  it.each([
    [{ tokens: 128, offset: 0 }, 9_984], // 78 · 128
    [{ tokens: 512, offset: 384 }, 9_600], // 384 + 18 · 512
    [{ tokens: 1_024, offset: 768 }, 9_984], // 768 + 9 · 1,024
    [null, 10_000],
  ])('ends on a step: %j', (grain, read) => {
    const cache = cacheOf({ grain });
    ask(cache, numbered(10), 0);
    expect(ask(cache, numbered(11), 10_000).readTokens).toBe(read);
  });

  it('is what others keep where that is more than lives of what was sent, whatever the chance', () => {
    const outside = (outsideTokens: number): Partial<CacheRequest> => ({ outsideTokens });
    const cache = cacheOf({ grain: { tokens: 128, offset: 0 } });
    // 2,500 on steps of 128 is 19 · 128; its last token is in the third block.
    expect(ask(cache, numbered(10), 0, outside(2_500))).toMatchObject({ readTokens: 2_432, hitPosition: 2 });
    expect(ask(cache, numbered(11), 10_000, outside(2_500)).readTokens).toBe(9_984);
    expect(ask(cache, numbered(12), 60 * MINUTE, outside(2_500)).readTokens).toBe(2_432);
    const unlucky = cacheOf({ hit: { ...HALF, logOdds: 50 } });
    ask(unlucky, numbered(2), 0);
    const found = ask(unlucky, numbered(10), 10_000, outside(3_000));
    expect(found.readTokens).toBe(3_000);
    expect(found.odds).toBeUndefined();
  });

  it('is nothing below the minimum, of the model where its row has one, else of the rules', () => {
    const read = (rules: Partial<CacheRules>, count: number, name: string): number => {
      const cache = cacheOf(rules);
      const of = { model: resolveModel(name) };
      ask(cache, numbered(count), 0, of);
      return ask(cache, numbered(count + 1), 10_000, of).readTokens;
    };
    expect(read({ minimum: 4_096 }, 4, 'glm-5')).toBe(0);
    expect(read({ minimum: 4_096 }, 5, 'glm-5')).toBe(5_000);
    expect(read({ minimum: null }, 1, 'glm-5')).toBe(1_000);
    expect(read({ minimum: 4_096 }, 2, 'gemini-3-flash')).toBe(2_000);
    expect(read({ minimum: 4_096 }, 1, 'gemini-3-flash')).toBe(0);
  });

  it('includes the answer where answers are stored, and never more than the prompt', () => {
    const answer = digestText('b6');
    const read = (storesOutput: boolean, blocks: readonly TestBlock[]): number => {
      const cache = cacheOf({ storesOutput });
      ask(cache, numbered(5), 0, { outputTokens: 700, answer });
      return ask(cache, blocks, 10_000).readTokens;
    };
    expect(read(true, numbered(6))).toBe(5_700);
    expect(read(true, numbered(5))).toBe(5_000);
    expect(read(false, numbered(6))).toBe(5_000);
    // The user went back: what follows is not the answer that is stored.
    expect(read(true, [...numbered(5), ['said instead', 1_000]])).toBe(5_000);
  });

  it('is a whole request where only their ends are stored', () => {
    const cache = cacheOf({ written: 'request-ends' });
    ask(cache, numbered(5), 0);
    ask(cache, numbered(8), 10_000);
    const edited: TestBlock[] = [...numbered(7), ['edited', 1_000]];
    expect(ask(cache, edited, 20_000).readTokens).toBe(5_000);
    expect(ask(cache, numbered(9), 30_000).readTokens).toBe(8_000);
  });

  it('is the head alone where an object is stored, whole or not at all', () => {
    const cache = cacheOf({ written: 'head', tellsWrites: true });
    const first = ask(cache, numbered(6), 0, {}, 3);
    expect(first).toMatchObject({ readTokens: 0, write5mTokens: 3_000, inputTokens: 3_000 });
    expect(ask(cache, numbered(9), 10_000, {}, 3)).toMatchObject({ readTokens: 3_000, inputTokens: 6_000 });
    const other: TestBlock[] = [...numbered(2), ['other system', 1_000], ['hello', 1_000]];
    expect(ask(cache, other, 20_000, {}, 3).readTokens).toBe(0);
  });

  it('is never what another model has stored', () => {
    const cache = cacheOf({});
    ask(cache, numbered(5), 0);
    expect(ask(cache, numbered(6), 10_000, { model: resolveModel('kimi-k3') }).readTokens).toBe(0);
  });
});

describe('what is written', () => {
  it('is told or not, and always adds up', () => {
    const told = cacheOf({ tellsWrites: true, grain: { tokens: 1_024, offset: 768 }, minimum: 1_024 });
    // 768 + 9 · 1,024 of 10,000, then 768 + 10 · 1,024 of 12,000.
    expect(ask(told, numbered(10), 0)).toMatchObject({ write5mTokens: 9_984, inputTokens: 16 });
    expect(ask(told, numbered(12), 10_000)).toMatchObject({
      readTokens: 9_984,
      write5mTokens: 11_008 - 9_984,
      inputTokens: 992,
    });
    const silent = cacheOf({});
    ask(silent, numbered(10), 0);
    expect(ask(silent, numbered(12), 10_000)).toMatchObject({ write5mTokens: 0, inputTokens: 2_000 });
  });

  it('is nothing below the minimum, which could never be read', () => {
    const told = cacheOf({ tellsWrites: true, grain: { tokens: 1_024, offset: 768 }, minimum: 1_024 });
    // 768 is the only step within 1,000 tokens; of 2,000 it is 768 + 1,024.
    expect(ask(told, numbered(1), 0)).toMatchObject({ write5mTokens: 0, inputTokens: 1_000 });
    expect(ask(told, numbered(2), 10_000)).toMatchObject({
      readTokens: 0,
      write5mTokens: 1_792,
      inputTokens: 208,
    });
  });

  it('is nothing by a request that only reads', () => {
    const cache = cacheOf({ tellsWrites: true });
    expect(ask(cache, numbered(5), 0, { write: 'read-only' })).toMatchObject({
      write5mTokens: 0,
      inputTokens: 5_000,
    });
    expect(ask(cache, numbered(5), 10_000).readTokens).toBe(0);
  });

  it('can be read from the start or the end of the response on, or seconds later', () => {
    const at = { readableAtMs: 1_000, endsAtMs: () => 9_000 };
    const read = (visibleAfter: CacheRules['visibleAfter'], startMs: number): CacheOutcome => {
      const cache = cacheOf({ visibleAfter });
      ask(cache, numbered(5), 0, at);
      return ask(cache, numbered(6), startMs);
    };
    const start = { event: 'response-start', plusMs: 0 } as const;
    const later = { event: 'response-end', plusMs: 2_000 } as const;
    expect(read(start, 999)).toMatchObject({ readTokens: 0, sawUnreadable: true });
    expect(read(start, 1_000)).toMatchObject({ readTokens: 5_000, sawUnreadable: false });
    expect(read(later, 10_999)).toMatchObject({ readTokens: 0, sawUnreadable: true });
    expect(read(later, 11_000).readTokens).toBe(5_000);
  });
});

describe('how long it lives', () => {
  const isRead = (cache: PromptCache, minutes: number): boolean =>
    ask(cache, numbered(5), minutes * MINUTE).readTokens > 0;

  it('each use begins the time again, without an end', () => {
    const cache = cacheOf({});
    expect([0, 5, 10, 15, 15 + 5 + 1 / MINUTE].map((minutes) => isRead(cache, minutes))).toEqual([
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('but for an object, whose time runs from its making', () => {
    const cache = cacheOf({
      lifetime: { idleMs: 5 * MINUTE, longMs: null, maxMs: null, refresh: 'none', tail: [] },
    });
    expect([0, 3, 6, 9, 12].map((minutes) => isRead(cache, minutes))).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });

  it('never beyond the limit, and what is gone is stored again', () => {
    const cache = cacheOf({
      lifetime: { idleMs: 5 * MINUTE, longMs: null, maxMs: 12 * MINUTE, refresh: 'on-hit', tail: [] },
    });
    expect([0, 4, 8, 12, 16, 20, 24, 28, 32].map((minutes) => isRead(cache, minutes))).toEqual([
      false,
      true,
      true,
      true,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  it('fades along the tail: shares of many sessions lie on the line', () => {
    const tail = [
      { afterMs: 10 * MINUTE, share: 0.5 },
      { afterMs: 20 * MINUTE, share: 0 },
    ];
    const share = (minutes: number): number => {
      let read = 0;
      for (let session = 0; session < 1_000; session++) {
        const cache = cacheOf({
          lifetime: { idleMs: 5 * MINUTE, longMs: null, maxMs: null, refresh: 'on-hit', tail },
        });
        ask(cache, numbered(5), 0);
        const luck = { session, request: 1 };
        if (ask(cache, numbered(5), minutes * MINUTE, { luck }).readTokens > 0) read++;
      }
      return read / 1_000;
    };
    expect(share(5)).toBe(1);
    // Half-way to one half is three quarters; four standard errors are 0.055.
    expect(Math.abs(share(7.5) - 0.75)).toBeLessThan(0.06);
    expect(Math.abs(share(15) - 0.25)).toBeLessThan(0.06);
    expect(share(20.1)).toBe(0);
  });
});

describe('chance', () => {
  it('comes as often as the odds say, by the time since the last request and by session', () => {
    // Odds e^−2 · 10 s are 1.353: 57.5 %; a session with a tenth of the odds has 11.9 %.
    const hit: HitChance = { logOdds: -2, perLogSecond: 1, sessions: [1], partial: [0] };
    const share = (chance: HitChance): number => {
      const cache = cacheOf({ hit: chance });
      let short = 0;
      for (let request = 1; request <= 2_000; request++)
        if (
          ask(cache, numbered(5), request * 10_000, { luck: { session: 7, request } }).readTokens === 0 &&
          request > 1
        )
          short++;
      return short / 1_999;
    };
    expect(Math.abs(share(hit) - 0.575)).toBeLessThan(0.045);
    expect(Math.abs(share({ ...hit, sessions: [0.1] }) - 0.119)).toBeLessThan(0.03);
  });

  it('reads one of the listed shares when it comes up short, on a step', () => {
    const hit: HitChance = { logOdds: 50, perLogSecond: 0, sessions: [1], partial: [0.25, 0.5] };
    const cache = cacheOf({ hit, grain: { tokens: 128, offset: 0 } });
    const read = new Set<number>();
    for (let request = 0; request < 50; request++)
      read.add(ask(cache, numbered(5), request * 10_000, { luck: { session: 7, request } }).readTokens);
    // 1,250 and 2,500 on steps of 128.
    expect([...read].sort((a, b) => a - b)).toEqual([0, 1_152, 2_432]);
  });

  it('is another one with another seed, session or request, and the same with the same', () => {
    const pattern = (seed: number, session: number, first: number): string => {
      const cache = cacheOf({ hit: HALF }, seed);
      return Array.from({ length: 60 }, (_, i) =>
        ask(cache, numbered(5), i * 10_000, { luck: { session, request: first + i } }).readTokens > 0
          ? '1'
          : '0',
      ).join('');
    };
    expect(pattern(1, 1, 0)).toBe(pattern(1, 1, 0));
    for (const other of [pattern(2, 1, 0), pattern(1, 2, 0), pattern(1, 1, 100)])
      expect(other).not.toBe(pattern(1, 1, 0));
  });

  it('the luck of other requests stays when one is added', () => {
    const gaps = fc.array(fc.integer({ min: 2, max: 200 }), { minLength: 2, maxLength: 25 });
    forAll(gaps, fc.nat(1_000), fc.nat(), fc.nat(), (seconds, seed, at, session) => {
      const place = at % seconds.length;
      const run = (extra: 'added' | 'without'): number[] => {
        const cache = cacheOf({ hit: HALF }, seed);
        const reads: number[] = [];
        let startMs = 0;
        for (const [request, gap] of seconds.entries()) {
          startMs += gap * 1_000;
          reads.push(ask(cache, numbered(5), startMs, { luck: { session, request } }).readTokens);
          if (extra === 'added' && request === place)
            ask(cache, numbered(5), startMs + 1_000, { luck: { session, request: 1_000_000 } });
        }
        return reads;
      };
      expect(run('added')).toEqual(run('without'));
    });
  });
});

describe('stretches of positions that share their fate', () => {
  /** Each position by itself, which costs the whole prompt at every request. */
  class EachPosition {
    readonly #stored = new Map<number, { usedAtMs: number; createdAtMs: number }>();

    constructor(private readonly lifetime: CacheRules['lifetime']) {}

    read({ digests, sums, length }: PrefixView, startMs: number): number {
      const { idleMs, maxMs } = this.lifetime;
      const livesAt = (digest: number): boolean => {
        const known = this.#stored.get(digest);
        if (known === undefined || startMs - known.usedAtMs > idleMs!) return false;
        return maxMs === null || startMs - known.createdAtMs <= maxMs;
      };
      let hit = length - 1;
      while (hit >= 0 && !livesAt(digests[hit]!)) hit--;
      const tokens = hit < 0 ? 0 : sums[hit]!;
      for (let i = 0; i < length; i++) {
        const createdAtMs = livesAt(digests[i]!) ? this.#stored.get(digests[i]!)!.createdAtMs : startMs;
        this.#stored.set(digests[i]!, { usedAtMs: startMs, createdAtMs });
      }
      return tokens;
    }
  }

  it('read what each position by itself would, whatever branches there are', () => {
    const step = fc.record({
      from: fc.nat(1_000),
      keep: fc.nat(12),
      add: fc.nat(4),
      afterMs: fc.integer({ min: 2_000, max: 8 * MINUTE }),
    });
    forAll(fc.array(step, { maxLength: 25 }), fc.boolean(), (steps, isLimited) => {
      const lifetime = { ...PLAIN.lifetime, maxMs: isLimited ? 12 * MINUTE : null };
      const cache = cacheOf({ lifetime });
      const plain = new EachPosition(lifetime);
      const sent: TestBlock[][] = [[['first', 1_000]]];
      let startMs = 0;
      steps.forEach(({ from, keep, add, afterMs }, n) => {
        const old = sent[from % sent.length]!;
        const fresh = Array.from({ length: add }, (_, i): TestBlock => [`${n} ${i}`, 1_000]);
        const blocks = [...old.slice(0, Math.max(1, old.length - (keep % old.length))), ...fresh];
        sent.push(blocks);
        startMs += afterMs;
        expect(ask(cache, blocks, startMs).readTokens).toBe(plain.read(prefixOf(blocks), startMs));
      });
    });
  });

  it('cost the new blocks of a request, however long it is', () => {
    const cache = cacheOf({});
    const looked = (count: number, startMs: number): number => {
      const view = prefixOf(numbered(count));
      let looks = 0;
      const digests = new Proxy(view.digests as number[], {
        get(target, key) {
          looks++;
          return Reflect.get(target, key);
        },
      });
      send(cache, { model, view: { ...view, digests }, breakpoints: [], startMs });
      return looks;
    };
    looked(100, 0);
    const early = looked(104, 10_000);
    for (let i = 1; i < 300; i++) looked(104 + 4 * i, 10_000 * (i + 1));
    expect(looked(104 + 4 * 300, 10_000 * 302)).toBe(early);
  });
});

describe('the store', () => {
  it('forgets what has expired instead of growing for ever, and nothing that lives', () => {
    const cache = cacheOf({});
    const prompt = (i: number): TestBlock[] => [[`prompt ${i}`, 1_000]];
    const looks = { write: 'read-only' } as const;
    let largest = 0;
    for (let i = 0; i < 9_000; i++) {
      ask(cache, prompt(i), i * 1_000);
      largest = Math.max(largest, cache.size);
      // What is 299 seconds old is still there.
      if (i % 300 === 299) expect(ask(cache, prompt(i - 299), i * 1_000, looks).readTokens).toBe(1_000);
    }
    expect(largest).toBeLessThanOrEqual(4_096);
  });

  it.each([
    ['by its last use', { idleMs: MINUTE, maxMs: null, tail: [] }, [60, 61]],
    ['by its making', { idleMs: 5 * MINUTE, maxMs: MINUTE, tail: [] }, [60, 61]],
    [
      'where its tail ends',
      { idleMs: MINUTE, maxMs: null, tail: [{ afterMs: 2 * MINUTE, share: 0 }] },
      [120, 121],
    ],
  ] as const)('lets an entry go %s', (_how, given, [kept, gone]) => {
    const prompt = (name: string): TestBlock[] =>
      numbered(4_100).map(([text, tokens]) => [`${name} ${text}`, tokens]);
    const sizeAfter = (seconds: number): number => {
      const cache = cacheOf({ lifetime: { longMs: null, refresh: 'on-hit', ...given } });
      ask(cache, prompt('one'), 0);
      // The store is looked through when it has twice as many entries as after the last time.
      ask(cache, prompt('two'), seconds * 1_000);
      return cache.size;
    };
    expect(sizeAfter(kept)).toBe(8_200);
    expect(sizeAfter(gone)).toBe(4_100);
  });

  it('loses everything when the server does, answers included', () => {
    const cache = cacheOf({ storesOutput: true });
    ask(cache, numbered(5), 0, { outputTokens: 700, answer: digestText('b6') });
    cache.clear();
    expect(cache.size).toBe(0);
    expect(ask(cache, numbered(5), 10_000).readTokens).toBe(0);
    expect(ask(cache, numbered(6), 20_000).readTokens).toBe(5_000);
  });
});
