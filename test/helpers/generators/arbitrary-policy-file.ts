import fc from 'fast-check';

/** A policy as a user writes it. */
export type Written = Readonly<Record<string, unknown>>;

/** Keys that may be left out. */
const some = (fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Written> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Written>;

const oneOf = <T>(...values: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...values);

/** A size at which something happens in windows from 60,000 on. */
const size = oneOf<string | number>(20_000, '30k', '0.6·B', '0.5·W', 'W - 20k', 'min(45k, 0.7·B)', '60%·W');
const bound = fc.tuple(oneOf('>= ', '> ', ''), size).map(([sign, amount]) => `${sign}${amount}`);
const few = oneOf<string | number>(0, 300, '2k', 6_000, '0.05·W');

const usageCount = some({
  of: oneOf<unknown>(
    ['prompt'],
    ['prompt', 'output'],
    ['input', 'cacheRead', 'cacheWrite', 'output', 'reasoning'],
  ),
  since: oneOf('compaction', 'any'),
}).map((rest) => ({ source: 'usage', ...rest }));
const estimateFields = {
  charsPerToken: oneOf(3, 3.3, 4, 6),
  scale: oneOf(0.8, 1.3),
  perMessage: oneOf(0, 3, 5),
  perImage: oneOf(0, 1_600),
  includes: oneOf<unknown>([], ['system'], ['system', 'tools', 'reasoning']),
} as const;

/** How a client counts. */
const count: fc.Arbitrary<Written> = fc.oneof(
  usageCount,
  some(estimateFields).map((rest) => ({ source: 'usage+new', ...rest })),
  some({ ...estimateFields, calibrate: oneOf<unknown>('none', { ratio: 4 }) }).map((rest) => ({
    source: 'estimate',
    ...rest,
  })),
  some({ ...estimateFields, calibrate: oneOf<unknown>('none', { ratio: 2 }) }).map((rest) => ({
    source: 'max',
    ...rest,
  })),
  fc.constant({ source: 'tokenizer' }),
);

const base: fc.Arbitrary<unknown> = oneOf<unknown>(
  'W',
  'W - min(O, 10k)',
  { from: 'window', times: 0.9 },
  { from: 'window', minus: '12k', cap: '90k' },
  { from: 'window', times: 0.6, floor: { below: '100k', times: 0.7 } },
  [
    { from: 'window', times: 0.85 },
    { from: 'input', minus: 9_000 },
  ],
  { 'any-of': [{ from: 'window-output' }, 50_000] },
);

/** A group of conditions that may come true in a short session. */
const group: fc.Arbitrary<Written> = fc.oneof(
  fc.record({ tokens: bound }),
  fc.record({ tokens: bound, at: oneOf<unknown>('prompt', ['results', 'after-response'], 'end-of-loop') }),
  fc.record({ tokens: size, jitter: oneOf([0.78, 0.82], [0.5, 1]) }),
  fc.record({ tokens: bound, chance: oneOf(0.2, 0.8) }),
  fc.record({ tokens: few, warm: fc.boolean() }),
  fc.record({ messages: oneOf('> 8', '>= 20') }),
  fc.record({ events: oneOf('> 12', '>= 30') }),
  fc.record({ turns: oneOf<unknown>(5, '> 9') }),
  fc.record({ toolResults: oneOf('> 3', '>= 6') }),
  fc.record({ toolChars: oneOf('> 20k', '> 60000') }),
  fc.record({ growth: oneOf('> 9k', '> 15k since last') }),
  fc.record({ idle: oneOf('>= 5m', '> 1h') }),
  fc.record({ expiresIn: oneOf('<= 2m', '<= 30s'), tokens: few }),
  fc.record({ event: oneOf('refused', 'manual', 'resume', 'prefix-change', 'model-switch') }),
);
const when = fc.array(group, { minLength: 1, maxLength: 3 });

const tools = oneOf<unknown>(['Read'], ['Bash', 'Grep'], 'Edit');
const last = oneOf<unknown>(0, 1, 3, '2 messages', '1 round', '2 turns');

/** What blocks a rule touches, and what stands there. */
const blocks: fc.Arbitrary<Written> = oneOf(
  'tool-results',
  'tool-inputs',
  'pairs',
  'media',
  'thinking',
).chain((what) => {
  const isOfTools = what !== 'media' && what !== 'thinking';
  const select = some({
    ...(isOfTools ? { of: tools, except: oneOf(['Task']), minChars: oneOf<unknown>(0, 200, '1k') } : {}),
    ...(what === 'tool-results' ? { 'except-media': fc.boolean() } : {}),
    keep: fc.oneof(
      fc.constant('none'),
      some({ last, tokens: few, first: oneOf(0, 1, 2), ...(isOfTools ? { errors: fc.boolean() } : {}) }),
      fc.record({ share: oneOf(0.2, 0.5), max: few }),
      fc.record({ chars: oneOf(0.1, 0.4) }),
    ),
    order: oneOf('oldest', 'newest', 'largest'),
    count: oneOf(1, 3),
  }).map((rest) => ({ what, ...rest }));
  const fixed = some({
    tokens: oneOf(1, 12, 40),
    sticky: fc.boolean(),
    where: oneOf('in-place', 'server', 'at-end'),
  });
  const removable = what === 'pairs' || what === 'media' || what === 'thinking';
  const replace =
    what === 'thinking'
      ? fc.constant({ with: 'nothing' })
      : fc.oneof(
          fixed.map((rest) => ({ with: 'placeholder', ...rest })),
          fixed.map((rest) => ({ with: 'hash-ref', ...rest })),
          fixed.map((rest) => ({ with: 'reference', ...rest })),
          fc.record({ with: fc.constant('preview'), head: oneOf(50, 400), tail: oneOf(0, 90) }),
          ...(removable ? [fc.constant({ with: 'nothing' })] : []),
        );
  const until = oneOf<unknown>(
    { tokens: '<= 0.5·B' },
    { chars: 20_000 },
    { freed: '>= 3k' },
    { target: '0.4·B' },
    { every: 2 },
  );
  return fc
    .tuple(select, replace, fc.option(until), fc.option(oneOf('stop', 'go-on')))
    .map(([selected, replaced, far, then]) => ({
      select: selected,
      replace: replaced,
      ...(far === null ? {} : { until: far }),
      ...(then === null ? {} : { then }),
    }));
});

const ownFields = {
  system: oneOf(0, 500),
  tools: oneOf(0, 900),
  input: oneOf<unknown>('all', 'since-last', { last: '8k' }, { results: 400, drop: ['media', 'thinking'] }),
} as const;
const askFields = {
  output: oneOf<unknown>(2_000, '20k'),
  model: oneOf('same', 'fast', 'claude-opus-4-5'),
  calls: oneOf<unknown>(1, 'verify', 'split-turn', { chunks: { tokens: '9k', depth: 3 } }),
  marks: fc.boolean(),
  run: oneOf<unknown>(
    'wait',
    'background',
    { background: { apply: { at: '>= 0.8·B' }, stale: 'ids-present' } },
    { background: { apply: 'when-ready' } },
  ),
} as const;
const ask: fc.Arbitrary<Written> = fc.oneof(
  some(askFields).chain((rest) =>
    oneOf<unknown>('extend', 'fork', 'native').map((shape) => ({ shape, ...rest })),
  ),
  some({ ...askFields, ...ownFields }).chain((rest) =>
    oneOf<unknown>('own', 'text', ['extend', 'own'], ['own', 'text']).map((shape) => ({ shape, ...rest })),
  ),
);

const fail = (others: readonly string[]): fc.Arbitrary<Written> =>
  some({
    retry: oneOf<unknown>(1, { n: 2, backoff: '200ms' }),
    shrink: oneOf<unknown>(
      { 'drop-oldest': 'item' },
      [{ 'drop-oldest': 0.3, times: 2 }, { keep: [0.5, 0.2] }],
      [{ 'drop-results': [0, 0.5, 1] }],
      [{ 'cap-event': '×0.8', times: 3 }],
      [{ chars: ['40k', 9_000] }],
    ),
    else: oneOf<unknown>('go-on', 'stop', { truncate: { keep: 0.4 } }, ...others),
  });

/** What of the history stays, and where it stands. */
const history = (others: readonly string[]): fc.Arbitrary<Written> =>
  fc
    .record({
      tail: fc.option(
        fc.oneof(
          some({ last, tokens: few, 'final-answers': fc.boolean() }),
          fc.record({ share: oneOf(0.2, 0.5) }),
          fc.record({ share: oneOf(0.1, 0.3), max: few, last }),
          fc.record({ tokens: few, min: oneOf<unknown>(0, '1k') }),
          fc.record({ chars: oneOf(0.1, 0.3) }),
        ),
      ),
      first: fc.option(oneOf<unknown>(1, 2, 'opening')),
      user: fc.option(oneOf<unknown>('2k', { tokens: 500, head: 100 })),
      files: fc.option(oneOf<unknown>({ n: 2, each: 900, total: '2k' })),
      asked: fc.option(ask),
      extra: fc.subarray(['boundary', 'env', 'ack', 'trailer', 'todos', 'last-prompt', { images: 2 }]),
      order: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
      isLaid: fc.boolean(),
      boundary: fc.option(
        some({
          boundary: oneOf('pair', 'user-turn', 'assistant', 'thinking-loop'),
          move: oneOf('back', 'forward'),
        }),
      ),
      accept: fc.option(
        fc.subarray<unknown>([
          'larger',
          'empty',
          'cut',
          'untagged',
          'tool-call',
          { above: '0.9·B' },
          { 'below-progress': 0.1 },
        ]),
      ),
      failing: fc.option(fail(others)),
    })
    .map(({ tail, first, user, files, asked, extra, order, isLaid, boundary, accept, failing }) => {
      const keep = {
        ...tail,
        ...(first === null ? {} : { first }),
        ...(user === null ? {} : { user }),
        ...(files === null ? {} : { 'recent-files': files }),
      };
      const pieces: unknown[] = [
        'tail',
        ...(first === null ? [] : ['first']),
        ...(user === null ? [] : ['user-messages']),
        ...(files === null ? [] : ['files']),
        ...(asked === null ? [] : ['summary']),
        ...extra,
      ];
      const laid = pieces
        .map((piece, i) => ({ piece, at: order[i]! }))
        .sort((a, b) => a.at - b.at)
        .map(({ piece }) => piece);
      return {
        select: { what: 'history', ...(Object.keys(keep).length === 0 ? {} : { keep }), ...boundary },
        ...(isLaid ? { layout: laid } : {}),
        ...(asked === null
          ? {}
          : {
              ask: asked,
              ...(accept === null ? {} : { accept }),
              ...(failing === null ? {} : { fail: failing }),
            }),
      };
    });

/** One rule; a history rule may fall back on the last one. */
const rule = (name: string, others: readonly string[]): fc.Arbitrary<Written> =>
  fc
    .record({
      head: some({ threads: oneOf('all', 'main'), count }),
      when,
      body: fc.oneof({ weight: 2, arbitrary: blocks }, { weight: 3, arbitrary: history(others) }),
    })
    .map(({ head, when: groups, body }) => ({ name, when: groups, ...head, ...body }));

/** What holds summaries back: only where a rule asks for one. */
const guards = some({
  breaker: oneOf<unknown>(
    { after: 1, until: 'session' },
    { after: 2, until: 'success', scope: 'rule' },
    { after: 2, until: '10min' },
    { after: 1, until: 'prompt' },
  ),
  perTurn: oneOf(1, 2),
  cooldown: oneOf<unknown>(['60s', '5min'], '30s'),
  spend: oneOf({ calls: 3, per: '10min', rest: '30min' }),
});
const limits = some({
  floor: oneOf<unknown>('10k', '0.2·W'),
  block: oneOf<unknown>('W - 3k', '0.97·W'),
  refills: oneOf({ max: 3 }),
});
const cache = some({
  marks: oneOf('client', 'system+last', 'system+last-2', 'auto', 'none'),
  ttl: oneOf('5m', '1h', 'provider'),
  keepAlive: oneOf<unknown>({ every: '4min', times: 2, 'only-if': '10k' }, { every: '55min' }),
  key: oneOf('session', 'none'),
});

const asks = (rules: readonly Written[]): boolean =>
  rules.some(({ select, ask: asked }) => asked !== undefined && (select as Written).what === 'history');

/** Policies in all their parts, each of which can be used as it is. */
export const policyFiles: fc.Arbitrary<Written> = fc
  .integer({ min: 1, max: 3 })
  .chain((n) =>
    fc.record({
      count: fc.option(count),
      base: fc.option(base),
      rules: fc.tuple(
        ...Array.from({ length: n }, (_, i) => rule(`rule-${i}`, i < n - 1 ? [`rule-${n - 1}`] : [])),
      ),
      guards: fc.option(guards),
      limits: fc.option(limits),
      cache: fc.option(cache),
    }),
  )
  .map(({ count: counted, base: b, rules, guards: held, limits: bounded, cache: cached }) => ({
    name: 'generated',
    description: 'A generated policy.',
    ...(counted === null ? {} : { count: counted }),
    ...(b === null ? {} : { base: b }),
    rules,
    guards: { ...(asks(rules) ? held : {}), ...bounded },
    ...(cached === null ? {} : { cache: cached }),
  }));
