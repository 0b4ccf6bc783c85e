import { formatCount, formatCounted } from '../../../core/base/format.js';
import { ratio } from '../../../core/base/stats.js';
import { metricWords } from '../../../report/text/metric-words.js';
import {
  type Completeness,
  isApart,
  leftOutOf,
  type UnfinishedRun,
  type VariantCompleteness,
  type VariantRuns,
  valueCounts,
} from '../../../study/completeness.js';
import { type CliSession, EXIT, type ExitCode, note } from '../../session.js';

/** What the rows of a study are called. */
export type RowNoun = 'variant' | 'point' | 'setting';

/** Names of rows in one sentence, and sentences of one kind; the files hold all. */
const LISTED_ROWS = 5;
const LISTED_SENTENCES = 12;

function sessions(count: number): string {
  return formatCounted(count, 'session');
}

function lossText({ callsAnswered, callsLost }: UnfinishedRun): string {
  if (callsAnswered === null || callsLost === null) return 'the run failed';
  if (callsAnswered + callsLost === 0) return 'it holds no calls';
  return `${formatCount(callsLost)} of ${formatCount(callsAnswered + callsLost)} calls lost`;
}

/** Beside the name of a row, over how many sessions it is; undefined if the means of every row are over all. */
export function rowNote(own: VariantCompleteness, all: Completeness): string | undefined {
  const { unfinished, run, compared, standing } = own;
  if (all.transcripts.length === 1) return unfinished.length === 0 ? undefined : 'unfinished';
  if (isApart(all) || all.variants.every(({ finished }) => finished === all.transcripts.length))
    return undefined;
  return standing === 'apart'
    ? `${formatCount(unfinished.length)} of ${formatCount(run)} unfinished`
    : `over ${formatCount(compared)} of ${formatCount(run)}${standing === 'ranked' ? '' : ', not ranked'}`;
}

/** What the numbers are means of; empty for one session. */
export function meansNote(completeness: Completeness): string {
  const { transcripts, compared } = completeness;
  if (transcripts.length === 1) return '';
  if (isApart(completeness)) return 'means over the sessions of each row';
  if (compared.length === transcripts.length) return `means over ${sessions(transcripts.length)}`;
  if (compared.length === 0) return 'means over all sessions, finished or not';
  return `means over ${formatCount(compared.length)} of ${sessions(transcripts.length)}`;
}

/** The same as the notes of a table. */
export function meansNotes(completeness: Completeness): readonly string[] {
  return [meansNote(completeness)].filter((line) => line !== '');
}

function capped(lines: readonly string[], more: (count: number) => string): readonly string[] {
  if (lines.length <= LISTED_SENTENCES) return lines;
  return [...lines.slice(0, LISTED_SENTENCES), more(lines.length - LISTED_SENTENCES)];
}

/** One sentence per row that did not finish everything: `3 of 12 sessions did not finish under none`. */
function rowSentences({ variants }: Completeness, noun: RowNoun): readonly string[] {
  const lines = variants.flatMap((variant) => {
    const { name, unfinished, run, standing } = variant;
    if (unfinished.length === 0) return [];
    const place =
      standing === 'ranked'
        ? `nor under any other ${noun} that is ranked`
        : standing === 'unranked'
          ? 'it is not ranked'
          : 'it is neither compared nor ranked';
    if (run === 1) return [`${name} did not finish (${lossText(unfinished[0]!)}): ${place}`];
    return [`${unfinished.length} of ${sessions(run)} did not finish under ${name}: ${place}`];
  });
  return capped(lines, (count) => `… nor under ${formatCounted(count, `more ${noun}`)}`);
}

/** One sentence per session that is not compared, with the rows that left it unfinished. */
function leftOutSentences(completeness: Completeness, runs: readonly VariantRuns[]): readonly string[] {
  if (completeness.transcripts.length === 1) return [];
  const lines = leftOutOf(runs, completeness).map(({ transcript, under }) => {
    const names = under
      .slice(0, LISTED_ROWS)
      .map(({ name, run }) => `${name} (${run === null ? 'not run' : lossText(run)})`);
    const more = under.length - LISTED_ROWS;
    const rest = more > 0 ? ` and ${formatCount(more)} more` : '';
    return `left out: ${transcript}, not finished under ${names.join(', ')}${rest}`;
  });
  return capped(lines, (count) => `… and ${formatCounted(count, 'more session')}`);
}

/** Why nothing is ranked, where nothing is. */
export function whyNoneRanked(completeness: Completeness, noun: RowNoun): string {
  const { transcripts, finished, compared } = completeness;
  if (isApart(completeness)) return `the ${noun}s were run over different sessions`;
  if (transcripts.length === 1) return `no ${noun} finished the session`;
  if (compared.length === 0) return `no session was finished by every ${noun}`;
  const open = transcripts.filter((name) => !finished.includes(name));
  if (open.length === 0) return `no ${noun} finished every session that another one finished`;
  const rest = open.length === 1 ? '' : ` and ${formatCount(open.length - 1)} more`;
  return `no ${noun} finished ${open[0]}${rest}, and they stopped at different calls: leave ${rest === '' ? 'it' : 'them'} out to rank the rest`;
}

/** Why there is no ranking; empty if there is one. */
function rankingSentences(completeness: Completeness, noun: RowNoun): readonly string[] {
  const { variants, transcripts } = completeness;
  if (variants.length < 2) return [];
  const ranked = variants.filter(({ standing }) => standing === 'ranked');
  if (ranked.length === 0) return [`no ranking: ${whyNoneRanked(completeness, noun)}`];
  if (ranked.length === 1)
    return [
      `no ranking: only ${ranked[0]!.name} finished${transcripts.length === 1 ? '' : ' every session'}`,
    ];
  return [];
}

/** Whether the costs of a row leave out requests of models without a price. */
function leavesOut({ byTranscript }: VariantRuns): boolean {
  for (const record of byTranscript.values()) if ((record?.unpricedRequests ?? 0) > 0) return true;
  return false;
}

/** What the reader must know about runs that did not finish; empty when all did. */
export function completenessNotes(
  completeness: Completeness,
  noun: RowNoun,
  runs: readonly VariantRuns[],
): readonly string[] {
  return [
    ...(runs.some(leavesOut) ? ['costs are at least these: some requests use models without a price'] : []),
    ...rankingSentences(completeness, noun),
    ...rowSentences(completeness, noun),
    ...leftOutSentences(completeness, runs),
  ];
}

/** The fewest compared sessions that the mean of a metric is over in a row: those that have a value. */
export function valuedSessions(
  runs: readonly VariantRuns[],
  completeness: Completeness,
  metric: string,
): number {
  return fewestValued(completeness, valueCounts(runs, completeness, [metric])[0]!);
}

function fewestValued({ compared }: Completeness, counts: readonly number[]): number {
  return Math.min(compared.length, ...counts.filter((count) => count > 0));
}

/** One sentence per metric that some compared session has no value for: its means are over fewer. */
export function partialNotes(
  runs: readonly VariantRuns[],
  completeness: Completeness,
  metrics: readonly string[],
): readonly string[] {
  const all = completeness.compared.length;
  if (all < 2) return [];
  return valueCounts(runs, completeness, metrics).flatMap((counts, i) => {
    const low = fewestValued(completeness, counts);
    const high = Math.max(...counts);
    if (low === all) return [];
    const range = low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`;
    return [`${metricWords(metrics[i]!)}: means over the ${range} of ${sessions(all)} that have a value`];
  });
}

/** How far a row came, for JSON. */
export function standingJson({ standing, run, finished, compared, unfinished }: VariantCompleteness) {
  return { standing, sessions: { run, finished, compared, finishedShare: ratio(finished, run) }, unfinished };
}

/** What was compared, left out and ranked, for JSON. */
export function completenessJson(completeness: Completeness, runs: readonly VariantRuns[]) {
  const { compared, variants } = completeness;
  return {
    compared,
    leftOut: leftOutOf(runs, completeness).map(({ transcript, under }) => ({
      transcript,
      under: under.map(({ name }) => name),
    })),
    ranked: variants.filter(({ standing }) => standing === 'ranked').map(({ name }) => name),
  };
}

/** The exit code of a finished study: one in which no call was answered has no result. */
export function answeredExit(session: CliSession, runs: readonly VariantRuns[]): ExitCode {
  const isAnswered = runs.some(({ byTranscript }) => {
    for (const record of byTranscript.values()) if ((record?.callsAnswered ?? 0) > 0) return true;
    return false;
  });
  if (isAnswered) return EXIT.fine;
  note(session, 'no run answered a call: ccbench run says why for each');
  return EXIT.input;
}
