import { join } from 'node:path';
import type { OpenPlugins } from '../../../config/files/open-plugins.js';
import { openRef, refKey } from '../../../config/files/open-ref.js';
import { isRecording } from '../../../config/files/scenario-text.js';
import type { TranscriptRef } from '../../../config/normalise.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCounted } from '../../../core/base/format.js';
import { countCalls, type Transcript } from '../../../core/model/transcript.js';
import { evaluateExpectation } from '../../../metrics/expect.js';
import { completionOf } from '../../../metrics/facts.js';
import { metricValues } from '../../../metrics/registry.js';
import * as doc from '../../../report/document/document.js';
import type { ChartedRun } from '../../../report/page-data/page-data.js';
import { summaryJson } from '../../../report/tables/summary-json.js';
import { unfinishedText } from '../../../report/text/as-recorded.js';
import { briefRunBlocks, runNotes, terminalReport } from '../../../report/text/terminal.js';
import type { CommandOptions } from '../../commands.generated.js';
import { inputOptions } from '../../files/input-options.js';
import { type OutputFile, openFile, openReport, openSoftly, type ReportFolder } from '../../files/output.js';
import { dayOf, firstWords, type NamedSession, sessionWords } from '../../files/session-words.js';
import type { WithSet } from '../../option-values.js';
import {
  changedSince,
  type EarlierRun,
  type Guard,
  guardOf,
  readEarlier,
  regressions,
  sinceBaseline,
} from '../../runs/earlier-run.js';
import { execute, timingsText } from '../../runs/execute.js';
import { type PlannedRun, type PlannedScenario, planScenarios, readBaseline } from '../../runs/plan-runs.js';
import { pluggedIn } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode, note, printJson } from '../../session.js';
import { lastInterruptCheck, runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';
import { screenFor } from '../../terminal/paint.js';
import { closingText, screenText, tellWritten } from '../../terminal/present.js';
import { createProgress, type Progress } from '../../terminal/progress.js';
import { reportVerdicts } from './judge-runs.js';
import { type DrawnRun, openRunFiles, type RunResult, runJson } from './run-result.js';
import { runConclusion, scenarioConclusion, scenariosConclusion, variantTable } from './runs-conclusion.js';

type RunOptions = WithSet<CommandOptions['run']>;

interface Job {
  readonly session: CliSession;
  readonly options: RunOptions;
  readonly baseline: ReadonlyMap<PlannedRun, EarlierRun>;
  readonly guard: Guard;
  readonly log: OutputFile | null;
  readonly progress: Progress;
  transcript: { readonly ref: string; readonly value: Transcript } | null;
}

/** `ccbench run`: all scenarios one after the other; failed expectations decide the exit code at the end. */
export const runCommand = pluggedIn(runScenarios);

async function runScenarios(
  session: CliSession,
  files: readonly string[],
  options: RunOptions,
  plugins: OpenPlugins,
): Promise<ExitCode> {
  const scenarios = await planScenarios(session, files, options, plugins);
  const { cwd } = session.host;
  const runs = scenarios.flatMap((scenario) => scenario.runs);
  noteLeftOut(session, scenarios, options);
  if (options.log !== undefined && runs.length > 1) {
    throw new CcbenchError('bad-usage', `--log takes the log of one run, and there are ${runs.length}`, {
      hint: 'the report folder of each run holds its run.jsonl',
    });
  }
  const guard = guardOf(options.guard, options.tolerance);
  const baseline =
    options.baseline === undefined ? new Map() : readBaseline(options.baseline, scenarios, cwd, guard);
  const opened: (ReportFolder | null)[] = [];
  let log: OutputFile | null = null;
  let junit: OutputFile | null = null;
  const results: RunResult[] = [];
  const progress = createProgress({ ...session, json: session.json || options.quiet === true });
  try {
    const file = (option: string, path: string | undefined): OutputFile | null =>
      path === undefined ? null : openSoftly(session, option, () => openFile(path, cwd));
    log = file('--log', options.log);
    junit = file('--junit', options.junit);
    for (const { scenario } of scenarios) {
      const open = () => openReport(options.out, scenario.name, cwd);
      opened.push(options.files ? openSoftly(session, '--out', open) : null);
    }
    const job: Job = { session, options, baseline, guard, log, progress, transcript: null };
    for (const [i, planned] of scenarios.entries()) {
      const run = () => runScenario(job, planned, opened[i] ?? null);
      results.push(...(await plugins.within(planned.file, run)));
    }
    progress.clear();
    await reportVerdicts(session, scenarios, results, baseline, guard, junit);
  } finally {
    progress.clear();
    log?.discard();
    junit?.discard();
    for (const folder of opened.toReversed()) folder?.discard();
  }
  if (session.json) printJson(session, runJson(results));
  else if (scenarios.length > 1 && options.quiet !== true) {
    const conclusion = scenariosConclusion(scenarios.length, results);
    session.host.stdout.write(closingText(conclusion, screenFor(session.host.stdout, session.colors)));
  }
  return exitOf(session, results, options);
}

/** Says which variants a policy of the command line leaves out. */
function noteLeftOut(
  session: CliSession,
  scenarios: readonly PlannedScenario[],
  { policy }: RunOptions,
): void {
  for (const { scenario, leftOut } of scenarios)
    if (leftOut > 0)
      note(
        session,
        `${scenario.name}: ${formatCounted(leftOut, 'run')} left out: their variant names another policy than ${policy}; --variant runs one`,
      );
}

async function runScenario(
  job: Job,
  { runs, scenario, file }: PlannedScenario,
  folder: ReportFolder | null,
): Promise<RunResult[]> {
  const { session, options, log } = job;
  const results: RunResult[] = [];
  const small: ChartedRun[] = [];
  const { cwd } = session.host;
  // A recording that represents a scenario has no name but that of its file.
  const titled: NamedSession[] | null = isRecording(file, cwd) ? [] : null;
  const runIndex = () => import('./run-index.js');
  const isShown = !session.json && options.quiet !== true;
  for (const planned of runs) {
    const { result, sample } = await runOne(job, planned, folder);
    results.push(result);
    job.progress.clear();
    if (isShown && session.detail === 'verbose') session.host.stdout.write(resultText(session, result));
    else if (isShown) for (const line of sinceLines(result)) note(session, line);
    if (isShown && options.timings === true) session.host.stdout.write(timesText(session, result));
    if (folder === null || !options.charts) continue;
    const own = titled === null ? [] : recordingOf(job, planned);
    titled?.push(...own);
    const title = own.length === 0 ? planned.label : sessionWords(own, cwd);
    await writePictures(job, result, sample, folder, title);
    if (runs.length > 1) small.push((await runIndex()).smallRun(sample, result));
  }
  const index = small.length > 1 ? 'index.html' : null;
  if (index !== null) {
    const title = titled === null || titled.length === 0 ? scenario.name : sessionWords(titled, cwd);
    await folder!.write('', index, (await runIndex()).runIndexHtml(title, results, small));
  }
  await lastInterruptCheck(session.host.interrupt);
  if (isShown) {
    const closing = scenarioConclusion(scenario.name, file, results);
    session.host.stdout.write(screenText(session, scenarioBlocks(session, results), closing));
  }
  log?.commit();
  if (folder?.commit() === true && isShown)
    tellWritten(
      session,
      join(folder.shown, options.charts ? (index ?? join(runs[0]!.folder, 'report.html')) : ''),
    );
  if (isShown) session.host.stdout.write('\n');
  return results;
}

/** Page and charts come after the table: drawing charts takes longer than everything before. */
async function writePictures(
  { session, options, progress }: Job,
  { planned, execution, expectations }: RunResult,
  sample: DrawnRun,
  folder: ReportFolder,
  title: string,
): Promise<void> {
  progress.start(`${planned.label}: page`, 0);
  const { reportPictures } = await import('../../terminal/report-pictures.js');
  const { policyInfoOf } = await import('../../runs/policy-info.js');
  const { digest, facts } = execution;
  const run = { name: planned.label, ...sample, facts, digest, policyInfo: policyInfoOf(facts) };
  const conclusion = runConclusion(facts, expectations);
  for await (const file of reportPictures(title, run, conclusion, options, session.host.interrupt)) {
    await folder.write(join(planned.folder, file.folder), file.name, file.content);
  }
  progress.clear();
}

async function runOne(
  job: Job,
  planned: PlannedRun,
  folder: ReportFolder | null,
): Promise<{ readonly result: RunResult; readonly sample: DrawnRun }> {
  const { session, progress } = job;
  const { run } = planned;
  const transcript = await transcriptOf(job, run.transcript);
  progress.start(planned.label, countCalls(transcript));
  await yieldToEventLoop(session.host.interrupt);
  const cassette =
    run.summaries === null
      ? null
      : await (await import('../../runs/summaries.js')).openSummaries(
          session,
          run.summaries,
          run.plan,
          transcript,
        );
  const files = await openRunFiles(folder, planned.folder, job.log, transcript);
  const execution = await execute(session, run.plan, transcript, {
    ...files,
    ...(cassette === null ? {} : { cassette }),
    timings: job.options.timings === true ? 'on' : 'off',
    progress: (requests) => progress.update(requests),
  });
  if (cassette?.isUsed === false)
    note(session, `${planned.label}: no summary was requested, so llm.mode has no effect`);
  const { digest, facts, timings } = execution;
  const metrics = metricValues(facts);
  const expectations = run.expectations.map((expectation) => evaluateExpectation(expectation, facts));
  if (folder !== null) {
    await folder.write(planned.folder, 'summary.json', summaryJson({ digest, facts, expectations }));
    if (timings !== null)
      await folder.write(planned.folder, 'timings.json', `${JSON.stringify(timings, null, 2)}\n`);
  }
  const last = folder === null ? null : readEarlier(join(folder.target, planned.folder));
  const base = job.baseline.get(planned);
  const { run: ran } = facts;
  const now = {
    digest,
    metrics,
    ...(ran === null ? {} : { policy: ran.policy, planDigest: ran.planDigest }),
  };
  const result: RunResult = {
    planned,
    execution,
    metrics,
    expectations,
    regressions: base === undefined ? [] : regressions(base, now, job.guard),
    since: last === null ? null : changedSince(last, now, 'last report'),
    sinceBaseline: base === undefined ? null : sinceBaseline(base, now, job.guard),
    report: folder === null ? null : join(folder.shown, planned.folder),
  };
  return { result, sample: files.sample() };
}

/** A transcript is read once and replayed by every variant. */
async function transcriptOf(job: Job, ref: TranscriptRef): Promise<Transcript> {
  const key = refKey(ref);
  if (job.transcript?.ref === key) return job.transcript.value;
  const options = inputOptions(job.session);
  const { interrupt } = job.session.host;
  const value = await runInterruptible(interrupt, () => openRef(ref, options));
  job.transcript = { ref: key, value };
  return value;
}

/** The recording of the run that was made last; none if it was generated. */
function recordingOf({ transcript }: Job, { run }: PlannedRun): readonly NamedSession[] {
  const { transcript: ref } = run;
  if (ref.kind !== 'file' || transcript === null) return [];
  return [{ path: ref.path, day: dayOf(transcript.value), prompt: firstWords(transcript.value) }];
}

/** What changed since the last run, and since the baseline. */
function sinceLines({ since, sinceBaseline }: RunResult): readonly string[] {
  return [since, sinceBaseline].filter((line) => line !== null);
}

/** What the simulator took. */
function timesText(session: CliSession, { execution }: RunResult): string {
  const { timings } = execution;
  return timings === null ? '' : `${timingsText(timings, screenFor(session.host.stdout, session.colors))}\n`;
}

/** What follows the conclusion: the runs side by side, or details of the only one. */
function scenarioBlocks(session: CliSession, results: readonly RunResult[]): readonly doc.Block[] {
  const isVerbose = session.detail === 'verbose';
  if (results.length > 1) {
    const rest = isVerbose ? [] : results.flatMap(({ execution: { facts } }) => runNotes(facts));
    return [variantTable(results), ...results.flatMap(expectationBlocks), ...rest];
  }
  if (isVerbose) return [];
  const [{ execution, expectations }] = results as readonly [RunResult];
  const { digest, facts } = execution;
  return briefRunBlocks({ digest, facts, expectations });
}

function expectationBlocks({ planned, expectations }: RunResult): readonly doc.Block[] {
  const failed = expectations.filter(({ passed }) => !passed);
  return failed.map(({ text, message }) => doc.said(`✗ ${planned.label}: ${text} (${message})`, 'bad'));
}

function resultText(session: CliSession, result: RunResult): string {
  const screen = screenFor(session.host.stdout, session.colors);
  const { digest, facts } = result.execution;
  const table = terminalReport({ digest, facts, expectations: result.expectations }, screen);
  const since = sinceLines(result)
    .map((line) => `${line}\n`)
    .join('');
  // Under a provider that serves none of its models a session is another one: that comes first.
  const standIns = facts.warnings.filter(({ code }) => code === 'model-assumed');
  const became = standIns.map(({ message }) => `${message}\n`).join('');
  return `${became}${table}${since}\n`;
}

function exitOf(session: CliSession, results: readonly RunResult[], { quiet }: RunOptions): ExitCode {
  let failed = 0;
  let worse = 0;
  let silent = 0;
  for (const { planned, execution, expectations, regressions } of results) {
    const unfinished = unfinishedText(execution.facts);
    const isSilent = completionOf(execution.facts).answered === 0;
    if (unfinished !== null && (isSilent || quiet === true)) note(session, `${planned.label}: ${unfinished}`);
    if (isSilent) silent++;
    for (const { passed, text, message } of expectations) {
      if (passed) continue;
      failed++;
      note(session, `expectation failed in ${planned.label}: ${text} (${message})`);
    }
    for (const { message } of regressions) {
      worse++;
      note(session, `regression in ${planned.label}: ${message}`);
    }
  }
  if (failed > 0) return EXIT.expectation;
  if (silent > 0) return EXIT.input;
  return worse > 0 ? EXIT.regression : EXIT.fine;
}
