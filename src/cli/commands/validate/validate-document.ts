import type { FidelityFigures } from '../../../analysis/validate/compare.js';
import type { FidelityPoint, FidelityReport, TraceFidelity } from '../../../analysis/validate/report.js';
import type { TriggerCheck } from '../../../analysis/validate/triggers.js';
import { type FileFidelity, WAYS } from '../../../analysis/validate/validate.js';
import {
  formatCount,
  formatCounted,
  formatDuration,
  formatMoney,
  formatShare,
  printable,
} from '../../../core/base/format.js';
import * as doc from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { RecordedCosts } from '../../runs/recorded-costs.js';
import {
  fileName,
  percent,
  providerBlocks,
  sessionBlocks,
  summaryBlocks,
  trustSentence,
} from './forward-document.js';

/** A request by its file and thread, counted from 1 as `why` counts. */
function requestName(file: string, thread: string, index: number): string {
  return `${fileName(file)} ${printable(thread)}#${index + 1}`;
}

/** The figures of a file, or of all of them, in one way of predicting. */
interface FigureRow {
  readonly name: string;
  readonly way: (typeof WAYS)[number];
  readonly requests: number | null;
  readonly figures: FidelityFigures;
  readonly isTotal: boolean;
}

const FIGURES: readonly doc.ColumnOf<FigureRow>[] = [
  doc.text('', ({ name }) => name),
  doc.text('way', ({ way }) => way),
  doc.amount('requests', ({ requests }) => (requests === null ? '' : formatCount(requests)), 2),
  doc.number('class', ({ figures }) => figures.classAgreement, percent),
  doc.number('> 60 s', ({ figures }) => figures.classAgreementOver60s, percent),
  doc.number('not full found', ({ figures }) => figures.recallNotFull, percent),
  doc.number('false', ({ figures }) => figures.falseAlarms, formatCount, 5),
  doc.number('prompt', ({ figures }) => figures.promptError, percent, 1),
  doc.number('reads', ({ figures }) => figures.readError, percent),
  doc.number('writes', ({ figures }) => figures.creationError, percent, 3),
  doc.number('cost', ({ figures }) => figures.costErrorMedian, percent),
  doc.amount('worst', ({ isTotal, figures }) => worstOf(isTotal, figures), 4),
];

function worstOf(isTotal: boolean, { costErrorMax }: FidelityFigures): string {
  return isTotal && costErrorMax !== null ? percent(costErrorMax) : '';
}

function figureRows(
  name: string,
  { requests, figures }: { readonly requests: number; readonly figures: FileFidelity['figures'] },
  isTotal: boolean,
): readonly FigureRow[] {
  return WAYS.map((way, i) => ({
    name: i === 0 ? name : '',
    way,
    requests: i === 0 ? requests : null,
    figures: figures[way],
    isTotal,
  }));
}

function figureTable(files: readonly FileFidelity[], { total }: FidelityReport): doc.Block {
  const rows = [
    ...files.flatMap((file) => figureRows(fileName(file.file), file, false)),
    ...figureRows('all', { requests: total.requests, figures: total }, true),
  ];
  return doc.table(FIGURES, rows, ({ isTotal, way }) =>
    isTotal ? 'strong' : way === 'baseline' ? 'dim' : 'plain',
  );
}

const WORST: readonly doc.ColumnOf<FidelityPoint>[] = [
  doc.text('request', ({ file, thread, index }) => requestName(file, thread, index)),
  doc.number('gap', ({ gapMs }) => gapMs, formatDuration),
  doc.number('predicted', ({ predictedRead }) => predictedRead, formatCount),
  doc.number('recorded', ({ recordedRead }) => recordedRead, formatCount),
  doc.text('simulator says', ({ cause }) => cause),
  doc.text('API said', ({ recordedReason }) => recordedReason ?? '–', 1),
];

/** A trigger that was recorded, or one that fired though none was. */
type Trigger = Pick<TriggerCheck, 'threadId' | 'index' | 'kind' | 'profile' | 'threshold' | 'seenTokens'> & {
  readonly file: string;
  readonly check: TriggerCheck | null;
};

function pair(sizes: TriggerCheck['nextRead'] | undefined): string {
  if (sizes === undefined) return '';
  return sizes === null ? '–' : `${formatCount(sizes.predicted)} / ${formatCount(sizes.recorded)}`;
}

const TRIGGERS: readonly doc.ColumnOf<Trigger>[] = [
  doc.text(
    'recorded at',
    ({ file, threadId, index, kind }) => `${requestName(file, threadId, index)} ${kind}`,
  ),
  doc.text('profile', ({ profile }) => profile, 2),
  doc.number('fires from', ({ threshold }) => threshold, formatCount),
  doc.number('counted', ({ seenTokens }) => seenTokens, formatCount),
  doc.text('', ({ check }) => check?.verdict ?? 'not recorded'),
  doc.amount('next prompt', ({ check }) => pair(check?.nextPrompt), 1),
  doc.amount('cached', ({ check }) => pair(check?.nextRead), 1),
];

function triggersOf({ file, triggers }: FileFidelity): readonly Trigger[] {
  return [
    ...triggers.checks.map((check) => ({ ...check, file, check })),
    ...triggers.unrecorded.map((fired) => ({ ...fired, file, check: null })),
  ];
}

function breakBlocks({ file, breaks }: FileFidelity): readonly doc.Block[] {
  return breaks.map(({ request, expectedRead, reason }) =>
    doc.inset(
      `${requestName(file, request.threadId, request.index)}: read ${formatCount(request.read)} of ${formatCount(expectedRead)} after ${formatDuration(request.gapMs)}; the API said ${reason ?? 'nothing'}`,
    ),
  );
}

function leftOutBlocks(files: readonly FileFidelity[]): readonly doc.Block[] {
  const sums = new Map<string, number>();
  for (const { what, why, count } of files.flatMap((file) => file.leftOut)) {
    const sentence = `${what}: ${why}`;
    sums.set(sentence, (sums.get(sentence) ?? 0) + count);
  }
  return [...sums].map(([sentence, count]) => doc.inset(`${formatCount(count)} × ${sentence}`));
}

const TRACES: readonly doc.ColumnOf<TraceFidelity['statistics'][number]>[] = [
  doc.text('hit rate', ({ name }) => name),
  doc.number('here', ({ value }) => value, percent),
  doc.amount('95% of samples this size', ({ low, high }) => `${percent(low)} … ${percent(high)}`),
  doc.number('published', ({ published }) => published, percent),
  doc.text('', ({ verdict }) => verdict),
];

function costBlocks({ costUsd, each, notes }: RecordedCosts): readonly doc.Block[] {
  const all = { name: 'all', costUsd };
  const columns: readonly doc.ColumnOf<typeof all>[] = [
    doc.text('', (own) => (own === all ? own.name : fileName(own.name))),
    doc.number('cost', (own) => own.costUsd, formatMoney),
  ];
  return [
    doc.table(columns, [...each, all], (own) => (own === all ? 'strong' : 'plain')),
    ...notes.map((note) => doc.inset(note)),
  ];
}

/** What is shown beside the figures. */
export interface ValidateDetail {
  readonly recorded: RecordedCosts | null;
  /** Of the sessions run forward: what they come to, or each of them. */
  readonly forward: 'summary' | 'sessions';
}

/** What `ccbench validate` prints. */
export function validateBlocks(
  files: readonly FileFidelity[],
  report: FidelityReport,
  { recorded, forward }: ValidateDetail,
): readonly doc.Block[] {
  const { total, worst, traces } = report;
  const { triggers } = total;
  const ofTraces =
    traces !== null &&
    doc.section(
      'Request traces',
      doc.inset(
        `${formatCounted(traces.conversations, 'conversation')}, an unlimited lifetime; smallest hit rate ${formatShare(traces.minimum)}`,
      ),
      doc.table(TRACES, traces.statistics),
    );
  if (files.length === 0) return [ofTraces];
  return [
    doc.section('How far a cost is off', ...summaryBlocks(total)),
    doc.section('By provider', ...providerBlocks(total)),
    doc.section('Run forward, session by session', ...(forward === 'sessions' ? sessionBlocks(files) : [])),
    doc.section('Replayed as it happened, request by request', figureTable(files, report)),
    doc.section(
      `Unexplained breaks within the lifetime, given as events (${total.unexplainedBreaks})`,
      ...files.flatMap(breakBlocks),
    ),
    doc.section(
      `Triggers: ${triggers.matched} of ${triggers.recorded} matched (${triggers.withinStep} only within a mean step), ${triggers.early} early, ${triggers.late} late, ${triggers.unrecorded} not recorded (predicted / recorded)`,
      doc.table(TRIGGERS, files.flatMap(triggersOf), ({ check }) => (check === null ? 'bad' : 'plain')),
    ),
    doc.section('Furthest off, blind', doc.table(WORST, worst.blind)),
    doc.section('Furthest off, given', doc.table(WORST, worst.given)),
    doc.section('As recorded', ...(recorded === null ? [] : costBlocks(recorded))),
    doc.section('Left out', ...leftOutBlocks(files)),
    ofTraces,
  ];
}

/** How far to trust a cost, and what that does not say. */
export function validateConclusion(
  files: readonly FileFidelity[],
  { total, traces }: FidelityReport,
  worse: number,
): Conclusion {
  const trust = trustSentence(total, files);
  const within = traces?.statistics.filter(({ verdict }) => verdict === 'within').length ?? 0;
  const result =
    trust ??
    (traces === null
      ? 'No session could be run forward, so the error of a cost is unknown.'
      : `${formatCount(within)} of ${formatCounted(traces.statistics.length, 'figure')} of the traces ${within === 1 ? 'lies' : 'lie'} where samples of this size do.`);
  const advice =
    worse > 0
      ? `${formatCounted(worse, 'figure is', 'figures are')} worse than the saved ones: see above.`
      : trust === null
        ? 'Use recordings of two or more requests with usage and a known price: ccbench validate ~/.claude/projects.'
        : 'This is the error on sessions as they were; what a change would have done was never recorded.';
  return { result, advice };
}
