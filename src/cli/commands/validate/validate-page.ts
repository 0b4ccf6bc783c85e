import { signedError } from '../../../analysis/validate/forward-figures.js';
import { fidelityPoints } from '../../../analysis/validate/report.js';
import type { FileFidelity, TotalFidelity } from '../../../analysis/validate/validate.js';
import { formatCount, formatMoney, formatShare, printable } from '../../../core/base/format.js';
import { usd } from '../../../metrics/metric.js';
import { DISTINCT } from '../../../report/charts/palette.js';
import { type ColumnsOf, card, column, number, pageTable, text } from '../../../report/document/document.js';
import { type StudyPage, studyPage } from '../../../report/html/page-html.js';
import type { PageFact, StudyChart, StudyPoint } from '../../../report/page-data/page-data.js';
import { formatSigned } from '../../../report/text/words.js';
import { inputId } from '../../../transcripts/files/read-input.js';
import { trustSentence } from './forward-document.js';

/** Requests that a chart shows of each way of predicting. */
const MOST_POINTS = 3_000;

interface Forward {
  readonly recorded: number;
  readonly predicted: number;
  readonly off: number;
}

/** What a recording cost and what the simulator says, in dollars; null if it was not run. */
function forwardOf({ forward }: FileFidelity): Forward | null {
  if (forward.kind !== 'ran') return null;
  const off = signedError(forward.session);
  const recorded = usd(forward.session.cost.recorded);
  return { recorded, predicted: recorded * (1 + off), off };
}

function costChart(files: readonly FileFidelity[]): readonly StudyChart[] {
  const points = files.flatMap((file, row): StudyPoint[] => {
    const own = forwardOf(file);
    return own === null ? [] : [{ x: own.recorded, y: own.predicted, row }];
  });
  if (points.length < 2) return [];
  return [
    {
      name: 'forward-cost',
      title: 'Input cost of each session run forward, against its record',
      x: { title: 'recorded (US dollars)', unit: 'usd', scale: 'linear' },
      y: { title: 'simulated (US dollars)', unit: 'usd', scale: 'linear' },
      guide: 'equal',
      series: [{ name: 'sessions', color: DISTINCT.blue, drawn: 'dots', points }],
    },
  ];
}

function readsChart(files: readonly FileFidelity[]): {
  readonly chart: StudyChart;
  readonly all: number;
  readonly step: number;
} {
  const all = files.reduce((sum, file) => sum + file.comparisons.given.length, 0);
  const step = Math.max(1, Math.ceil(all / MOST_POINTS));
  const series = (
    [
      ['given', 'unexplained breaks given', DISTINCT.blue],
      ['blind', 'blind', DISTINCT.orange],
    ] as const
  ).map(([way, name, color]) => ({
    name,
    color,
    drawn: 'dots' as const,
    points: files
      .flatMap((file, row) =>
        fidelityPoints(file, way).map(({ recordedRead, predictedRead }) => ({
          x: recordedRead,
          y: predictedRead,
          row,
        })),
      )
      .filter((_point, i) => i % step === 0),
  }));
  const chart: StudyChart = {
    name: 'predicted-vs-recorded',
    title: 'Tokens read from the cache, request by request',
    x: { title: 'recorded (tokens)', unit: 'tokens', scale: 'linear' },
    y: { title: 'predicted (tokens)', unit: 'tokens', scale: 'linear' },
    guide: 'equal',
    series: [...series].reverse(),
  };
  return { chart, all, step };
}

function cardsOf(
  { forward, requests, unexplainedBreaks, given }: TotalFidelity,
  sessions: number,
): readonly PageFact[] {
  return [
    card('Sessions', formatCount(sessions), `${formatCount(requests)} requests compared`),
    card(
      'Cost off, median',
      formatShare(forward.costErrorMedian),
      `${formatShare(forward.costErrorP90)} for 90 %`,
    ),
    card('Reads agree', formatShare(given.classAgreement), 'of the requests, unexplained breaks given'),
    card('Unexplained breaks', formatCount(unexplainedBreaks), 'that no rule predicts'),
  ];
}

const COLUMNS: ColumnsOf<FileFidelity> = [
  text('session', ({ file }) => inputId(file)),
  number('requests', ({ requests }) => requests, formatCount),
  number('recorded', (file) => forwardOf(file)?.recorded ?? null, formatMoney),
  number('simulated', (file) => forwardOf(file)?.predicted ?? null, formatMoney),
  column('off', offCell),
  number('reads agree', ({ figures }) => figures.given.classAgreement, formatShare),
  number('unexplained breaks', ({ breaks }) => breaks.length, formatCount),
  text('version', ({ version }) => printable(version ?? '–')),
];

/** Sorted by how far it is off, whatever the direction. */
function offCell(file: FileFidelity) {
  const off = forwardOf(file)?.off ?? null;
  return { text: formatSigned(off, formatShare), value: off === null ? null : Math.abs(off) };
}

/** validate.html: every session and every request against its record. */
export function validatePage(files: readonly FileFidelity[], total: TotalFidelity, words: string): StudyPage {
  const { chart, all, step } = readsChart(files);
  return studyPage(
    {
      title: `The simulator against recordings: ${words}`,
      lead: trustSentence(total, files) ?? `${formatCount(total.requests)} requests compared.`,
      cards: cardsOf(total, files.length),
      of: 'session',
      charts: [...costChart(files), ...(all === 0 ? [] : [chart])],
      table: pageTable('Sessions', COLUMNS, files, [
        'recorded and simulated: cost of the input, the session run forward under the profile of its version',
      ]),
      notes:
        step === 1 ? [] : [`The chart of requests shows one in ${formatCount(step)} of ${formatCount(all)}.`],
    },
    'ccbench validate prints the same numbers, and ccbench validate --json all of them.',
  );
}
