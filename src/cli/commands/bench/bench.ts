import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { CcbenchError, messageOf } from '../../../core/base/errors.js';
import { formatCount, formatCounted, formatDecimal, formatExponent } from '../../../core/base/format.js';
import { ownValue } from '../../../core/base/own-value.js';
import * as doc from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { CommandOptions } from '../../commands.generated.js';
import { openFile } from '../../files/output.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { yieldToEventLoop } from '../../terminal/interrupt.js';
import { WIPE_LINE } from '../../terminal/own-codes.js';
import { present } from '../../terminal/present.js';
import {
  type BenchResult,
  fallsShort,
  type GrowthResult,
  growsTooFast,
  joinResults,
  NOISE_FACTOR,
  type PathResult,
  type RatioResult,
  type Regression,
  regressions,
  type SuiteOptions,
} from './result.js';

/** Characters of a bar that represents an exponent of 1. */
const BAR_CHARS = 10;
/** Room for a ratio before its name. */
const RATIO_CHARS = 10;

function micros(ms: number): string {
  return formatDecimal(ms * 1_000, ms < 0.01 ? 3 : 1);
}

const PATHS: readonly doc.ColumnOf<PathResult>[] = [
  doc.text('hot path', ({ name }) => name),
  doc.number('tokens', ({ size }) => size, formatCount),
  doc.amount('p50 µs', ({ p50Ms }) => micros(p50Ms)),
  doc.amount('p99 µs', ({ p99Ms }) => micros(p99Ms), 1),
  doc.number('ops/s', ({ opsPerSec }) => opsPerSec, formatCount, 2),
];

const GROWTH: readonly doc.ColumnOf<GrowthResult>[] = [
  doc.text('path', ({ name }) => name),
  doc.amount('exponent', ({ exponent }) => formatExponent(exponent)),
  doc.text('', ({ exponent }) => '█'.repeat(Math.max(0, Math.round(exponent * BAR_CHARS))), 2),
  doc.text('promised', (row) =>
    row.promised === null ? 'whole window' : `≤ ${row.promised}${growsTooFast(row) ? '  MISSED' : ''}`,
  ),
  doc.text('works on', ({ input }) => input, 1),
];

function ratioBlocks(row: RatioResult): readonly doc.Block[] {
  const missed = fallsShort(row);
  const promise = row.promised === null ? '' : `  promised ≥ ${row.promised}${missed ? '  MISSED' : ''}`;
  return [
    doc.inset(
      `${row.name}${promise}`,
      missed ? 'bad' : 'plain',
      `${row.ratio.toFixed(2).padStart(RATIO_CHARS)}  `,
    ),
    doc.inset(row.detail, 'plain', ' '.repeat(RATIO_CHARS + 2), ' '.repeat(RATIO_CHARS + 2)),
  ];
}

/** What a benchmark found; `slower` is null if nothing was compared. */
export function benchBlocks(
  { results, growth, ratios, notes }: BenchResult,
  slower: readonly Regression[] | null,
): readonly doc.Block[] {
  const paths = [...results].sort((a, b) => (a.name === b.name ? a.size - b.size : a.name < b.name ? -1 : 1));
  return [
    doc.tableOf(PATHS, doc.rowsOf(PATHS, paths), ''),
    doc.section(
      'Growth: time ~ size^exponent',
      doc.tableOf(
        GROWTH,
        doc.rowsOf(GROWTH, growth, (row) => (growsTooFast(row) ? 'bad' : 'plain')),
        '',
      ),
    ),
    doc.section('Ratios, measured in turns in this run', ...ratios.flatMap(ratioBlocks)),
    '',
    ...notes.map((note) => doc.inset(note)),
    '',
    ...((slower ?? []).length === 0 ? [] : ['Slower than the saved run:']),
    ...(slower ?? []).map((row) =>
      doc.inset(
        `${row.name} at ${formatCount(row.size)}: ${micros(row.beforeMs)} → ${micros(row.nowMs)} µs (${row.factor.toFixed(2)} ×)`,
      ),
    ),
  ];
}

/** Whether what is promised holds, and what the times are worth. */
export function benchConclusion(
  { growth, ratios, results }: BenchResult,
  slower: readonly Regression[] | null,
): Conclusion {
  const promises = [...growth, ...ratios].filter(({ promised }) => promised !== null).length;
  const missed = growth.filter(growsTooFast).length + ratios.filter(fallsShort).length;
  const kept =
    promises === 0
      ? `${formatCounted(results.length, 'time')} measured, none of them promised.`
      : `${formatCount(promises - missed)} of ${formatCounted(promises, 'promise')} ${promises - missed === 1 ? 'holds' : 'hold'}.`;
  if (slower === null)
    return {
      result: kept,
      advice: 'Times hold for this machine, now: --save keeps them, --baseline compares with them.',
    };
  const which = slower.length === 0 ? 'No path is' : formatCounted(slower.length, 'path is', 'paths are');
  return {
    result: `${which} slower than the saved run by more than noise.`,
    advice: `${kept} Compare only times from the same machine with little else running.`,
  };
}

/** A benchmark suite: it measures and says what it found. */
type Suite = (options: SuiteOptions) => Promise<Partial<BenchResult>>;

/** Suites by name, in the order they run. */
export type Suites = Readonly<Record<string, Suite>>;

/** The suites of `ccbench bench`, each loaded when it is run. Those that hold ccbench to its promises are in `bench/`. */
export const SUITES: Suites = {
  'hot-paths': async (options) => (await import('./hot-path-suite.js')).hotPathSuite(options),
  replay: async (options) => (await import('./replay-growth.js')).replayGrowth(options),
};

const BENCH_PAGE = 'bench.html';

type BenchOptions = CommandOptions['bench'];

/** `ccbench bench`: hot paths and ratios, compared with a saved run where one is given. */
export async function benchCommand(
  session: CliSession,
  names: readonly string[],
  options: BenchOptions,
  suites: Suites = SUITES,
): Promise<ExitCode> {
  const { host } = session;
  const chosen = chooseSuites(names, suites);
  const before = options.baseline === undefined ? null : readSaved(resolve(host.cwd, options.baseline));
  if (options.out !== undefined) openFile(join(options.out, 'charts', 'ratios.svg'), host.cwd).discard();
  const save = options.save === undefined ? null : openFile(options.save, host.cwd);
  try {
    const { result, failed } = await runSuites(session, chosen, suites, options);
    if (before !== null) checkCommon(result, before, options.baseline!);
    const slower = before === null ? null : regressions(result, before, options.noise ?? NOISE_FACTOR);
    // Its suites are its answer: nothing is left out.
    present(
      { ...session, detail: 'verbose' },
      {
        blocks: benchBlocks(result, slower),
        closing: benchConclusion(result, slower),
        json: {
          ...result,
          ...(slower === null ? {} : { regressions: slower }),
          ...(failed.length === 0
            ? {}
            : { failed: failed.map(({ suite, error }) => ({ suite, message: messageOf(error) })) }),
        },
      },
    );
    await save?.write(`${JSON.stringify(result, null, 2)}\n`);
    save?.commit();
    if (options.out !== undefined) {
      const { writePage } = await import('../../terminal/report-pictures.js');
      const { benchPage } = await import('./bench-page.js');
      await writePage(session, options.out, BENCH_PAGE, benchPage(result), options);
    }
    for (const { suite, error } of failed)
      host.stderr.write(
        `the suite ${suite} failed: ${session.debug && error instanceof Error ? error.stack : messageOf(error)}\n`,
      );
    if (failed.length > 0) return EXIT.internal;
    return slower !== null && slower.length > 0 ? EXIT.regression : EXIT.fine;
  } finally {
    save?.discard();
  }
}

function chooseSuites(names: readonly string[], suites: Suites): readonly string[] {
  const known = Object.keys(suites);
  for (const name of names) {
    if (!known.includes(name))
      throw new CcbenchError('unknown-name', `unknown suite "${name}"`, {
        hint: `known: ${known.join(', ')}`,
      });
  }
  return names.length === 0 ? known : names;
}

/** A suite that threw; what the others measured is kept. */
interface FailedSuite {
  readonly suite: string;
  readonly error: unknown;
}

/** Runs the suites one after the other and prints the ratios of each as it ends. */
async function runSuites(
  { host, json }: CliSession,
  names: readonly string[],
  suites: Suites,
  options: BenchOptions,
): Promise<{ readonly result: BenchResult; readonly failed: readonly FailedSuite[] }> {
  const shows = host.stderr.isTerminal && !json;
  const parts: Partial<BenchResult>[] = [];
  const failed: FailedSuite[] = [];
  for (const name of names) {
    await yieldToEventLoop(host.interrupt);
    const onProgress = (what: string): void => {
      if (shows) host.stderr.write(`${WIPE_LINE}${name}: ${what}`);
    };
    onProgress('running');
    try {
      const part = await ownValue(suites, name)!({ quick: options.quick === true, onProgress });
      parts.push(part);
      const ratios = (part.ratios ?? []).map((row) => `${row.name} ${row.ratio.toPrecision(3)}`);
      if (names.length > 1)
        host.stderr.write(`${shows ? WIPE_LINE : ''}${[`${name}: done`, ...ratios].join(', ')}\n`);
    } catch (error) {
      if (host.interrupt.aborted) throw error;
      failed.push({ suite: name, error });
    }
  }
  if (shows) host.stderr.write(WIPE_LINE);
  return { result: joinResults(parts), failed };
}

function isTimed(result: Partial<BenchResult['results'][number]> | null): boolean {
  return typeof result?.name === 'string' && Number.isFinite(result.size) && Number.isFinite(result.p50Ms);
}

/** A saved run that timed none of the paths says nothing about them. */
function checkCommon(now: BenchResult, before: BenchResult, path: string): void {
  const known = new Set(before.results.map(({ name, size }) => `${name} ${size}`));
  if (now.results.some(({ name, size }) => known.has(`${name} ${size}`))) return;
  throw new CcbenchError('bad-input', 'the saved run has no path in common with this one', {
    hint: 'save and compare the same suites at the same sizes',
    place: { file: path },
  });
}

function readSaved(path: string): BenchResult {
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8')) as BenchResult;
    if (!Array.isArray(saved.results) || !saved.results.every(isTimed)) throw new Error('no results');
    return saved;
  } catch (cause) {
    throw new CcbenchError('bad-input', 'the saved run cannot be read', {
      hint: 'make one with: ccbench bench --save before.json',
      place: { file: path },
      cause,
    });
  }
}
