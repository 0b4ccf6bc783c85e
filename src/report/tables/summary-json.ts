import { pick } from '../../core/base/pick.js';
import type { LogEntry } from '../../core/run/run-log.js';
import type { Warning } from '../../core/run/warning.js';
import type { ExpectationResult } from '../../metrics/expect.js';
import { completionOf, pricedCalls, type RunFacts } from '../../metrics/facts.js';
import { metricValues } from '../../metrics/registry.js';
import { OPEN_LOOP, recordedJson } from '../text/as-recorded.js';

/** Version of the summary's shape. */
const SUMMARY_VERSION = 1;

/** What a report of one run is made from. */
export interface RunReport {
  /** Identity of the log; null when it was not computed. */
  readonly digest: string | null;
  readonly facts: RunFacts;
  readonly expectations: readonly ExpectationResult[];
}

/** Whether a run finished, how far it came, and how many answered requests its cost leaves out, their models having no price. */
export function finishedJson(facts: RunFacts) {
  const { finished, calls, answered, lost, reason } = completionOf(facts);
  const unpricedRequests = pricedCalls(facts).unpricedCalls;
  return { finished, calls: { all: calls, answered, lost, reason }, unpricedRequests };
}

/** What a run could not do, and what is to be known of it. */
export function remarksJson({ skipped, warnings }: RunFacts) {
  return {
    skipped: skipped.map((each) => pick(each, ['what', 'needs'])),
    warnings: warnings.map(warningJson),
  };
}

/** A warning without its place in a log. */
export function warningJson(warning: Warning): Warning {
  return pick(warning, ['code', 'message', 'remedy', 'count']);
}

/** The largest faults, with the identifier or line that shows it. */
export function faultsJson({ faults }: RunFacts) {
  if (faults === null) return {};
  return {
    faults: faults.quoted.map((fault) => ({
      ...pick(fault, ['kind', 'what', 'use', 'origin', 'tool', 'path', 'tokens']),
      costNanoUsd: fault.cost,
      ...pick(fault, ['thread', 'turn']),
    })),
  };
}

/** summary.json: who ran what, every metric, the splits behind them. Key order is fixed; money in the splits is in nano-dollars. */
export function summaryJson({ digest, facts, expectations }: RunReport): string {
  const { run } = facts;
  const summary = {
    version: SUMMARY_VERSION,
    name: run?.name ?? null,
    policy: run?.policy ?? null,
    seed: run?.seed ?? null,
    ...(run?.plugins === undefined ? {} : { plugins: run.plugins }),
    models: facts.models,
    transcript: run?.transcript ?? null,
    digest,
    planDigest: run?.planDigest ?? null,
    complete: facts.complete,
    ...finishedJson(facts),
    passed: expectations.length === 0 ? null : expectations.every((result) => result.passed),
    asRecorded: recordedJson(facts),
    assumes: OPEN_LOOP,
    metrics: metricValues(facts),
    expectations,
    costNanoUsd: facts.cost,
    requestsByPurpose: facts.byPurpose,
    layers: facts.layers,
    compactions: facts.compactions,
    crossings: facts.crossings,
    status: facts.status,
    failures: facts.failures,
    breaker: facts.breaker,
    cacheBreaks: facts.breaks,
    ...faultsJson(facts),
    refusals: facts.refusals,
    notices: facts.notices,
    threads: facts.threads,
    breakdowns: facts.breakdowns.map((each) => pick(each, ['thread', 'breakdown', 'estimator'])),
    ...remarksJson(facts),
  };
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** Entries as lines of run.jsonl. */
export function logLines(entries: Iterable<LogEntry>): string {
  let lines = '';
  for (const entry of entries) lines += `${JSON.stringify(entry)}\n`;
  return lines;
}
