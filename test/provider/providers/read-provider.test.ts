import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatPath, type Problem } from '../../../src/core/base/errors.js';
import type { Provider } from '../../../src/core/run/provider.js';
import { createProviderCache } from '../../../src/provider/cache/prefix-cache.js';
import type { CacheOutcome, Luck, PromptCache } from '../../../src/provider/cache/prompt-cache.js';
import type { ModelRow } from '../../../src/provider/prices/model-row.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { billedBy, providerRegistry } from '../../../src/provider/providers/providers.js';
import { readProvider } from '../../../src/provider/providers/read-provider.js';
import { ROOT } from '../../helpers/architecture/tree.js';
import { numbered, prefixOf, send } from '../../helpers/cache-request.js';

/** The least that a provider file says: a prefix cache of which all is known. */
const PLAIN = {
  source: 'a test',
  doubts: [],
  serves: 'openai',
  model: 'gpt-5.4',
  match: 'prefix',
  lookback: null,
  grain: null,
  minimum: 0,
  written: 'every-grain',
  visibleAfter: 'response-start',
  lifetime: { idle: '5min', refresh: 'on-hit' },
  hit: 'always',
  price: null,
};
const MARKED = { ...PLAIN, match: 'breakpoint', written: 'marks', lookback: 20 };

/** What reading tells: the provider, or its problems as `path: message`. */
function read(written: unknown): {
  readonly provider: Provider | null;
  readonly problems: readonly string[];
} {
  const found: Problem[] = [];
  const provider = readProvider(written, { name: 'own' }, (problem) => found.push(problem));
  return {
    provider,
    problems: found.map(({ path, message, hint }) => `${formatPath(path)}: ${message} (${hint})`),
  };
}

function must(written: unknown): Provider {
  const { provider, problems } = read(written);
  expect(problems).toEqual([]);
  return provider!;
}

/** A prompt of this many blocks of 1,000 tokens; its response begins after one second and ends after ten. */
interface Asked {
  readonly model: ModelRow;
  readonly blocks: number;
  readonly startMs: number;
  readonly marks?: readonly number[];
  readonly ttlMs?: number;
  readonly luck?: Luck;
}

function ask(
  cache: PromptCache,
  { blocks, startMs, marks = [], ttlMs = 300_000, ...more }: Asked,
): CacheOutcome {
  return send(cache, {
    view: prefixOf(numbered(blocks)),
    breakpoints: marks.map((position) => ({ position, ttlMs })),
    startMs,
    endsAtMs: () => startMs + 10_000,
    ...more,
  });
}

describe('the files of the shipped providers', () => {
  const folder = join(ROOT, 'src/provider/providers');
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

  it('are what the registry has, each with its source and its schema', () => {
    expect(providerRegistry.names).toEqual(files.map((file) => file.replace('.yaml', '')).sort());
    for (const file of files) {
      const text = readFileSync(join(folder, file), 'utf8');
      expect(text).toMatch(
        /^# yaml-language-server: \$schema=\.\.\/\.\.\/\.\.\/schema\/provider\.schema\.json\n/,
      );
      expect(must(parse(text))).toEqual(providerRegistry.get(file.replace('.yaml', '')));
    }
  });
});

describe('what nobody knows', () => {
  it('is null in the file, and a sentence in the doubts beside those of the file', () => {
    const { doubts, cache } = must({
      ...PLAIN,
      doubts: ['The moon is round.'],
      minimum: null,
      hit: null,
      lifetime: { idle: null, refresh: 'on-hit' },
    });
    expect(doubts.map((doubt) => doubt.split(' ').slice(0, 4).join(' '))).toEqual([
      'Prompts are taken to',
      'How long entries live',
      'The smallest prefix that',
      'The moon is round.',
      'The chance that an',
    ]);
    expect(cache).toMatchObject({ minimum: null, hit: null, lifetime: { idleMs: 300_000 } });
    expect(must(PLAIN).doubts).toHaveLength(1);
  });
});

describe('every knob of a file has an effect', () => {
  /** Tokens that a second request reads, which goes on from a first one of 5,000 tokens. */
  const readBy = (
    provider: Provider,
    { gapMs = 60_000, ...request }: { readonly gapMs?: number; readonly marks?: readonly number[] } = {},
  ): number => {
    const cache = createProviderCache(provider, { seed: 1 });
    const model = billedBy(provider, resolveModel('gpt-5.4'));
    ask(cache, { model, blocks: 5, startMs: 0, ...request });
    return ask(cache, { model, blocks: 6, startMs: gapMs, ...request }).readTokens;
  };
  const plain = must(PLAIN);
  const marked = must(MARKED);

  it('grain: reads end on its steps', () => {
    expect(readBy(plain)).toBe(5_000);
    expect(readBy(must({ ...PLAIN, grain: 128 }))).toBe(4_992);
    expect(readBy(must({ ...PLAIN, grain: { tokens: 512, offset: 384 } }))).toBe(384 + 9 * 512);
  });

  it('minimum: a shorter prefix is not read, whatever the row of the model says', () => {
    expect(resolveModel('gpt-5.4').minCacheableTokens).toBe(1_024);
    expect(readBy(must({ ...PLAIN, minimum: 6_000 }))).toBe(0);
    expect(readBy(must({ ...PLAIN, minimum: { otherwise: 6_000 } }))).toBe(5_000);
    expect(readBy(must({ ...MARKED, minimum: 6_000 }), { marks: [4] })).toBe(0);
  });

  it('lifetime: idle, max, refresh and tail', () => {
    expect(readBy(plain, { gapMs: 300_000 })).toBe(5_000);
    expect(readBy(plain, { gapMs: 300_001 })).toBe(0);
    const lived = (lifetime: object) => must({ ...PLAIN, lifetime });
    expect(readBy(lived({ idle: '10min', refresh: 'on-hit' }), { gapMs: 600_000 })).toBe(5_000);
    const tail = [{ after: '20min', share: 1 }];
    expect(readBy(lived({ idle: '5min', refresh: 'on-hit', tail }), { gapMs: 1_200_000 })).toBe(5_000);
    const capped = lived({ idle: '5min', max: '6min', refresh: 'on-hit' });
    const still = lived({ idle: '5min', refresh: 'none' });
    for (const [provider, third] of [
      [plain, 6_000],
      [capped, 0],
      [still, 0],
    ] as const) {
      const cache = createProviderCache(provider, {});
      const model = billedBy(provider, resolveModel('gpt-5.4'));
      for (const startMs of [0, 240_000]) ask(cache, { model, blocks: 6, startMs });
      expect(ask(cache, { model, blocks: 6, startMs: 480_000 }).readTokens).toBe(third);
    }
  });

  it('visibleAfter: the start of the response, its end, and some time behind', () => {
    const at = (written: object, visibleAfter: unknown, gapMs: number, marks?: readonly number[]) =>
      readBy(must({ ...written, visibleAfter }), marks === undefined ? { gapMs } : { gapMs, marks });
    // The response begins after one second and ends after ten.
    for (const [written, marks] of [
      [PLAIN, undefined],
      [MARKED, [4]],
    ] as const) {
      expect(at(written, 'response-start', 1_000, marks)).toBe(5_000);
      expect(at(written, 'response-end', 9_999, marks)).toBe(0);
      expect(at(written, 'response-end', 10_000, marks)).toBe(5_000);
      expect(at(written, { event: 'response-end', plus: '2s' }, 11_999, marks)).toBe(0);
      expect(at(written, { event: 'response-end', plus: '2s' }, 12_000, marks)).toBe(5_000);
    }
  });

  it('lookback: this many blocks from a mark back', () => {
    const at = (lookback: number | null) => readBy(must({ ...MARKED, lookback }), { marks: [4] });
    // The first request marks its fifth block; the second marks that one too, so the look-back begins there.
    expect(at(20)).toBe(5_000);
    const cache = (lookback: number | null) => {
      const provider = must({ ...MARKED, lookback });
      const made = createProviderCache(provider, {});
      const model = billedBy(provider, resolveModel('gpt-5.4'));
      ask(made, { model, blocks: 5, startMs: 0, marks: [4] });
      return ask(made, { model, blocks: 9, startMs: 60_000, marks: [8] }).readTokens;
    };
    expect(cache(5)).toBe(5_000);
    expect(cache(4)).toBe(0);
    expect(cache(null)).toBe(5_000);
  });

  it('lifetime.long: marks that ask for an hour live so long, and are billed so', () => {
    const ends = (lifetime: object, gapMs: number) => {
      const provider = must({ ...MARKED, lifetime });
      const cache = createProviderCache(provider, {});
      const model = billedBy(provider, resolveModel('gpt-5.4'));
      const hour = { model, blocks: 5, marks: [4], ttlMs: 3_600_000 };
      const { write1hTokens } = ask(cache, { ...hour, startMs: 0 });
      return [ask(cache, { ...hour, startMs: gapMs }).readTokens, write1hTokens];
    };
    expect(ends({ idle: '5min', long: '2h', refresh: 'on-hit' }, 7_199_999)).toEqual([5_000, 5_000]);
    expect(ends({ idle: '5min', long: '2h', refresh: 'on-hit' }, 7_200_001)).toEqual([0, 5_000]);
    expect(ends({ idle: '30min', refresh: 'on-hit' }, 1_799_999)).toEqual([5_000, 0]);
    expect(ends({ idle: '30min', refresh: 'on-hit' }, 1_800_001)).toEqual([0, 0]);
    expect(readBy(marked, { marks: [4], gapMs: 300_001 })).toBe(0);
  });

  it('hit: a chance of 0.9 finds nine of ten', () => {
    const provider = must({ ...PLAIN, hit: 0.9 });
    const model = billedBy(provider, resolveModel('gpt-5.4'));
    let found = 0;
    for (let i = 0; i < 2_000; i++) {
      const cache = createProviderCache(provider, { seed: i });
      const luck = { session: i, request: i };
      ask(cache, { model, blocks: 5, startMs: 0, luck });
      const { readTokens } = ask(cache, { model, blocks: 5, startMs: 60_000, luck });
      expect([0, 5_000]).toContain(readTokens);
      if (readTokens > 0) found++;
    }
    // 1,800 are expected; four standard errors are 54.
    expect(Math.abs(found - 1_800)).toBeLessThan(54);
  });

  it('price: shares of the input price of the model', () => {
    const { input } = resolveModel('gpt-5.4').pricesPerMTok;
    const price = (given: unknown, written: object = PLAIN) =>
      billedBy(must({ ...written, price: given }), resolveModel('gpt-5.4')).pricesPerMTok;
    expect(price(null)).toEqual(resolveModel('gpt-5.4').pricesPerMTok);
    expect(price({ read: 0.5, write: 2 })).toMatchObject({ cacheRead: input / 2, cacheWrite5m: 2 * input });
    const long = { ...MARKED, lifetime: { idle: '5min', long: '1h', refresh: 'on-hit' } };
    expect(price({ read: 0.5, write: 2, writeLong: 3 }, long)).toMatchObject({ cacheWrite1h: 3 * input });
  });

  it('written, storesOutput, tellsWrites and exceptions', () => {
    expect(must({ ...PLAIN, match: 'unit', written: 'request-ends' }).cache.written).toBe('request-ends');
    expect(must({ ...PLAIN, match: 'object', written: 'head' }).cache.written).toBe('head');
    const told = must({ ...PLAIN, tellsWrites: true });
    const model = resolveModel('gpt-5.4');
    const first = (provider: Provider) =>
      ask(createProviderCache(provider, {}), { model, blocks: 5, startMs: 0 });
    expect(first(plain)).toMatchObject({ inputTokens: 5_000, write5mTokens: 0 });
    expect(first(told)).toMatchObject({ inputTokens: 0, write5mTokens: 5_000 });
    const other = must({ ...PLAIN, exceptions: [{ models: 'gpt-5.4', grain: 128 }] });
    expect(readBy(other)).toBe(4_992);
    expect(readBy(must({ ...PLAIN, exceptions: [{ models: 'gpt-5.5', grain: 128 }] }))).toBe(5_000);
  });
});

describe('what would have no effect is refused with the reason', () => {
  it.each([
    ['match', { ...PLAIN, match: 'unit' }, 'match: what is written at `every-grain` is read by `prefix`'],
    [
      'look-back without marks',
      { ...PLAIN, lookback: 20 },
      'lookback: `lookback` has no effect: without marks',
    ],
    ['steps at marks', { ...MARKED, grain: 128 }, 'grain: `grain` has no effect: entries stand at the marks'],
    ['chance at marks', { ...MARKED, hit: 0.5 }, 'hit: `hit` has no effect: entries at marks'],
    [
      'a limit at marks',
      { ...MARKED, lifetime: { idle: '5min', max: '1h', refresh: 'on-hit' } },
      'lifetime.max: `max` has no effect',
    ],
    [
      'a fading at marks',
      { ...MARKED, lifetime: { idle: '5min', refresh: 'on-hit', tail: [{ after: '9min', share: 0 }] } },
      'lifetime.tail: `tail` has no effect',
    ],
    ['no refresh at marks', { ...MARKED, lifetime: { idle: '5min', refresh: 'none' } }, 'lifetime.refresh: '],
    ['answers at marks', { ...MARKED, storesOutput: true }, 'storesOutput: `storesOutput` has no effect'],
    ['writes untold at marks', { ...MARKED, tellsWrites: false }, 'tellsWrites: `tellsWrites` has no effect'],
    ['exceptions at marks', { ...MARKED, exceptions: [{ models: 'x', grain: 1 }] }, 'exceptions: '],
    [
      'answers behind a head',
      { ...PLAIN, match: 'object', written: 'head', storesOutput: true },
      'storesOutput: `storesOutput` has no effect: only the head',
    ],
    [
      'a longer life without marks',
      { ...PLAIN, lifetime: { idle: '5min', long: '1h', refresh: 'on-hit' } },
      'lifetime.long: `long` has no effect',
    ],
    [
      'a limit below idle',
      { ...PLAIN, lifetime: { idle: '5min', max: '4min', refresh: 'on-hit' } },
      'lifetime.idle: `idle` has no effect: `max` ends every entry before',
    ],
    [
      'a curve before idle',
      { ...PLAIN, lifetime: { idle: '5min', refresh: 'on-hit', tail: [{ after: '4min', share: 0 }] } },
      'lifetime.tail: `tail` has no effect',
    ],
    [
      'a price of a longer life',
      { ...PLAIN, price: { read: 1, write: 1, writeLong: 2 } },
      'price.writeLong: `writeLong` has no effect',
    ],
    ['storage', { ...PLAIN, price: { read: 1, write: 1, storagePerHour: 1 } }, 'is not supported: storage'],
    ['steps', { ...PLAIN, price: { read: 1, write: 1, steps: [] } }, 'under `models:`'],
    ['pinning', { ...PLAIN, hit: { pinned: 1 } }, 'is not supported: which server'],
    ['intervals', { ...PLAIN, written: 'intervals' }, 'is not supported: no provider publishes'],
    ['an empty exception', { ...PLAIN, exceptions: [{ models: 'x' }] }, 'nothing is different'],
    ['a misspelt key', { ...PLAIN, lokback: 20 }, 'lokback: unknown key `lokback` (did you mean `lookback`?'],
    ['a missing knob', { ...PLAIN, hit: undefined }, 'hit'],
    [
      'no tenth of sessions',
      { ...PLAIN, hit: { logOdds: 0, perLogSecond: 0, sessions: [], partial: [0] } },
      'hit.sessions: expected at least one item',
    ],
    [
      'points that fall',
      {
        ...PLAIN,
        lifetime: {
          idle: '1min',
          refresh: 'on-hit',
          tail: [
            { after: '5min', share: 1 },
            { after: '4min', share: 0 },
          ],
        },
      },
      'lifetime.tail[1].after: the points must rise',
    ],
  ])('%s', (_what, written, problem) => {
    const { provider, problems } = read(written);
    expect(provider).toBeNull();
    expect(problems.join('\n')).toContain(problem);
  });
});
