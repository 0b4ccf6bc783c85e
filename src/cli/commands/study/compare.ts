import { join } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { unknownName } from '../../../core/base/registry.js';
import * as doc from '../../../report/document/document.js';
import type { reportHtml } from '../../../report/html/report-html.js';
import type { ComparisonTable } from '../../../report/page-data/page-data.js';
import type { ReportedRun } from '../../../report/page-data/page-run.js';
import { createRunSample } from '../../../report/page-data/run-sample.js';
import { AS_RECORDED, OPEN_LOOP, reproducedLine } from '../../../report/text/as-recorded.js';
import { comparisonMarkdown, recordsCsv } from '../../../report/text/comparison-text.js';
import { COMPARED_METRICS, chosenMetrics, rulesOf } from '../../../study/chosen-metrics.js';
import { type Comparison, type CostDelta, compareVariants, costDelta } from '../../../study/comparison.js';
import { isFinished } from '../../../study/completeness.js';
import { JobRunner } from '../../../study/job-runner.js';
import { type RowRun, uniqueName } from '../../../study/run-rows.js';
import { PREDICTED, type Variant } from '../../../study/variants.js';
import { splitValues } from '../../../study/vary.js';
import { openTranscript } from '../../../transcripts/files/transcript-input.js';
import { summarise } from '../../ci/github.js';
import type { CommandOptions } from '../../commands.generated.js';
import { jsonPieces, MadeList } from '../../files/json-pieces.js';
import { openReport, openSoftly, type ReportFolder } from '../../files/output.js';
import { priceSettings, type WithSet } from '../../option-values.js';
import { execute } from '../../runs/execute.js';
import { policyInfoOf } from '../../runs/policy-info.js';
import type { OpenScenario } from '../../runs/scenario-reader.js';
import { pluggedIn } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { runInterruptible } from '../../terminal/interrupt.js';
import { present, tellWritten } from '../../terminal/present.js';
import type { PictureOptions } from '../../terminal/report-pictures.js';
import { comparedWhatIf, deltaNotes, variantsWithBase } from './compare-what-if.js';
import { comparisonTable, sessionsTable } from './comparison-table.js';
import { answeredExit, completenessJson, standingJson } from './completeness-notes.js';
import { assumedOf, standInsOf } from './provider-notes.js';
import { type RecordedReference, recordedReference, withRecorded } from './recorded-reference.js';
import { compareAgain, repeatCommand } from './repeat-command.js';
import { type RowOutcome, runRows } from './run-rows.js';
import { tradeoffCharts } from './study-axes.js';
import { comparisonConclusion, concluded, fetchesAgain } from './study-conclusion.js';
import { STUDY_PAGE } from './study-files.js';
import { loadInputs, type StudyInputs, type StudyTranscript, studyName, studyTitle } from './study-inputs.js';
import { openStudyScenarios, studySessions } from './study-sessions.js';

type CompareOptions = WithSet<CommandOptions['compare']>;

/** A variant with the scenario it comes from. */
interface Row extends Variant {
  readonly file: string;
  readonly text: string;
}

/** The runs of the comparison, and what came of them. */
type Outcome = Pick<RowOutcome<Row>, 'planned' | 'found' | 'failed' | 'runs'>;

/** `ccbench compare`: variants over transcripts, one table. */
export const compareCommand = pluggedIn(compare);

async function compare(
  session: CliSession,
  given: readonly string[],
  options: CompareOptions,
  plugins: OpenPlugins,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const rules = rulesOf(options.subjectTo);
  const names = [
    ...new Set([...chosenMetrics(options.metrics, COMPARED_METRICS), ...rules.map(({ metric }) => metric)]),
  ];
  const sessions = await studySessions(session, 'compare', given, options);
  const { files, recordings } = sessions;
  checkOneRecording(files, cwd);
  const open = await openStudyScenarios(session, sessions, plugins);
  const rows = await readRows(files, options, recordings?.paths, open, plugins, cwd);
  const baseline = options.baseline ?? rows[0]!.name;
  if (!rows.some((row) => row.name === baseline)) {
    throw unknownName(
      'variant',
      baseline,
      rows.map((row) => row.name),
    );
  }
  const inputs = await loadInputs(
    session,
    rows.flatMap((row) => row.runs),
  );
  const name = `${studyName(scenarioName(rows[0]!), files[0]!, cwd, inputs)}-compare`;
  const folder = options.files
    ? openSoftly(session, '--out', () => openReport(options.out, name, cwd))
    : null;
  const runner = new JobRunner(options);
  try {
    const outcome = await runRows(session, rows, inputs, {
      label: name,
      runner,
      store: null,
      metrics: names,
      repeat: (run) => commandOf(run, recordings !== undefined, options.plugin ?? []),
    });
    const { planned, found, runs } = outcome;
    if (found.size === 0) throw new CcbenchError('bad-input', 'no run of the comparison finished');
    // What follows needs the memory, not the threads.
    await runner.close();
    const comparison = compareVariants(runs, baseline, names, rules);
    const skipped = [...(recordings?.skipped ?? []), ...inputs.skipped];
    const recorded = recordedReference(inputs, comparison.completeness.compared);
    const studied = planned.map(({ plan, session: own }) => ({
      plan,
      models: own.models,
      isRecorded: own.bill !== null,
    }));
    const assumed = assumedOf(studied);
    const whatIf = comparedWhatIf(inputs, runs[0]!, comparison.completeness.compared);
    const deltas = new Map(
      runs.map((row) => [row.name, costDelta(row, runs[0]!, comparison.completeness.compared)]),
    );
    const json = {
      ...whatIf,
      ...comparisonJson(comparison, recorded, outcome, inputs, skipped, deltas),
      assumptions: assumed,
      ...(rules.length === 0 ? {} : { constraints: { given: rules.map(({ text }) => text) } }),
    };
    const costNotes = whatIf.mode === 'what-if' ? deltaNotes(runs, deltas) : null;
    const variants = withRecorded(comparisonTable(name, comparison, runs, costNotes), recorded);
    const reproduced = reproducedLine(whatIf);
    const shown = {
      ...variants,
      notes: [...variants.notes, OPEN_LOOP, ...assumed],
    };
    const table = reproduced === null ? shown : { ...shown, notes: [reproduced, ...shown.notes] };
    const conclusion = comparisonConclusion(
      comparison,
      whatIf.mode === 'what-if' ? deltas : undefined,
      new Set(rows.filter(fetchesAgain).map((row) => row.name)),
    );
    const markdown = comparisonMarkdown(concluded(table, conclusion));
    present(session, {
      blocks: [
        ...standInsOf(studied).map((text) => doc.said(text, 'warning')),
        ...doc.notes(reproduced === null ? [] : [reproduced]),
        doc.comparison(shown),
      ],
      closing: conclusion,
      json: { ...json, report: folder?.shown ?? null },
    });
    summarise(session, markdown);
    if (folder !== null) {
      await folder.write('', 'compare.json', jsonPieces(json));
      await folder.write('', 'compare.md', markdown);
      await folder.write('', 'compare.csv', runsCsv(recorded, outcome, names, comparison));
      const first = planned.find(({ key }) => found.get(key) !== undefined)!.session;
      const paths = new Map(inputs.transcripts.map(({ label, path }) => [label, path]));
      const bySession = sessionsTable({
        comparison,
        runs,
        recorded,
        shown: first.label,
        command(label) {
          const path = paths.get(label) ?? null;
          return path === null ? null : compareAgain({ ...options, files }, path);
        },
      });
      const title = studyTitle(scenarioName(rows[0]!), files[0]!, cwd, inputs);
      const page = {
        title: `${title}: ${formatCounted(rows.length, 'variant')}`,
        conclusion,
        comparison: { ...table, caption: 'Variants' },
        sessions: bySession,
      };
      const shownRuns = planned.filter(
        ({ session: own, key }) => own.label === first.label && found.get(key) !== undefined,
      );
      await writeCompareReport(session, folder, comparison, shownRuns, page, options);
      if (folder.commit()) tellWritten(session, join(folder.shown, STUDY_PAGE));
    }
    const isNoneLeft = comparison.variants.every(({ broken }) => broken.length > 0);
    return isNoneLeft ? EXIT.expectation : answeredExit(session, runs);
  } finally {
    folder?.discard();
    await runner.close();
  }
}

/** Recordings are sessions to compare on, not variants to compare: they replace the sessions of scenarios. */
function checkOneRecording(files: readonly string[], cwd: string): void {
  const recordings = files.filter((file) => isRecording(file, cwd));
  if (recordings.length < 2) return;
  const [first] = recordings;
  throw new CcbenchError('bad-usage', `${recordings.length} recordings instead of scenarios`, {
    place: { file: recordings[1]! },
    hint: `name one scenario and give the recordings with --transcripts: ccbench compare ${first} --transcripts ${recordings.join(' ')}`,
  });
}

async function readRows(
  files: readonly string[],
  options: CompareOptions,
  recordings: readonly string[] | undefined,
  open: OpenScenario,
  plugins: OpenPlugins,
  cwd: string,
): Promise<readonly Row[]> {
  const shared = [
    ...(options.seed === undefined ? [] : [`seed=${options.seed}`]),
    ...(options.model === undefined ? [] : [`model=${JSON.stringify(options.model)}`]),
    ...priceSettings(options),
    ...options.set.filter((change) => change === PREDICTED),
  ];
  const set = options.set.filter((change) => change !== PREDICTED);
  const policies = options.policy === undefined ? [] : splitValues(options.policy);
  const taken = new Set<string>();
  const rows: Row[] = [];
  for (const file of files) {
    const own = open(file, shared);
    const source = recordings === undefined ? own : { ...own, recordings };
    const isOne = isRecording(file, cwd);
    const variants = await plugins.within(file, () => variantsWithBase(source, { policies, set }, isOne));
    for (const variant of variants) {
      const name = files.length === 1 ? variant.name : `${scenarioName(variant)}: ${variant.name}`;
      rows.push({ ...variant, name: uniqueName(name, taken), file, text: source.text });
    }
  }
  return rows;
}

function scenarioName({ runs, variant }: Variant): string {
  const { name } = runs[0]!.plan;
  return variant === null ? name : name.slice(0, -variant.length - 1);
}

function commandOf(
  { row, session }: RowRun<Row, StudyTranscript>,
  globbed: boolean,
  plugins: readonly string[],
): string {
  const isOneOfSeveral = globbed || row.runs.length > 1;
  const recordings = isOneOfSeveral && session.path !== null ? [session.path] : null;
  return repeatCommand({ ...row, recordings, plugins });
}

function runsCsv(
  recorded: RecordedReference | null,
  { planned, found }: Outcome,
  names: readonly string[],
  { completeness }: Comparison,
): Iterable<string> {
  const inAll = new Set(completeness.compared);
  return recordsCsv(['variant', 'transcript', 'finished', 'compared'], names, rows());

  function* rows() {
    for (const { transcript, metrics } of recorded?.runs ?? [])
      yield { keys: [AS_RECORDED, transcript, 'yes', 'yes'], values: metrics };
    for (const { row, session, key } of planned) {
      const metrics = found.get(key)?.metrics;
      const finished = metrics === undefined ? 'failed' : isFinished(metrics) ? 'yes' : 'no';
      const compared = finished === 'yes' && inAll.has(session.label) ? 'yes' : 'no';
      yield { keys: [row.name, session.label, finished, compared], values: metrics ?? {} };
    }
  }
}

/** Runs that the page shows side by side; more could not be distinguished. */
const SHOWN_RUNS = 8;

/** Charts and report.html of a comparison: the variants over its first transcript side by side, with the table of all. */
async function writeCompareReport(
  session: CliSession,
  folder: ReportFolder,
  { variants }: Comparison,
  compared: Outcome['planned'],
  page: Omit<Parameters<typeof reportHtml>[0], 'runs' | 'charts'> & { readonly comparison: ComparisonTable },
  options: PictureOptions,
): Promise<void> {
  const runs: ReportedRun[] = [];
  for (const { row, plan, session: own } of compared.slice(0, SHOWN_RUNS)) {
    const transcript = await runInterruptible(session.host.interrupt, () => openTranscript(own.input));
    const sample = createRunSample();
    const { digest, facts } = await execute(session, plan, transcript, { sink: sample });
    runs.push({ name: row.name, ...sample.finish(), facts, digest, policyInfo: policyInfoOf(facts) });
  }
  const named = page.comparison.rows.map(({ name }) => name);
  const rows = variants.map(({ name, ...own }) => ({ ...own, label: name, row: named.indexOf(name) }));
  const charts = tradeoffCharts(rows, 'costUsd');
  const { reportHtml: html } = await import('../../../report/html/report-html.js');
  const { chartFiles } = await import('../../terminal/report-pictures.js');
  const { pointsSpecs } = await import('../../../report/charts/points-spec.js');
  const specs = () => pointsSpecs(charts, page.conclusion?.result ?? page.title);
  for await (const file of chartFiles(specs, options, session.host.interrupt))
    await folder.write(file.folder, file.name, file.content);
  await folder.write('', STUDY_PAGE, html({ ...page, runs, charts }));
}

/** Everything a comparison found, for scripts. */
function comparisonJson(
  comparison: Comparison,
  recorded: RecordedReference | null,
  { planned, found, failed, runs }: Outcome,
  inputs: StudyInputs,
  skipped: readonly { readonly file: string; readonly reason: string }[],
  deltas: ReadonlyMap<string, CostDelta>,
) {
  return {
    variants: [
      ...(recorded === null
        ? []
        : [{ name: AS_RECORDED, metrics: recorded.metrics, differences: null, runs: recorded.runs }]),
      ...comparison.variants.map(({ name, metrics, differences, completeness, broken }) => ({
        name,
        ...standingJson(completeness),
        ...(broken.length === 0 ? {} : { broken }),
        metrics,
        differences,
        ...deltas.get(name),
        runs: new MadeList(function* () {
          for (const { row, session, key } of planned) {
            const result = row.name === name ? found.get(key) : undefined;
            if (result === undefined) continue;
            yield { transcript: session.label, metrics: result.metrics, skipped: result.skipped };
          }
        }),
      })),
    ],
    assumes: OPEN_LOOP,
    notes: recorded?.costs.notes ?? [],
    baseline: comparison.baseline,
    best: comparison.best,
    ...completenessJson(comparison.completeness, runs),
    transcripts: inputs.sessions,
    skipped,
    warnings: inputs.warnings,
    failed: planned.flatMap(({ row, session, key }) => {
      const error = failed.get(key);
      return error === undefined ? [] : [{ variant: row.name, transcript: session.label, error }];
    }),
  };
}
