// What a run's requests say happened.

const TIMESTAMP = /"timestamp":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"/g;

/** A transcript with the times of its lines replaced. */
export function simulatedTimes(text, toSimulated) {
  return text.replace(
    TIMESTAMP,
    (_all, time) => `"timestamp":"${new Date(toSimulated(Date.parse(time))).toISOString()}"`,
  );
}

const total = (rows, field) => Number(rows.reduce((sum, row) => sum + (row[field] ?? 0), 0).toFixed(6));

/**
 * Costs, and the places of compactions and microcompactions: the number (from 1 on) of the first main request
 * that goes without what was taken away.
 */
export function truthOf(rows) {
  const billed = rows.filter(({ costUsd }) => costUsd !== undefined);
  const main = billed.filter(({ kind }) => kind === 'main');
  const compactions = [];
  const microcompactions = [];
  let summaries = [];
  let previous = null;
  let refused = 0;
  for (const row of rows) {
    if (row.error !== undefined) refused += 1;
    if (row.costUsd === undefined) continue;
    if (row.kind === 'summary') summaries.push(row);
    if (row.kind !== 'main') continue;
    const event = {
      main: row.main,
      promptBefore: previous?.tokens ?? 0,
      promptAfter: row.tokens,
      readAfter: row.cacheRead,
    };
    if (summaries.length > 0) {
      const told = summaries.map(
        ({ tokens, cacheRead, cacheWrite5m, cacheWrite1h, input, output, thinking, costUsd }) => ({
          tokens,
          cacheRead,
          cacheWrite5m,
          cacheWrite1h,
          input,
          output,
          thinking,
          costUsd,
        }),
      );
      compactions.push({ ...event, refusedBefore: refused, summaries: told });
    } else if (previous !== null && row.cleared > previous.cleared) {
      microcompactions.push({ ...event, cleared: row.cleared - previous.cleared });
    }
    summaries = [];
    refused = 0;
    previous = row;
  }
  return {
    costUsd: total(billed, 'costUsd'),
    mainUsd: total(main, 'costUsd'),
    threadUsd: total(
      billed.filter(({ kind }) => kind !== 'side'),
      'costUsd',
    ),
    inputUsd: total(billed, 'inputUsd'),
    mainInputUsd: total(main, 'inputUsd'),
    sideUsd: total(
      billed.filter(({ kind }) => kind === 'side'),
      'costUsd',
    ),
    mainRequests: main.length,
    summaryRequests: billed.filter(({ kind }) => kind === 'summary').length,
    agentUsd: total(
      billed.filter(({ kind }) => kind === 'agent'),
      'costUsd',
    ),
    agentRequests: billed.filter(({ kind }) => kind === 'agent').length,
    sideRequests: billed.filter(({ kind }) => kind === 'side').length,
    refused: rows.filter(({ error }) => error !== undefined).length,
    largestPrompt: Math.max(0, ...main.map(({ tokens }) => tokens)),
    compactions,
    microcompactions,
  };
}
