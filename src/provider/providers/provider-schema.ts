import * as z from 'zod';
import {
  duration,
  flag,
  group,
  list,
  number,
  orNull,
  refuse,
  refusedKey,
  text,
  whole,
  words,
} from '../../core/base/schema.js';
import type { CacheRules, HitChance } from '../../core/run/provider.js';

const MANY_TOKENS = 100_000_000;

const tokens = (description: string) => whole(0, MANY_TOKENS, description);

/** A number by itself, or a group that says more. */
const grain = z.union([
  whole(1, MANY_TOKENS, 'Reads end every N tokens.').transform((read) => ({ tokens: read, offset: 0 })),
  group(
    'Reads end at `offset` and every N tokens after it.',
    { tokens: whole(1, MANY_TOKENS, 'Tokens of a step.'), offset: tokens('Where the first step ends.') },
    {},
  ),
]);

/** A minimum for every model, or for those whose rows say nothing. */
const minimum = z.union([
  tokens('Shortest prefix that is cached, for all models.').transform((read) => ({
    minimum: read,
    minimumFor: 'every-model' as const,
  })),
  group(
    'From the rows of the models, else this much.',
    { otherwise: tokens('If the row of the model has none.') },
    {},
  ).transform((read) => ({ minimum: read.otherwise, minimumFor: 'silent-models' as const })),
]);

const written = words(
  ['marks', 'every-grain', 'request-ends', 'head'],
  'What a request stores: entries at the marks of the client, every prefix, units that end with prompt and answer, or its head as an object.',
  {
    'last-message': {
      why: 'recordings of GPT-5.6 end on steps, not at the mark of the newest message',
      hint: 'write every-grain, and the steps under `grain`',
    },
    intervals: {
      why: 'no provider publishes the intervals at which it stores units',
      hint: 'write request-ends, and say so under `doubts`',
    },
    'common-prefix': {
      why: 'what other sessions send is not part of a run',
      hint: 'write request-ends, and say so under `doubts`',
    },
  },
);

const event = words(['response-start', 'response-end'], 'When the response begins, or when it is complete.');

const visibleAfter = z.union([
  event.transform((read): CacheRules['visibleAfter'] => ({ event: read, plusMs: 0 })),
  group(
    'When entries can be read.',
    { event, plus: duration('Time until entries can be read after that.') },
    {},
  ).transform(({ event: read, plus }) => ({ event: read, plusMs: plus })),
]);

const tail = list(
  group(
    'A point of the curve.',
    {
      after: duration('Time since the last use.'),
      share: number(0, 1, 'Share of entries that are found then.'),
    },
    {},
  ).transform(({ after, share }) => ({ afterMs: after, share })),
  'Share left after `idle`, linear between these points; nothing after the last.',
).check((ctx) => {
  const late = ctx.value.findIndex(({ afterMs }, i) => i > 0 && afterMs <= ctx.value[i - 1]!.afterMs);
  if (late !== -1)
    refuse(ctx, 'the points must rise in time', { path: [late, 'after'], hint: 'write the earliest first' });
});

const lifetime = group(
  'How long entries live.',
  {
    idle: orNull(duration('Lifetime of an entry after its last use; null if nothing is promised.')),
    refresh: words(['on-hit', 'none'], 'Whether a use restarts the lifetime.'),
  },
  {
    long: orNull(duration('A longer life that requests may ask for at their marks.')),
    max: orNull(duration('No entry lives longer, however often it is used.')),
    tail,
  },
);

/** The chance of a hit that is the same for every request. */
function evenChance(found: number): HitChance {
  return { logOdds: Math.log((1 - found) / found), perLogSecond: 0, sessions: [1], partial: [0] };
}

const OTHER_CHANCE = refusedKey(
  'which server a request reaches is not part of a run',
  'write one chance for all requests, such as `hit: 0.9`',
);

/** A list with at least one item. */
const some = (item: z.ZodType<number>, description: string) =>
  list(item, description).check((ctx) => {
    if (ctx.value.length === 0) refuse(ctx, 'expected at least one item, got an empty list');
  });

const hit = z
  .union([
    z.enum(['always']),
    number(0.001, 0.999, 'The same chance for every request.').transform(evenChance),
    group(
      'The chance that a request comes up short.',
      {
        logOdds: number(-50, 50, 'Log odds of coming up short one second after the last request.'),
        perLogSecond: number(-50, 50, 'What each e-fold of seconds since then adds.'),
        sessions: some(
          number(0, 1e6, 'A factor.'),
          'Factors on these odds, one for each equal part of the sessions.',
        ),
        partial: some(
          number(0, 1, 'A share.'),
          'Share that is read anyway, one for each equal part of the requests that read less.',
        ),
      },
      { pinned: OTHER_CHANCE, unpinned: OTHER_CHANCE, perMinuteOver: OTHER_CHANCE },
    ).transform(
      ({ logOdds, perLogSecond, sessions, partial }): HitChance => ({
        logOdds,
        perLogSecond,
        sessions,
        partial,
      }),
    ),
  ])
  .describe('Chance that an entry that lives is found: `always`, a number, or a group that says more.');

const OF_MODELS = refusedKey(
  'these prices are those of the models',
  'write them in the scenario, under `models:`',
);

const price = group(
  'Prices of reads and writes, if they differ from those of the model rows.',
  {
    read: number(0, 100, 'Price of a token that is read, as a share of the input price.'),
    write: number(0, 100, 'Price of a token that is written, as a share of the input price.'),
  },
  {
    writeLong: number(0, 100, 'The same for entries that live longer; as `write` where absent.'),
    in: OF_MODELS,
    out: OF_MODELS,
    steps: OF_MODELS,
    storagePerHour: refusedKey(
      'storage is left out of the cost of a run',
      'say so under `doubts`, and add it by hand',
    ),
    iterations: refusedKey('every request of a run is billed, those of a compaction too', 'remove it'),
  },
);

/** A provider file: who it is, the eight knobs of its cache, and what is not known. */
export const providerSchema = group(
  'The prompt cache of a provider. `null` means not known.',
  {
    source: text('Where the numbers come from.'),
    doubts: list(text('A sentence.'), 'What is not known, and what is assumed instead; [] for nothing.'),
    model: text('Model whose prices sessions of other providers get.'),
    match: words(
      ['breakpoint', 'prefix', 'unit', 'object'],
      'What a request reads: an entry at a mark, the longest prefix, a whole unit, or a named object.',
    ),
    lookback: orNull(
      whole(1, 1_000_000, 'Blocks looked at from a mark back, the marked one included; null: no limit.'),
    ),
    grain: orNull(grain),
    minimum: orNull(minimum),
    written,
    visibleAfter,
    lifetime,
    hit: orNull(hit),
    price: orNull(price),
  },
  {
    name: text('Name of the provider; default: the file name.'),
    label: text('Name in tables and warnings; default: the name.'),
    serves: text('Provider whose rows of the model table it serves; default: its own.'),
    storesOutput: flag('Answers are stored with their prompts; default: false.'),
    tellsWrites: flag('The API reports how many tokens were written, and bills them as writes.'),
    exceptions: list(
      group(
        'Differences for some models.',
        { models: text('Prefix of the model names.') },
        {
          grain: orNull(grain),
          storesOutput: flag('Answers are stored with their prompts.'),
        },
      ),
      'Models whose cache differs; the first that fits holds.',
    ),
  },
);

/** A provider as its file says it. */
export type WrittenProvider = z.output<typeof providerSchema>;
