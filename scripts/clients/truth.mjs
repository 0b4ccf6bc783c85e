// What a run's requests say happened.

import { readFileSync } from 'node:fs';

const CLEARED = '[Old tool result content cleared]';

/** One row for each call of a server, from its recording and its bill. */
export async function rowsOf(recording, calls) {
  const built = (path) => import(/* @vite-ignore */ new URL(path, import.meta.url).href);
  const { Prompts, readLines } = await built('../../dist/transcripts/readers/served.js');
  const { createWarnings } = await built('../../dist/core/run/warning.js');
  const { header, requests } = readLines(readFileSync(recording), 'recording', createWarnings());
  const prompts = new Prompts();
  const byNumber = new Map(requests.map((request) => [request.n, prompts.whole(request)]));
  let main = 0;
  return calls.map(({ number: n, model, startMs, status, error, usage, costUsd }) => {
    const request = byNumber.get(n);
    const row = { n, model, at: new Date(header.startedAtMs + startMs).toISOString() };
    if (request === undefined) return { ...row, kind: 'other', status, ...(error === null ? {} : { error }) };
    const { kind, prompt } = request;
    if (kind === 'main') main += 1;
    const cleared = prompt.filter(({ text }) => text === CLEARED).length;
    const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
    const tokens = input + cacheRead + cacheWrite5m + cacheWrite1h;
    return { ...row, kind, main, tokens, ...usage, costUsd, cleared };
  });
}

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
        ({ tokens, cacheRead, cacheWrite5m, cacheWrite1h, input, output, costUsd }) => ({
          tokens,
          cacheRead,
          cacheWrite5m,
          cacheWrite1h,
          input,
          output,
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
  const of = (kind) => billed.filter((row) => row.kind === kind);
  return {
    costUsd: total(billed, 'costUsd'),
    mainUsd: total(main, 'costUsd'),
    agentUsd: total(of('agent'), 'costUsd'),
    sideUsd: total(of('side'), 'costUsd'),
    mainRequests: main.length,
    summaryRequests: of('summary').length,
    agentRequests: of('agent').length,
    sideRequests: of('side').length,
    refused: rows.filter(({ error }) => error !== undefined).length,
    largestPrompt: Math.max(0, ...main.map(({ tokens }) => tokens)),
    compactions,
    microcompactions,
  };
}
