// What a client did, from the recording of a drill, beside what a run under its policy predicts.

const prompt = ({ input, cacheRead, cacheWrite5m, cacheWrite1h }) =>
  input + cacheRead + cacheWrite5m + cacheWrite1h;

/** A prompt this much shorter than the one before it was cut down. */
const CUT_DOWN = 0.9;

/** The lines of a recording, as main requests with the places where the context was cut down. */
export function whatHappened(lines) {
  const main = [];
  const events = [];
  let summaries = 0;
  for (const line of lines) {
    if (line.kind === 'summary') summaries += 1;
    if (line.kind !== 'main') continue;
    const tokens = prompt(line.usage);
    const before = main.at(-1);
    main.push({ tokens, read: line.usage.cacheRead });
    if (summaries > 0 || (before !== undefined && tokens < before.tokens * CUT_DOWN)) {
      events.push({
        main: main.length,
        kind: summaries > 0 ? 'compaction' : 'clearing',
        tokens,
        read: line.usage.cacheRead,
      });
    }
    summaries = 0;
  }
  return { requests: main.length, prompts: main.map(({ tokens }) => tokens), events };
}

/** The same from the log of a run: main requests, and those whose prompt was cut down. */
export function whatIsPredicted(entries) {
  const lines = entries
    .filter(({ type, thread }) => type === 'request' && thread === 'main')
    .map(({ purpose, read, write5m, write1h, input }) => ({
      kind: purpose === 'compact' ? 'summary' : purpose === 'main' ? 'main' : 'side',
      usage: { input, cacheRead: read, cacheWrite5m: write5m, cacheWrite1h: write1h },
    }));
  return whatHappened(lines);
}

const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? null;
const places = (events) => events.map(({ main }) => main).join(', ') || '–';
const sizes = (events) => events.map(({ tokens }) => Math.round(tokens / 1_000)).join(', ') || '–';

/** One row of the table: real against predicted. */
export function compareDrill(client, real, predicted, costs) {
  const errors = real.prompts
    .slice(0, predicted.prompts.length)
    .map((tokens, i) => Math.abs(predicted.prompts[i] / tokens - 1) * 100);
  return {
    client,
    requests: `${real.requests} / ${predicted.requests}`,
    places: `${places(real.events)} / ${places(predicted.events)}`,
    tokensAfter: `${sizes(real.events)} / ${sizes(predicted.events)}`,
    promptError: errors.length === 0 ? null : Number(median(errors).toFixed(1)),
    costUsd: `$${costs.real.toFixed(2)} / $${costs.predicted.toFixed(2)}`,
    costError: Number(((costs.predicted / costs.real - 1) * 100).toFixed(1)),
    samePlaces: places(real.events) === places(predicted.events),
  };
}

/** The rows as a table of Markdown; clients that could not be run come last. */
export function drillTable(rows, skipped) {
  const cells = (row) => [
    row.client,
    row.requests,
    row.places,
    row.tokensAfter,
    `${row.promptError} %`,
    row.costUsd,
    `${row.costError > 0 ? '+' : ''}${row.costError} %`,
  ];
  const heads = [
    'client',
    'main requests',
    'context cut down before request',
    'K tokens then',
    'prompt error, median',
    'cost',
    'cost error',
  ];
  const line = (list) => `| ${list.join(' | ')} |`;
  return [
    line(heads),
    line(heads.map(() => '---')),
    ...rows.map((row) => line(cells(row))),
    ...skipped.map(({ client, why }) => line([client, why, '', '', '', '', ''])),
  ].join('\n');
}
