import { join, resolve } from 'node:path';
import {
  type CompiledRun,
  type CompiledScenario,
  compileScenario,
  type ScenarioSource,
} from '../../config/compile.js';
import { builtinContext } from '../../config/context.js';
import type { OpenPlugins } from '../../config/files/open-plugins.js';
import { filesOf } from '../../config/files/open-ref.js';
import { CcbenchError, ProblemList } from '../../core/base/errors.js';
import { getOrMake } from '../../core/base/once.js';
import { unknownName } from '../../core/base/registry.js';
import { inputId, kindOfInput } from '../../transcripts/files/read-input.js';
import type { CommandOptions } from '../commands.generated.js';
import { folderName } from '../files/output.js';
import type { WithSet } from '../option-values.js';
import type { CliSession } from '../session.js';
import { type EarlierRun, type Guard, missingMetrics, readEarlier } from './earlier-run.js';
import { openScenarios } from './scenario-reader.js';

/** What the command line changes in scenarios. */
export type ScenarioChanges = WithSet<Pick<CommandOptions['run'], 'seed' | 'policy' | 'model' | 'variant'>>;

/** A run with its place below the report folder. */
export interface PlannedRun {
  readonly run: CompiledRun;
  /** Empty for the top of the report folder. */
  readonly folder: string;
  /** The run's name, distinguished by transcript where the scenario has several. */
  readonly label: string;
}

/** A scenario with its runs. */
export interface PlannedScenario {
  readonly file: string;
  readonly scenario: CompiledScenario;
  readonly runs: readonly PlannedRun[];
  /** Runs of variants that name another policy than the one that was asked for. */
  readonly leftOut: number;
}

/** What the scenario without a variant is called. */
export const BASE = 'base';

/** How to come by a baseline. */
const REMAKE = 'make it with ccbench run … --out <folder> before the change';

const FLAGS = ['seed', 'policy', 'model'] as const;

function changesOf(changes: ScenarioChanges): readonly string[] {
  const given = FLAGS.filter((key) => changes[key] !== undefined);
  return [...given.map((key) => `${key}=${JSON.stringify(changes[key])}`), ...changes.set];
}

function refKey(run: CompiledRun): string {
  return run.transcript.kind === 'file' ? run.transcript.path : run.transcript.kind;
}

/** Gives every run a folder: the base at the top, variants below, all below their transcript where there are several. */
function placeRuns(scenario: CompiledScenario): readonly PlannedRun[] {
  const starts = scenario.runs.filter((run) => run.variant === null).length;
  const taken = new Map<string, Set<string>>();
  const takenAt = (folder: string): Set<string> => {
    return getOrMake(taken, folder, () => new Set<string>());
  };
  let top = '';
  return scenario.runs.map((run) => {
    if (run.variant === null && starts > 1) top = folderName(inputId(refKey(run)), takenAt(''));
    const folder = run.variant === null ? top : join(top, folderName(run.variant, takenAt(top)));
    return { run, folder, label: top === '' ? run.plan.name : `${run.plan.name} (${top})` };
  });
}

function checkTranscripts(scenario: CompiledScenario, cwd: string): readonly CcbenchError[] {
  const seen = new Set<string>();
  const problems: CcbenchError[] = [];
  for (const transcript of scenario.runs.flatMap((run) => filesOf(run.transcript))) {
    if (seen.has(transcript.path)) continue;
    seen.add(transcript.path);
    try {
      if (kindOfInput(transcript.path, { cwd, place: transcript.place }) === 'folder') {
        throw new CcbenchError('bad-input', `${transcript.written} is a folder`, {
          place: transcript.place,
          hint: 'list the files in it: transcript: { file: [a.jsonl, b.jsonl] }',
        });
      }
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      problems.push(error);
    }
  }
  return problems;
}

/** A scenario without the variants that name another policy than the one that the command line asks for. */
function withoutOtherPolicies(scenario: CompiledScenario, policy: string | undefined): CompiledScenario {
  if (policy === undefined) return scenario;
  const name = scenario.policyFiles.get(policy) ?? policy;
  return { ...scenario, runs: scenario.runs.filter(({ plan }) => plan.policy.name === name) };
}

/** A scenario with only the requested variant, or with all of them. */
function compileWanted(source: ScenarioSource, variant: string | undefined): CompiledScenario {
  if (variant === undefined) return compileScenario(source, builtinContext);
  if (variant === BASE) return compileScenario({ ...source, runs: 'base' }, builtinContext);
  const scenario = compileScenario(source, builtinContext);
  const runs = scenario.runs.filter((run) => run.variant === variant);
  if (runs.length > 0) return { ...scenario, runs };
  const known = new Set(scenario.runs.map((run) => run.variant ?? BASE));
  const { code, message, hint } = unknownName('variant', variant, [...known]);
  throw new CcbenchError(code, message, {
    place: { file: `--variant ${variant}` },
    ...(hint === null ? {} : { hint }),
  });
}

/** Reads and checks all scenarios before anything runs; every problem of every file is reported at once. */
export async function planScenarios(
  session: CliSession,
  files: readonly string[],
  changes: ScenarioChanges,
  plugins: OpenPlugins,
  onWarning?: (doubt: CcbenchError) => void,
): Promise<readonly PlannedScenario[]> {
  const open = await openScenarios(session, files, plugins, onWarning === undefined ? {} : { onWarning });
  const problems: CcbenchError[] = [];
  const planned: PlannedScenario[] = [];
  const fileOf = new Map<string, string>();
  for (const file of files) {
    try {
      const wanted = await plugins.within(file, () =>
        compileWanted(open(file, changesOf(changes)), changes.variant),
      );
      const scenario = changes.variant === undefined ? withoutOtherPolicies(wanted, changes.policy) : wanted;
      problems.push(...checkTranscripts(scenario, session.host.cwd));
      const other = fileOf.get(scenario.name);
      if (other !== undefined) {
        problems.push(
          new CcbenchError(
            'duplicate-name',
            `the scenario is called "${scenario.name}", as the one in ${other}`,
            {
              place: { file },
              hint: 'both would write the same report: rename one, or run them separately',
            },
          ),
        );
      }
      fileOf.set(scenario.name, file);
      const runs = placeRuns(scenario);
      planned.push({ file, scenario, runs, leftOut: wanted.runs.length - runs.length });
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      problems.push(...(error instanceof ProblemList ? error.problems : [error]));
    }
  }
  if (problems.length === 0) return planned;
  throw problems.length === 1 ? problems[0]! : new ProblemList('bad-scenario', files.join(', '), problems);
}

/** The baseline of every run, found before the first one starts. */
export function readBaseline(
  folder: string,
  scenarios: readonly PlannedScenario[],
  cwd: string,
  guard: Guard,
): ReadonlyMap<PlannedRun, EarlierRun> {
  const found = new Map<PlannedRun, EarlierRun>();
  for (const { scenario, runs } of scenarios) {
    for (const planned of runs) {
      const places = [join(folder, scenario.name, planned.folder), join(folder, planned.folder)];
      const place = { file: join(places[0]!, 'summary.json') };
      const earlier = places.map((each) => readEarlier(resolve(cwd, each))).find((item) => item !== null);
      if (earlier === undefined || earlier === null) {
        throw new CcbenchError('file-missing', `the baseline has no report of ${planned.label}`, {
          place,
          hint: REMAKE,
        });
      }
      const missing = missingMetrics(earlier, guard);
      if (missing.length > 0) {
        throw new CcbenchError(
          'bad-input',
          `the baseline's report of ${planned.label} does not say ${missing.join(', ')}`,
          { place, hint: REMAKE },
        );
      }
      found.set(planned, earlier);
    }
  }
  return found;
}
