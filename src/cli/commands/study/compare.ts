import { join } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { policyTexts } from '../../../config/files/policy-text.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { unknownName } from '../../../core/base/registry.js';
import { AS_RECORDED } from '../../../report/text/as-recorded.js';
import { OPEN_LOOP } from '../../../report/text/assumptions.js';
import { comparisonLines, comparisonMarkdown, recordsCsv } from '../../../report/text/comparison-text.js';
import { COMPARED_METRICS } from '../../../study/compared-metrics.js';
import { type Comparison, compareVariants } from '../../../study/comparison.js';
import { isFinished, type VariantRuns } from '../../../study/completeness.js';
import type { Job, JobResult } from '../../../study/job.js';
import { splitValues } from '../../../study/split-values.js';
import { type Variant, variantsOf } from '../../../study/variants.js';
import { summarise } from '../../ci/github.js';
import type { ExitCode } from '../../exit-codes.js';
import { openReport } from '../../files/output.js';
import { sessionRecordings } from '../../files/session-recordings.js';
import { type ReadScenario, scenarioReader } from '../../runs/scenario-reader.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, doubtNotes, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import { answeredExit } from './answered-exit.js';
import { chosenMetric } from './chosen-metrics.js';
import { writeCompareReport } from './compare-report.js';
import { sessionsTable } from './compare-sessions.js';
import { comparisonTable } from './comparison-table.js';
import { completenessJson, standingJson } from './completeness-notes.js';
import { assumedOf } from './provider-notes.js';
import { type RecordedReference, recordedReference, withRecorded } from './recorded-reference.js';
import { compareAgain, repeatCommand } from './repeat-command.js';
import { noteFailures, runStudy } from './run-study.js';
import { comparisonConclusion, concluded } from './study-conclusion.js';
import { jsonText, STUDY_PAGE } from './study-files.js';
import { globbedRecordings, loadInputs, type StudyInputs, type StudyTranscript } from './study-inputs.js';

/** Options of `ccbench compare`. */
export interface CompareOptions extends PluginOptions {
  readonly policy?: string;
  readonly set: readonly string[];
  readonly transcripts?: readonly string[];
  readonly metrics?: string;
  readonly baseline?: string;
  readonly seed?: number;
  readonly model?: string;
  readonly workers?: number;
  readonly out: string;
  readonly files: boolean;
}

/** A variant with the scenario it comes from. */
interface Row extends Variant {
  readonly file: string;
  readonly text: string;
}

/** One run of the comparison. */
interface Planned {
  readonly row: Row;
  readonly transcript: StudyTranscript;
  readonly job: Job;
}

/** `ccbench compare`: variants over transcripts, one table. */
export async function compareCommand(
  session: CliSession,
  files: readonly string[],
  options: CompareOptions,
): Promise<ExitCode> {
  return withPlugins(session, files, options, (plugins) => compare(session, files, options, plugins));
}

async function compare(
  session: CliSession,
  files: readonly string[],
  options: CompareOptions,
  plugins: OpenPlugins,
): Promise<ExitCode> {
  const { cwd } = session.host;
  const names = options.metrics === undefined ? COMPARED_METRICS : splitValues(options.metrics);
  for (const name of names) chosenMetric(name, '--metrics');
  checkOneRecording(files, cwd);
  const recordings = await globbedRecordings(session, options.transcripts);
  const read = await scenarioReader(session, files);
  const rows = readRows(session, files, options, recordings?.paths, read, plugins);
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
  const planned = planRuns(rows, inputs, names);
  const name = `${nameOf(rows)}-compare`;
  const folder = options.files ? openReport(options.out, name, cwd) : null;
  try {
    const results = await runStudy(
      session,
      planned.map(({ job }) => job),
      inputs.transcripts.map(({ input }) => input),
      { label: name, workers: options.workers, quiet: false },
    );
    const failed = noteFailures(session, results, (index) =>
      commandOf(planned[index]!, recordings !== undefined, options.plugin ?? []),
    );
    if (failed === results.length)
      throw new CcbenchError('bad-input', 'no run of the comparison came to its end');
    const runs = runsByVariant(rows, planned, results);
    const comparison = compareVariants(runs, baseline, names);
    const skipped = [...(recordings?.skipped ?? []), ...inputs.skipped];
    const recorded = recordedReference(inputs, comparison.completeness.compared);
    const assumed = assumedOf(
      planned.map(({ job, transcript }) => ({
        plan: job.plan,
        models: transcript.models,
        isRecorded: transcript.bill !== null,
      })),
    );
    const json = {
      ...comparisonJson(comparison, recorded, runs, inputs, skipped, results, planned),
      assumptions: assumed,
    };
    const variants = withRecorded(comparisonTable(name, comparison, runs), recorded);
    const table = { ...variants, notes: [...variants.notes, OPEN_LOOP, ...assumed] };
    const conclusion = comparisonConclusion(comparison);
    const markdown = comparisonMarkdown(concluded(table, conclusion));
    if (folder !== null) {
      await folder.write('', 'compare.json', jsonText(json));
      await folder.write('', 'compare.md', markdown);
      await folder.write('', 'compare.csv', runsCsv(recorded, planned, results, names, comparison));
      const done = results.filter(({ ok }) => ok).map(({ index }) => planned[index]!);
      const sessions = sessionsTable({
        comparison,
        runs,
        recorded,
        shown: done[0]!.transcript.label,
        command(label) {
          const path = inputs.transcripts.find((transcript) => transcript.label === label)?.path ?? null;
          return path === null ? null : compareAgain({ ...options, files }, path);
        },
      });
      await writeCompareReport(session, folder, name, { comparison, conclusion, table, sessions }, done);
      folder.commit();
    }
    summarise(session, markdown);
    if (session.json) printJson(session, { ...json, report: folder?.shown ?? null });
    else {
      const screen = screenFor(session.host.stdout, session.colors);
      const written = folder === null ? null : join(folder.shown, STUDY_PAGE);
      const closing = closingText({ ...conclusion, written }, screen);
      session.host.stdout.write(`${comparisonLines(table, screen).join('\n')}\n\n${closing}`);
    }
    return answeredExit(session, runs);
  } finally {
    folder?.discard();
  }
}

/** Recordings are sessions to compare on, not variants to compare: one may stand for a scenario. */
function checkOneRecording(files: readonly string[], cwd: string): void {
  const recordings = files.filter((file) => isRecording(file, cwd));
  if (recordings.length < 2) return;
  const [first] = recordings;
  throw new CcbenchError('bad-usage', `${recordings.length} recordings in the place of scenarios`, {
    place: { file: recordings[1]! },
    hint: `one of them says what is run, --transcripts on which sessions: ccbench compare ${first} --transcripts ${recordings.join(' ')}`,
  });
}

function readRows(
  session: CliSession,
  files: readonly string[],
  options: CompareOptions,
  recordings: readonly string[] | undefined,
  read: ReadScenario,
  plugins: OpenPlugins,
): readonly Row[] {
  const { cwd } = session.host;
  const findRecordings = sessionRecordings(session);
  const onDoubt = doubtNotes(session);
  const shared = [
    ...(options.seed === undefined ? [] : [`seed=${options.seed}`]),
    ...(options.model === undefined ? [] : [`model=${JSON.stringify(options.model)}`]),
  ];
  const policies = options.policy === undefined ? [] : splitValues(options.policy);
  const rows = files.flatMap((file) => {
    const text = read(file);
    const source = {
      text,
      file,
      set: shared,
      readPolicy: policyTexts(file, cwd),
      onDoubt,
      findRecordings,
      plugins: plugins.of(file),
      ...(recordings === undefined ? {} : { recordings }),
    };
    const showOthers = plugins.only(file);
    try {
      return variantsOf(source, { policies, set: options.set }).map((variant): Row => {
        const scenario = scenarioName(variant);
        const name = files.length === 1 ? variant.name : `${scenario}: ${variant.name}`;
        return { ...variant, name, file, text };
      });
    } finally {
      showOthers();
    }
  });
  const seen = new Set<string>();
  return rows.map((row) => {
    let name = row.name;
    for (let n = 2; seen.has(name); n++) name = `${row.name} #${n}`;
    seen.add(name);
    return { ...row, name };
  });
}

function scenarioName({ runs, variant }: Variant): string {
  const { name } = runs[0]!.plan;
  return variant === null ? name : name.slice(0, -variant.length - 1);
}

function nameOf(rows: readonly Row[]): string {
  return scenarioName(rows[0]!);
}

/** Runs in the order of transcripts, so that each is opened once. */
function planRuns(rows: readonly Row[], inputs: StudyInputs, metrics: readonly string[]): readonly Planned[] {
  const planned: Planned[] = [];
  for (const transcript of inputs.transcripts) {
    for (const row of rows) {
      for (const run of row.runs) {
        if (inputs.of(run.transcript) !== transcript) continue;
        const job = {
          index: planned.length,
          plan: run.plan,
          transcript: transcript.input.key,
          share: 1,
          metrics,
        };
        planned.push({ row, transcript, job });
      }
    }
  }
  return planned;
}

function commandOf({ row, transcript }: Planned, globbed: boolean, plugins: readonly string[]): string {
  const isOneOfSeveral = globbed || row.runs.length > 1;
  const recordings = isOneOfSeveral && transcript.path !== null ? [transcript.path] : null;
  return repeatCommand({ ...row, recordings, plugins });
}

function runsByVariant(rows: readonly Row[], planned: readonly Planned[], results: readonly JobResult[]) {
  return rows.map((row) => ({
    name: row.name,
    byTranscript: new Map(
      results.flatMap((result) => {
        const { row: owner, transcript } = planned[result.index]!;
        return owner === row ? [[transcript.label, result.ok ? result.metrics : null] as const] : [];
      }),
    ),
  }));
}

function runsCsv(
  recorded: RecordedReference | null,
  planned: readonly Planned[],
  results: readonly JobResult[],
  names: readonly string[],
  { completeness }: Comparison,
): string {
  return recordsCsv(['variant', 'transcript', 'finished', 'compared'], names, [
    ...(recorded?.runs ?? []).map(({ transcript, metrics }) => ({
      keys: [AS_RECORDED, transcript, 'yes', 'yes'],
      values: metrics,
    })),
    ...results.map((result) => {
      const { row, transcript } = planned[result.index]!;
      const finished = !result.ok ? 'failed' : isFinished(result.metrics) ? 'yes' : 'no';
      const compared = completeness.compared.includes(transcript.label) ? 'yes' : 'no';
      return {
        keys: [row.name, transcript.label, finished, compared],
        values: result.ok ? result.metrics : {},
      };
    }),
  ]);
}

function comparisonJson(
  comparison: Comparison,
  recorded: RecordedReference | null,
  runs: readonly VariantRuns[],
  inputs: StudyInputs,
  skipped: readonly { readonly file: string; readonly reason: string }[],
  results: readonly JobResult[],
  planned: readonly Planned[],
) {
  return {
    variants: [
      ...(recorded === null
        ? []
        : [{ name: AS_RECORDED, metrics: recorded.metrics, differences: null, runs: recorded.runs }]),
      ...comparison.variants.map(({ name, metrics, differences, completeness }) => ({
        name,
        ...standingJson(completeness),
        metrics,
        differences,
        runs: results.flatMap((result) => {
          const { row, transcript } = planned[result.index]!;
          return result.ok && row.name === name
            ? [{ transcript: transcript.label, metrics: result.metrics, skipped: result.skipped }]
            : [];
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
    failed: results.flatMap((result) =>
      result.ok
        ? []
        : [
            {
              variant: planned[result.index]!.row.name,
              transcript: planned[result.index]!.transcript.label,
              error: result.error,
            },
          ],
    ),
  };
}
