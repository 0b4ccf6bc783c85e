import { duration } from '../../core/base/duration-shape.js';
import {
  choice,
  either,
  flag,
  group,
  list,
  map,
  number,
  orNull,
  refusedKey,
  refusing,
  type Shape,
  shape,
  text,
  wanted,
  whole,
  wrongValue,
} from '../../core/base/shape.js';
import type { CacheRules, HitChance, SurvivalPoint } from '../../core/run/provider.js';

const MANY_TOKENS = 100_000_000;

const tokens = (description: string): Shape<number> => whole(0, MANY_TOKENS, description);

/** A list with at least one item. */
function some<T>(item: Shape<T>, description: string): Shape<readonly T[]> {
  return map(list(item, description), (read, path, problems) =>
    read.length > 0 ? read : wanted('at least one item', [], path, problems),
  );
}

/** A number by itself, or a group that says more. */
const grain: Shape<NonNullable<CacheRules['grain']>> = either(
  map(whole(1, MANY_TOKENS, 'Reads end every so many tokens.'), (read) => ({ tokens: read, offset: 0 })),
  map(
    group(
      { tokens: whole(1, MANY_TOKENS, 'Tokens of a step.'), offset: tokens('Where the first step ends.') },
      'Reads end at `offset` and every so many tokens behind it.',
      ['tokens', 'offset'],
    ),
    (read) => ({ tokens: read.tokens!, offset: read.offset! }),
  ),
);

/** A minimum for every model, or for those whose rows say nothing. */
const minimum: Shape<Pick<CacheRules, 'minimum' | 'minimumFor'>> = either(
  map(tokens('Shortest prefix that is cached, whatever the model.'), (read) => ({
    minimum: read,
    minimumFor: 'every-model' as const,
  })),
  map(
    group(
      { otherwise: tokens('Where the row of the model says nothing.') },
      'As the rows of the models say, and so much otherwise.',
      ['otherwise'],
    ),
    (read) => ({ minimum: read.otherwise!, minimumFor: 'silent-models' as const }),
  ),
);

const written = refusing(
  choice(
    ['marks', 'every-grain', 'request-ends', 'head'],
    'What a request leaves behind: entries at the marks of the client, every prefix, units that end with prompt and answer, or its head as an object.',
  ),
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

const EVENTS = ['response-start', 'response-end'] as const;
const event = choice(EVENTS, 'When the response begins, or when it is complete.');

const visibleAfter: Shape<CacheRules['visibleAfter']> = either(
  map(event, (read) => ({ event: read, plusMs: 0 })),
  map(
    group(
      { event, plus: duration('Time until entries can be read after that.') },
      'When entries can be read.',
      ['event', 'plus'],
    ),
    (read) => ({ event: read.event!, plusMs: read.plus! }),
  ),
);

const tail: Shape<readonly SurvivalPoint[]> = map(
  list(
    map(
      group(
        {
          after: duration('Time since the last use.'),
          share: number(0, 1, 'Share of entries that are found then.'),
        },
        'A point of the curve.',
        ['after', 'share'],
      ),
      (read) => ({ afterMs: read.after!, share: read.share! }),
    ),
    'What is left behind `idle`, in straight lines between these points; nothing behind the last.',
  ),
  (read, path, problems) => {
    const late = read.findIndex(({ afterMs }, i) => i > 0 && afterMs <= read[i - 1]!.afterMs);
    if (late === -1) return read;
    problems(
      wrongValue([...path, late, 'after'], 'the points must rise in time', 'write the earliest first'),
    );
    return undefined;
  },
);

const lifetime = group(
  {
    idle: orNull(duration('Every entry lives so long after its last use; null where nothing is promised.')),
    long: orNull(duration('A longer life that requests may ask for at their marks.')),
    max: orNull(duration('No entry lives longer, however often it is used.')),
    refresh: choice(['on-hit', 'none'], 'Whether a use begins the time anew.'),
    tail,
  },
  'How long entries live.',
  ['idle', 'refresh'],
);

/** The chance of a hit that is the same for every request. */
function evenChance(found: number): HitChance {
  return { logOdds: Math.log((1 - found) / found), perLogSecond: 0, sessions: [1], partial: [0] };
}

const OTHER_CHANCE = refusedKey(
  'which server a request reaches is not part of a run',
  'write one chance for all requests, such as `hit: 0.9`',
);

const chance: Shape<HitChance> = map(
  group(
    {
      logOdds: number(-50, 50, 'Log odds of coming up short one second after the last request.'),
      perLogSecond: number(-50, 50, 'What each e-fold of seconds since then adds.'),
      sessions: some(
        number(0, 1e6, 'A factor.'),
        'Factors on these odds, one for each equal part of the sessions.',
      ),
      partial: some(
        number(0, 1, 'A share.'),
        'Share that is read all the same, one for each equal part of the requests that come up short.',
      ),
      pinned: OTHER_CHANCE,
      unpinned: OTHER_CHANCE,
      perMinuteOver: OTHER_CHANCE,
    },
    'The chance that a request comes up short.',
    ['logOdds', 'perLogSecond', 'sessions', 'partial'],
  ),
  ({ logOdds, perLogSecond, sessions, partial }) => ({
    logOdds: logOdds!,
    perLogSecond: perLogSecond!,
    sessions: sessions!,
    partial: partial!,
  }),
);

const hit: Shape<HitChance | 'always'> = either(
  shape(
    {
      anyOf: [{ const: 'always' }, { type: 'number', minimum: 0.001, maximum: 0.999 }],
      description: 'Chance that an entry that lives is found: `always`, or a number.',
    },
    (value, path, problems) => {
      if (value === 'always') return 'always';
      const read = number(0.001, 0.999, '').read(value, path, problems);
      return read === undefined ? undefined : evenChance(read);
    },
  ),
  chance,
);

const OF_MODELS = refusedKey(
  'these prices are those of the models',
  'write them in the scenario, under `models:`',
);

const price = group(
  {
    read: number(0, 100, 'Price of a token that is read, as a share of the input price.'),
    write: number(0, 100, 'Price of a token that is written, as a share of the input price.'),
    writeLong: number(0, 100, 'The same for entries that live longer; as `write` where absent.'),
    in: OF_MODELS,
    out: OF_MODELS,
    steps: OF_MODELS,
    storagePerHour: refusedKey(
      'storage is left out of the cost of a run',
      'say so under `doubts`, and add it by hand',
    ),
    iterations: refusedKey('every request of a run is billed, those of a compaction too', 'take it out'),
  },
  'Prices of reads and writes, where they are not those of the rows of the models.',
  ['read', 'write'],
);

const exceptions = list(
  group(
    {
      models: text('Beginning of the names of the models.'),
      grain: orNull(grain),
      storesOutput: flag('What the model answers is stored with its prompt.'),
    },
    'What is different for some models.',
    ['models'],
  ),
  'Models whose cache differs; the first that fits holds.',
);

/** A provider file: who it is, the eight knobs of its cache, and what is not known. */
export const providerShape = group(
  {
    name: text('Name of the provider; the name of the file where absent.'),
    label: text('Name as tables and warnings show it; the name where absent.'),
    source: text('Where the numbers come from.'),
    doubts: list(text('A sentence.'), 'What is not known, and what is assumed instead; [] for nothing.'),
    serves: text('Provider whose rows of the model table it serves; its own where absent.'),
    model: text('Model whose prices a session of another provider is given.'),
    match: choice(
      ['breakpoint', 'prefix', 'unit', 'object'],
      'What a request reads: an entry at a mark, the longest prefix, a whole unit, or a named object.',
    ),
    lookback: orNull(
      whole(1, 1_000_000, 'Blocks looked at from a mark back, the marked one included; null: no limit.'),
    ),
    grain: orNull(grain),
    minimum: orNull(minimum),
    written,
    storesOutput: flag('What the model answers is stored with its prompt; false where absent.'),
    visibleAfter,
    lifetime,
    hit: orNull(hit),
    price: orNull(price),
    tellsWrites: flag('The API tells how many tokens were written, and bills them as writes.'),
    exceptions,
  },
  'The prompt cache of a provider. `null` is what nobody knows.',
  [
    'source',
    'doubts',
    'model',
    'match',
    'lookback',
    'grain',
    'minimum',
    'written',
    'visibleAfter',
    'lifetime',
    'hit',
    'price',
  ],
);

type ReadBy<S> = S extends Shape<infer T> ? T : never;

/** A provider as its file says it, every required key there. */
export type WrittenProvider = ReadBy<typeof providerShape>;
