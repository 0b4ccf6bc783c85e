import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CcbenchError } from '../../base/errors.js';
import { NOISE_FACTOR, regressions } from '../../bench/against.js';
import { type BenchResult, joinResults } from '../../bench/result.js';
import { formatCount, formatDecimal } from '../../report/format.js';
import { type Column, tableLines } from '../../report/table.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { screenFor } from '../paint.js';
import { type CliSession, printJson } from '../session.js';

/** What `bench` is asked for. */
export interface BenchOptions {
  readonly quick?: boolean;
  readonly save?: string;
  readonly against?: string;
  readonly noise?: string;
}

type Suite = (options: {
  readonly quick: boolean;
  readonly onProgress: (what: string) => void;
}) => Promise<Partial<BenchResult>>;

/** Suites by name, each loaded when it is run. */
const SUITES: Readonly<Record<string, Suite>> = {
  'hot-paths': async (options) => (await import('../../bench/suites/hot-paths.js')).hotPathSuite(options),
  replay: async (options) =>
    (await import('../../bench/suites/replay-growth.js')).replayGrowth({
      ...options,
      memory: () => process.memoryUsage().rss,
    }),
  'naive-replay': async (options) =>
    (await import('../../bench/suites/naive-replay.js')).naiveReplayRatio(options),
  'replay-limit': async (options) =>
    (await import('../../bench/suites/replay-limit.js')).replayLimit(options),
  'sweep-rate': async (options) => {
    const { createMetricsFold } = await import('../../metrics/fold.js');
    return (await import('../../bench/suites/sweep-rate.js')).sweepRate({
      ...options,
      createFold: createMetricsFold,
    });
  },
  'trace-limit': async (options) => (await import('../../bench/suites/trace-limit.js')).traceLimit(options),
  ingest: async (options) => {
    const { peakMemory } = await import('../bench/recording-file.js');
    return (await import('../../bench/suites/ingest.js')).ingestSuite({ ...options, peakMemory });
  },
  bpe: async (options) => (await import('../../bench/suites/bpe.js')).bpeSuite(options),
  'compiled-cache': async (options) => {
    const { recordToDisk } = await import('../bench/recording-file.js');
    const { compiledCacheSuite } = await import('../../bench/suites/compiled-cache.js');
    return compiledCacheSuite({ ...options, record: recordToDisk });
  },
  workers: async (options) => (await import('../bench/workers.js')).workersSuite(options),
};

/** `ccbench bench`: hot paths and ratios, compared with a saved run where one is given. */
export async function benchCommand(
  session: CliSession,
  names: readonly string[],
  options: BenchOptions,
): Promise<ExitCode> {
  const known = Object.keys(SUITES);
  for (const name of names) {
    if (!known.includes(name))
      throw new CcbenchError('unknown-name', `unknown suite "${name}"`, {
        hint: `known: ${known.join(', ')}`,
      });
  }
  const before = options.against === undefined ? null : readSaved(resolve(session.host.cwd, options.against));
  const parts: Partial<BenchResult>[] = [];
  for (const name of names.length === 0 ? known : names) {
    const say = (what: string): void => {
      if (session.host.stderr.isTerminal && !session.json)
        session.host.stderr.write(`\r\u001b[K${name}: ${what}`);
    };
    say('running');
    parts.push(await SUITES[name]!({ quick: options.quick === true, onProgress: say }));
  }
  if (session.host.stderr.isTerminal && !session.json) session.host.stderr.write('\r\u001b[K');
  const result = joinResults(parts);
  const slower =
    before === null
      ? []
      : regressions(result, before, options.noise === undefined ? NOISE_FACTOR : Number(options.noise));
  if (options.save !== undefined)
    writeFileSync(resolve(session.host.cwd, options.save), `${JSON.stringify(result, null, 2)}\n`);
  if (session.json) printJson(session, before === null ? result : { ...result, regressions: slower });
  else session.host.stdout.write(benchText(result, session, before === null ? null : slower));
  return slower.length > 0 ? EXIT.regression : EXIT.fine;
}

function readSaved(path: string): BenchResult {
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8')) as BenchResult;
    if (!Array.isArray(saved.results)) throw new Error('no results');
    return saved;
  } catch (cause) {
    throw new CcbenchError('bad-input', 'the saved run cannot be read', {
      hint: 'make one with: ccbench bench --save before.json',
      place: { file: path },
      cause,
    });
  }
}

const PATH_COLUMNS: readonly Column[] = [
  { header: 'hot path', align: 'left', drop: null },
  { header: 'tokens', align: 'right', drop: null },
  { header: 'p50 µs', align: 'right', drop: null },
  { header: 'p99 µs', align: 'right', drop: 1 },
  { header: 'ops/s', align: 'right', drop: 2 },
];

function benchText(
  result: BenchResult,
  session: CliSession,
  slower: ReturnType<typeof regressions> | null,
): string {
  const screen = screenFor(session.host.stdout, session.colors);
  const lines: string[] = [];
  const micros = (ms: number): string => formatDecimal(ms * 1_000, ms < 0.01 ? 3 : 1);
  if (result.results.length > 0) {
    const rows = [...result.results]
      .sort((a, b) => (a.name === b.name ? a.size - b.size : a.name < b.name ? -1 : 1))
      .map((row) => ({
        cells: [
          row.name,
          formatCount(row.size),
          micros(row.p50Ms),
          micros(row.p99Ms),
          formatCount(row.opsPerSec),
        ],
      }));
    lines.push(...tableLines(PATH_COLUMNS, rows, { indent: '', ...screen }), '');
  }
  if (result.growth.length > 0) {
    lines.push(screen.style.bold('Growth: time ~ size^exponent'));
    for (const { name, exponent, wholeWindow } of result.growth) {
      lines.push(
        `  ${exponent.toFixed(2).padStart(6)}  ${name}${wholeWindow ? '  (its output is the whole window)' : ''}`,
      );
    }
    lines.push('');
  }
  if (result.ratios.length > 0) {
    lines.push(screen.style.bold('Ratios, measured in turns in this run'));
    for (const { name, ratio, promised, detail } of result.ratios) {
      const promise =
        promised === null ? '' : `  promised ≥ ${promised}${ratio >= promised ? '' : '  MISSED'}`;
      lines.push(`  ${formatDecimal(ratio, 2).padStart(8)}  ${name}${promise}`, `            ${detail}`);
    }
    lines.push('');
  }
  lines.push(...result.notes.map((note) => `  ${note}`), '');
  if (slower !== null) {
    lines.push(
      slower.length === 0
        ? 'No path is slower than the saved run beyond the noise.'
        : 'Slower than the saved run:',
    );
    for (const row of slower) {
      lines.push(
        `  ${row.name} at ${formatCount(row.size)}: ${micros(row.beforeMs)} → ${micros(row.nowMs)} µs (${row.factor.toFixed(2)} ×)`,
      );
    }
    lines.push('');
  }
  return `${lines.join('\n')}\n`;
}
