import { formatCount, formatCounted, formatDecimal } from '../../../core/base/format.js';
import { runKey } from '../../../study/point.js';
import type { StoredResult } from '../../../study/results-file.js';
import type { SearchStep } from '../../../study/study-points.js';
import type { WorkerPool } from '../../../study/worker-pool.js';
import { type CliSession, note } from '../../session.js';
import { withoutPause } from '../../terminal/interrupt.js';
import type { PlannedPoint } from './points.js';
import { noteFailures, runStudy } from './run-study.js';
import type { StudyInputs } from './study-inputs.js';
import type { SweepFolder } from './sweep-folder.js';

/** Shorter studies are over before their threads run at full speed: a rate would say little. */
const RATE_FROM_MS = 1_000;

/** Lets other machines make the runs of a step, and waits for them; a run that failed there is not among the results. */
export type Elsewhere = (
  step: SearchStep,
  metrics: readonly string[],
  label: string,
) => Promise<readonly StoredResult[]>;

/** How the points of a study are run. */
export interface RunPointsOptions {
  readonly label: string;
  readonly workers: number | undefined;
  /** Threads kept for several studies in a row. */
  readonly threads?: WorkerPool | null;
  /** Where results are kept; null keeps none. */
  readonly folder: SweepFolder | null;
  /** Metrics a result must hold to be used again. */
  readonly metrics: readonly string[];
  /** Results of these runs that other machines have made. */
  readonly made?: readonly StoredResult[];
  commandOf(planned: PlannedPoint): string;
}

/** Runs what is not finished already; each result is kept at once, so an interrupted study goes on where it stopped. */
export async function runPoints(
  session: CliSession,
  planned: readonly PlannedPoint[],
  inputs: StudyInputs,
  options: RunPointsOptions,
): Promise<{ readonly found: ReadonlyMap<string, StoredResult>; readonly ran: number }> {
  const { folder, metrics } = options;
  const found = folder?.results ?? new Map<string, StoredResult>();
  const keys = await withoutPause(session.host.interrupt, () => planned.map(({ job }) => runKey(job)));
  const needed = [...metrics, 'finishedShare', 'callsAnswered'];
  const isFinished = (key: string): boolean => {
    const result = found.get(key);
    return result !== undefined && needed.every((name) => Object.hasOwn(result.metrics, name));
  };
  const keep = (result: StoredResult): void => {
    found.set(result.key, result);
    folder?.append(result);
  };
  for (const result of options.made ?? []) if (!isFinished(result.key)) keep(result);
  const left = [...new Map(planned.map((item, i) => [keys[i]!, item] as const))].filter(
    ([key]) => !isFinished(key),
  );
  const total = new Set(keys).size;
  if (options.made === undefined) {
    // The steps of a search take up each other's runs: only those of an earlier start are news.
    const earlier = [...new Set(keys)].filter((key) => folder?.earlier.has(key) && isFinished(key)).length;
    if (earlier > 0)
      note(
        session,
        `${earlier} of ${formatCounted(total, 'run')} ${earlier === 1 ? 'is' : 'are'} finished already`,
      );
  } else if (left.length > 0)
    note(session, `${formatCounted(left.length, 'run')} that came to nothing elsewhere: tried here`);
  let kept = total - left.length;
  let turns = 0;
  const startMs = session.host.now();
  try {
    const results = await runStudy(
      session,
      left.map(([, { job }], index) => ({ ...job, index })),
      inputs.transcripts.map(({ input }) => input),
      {
        label: options.label,
        workers: options.workers,
        threads: options.threads ?? null,
        quiet: false,
        onResult(result) {
          if (!result.ok) return;
          const [key] = left[result.index]!;
          keep({ key, metrics: result.metrics, skipped: result.skipped });
          turns += result.metrics.turns ?? 0;
          kept++;
        },
      },
    );
    const tookMs = session.host.now() - startMs;
    const shows = session.host.stderr.isTerminal && !session.json;
    if (shows && tookMs >= RATE_FROM_MS) note(session, rateText(turns, tookMs));
    noteFailures(session, results, (index) => options.commandOf(left[index]![1]));
    return { found, ran: left.length };
  } catch (error) {
    if (folder !== null) note(session, `${kept} of ${total} finished runs are kept in ${folder.shown}`);
    throw error;
  }
}

function rateText(turns: number, ms: number): string {
  const perSecond = formatCount(Math.round((turns * 1_000) / ms));
  return `${formatCounted(turns, 'turn')} in ${formatDecimal(ms / 1_000, 1)} s: ${perSecond} turns/s`;
}
