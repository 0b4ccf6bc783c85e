import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import type { ReportedRun } from '../../src/report/page-data/page-run.js';
import type { PolicyInfo } from '../../src/report/text/policy-info.js';
import { breakEntry, endEntry, layerEntry, requestEntry, runEntry, threadEntry } from './log.js';

/** The policy of the sample. */
const SAMPLE_POLICY: PolicyInfo = {
  name: 'claude-code/2026',
  kind: 'analysed',
  summary: 'A policy for tests.',
  layers: ['storage', 'auto-compact'],
  params: [
    {
      path: 'window.compactOffset',
      value: 13_000,
      default: 13_000,
      unit: 'tokens',
      help: 'Distance of the threshold from the limit.',
      source: 'WIN-3',
      from: 'policy',
    },
    {
      path: 'breaker.maxFailures',
      value: 3,
      default: 3,
      unit: 'failures',
      help: 'Failures until the breaker opens.',
      source: null,
      from: 'default',
    },
  ],
  thresholds: [
    { name: 'warning', tokens: 147_000 },
    { name: 'auto-compact', tokens: 167_000 },
  ],
};

const MINUTE_MS = 60_000;
/** Nano-dollars per token at 0.3, 3.75 and 15 dollars per million. */
const READ = 300;
const WRITE = 3_750;
const OUTPUT = 15_000;

/** A log of this many main requests that grow by 10,000 tokens each and are compacted every `period` requests; a long lunch after a third. */
function sampleLog(count: number, period: number): readonly LogEntry[] {
  const entries: LogEntry[] = [
    runEntry({ name: 'sample', plan: { cache: { ttl: '5m' }, seed: 7 } }),
    threadEntry({ prefixTokens: 20_000 }),
  ];
  let n = 0;
  let size = 20_000;
  let cached = 0;
  let t = 0;
  const ask = (purpose: 'main' | 'compact', turn: number, output: number, cause: 'ttl-5m' | null): void => {
    n += 1;
    const read = Math.min(cached, size);
    const write5m = size - read;
    const rewritten = cause === null ? 0 : write5m - 10_000;
    entries.push(
      requestEntry({
        t,
        n,
        turn,
        purpose,
        read,
        write5m,
        output,
        cause,
        rewritten,
        latencyMs: 8_000,
        readCost: read * READ,
        writeCost: write5m * WRITE,
        outputCost: output * OUTPUT,
        rewriteCost: rewritten * WRITE,
      }),
    );
    cached = size;
  };
  for (let turn = 1; turn <= count; turn++) {
    t += MINUTE_MS;
    const lunch = turn === Math.floor(count / 3) + 1 && turn > 1;
    if (lunch) t += 75 * MINUTE_MS;
    if (turn % period === 0) {
      const before = size;
      ask('compact', turn, 5_000, null);
      size = 40_000;
      cached = 20_000;
      entries.push(
        layerEntry({
          t: t + 8_000,
          turn,
          trueBefore: before,
          trueAfter: size,
          saved: before - size,
          estimatedBefore: before,
          estimatedAfter: size - 20_000,
          cacheLost: before - 20_000,
          calls: 1,
          cost: before * READ + 5_000 * OUTPUT,
          details: { summaryTokens: 5_000, messagesSummarised: 12, restoredFiles: 2 },
        }),
        breakEntry({
          t: t + 8_000,
          n: n + 1,
          cause: 'compaction',
          expected: true,
          lostTokens: before - 20_000,
        }),
      );
      t += 10_000;
    } else if (turn > 1) size += 10_000;
    if (lunch) {
      cached = 0;
      entries.push(breakEntry({ t, n: n + 1, lostTokens: size - 10_000 }));
    }
    ask('main', turn, 500, lunch ? 'ttl-5m' : null);
  }
  entries.push(
    layerEntry({
      t,
      turn: count,
      layer: 'storage',
      action: 'store',
      trueBefore: size,
      trueAfter: size - 2_000,
      saved: 2_000,
    }),
    { type: 'skipped', what: 'estimates of <b>thinking</b>', needs: 'thinking blocks' },
    { type: 'warning', code: 'odd', message: 'one odd thing </script>', remedy: 'look at it', count: 2 },
  );
  entries.push(endEntry(entries, { t, turns: count }));
  return entries;
}

/** A sample log as a run that can be reported. */
export function sampleRun(name: string, count: number, period: number): ReportedRun {
  const entries = sampleLog(count, period);
  return { name, entries, facts: foldLog(entries), digest: 'd'.repeat(64), policyInfo: SAMPLE_POLICY };
}
