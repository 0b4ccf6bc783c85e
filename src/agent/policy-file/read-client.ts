import { duration } from '../../core/base/duration-shape.js';
import {
  alias,
  choice,
  either,
  group,
  isGroup,
  list,
  map,
  number,
  refusing,
  type Shape,
  shape,
  wanted,
  whole,
  wrongValue,
} from '../../core/base/shape.js';
import {
  type AmountText,
  type CachePart,
  type CountPart,
  type GuardsPart,
  USAGE_PARTS,
  type UsagePart,
} from '../../core/run/parts.js';
import { amount, digits, plainAmount } from './amounts.js';

/** `prompt` is what a request sends, whatever of it was cached; reasoning is part of the output that the API reports. */
const usageParts: Shape<readonly UsagePart[]> = map(
  list(
    choice(
      [...USAGE_PARTS, 'prompt', 'reasoning'],
      'A part of the usage; `prompt` is input, cacheRead and cacheWrite, `reasoning` is reported as part of output.',
    ),
    'What of the usage counts.',
  ),
  (written, path, problems) => {
    const has = (part: UsagePart): boolean =>
      written.includes(part) || (part !== 'output' && written.includes('prompt'));
    if (written.includes('reasoning') && !written.includes('output')) {
      problems(
        wrongValue(path, 'the API reports reasoning as part of the output, not apart', 'write output'),
      );
      return undefined;
    }
    return USAGE_PARTS.filter(has);
  },
);

/** How an estimate is corrected: `none`, or the largest factor. */
const calibrate: Shape<number | null> = either(
  map(
    refusing(choice(['none'], 'Nothing is corrected.'), {
      ratio: { why: 'a correction has a largest factor', hint: 'write calibrate: { ratio: 4 }' },
      anchor: {
        why: 'the latest usage and an estimate of what is newer are a source of their own',
        hint: 'write source: usage+new',
      },
    }),
    () => null,
  ),
  map(
    group(
      { ratio: number(1, 100, 'Largest correction.') },
      'The estimate is corrected by usage ÷ estimate.',
      ['ratio'],
    ),
    ({ ratio }) => ratio!,
  ),
);

const countShape = group(
  {
    source: choice(
      ['usage', 'usage+new', 'estimate', 'max', 'tokenizer'],
      'The latest usage, that and an estimate of what is newer, an estimate of everything, the larger of the two, or a tokenizer.',
    ),
    of: usageParts,
    charsPerToken: number(0.5, 20, 'Characters of a token in an estimate.'),
    scale: number(0.1, 10, 'Factor on an estimate.'),
    perMessage: number(0, 1_000, 'Tokens added for each message.'),
    perImage: number(0, 100_000, 'Tokens of an image.'),
    includes: list(
      choice(['system', 'tools', 'reasoning'], 'A part of the request.'),
      'What an estimate counts beside the messages.',
    ),
    since: choice(['compaction', 'any'], 'Whether a usage from before the latest compaction still counts.'),
    calibrate,
    pastReasoning: number(
      0.01,
      10,
      'Tokens counted for each token of reasoning before the latest prompt, on models that drop it: the client keeps it sealed.',
    ),
  },
  'How the client measures its context.',
);

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

/** How the client measures its context, in full. */
export const count: Shape<CountPart> = map(countShape, (written) => ({
  source: written.source ?? USUAL_COUNT.source,
  of: written.of ?? USUAL_COUNT.of,
  charsPerToken: written.charsPerToken ?? USUAL_COUNT.charsPerToken,
  scale: written.scale ?? USUAL_COUNT.scale,
  perMessage: written.perMessage ?? USUAL_COUNT.perMessage,
  perImage: written.perImage ?? USUAL_COUNT.perImage,
  includes: written.includes ?? USUAL_COUNT.includes,
  since: written.since ?? USUAL_COUNT.since,
  ratioCap: written.calibrate ?? null,
  ...(written.pastReasoning === undefined ? {} : { pastReasoning: written.pastReasoning }),
}));

const FROM: Readonly<Record<string, AmountText>> = { window: 'W', input: 'I', 'window-output': '(W - O)' };

const baseGroup = map(
  group(
    {
      from: choice(['window', 'input', 'window-output'], 'What it is taken from.'),
      minus: amount('What is taken off.'),
      times: plainAmount(0, 10, 'Share of the rest.'),
      cap: amount('Never more.'),
      floor: group(
        {
          below: plainAmount(1, 1e9, 'Windows below this.'),
          times: plainAmount(0, 10, 'Share of the window there.'),
        },
        'Another share for small windows.',
        ['below', 'times'],
      ),
    },
    'What thresholds are shares of.',
  ),
  ({ from = 'window', minus, times, cap, floor }) => {
    let base = minus === undefined ? FROM[from]! : `(${FROM[from]} - (${minus}))`;
    if (times !== undefined) base = `${base}·${digits(times)}`;
    if (floor !== undefined) base = `below(W, ${digits(floor.below!)}, ${digits(floor.times!)}·W, ${base})`;
    return cap === undefined ? base : `min(${cap}, ${base})`;
  },
);

const oneBase = either(amount('What thresholds are shares of.'), baseGroup);

/** B, of which thresholds are shares; of several the smallest counts. */
export const base: Shape<AmountText> = (() => {
  const all = list(oneBase, 'What thresholds are shares of; of several the smallest counts.');
  const anyOf = group({ 'any-of': all }, 'The smallest of several.', ['any-of']);
  return shape({ anyOf: [all.schema, anyOf.schema] }, (value, path, problems) => {
    const read =
      isGroup(value) && Object.hasOwn(value, 'any-of')
        ? anyOf.read(value, path, problems)?.['any-of']
        : all.read(value, path, problems);
    if (read === undefined) return undefined;
    if (read.length === 0) return wanted('an amount', value, path, problems);
    return read.length === 1 ? read[0]! : `min(${read.join(', ')})`;
  });
})();

const breakerUntil = shape<NonNullable<GuardsPart['breaker']>['until']>(
  {
    anyOf: [{ enum: ['success', 'session', 'prompt'] }, { type: 'string' }],
    description:
      'How long it stays open: until a success, to the end of the session, to the next prompt, or for a time.',
  },
  (value, path, problems) => {
    if (value === 'success' || value === 'session' || value === 'prompt') return value;
    const ms =
      typeof value === 'string' && /\d/.test(value) ? duration('').read(value, path, problems) : undefined;
    if (ms !== undefined) return { ms };
    if (typeof value !== 'string' || !/\d/.test(value))
      problems(wrongValue(path, 'success, session, prompt or a time is wanted here'));
    return undefined;
  },
);

const guardsShape = group(
  {
    breaker: group(
      {
        after: whole(1, 1_000, 'Failures in a row.'),
        until: breakerUntil,
        scope: choice(
          ['policy', 'rule'],
          'Whose failures count: those of all rules together, or of each by itself.',
        ),
      },
      'No more attempts after so many failures.',
      ['after'],
    ),
    perTurn: whole(1, 1_000, 'Summaries that are asked for within one turn.'),
    cooldown: list(duration('A rest.'), 'Rests after the first failure, the second and so on.'),
    spend: group(
      {
        calls: whole(1, 100_000, 'Calls.'),
        per: duration('Within this time.'),
        rest: duration('The rest that follows.'),
      },
      'A limit on calls.',
      ['calls', 'per', 'rest'],
    ),
    floor: amount('Below this the history is not replaced.'),
    block: amount('From here on new input is refused.'),
    refills: group(
      { max: whole(1, 1_000, 'Compactions.'), within: whole(1, 1_000, 'Turns.') },
      'The run ends after so many compactions that filled up again at once.',
      ['max'],
    ),
  },
  'What holds the policy back.',
);

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

/** Turns within which a context that fills up again counts as refilled. */
const REFILL_TURNS = 3;

/** What holds a policy back, in full. */
export const guards: Shape<GuardsPart> = map(
  guardsShape,
  ({ breaker, perTurn, cooldown, spend, floor, block, refills }) => ({
    breaker:
      breaker === undefined
        ? null
        : {
            after: breaker.after!,
            until: breaker.until ?? 'success',
            ...(breaker.scope === 'rule' ? { scope: breaker.scope } : {}),
          },
    perTurn: perTurn ?? null,
    cooldownMs: cooldown ?? [],
    spend: spend === undefined ? null : { calls: spend.calls!, perMs: spend.per!, restMs: spend.rest! },
    floor: floor ?? null,
    block: block ?? null,
    refills: refills === undefined ? null : { max: refills.max!, within: refills.within ?? REFILL_TURNS },
  }),
);

const cacheShape = group(
  {
    marks: alias(
      choice(
        ['client', 'system+last', 'system+last-two', 'none'],
        'Where cache breakpoints go; `client` leaves it to the client, `auto` is system+last.',
      ),
      { 'system+last-2': 'system+last-two', auto: 'system+last' },
    ),
    ttl: refusing(
      choice(
        ['5m', '1h', 'provider'],
        'Lifetime that is asked for, unless the scenario says otherwise; `provider` asks for none.',
      ),
      { '30m': { why: 'entries live five minutes or an hour', hint: 'write 5m or 1h' } },
    ),
    key: choice(
      ['session', 'none'],
      'session: entries are found by requests of the same session alone; none: by every request with the same prefix.',
    ),
    warmBefore: choice(
      ['ask'],
      'An entry that is gone is written by a short request before a summary is asked for that shares it.',
    ),
    keepAlive: group(
      {
        every: duration('Time after the latest request.'),
        times: whole(1, 10_000, 'Pings in a row at most.'),
        atLeast: amount('Smaller contexts are not kept alive.'),
        'only-if': amount('The same under another name.'),
      },
      'Requests that keep the cache entry alive.',
      ['every'],
    ),
  },
  'What the client does for the cache.',
);

/** A client that does nothing of its own for the cache. */
export const USUAL_CACHE: CachePart = { marks: 'client', ttl: null, keepAlive: null };

/** What the client does for the cache, in full. */
export const cache: Shape<CachePart> = map(cacheShape, (written, path, problems) => {
  const { marks, ttl, key, warmBefore, keepAlive } = written;
  if (keepAlive?.atLeast !== undefined && keepAlive['only-if'] !== undefined) {
    problems(wrongValue([...path, 'keepAlive', 'only-if'], '`only-if` and `atLeast` are the same'));
    return undefined;
  }
  return {
    marks: marks ?? 'client',
    ttl: ttl === undefined || ttl === 'provider' ? null : ttl,
    keepAlive:
      keepAlive === undefined
        ? null
        : {
            everyMs: keepAlive.every!,
            times: keepAlive.times ?? 1,
            atLeast: keepAlive.atLeast ?? keepAlive['only-if'] ?? null,
          },
    ...(key === 'session' ? { key } : {}),
    ...(warmBefore === undefined ? {} : { warmBefore }),
  };
});
