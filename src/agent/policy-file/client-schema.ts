import * as z from 'zod';
import { duration, group, list, number, refuse, whole, words } from '../../core/base/schema.js';
import {
  type AmountText,
  type CachePart,
  type CountPart,
  type GuardsPart,
  USAGE_PARTS,
  type UsagePart,
} from '../../core/run/policy-rules.js';
import { amount, digits, plainAmount } from './amounts.js';

/** `prompt` is what a request sends, whatever of it was cached; reasoning is part of the output that the API reports. */
const usageParts = list(
  words(
    [...USAGE_PARTS, 'prompt', 'reasoning'],
    'A part of the usage; `prompt` is input, cacheRead and cacheWrite, `reasoning` is reported as part of output.',
  ),
  'Which part of the usage counts.',
).transform((written, ctx): readonly UsagePart[] => {
  if (written.includes('reasoning') && !written.includes('output'))
    return refuse(ctx, 'the API reports reasoning as part of the output, not separately', {
      hint: 'write output',
    });
  return USAGE_PARTS.filter(
    (part) => written.includes(part) || (part !== 'output' && written.includes('prompt')),
  );
});

/** How an estimate is corrected: `none`, or the largest factor. */
const calibrate = z.union([
  words(['none'], 'Nothing is corrected.', {
    ratio: { why: 'a correction has a largest factor', hint: 'write calibrate: { ratio: 4 }' },
    anchor: {
      why: 'the latest usage and an estimate of what is newer are a source of their own',
      hint: 'write source: usage+new',
    },
  }).transform(() => null),
  group(
    'The estimate is corrected by usage ÷ estimate.',
    { ratio: number(1, 100, 'Largest correction.') },
    {},
  ).transform(({ ratio }) => ratio),
]);

/** How clients count where a policy says nothing: the latest usage and characters / 4 of what is newer. */
export const USUAL_COUNT: CountPart = {
  source: 'usage+new',
  of: USAGE_PARTS,
  charsPerToken: 4,
  scale: 1,
  perMessage: 0,
  perImage: 2_000,
  includes: ['system', 'tools', 'reasoning'],
  since: 'compaction',
  ratioCap: null,
};

/** Keys of `count` that a source does not go by. */
const IDLE: Readonly<Record<CountPart['source'], readonly string[]>> = {
  usage: ['charsPerToken', 'scale', 'perMessage', 'perImage', 'calibrate'],
  'usage+new': ['calibrate'],
  estimate: ['of', 'since', 'pastReasoning', 'keptReasoning'],
  max: [],
  tokenizer: [
    'of',
    'charsPerToken',
    'scale',
    'perMessage',
    'perImage',
    'since',
    'calibrate',
    'pastReasoning',
    'keptReasoning',
  ],
};

/** How the client measures its context. */
export const count = group(
  'How the client measures its context.',
  {},
  {
    source: words(
      ['usage', 'usage+new', 'estimate', 'max', 'tokenizer'],
      'The latest usage, that and an estimate of what is newer, an estimate of everything, the larger of the two, or a tokenizer.',
    ),
    of: usageParts,
    charsPerToken: number(0.5, 20, 'Characters of a token in an estimate.'),
    scale: number(0.1, 10, 'Factor on an estimate.'),
    perMessage: number(0, 1_000, 'Tokens added for each message.'),
    perImage: number(0, 100_000, 'Tokens of an image.'),
    includes: list(
      words(['system', 'tools', 'reasoning'], 'A part of the request.'),
      'What an estimate counts besides the messages.',
    ),
    since: words(['compaction', 'any'], 'Whether a usage from before the latest compaction still counts.'),
    calibrate,
    pastReasoning: number(
      0.01,
      10,
      'Tokens counted for each token of reasoning before the latest prompt, on models that drop it: the client keeps it sealed.',
    ),
    keptReasoning: number(
      0.01,
      10,
      'The same on models that keep it: the client counts it although the usage already includes it.',
    ),
  },
).transform((written, ctx): CountPart => {
  const { calibrate: ratioCap = null, ...rest } = written;
  const read = { ...USUAL_COUNT, ...rest, ratioCap };
  for (const key of Object.keys(written))
    if (IDLE[read.source].includes(key))
      refuse(ctx, `\`${key}\` has no effect where \`source\` is ${read.source}`, {
        path: [key],
        side: 'key',
        hint: 'remove it',
      });
  return read;
});

const FROM: Readonly<Record<string, AmountText>> = { window: 'W', input: 'I', 'window-output': '(W - O)' };

const baseGroup = group(
  'What thresholds are shares of.',
  {},
  {
    from: words(['window', 'input', 'window-output'], 'What it is taken from.'),
    minus: amount('What is subtracted.'),
    times: plainAmount(0, 10, 'Share of the rest.'),
    cap: amount('Never more.'),
    floor: group(
      'Another share for small windows.',
      {
        below: plainAmount(1, 1e9, 'Windows below this.'),
        times: plainAmount(0, 10, 'Share of the window there.'),
      },
      {},
    ),
  },
).transform(({ from = 'window', minus, times, cap, floor }): AmountText => {
  let base = minus === undefined ? FROM[from]! : `(${FROM[from]} - (${minus}))`;
  if (times !== undefined) base = `${base}·${digits(times)}`;
  if (floor !== undefined) base = `below(W, ${digits(floor.below)}, ${digits(floor.times)}·W, ${base})`;
  return cap === undefined ? base : `min(${cap}, ${base})`;
});

const bases = list(
  z.union([amount('What thresholds are shares of.'), baseGroup]),
  'What thresholds are shares of; of several the smallest counts.',
);

/** B, of which thresholds are shares; of several the smallest counts. */
export const base = z
  .union([
    bases,
    group('The smallest of several.', { 'any-of': bases }, {}).transform((written) => written['any-of']),
  ])
  .transform((read, ctx): AmountText => {
    if (read.length === 0) return refuse(ctx, 'expected an amount, got an empty list');
    return read.length === 1 ? read[0]! : `min(${read.join(', ')})`;
  });

const breakerUntil = z
  .union([
    words(['success', 'session', 'prompt'], 'What closes it.'),
    duration('How long it stays open.').transform((ms) => ({ ms })),
  ])
  .describe(
    'How long it stays open: until a success, to the end of the session, to the next prompt, or for a time.',
  );

/** Turns within which a context that fills up again counts as refilled. */
const REFILL_TURNS = 3;

/** A policy without guards. */
export const NO_GUARDS: GuardsPart = {
  breaker: null,
  perTurn: null,
  cooldownMs: [],
  spend: null,
  floor: null,
  block: null,
  refills: null,
};

/** What holds a policy back. */
export const guards = group(
  'What holds the policy back.',
  {},
  {
    breaker: group(
      'No more attempts after this many failures.',
      { after: whole(1, 1_000, 'Failures in a row.'), until: breakerUntil.default('success') },
      {
        scope: words(
          ['policy', 'rule'],
          'Whose failures count: those of all rules together, or of each rule separately.',
        ),
      },
    ).transform(({ after, until, scope }) => ({ after, until, ...(scope === 'rule' ? { scope } : {}) })),
    perTurn: whole(1, 1_000, 'Summaries that are asked for within one turn.'),
    cooldown: list(duration('A rest.'), 'Rests after the first failure, the second and so on.'),
    spend: group(
      'A limit on calls.',
      {
        calls: whole(1, 100_000, 'Calls.'),
        per: duration('Within this time.'),
        rest: duration('The rest that follows.'),
      },
      {},
    ).transform(({ calls, per, rest }) => ({ calls, perMs: per, restMs: rest })),
    floor: amount('Below this the history is not replaced.'),
    block: amount('From here on new input is refused.'),
    refills: group(
      'The run ends after this many compactions that filled up again immediately.',
      { max: whole(1, 1_000, 'Compactions.'), within: whole(1, 1_000, 'Turns.').default(REFILL_TURNS) },
      {},
    ),
  },
).transform(
  ({ cooldown, ...rest }): GuardsPart => ({
    ...NO_GUARDS,
    ...rest,
    cooldownMs: cooldown ?? [],
  }),
);

/** A client that does nothing of its own for the cache. */
export const USUAL_CACHE: CachePart = { marks: 'client', ttl: null, keepAlive: null };

/** Other words for places of breakpoints. */
const MARKS: Readonly<Record<string, CachePart['marks']>> = {
  'system+last-2': 'system+last-two',
  auto: 'system+last',
};

/** What the client does for the cache. */
export const cache = group(
  'What the client does for the cache.',
  {},
  {
    marks: words(
      ['client', 'system+last', 'system+last-two', 'none', 'system+last-2', 'auto'],
      'Where cache breakpoints go; `client` leaves it to the client, `auto` is system+last.',
    ).transform((word) => MARKS[word] ?? (word as CachePart['marks'])),
    ttl: words(
      ['5m', '1h', 'provider'],
      'Lifetime that is asked for, unless the scenario says otherwise; `provider` asks for none.',
      { '30m': { why: 'entries live five minutes or an hour', hint: 'write 5m or 1h' } },
    ).transform((word) => (word === 'provider' ? null : word)),
    key: words(
      ['session', 'none'],
      'session: entries are found by requests of the same session alone; none: by every request with the same prefix.',
    ),
    warmBefore: words(
      ['ask'],
      'An entry that is gone is written by a short request before a summary is asked for that shares it.',
    ),
    keepAlive: group(
      'Requests that keep the cache entry alive.',
      {
        every: duration('Time after the latest request.'),
        times: whole(1, 10_000, 'Pings in a row at most.').default(1),
      },
      {
        atLeast: amount('Smaller contexts are not kept alive.'),
        'only-if': amount('The same under another name.'),
      },
    ).transform(({ every, times, atLeast, 'only-if': onlyIf }, ctx) => {
      if (atLeast !== undefined && onlyIf !== undefined)
        return refuse(ctx, '`only-if` and `atLeast` are the same', { path: ['only-if'] });
      return { everyMs: every, times, atLeast: atLeast ?? onlyIf ?? null };
    }),
  },
).transform(
  ({ key, ...rest }): CachePart => ({
    ...USUAL_CACHE,
    ...rest,
    ...(key === 'session' ? { key } : {}),
  }),
);
