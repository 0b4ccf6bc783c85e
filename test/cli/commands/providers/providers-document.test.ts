import { describe, expect, it } from 'vitest';
import type {
  ProviderFacts,
  ProviderReplay,
} from '../../../../src/cli/commands/providers/provider-replay.js';
import {
  oneProvider,
  providerList,
  providersConclusion,
  replayBlocks,
  replayConclusion,
} from '../../../../src/cli/commands/providers/providers-document.js';
import type { RecordedBill } from '../../../../src/core/run/recorded-bill.js';
import { providerRegistry } from '../../../../src/provider/providers/providers.js';
import type { Block } from '../../../../src/report/document/document.js';
import { documentText } from '../../../../src/report/document/document-text.js';
import { plainStyle } from '../../../../src/report/text/table.js';

const MINUTE = 60_000;
const CLEARING = { rewritten: 100_000, freed: 20_000 };
const linesOf = (blocks: readonly Block[], width = 400): readonly string[] =>
  documentText(blocks, { width, style: plainStyle }).trimEnd().split('\n');

const CACHE = {
  ...providerRegistry.get('anthropic').cache,
  grain: null,
  lifetime: { idleMs: 5 * MINUTE, longMs: null, maxMs: null, refresh: 'on-hit', tail: [] },
} as const;
const facts = (name: string, change: Partial<ProviderFacts> = {}): ProviderFacts => ({
  name,
  label: `The ${name}`,
  model: `model-${name}`,
  cache: CACHE,
  minimumTokens: 1_024,
  input: 3,
  write: 1.25,
  read: 0.1,
  breakEvenRequests: 57.5,
  doubts: [],
  source: 'its pages',
  ...change,
});
const lifetime = (change: object) => ({ cache: { ...CACHE, lifetime: { ...CACHE.lifetime, ...change } } });

describe('the list of providers', () => {
  const list = [
    facts('plain'),
    facts('steps', {
      cache: {
        ...CACHE,
        written: 'every-grain',
        grain: { tokens: 1_024, offset: 0 },
        lifetime: { ...CACHE.lifetime, maxMs: 60 * MINUTE, tail: [{ afterMs: 10 * MINUTE, share: 0.5 }] },
      },
      minimumTokens: null,
      breakEvenRequests: null,
    }),
    facts('unpriced', { input: null, write: null, read: null, breakEvenRequests: null }),
  ];

  it('has a row for each, what nobody publishes as ?, and the limits of lifetimes', () => {
    expect(linesOf(providerList(list, CLEARING))).toEqual([
      'provider  reads        step  minimum        lifetime  write  read  break-even  model',
      'plain     breakpoint    any    1,024           5 min   1.25   0.1        57.5  model-plain',
      'steps     prefix      1,024        ?  5 min – 10 min   1.25   0.1       never  model-steps',
      'unpriced  breakpoint    any    1,024           5 min      ?     ?           ?  model-unpriced',
      '',
      'Lifetimes count from the last use. However often it is used, an entry ends after 1 h at steps. Writes and reads as shares of the input price of the model; ? means not published. Break-even: requests after which a clearing that frees 20,000 tokens and rewrites 100,000 pays off.',
    ]);
  });

  it('names no limit that comes no later than the lifetime itself', () => {
    const limited = (maxMs: number) =>
      linesOf(providerList([facts('a', lifetime({ maxMs }))], CLEARING)).at(-1);
    expect(limited(5 * MINUTE)).not.toContain('However often');
    expect(limited(6 * MINUTE)).toContain('However often it is used, an entry ends after 6 min at a.');
  });

  it('of one begins with its label, and ends with what is assumed of it', () => {
    expect(linesOf(oneProvider(facts('a'), CLEARING))).toHaveLength(6);
    const lines = linesOf(oneProvider(facts('a', { doubts: ['one thing', 'another'] }), CLEARING));
    expect(lines[0]).toBe('The a (its pages)');
    expect(lines.slice(-4)).toEqual(['', 'Unknown, and assumed instead:', '  - one thing', '  - another']);
  });

  it('leaves out the model first where there is no room, the lifetime last', () => {
    const header = (width: number) => linesOf(providerList([facts('a')], CLEARING), width)[0]!.split(/ {2,}/);
    expect(header(66)).not.toContain('model');
    const left = ['step', 'minimum', 'reads', 'lifetime'].map((name) =>
      [70, 64, 58, 48, 38].find((width) => !header(width).includes(name)),
    );
    expect(left).toEqual([64, 58, 48, 38]);
  });
});

describe('where a clearing pays', () => {
  const said = (...list: readonly ProviderFacts[]) => providersConclusion(list).result;

  it('is soonest and latest of several', () => {
    const [a, b, never] = [
      facts('a', { breakEvenRequests: 57.5 }),
      facts('b', { breakEvenRequests: 1 + 1e-9 }),
      facts('c', { breakEvenRequests: null }),
    ];
    expect(said(a, b)).toBe(
      'Such a clearing pays soonest after 1 further request at b, and latest after 58 further requests at a.',
    );
    expect(said(a, never, b)).toBe(
      'Such a clearing pays soonest after 1 further request at b, and never at c.',
    );
    expect(providersConclusion([a, b]).advice).toMatch(/^ccbench providers <name> shows what is assumed/);
  });

  it('is a number, never, or not known of one', () => {
    expect(said(facts('a'))).toBe('Such a clearing pays after 58 further requests at a.');
    expect(said(facts('a', { breakEvenRequests: null }))).toBe('Such a clearing pays never at a.');
    expect(said(facts('a', { input: null }))).toBe(
      'The break-even at a is not known: model-a has no price in the table.',
    );
    expect(providersConclusion([facts('a')]).advice).toContain('--session');
  });
});

const BILL: RecordedBill = {
  calls: 10,
  mainCalls: 10,
  tokens: { input: 100, cacheRead: 300, cacheWrite5m: 0, cacheWrite1h: 0, output: 5 },
  mainPromptTokens: 400,
  peakContextTokens: null,
  costNano: { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0, total: 2e9 },
  mainCostNano: 2e9,
  threads: [],
  estimatedOutputs: 0,
  unpriced: {},
  withoutUsage: 0,
  compactions: 1,
  summaries: 0,
};
const replayed = (name: string, change: Partial<ProviderReplay> = {}): ProviderReplay => ({
  facts: facts(name, { doubts: [`${name} is best effort`, 'nobody says'] }),
  policy: 'p',
  costUsd: 1,
  heldUsd: change.costUsd ?? 1,
  costLowUsd: null,
  costHighUsd: null,
  isDraw: false,
  isOwn: false,
  hitRate: 0.75,
  requests: 12,
  requestsRefused: 0,
  calls: 10,
  callsLost: 0,
  finished: true,
  window: null,
  compactions: 2,
  compactionsUndone: 0,
  ...change,
});

describe('a session under every provider', () => {
  it('has what it was, a row for each, and each doubt once', () => {
    const ends = { costLowUsd: 1, costHighUsd: 4 };
    const replays = [
      replayed('a', { window: 200_000, compactionsUndone: 2, ...ends }),
      replayed('b', { isDraw: true, ...ends, requestsRefused: 3 }),
      replayed('c', { isDraw: true, costLowUsd: 1, costHighUsd: 1, finished: false, callsLost: 4 }),
    ];
    const lines = linesOf(replayBlocks('s', BILL, replays, CLEARING));
    expect(lines.slice(0, 7)).toEqual([
      's · policy p · 10 calls',
      '',
      'provider         cost  90 % interval  hit rate  compactions  break-even  model',
      'as recorded     $2.00                    75.0%            1',
      'a               $1.00                    75.0%            2        57.5  model-a',
      'b               $1.00  $1.00 … $4.00     75.0%            2        57.5  model-b (3 refused)',
      'c (unfinished)  $1.00                    75.0%            2        57.5  model-c (4 of 10 calls not answered)',
    ]);
    expect(lines[8]).toMatch(/^Break-even: /);
    expect(lines[9]).toMatch(/^At b, c a cache hit is chance: /);
    expect(lines[10]).toMatch(/^as recorded: /);
    expect(lines[11]).toMatch(/^The window of the recording, 200,000 tokens, is kept under every provider/);
    expect(lines[12]).toMatch(/^No policy is known for the session, so 2 compactions of it are not repeated/);
    expect(lines.slice(13)).toEqual([
      'Unknown, and assumed instead:',
      '  a: a is best effort',
      '  a, b, c: nobody says',
      '  b: b is best effort',
      '  c: c is best effort',
    ]);
  });

  it('says which recorded calls have no price, and nothing of a recording that carries no usage', () => {
    const text = (bill: RecordedBill | null) =>
      linesOf(replayBlocks('s', bill, [replayed('a', { calls: 1 })], CLEARING)).join('\n');
    expect(text({ ...BILL, unpriced: { x: 1 } })).toContain(
      'As recorded 1 of 10 calls uses a model without a price; under each provider all calls go to the model of its row.',
    );
    expect(text({ ...BILL, tokens: { ...BILL.tokens, input: 0, cacheRead: 0 } })).toMatch(
      /^as recorded +\$2\.00 +– +1$/m,
    );
    expect(text(null)).toMatch(/^s · policy p · 1 call$/m);
    expect(text(null)).not.toMatch(/recorded|window|No policy|chance/i);
  });
});

describe('what a session costs at providers', () => {
  const said = (bill: RecordedBill | null, ...replays: readonly ProviderReplay[]) =>
    replayConclusion(bill, replays).result;
  const [a, b] = [replayed('a', { costUsd: 3 }), replayed('b', { costUsd: 1 })];

  it('is between the cheapest and the most expensive that finish it', () => {
    const open = replayed('c', { costUsd: 0.1, finished: false });
    expect(said(null, a, open, b)).toBe(
      'The session costs between $1.00 at b (model-b) and $3.00 at a (model-a).',
    );
    expect(said(BILL, a)).toBe('The session cost $2.00 as recorded; replayed it costs $3.00 at a (model-a).');
    expect(said(null, open)).toBe('No provider finished the session: some of its calls were not answered.');
    expect(replayConclusion(null, [open]).advice).toBe('The cost of a part compares with nothing.');
    expect(replayConclusion(null, [a]).advice).toMatch(/^Prices and caches are compared/);
  });

  it('doubts the others where the replay of its own provider is a tenth off', () => {
    const own = (costUsd: number, change: Partial<ProviderReplay> = {}) =>
      replayed('a', { costUsd, isOwn: true, ...change });
    const doubt =
      'At a, where it was recorded, the replay gives $2.20 for the same requests, +10 % against the recording: the other rows may be as far from what the session would have cost there.';
    expect(said(BILL, own(2.2), b)).toContain(doubt);
    expect(said(BILL, own(1.75), b)).toContain('−12.5 % against the recording');
    // Requests that no recording holds, and writes that it does not tell, are no error of the replay: $2.20 of $3, against $2 + $0.20.
    const besides = said({ ...BILL, assumedWritesNano: 2e8 }, own(3, { heldUsd: 2.2 }), b);
    expect(besides).not.toContain('against');
    expect(besides).toContain(
      'At a, where it was recorded, $0.8000 of this is for requests that are not in the recording.',
    );
    for (const result of [
      said(BILL, own(2.19), b),
      said(BILL, own(3, { isOwn: false }), b),
      said(BILL, own(3, { finished: false }), b),
      said(null, own(3), b),
      said({ ...BILL, unpriced: { x: 1 } }, own(3), b),
      said({ ...BILL, costNano: { ...BILL.costNano, total: 0 } }, own(3), b),
    ])
      expect(result).not.toContain('where it was recorded');
  });

  it('is at least what could be priced, and nothing where nothing could', () => {
    expect(said({ ...BILL, unpriced: { x: 1 } }, b)).toMatch(
      /^The session cost at least \$2\.00 as recorded/,
    );
    expect(said({ ...BILL, unpriced: { x: 10 } }, b)).toBe('The session costs $1.00 at b (model-b).');
  });
});
