import { basename } from 'node:path';
import { mainWindow } from '../../agent/client/window.js';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import { firstModel } from '../../core/model/transcript.js';
import { LOG_HEAD } from '../../core/run/run-log.js';
import { modelsOf, resolveWindow } from '../../provider/prices/models.js';
import { type FindOptions, findSessions, type LeftOut } from '../../transcripts/files/find-sessions.js';
import { type InputOptions, readTextInput, sessionPath } from '../../transcripts/files/read-input.js';
import { inputFormat } from '../../transcripts/files/transcripts.js';
import type { CompiledRun } from '../compile.js';
import { openRef } from './open-ref.js';
import type { FindRecordings } from './transcript-ref.js';

/** Endings that scenarios have. */
const SCENARIO_NAME = /\.ya?ml$/i;

/** Endings of files with many values, of which none is a scenario. */
const LINES_NAME = /\.(?:jsonl|ndjson|csv|tsv)$/i;

/** A line that begins as those of scenarios do. */
const SCENARIO_LINE = /^["']?(?:name|transcripts?|sessions|policy)["']?\s*:/m;

/** The sessions of a scenario that is written in braces. */
const SCENARIO_IN_BRACES = /^\s*\{[\s\S]*["']?(?:transcripts?|sessions)["']?\s*:/;

/** Whether a file given instead of a scenario is a recording. */
export function isRecording(file: string, cwd: string): boolean {
  if (SCENARIO_NAME.test(file)) return false;
  return attempt(() => inputFormat(sessionPath(file).file, { cwd }) !== '', false);
}

/** Whether a text may be meant as a scenario: one that is broken has problems with places, any other text is no scenario. */
function maybeScenario(file: string, text: string): boolean {
  if (SCENARIO_NAME.test(file)) return true;
  return !LINES_NAME.test(file) && (SCENARIO_LINE.test(text) || SCENARIO_IN_BRACES.test(text));
}

/** The error for a session, a log or a folder in place of a scenario: it says what to type instead. */
function otherFile(file: string, message: string, hint: string): CcbenchError {
  return new CcbenchError('bad-scenario', `${file} is ${message}, not a scenario`, { place: { file }, hint });
}

/** The text of a scenario that a user named. */
export function readScenarioText(file: string, cwd: string): string {
  if (isRecording(file, cwd))
    throw otherFile(
      file,
      'a recording',
      `write "transcript: { file: ${basename(file)} }" into a scenario (ccbench init)`,
    );
  const text = readTextInput(file, { cwd });
  if (text.startsWith(LOG_HEAD))
    throw otherFile(file, 'the log of a run', `ccbench report ${file} makes its report again`);
  if (!maybeScenario(file, text))
    throw new CcbenchError('bad-input', 'this is neither a scenario nor a recording in a known format', {
      place: { file },
      hint: 'a scenario is YAML with `name:` and `transcript:` (ccbench init writes one); docs/recordings.md has the recordings that are read',
    });
  return text;
}

/** Finds the recordings that scenarios name by files, folders and patterns: each path once, however often a scenario is compiled. */
export function scenarioRecordings(
  options: FindOptions,
  onLeftOut: (leftOut: readonly LeftOut[]) => void = () => {},
): FindRecordings {
  const known = new Map<string, readonly string[]>();
  return (path, place) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const { files, leftOut } = findSessions([path], { ...options, place });
    if (files.length === 0) {
      const [first, ...others] = leftOut;
      const more = others.length === 0 ? '' : ` (and ${others.length} more are left out)`;
      throw new CcbenchError('bad-input', `${leftOut.at(-1)?.reason ?? first?.reason}${more}`, {
        place,
        hint: 'a transcript is a file, a folder with recordings below it, or a pattern such as "logs/**/*.jsonl"',
      });
    }
    onLeftOut(leftOut);
    known.set(path, files);
    return files;
  };
}

/** The window that a fraction such as 0.3w refers to: the scenario's, the recorded one, or that of the model it runs. */
export function windowOf(run: CompiledRun, options: InputOptions): number {
  const { plan } = run;
  if (plan.window !== null) return plan.window;
  const beta1m = plan.policy.params['window.beta1m'] === true ? 'on' : 'off';
  const models = modelsOf(plan);
  const name = modelOf(run, options) ?? 'unknown';
  const recorded = plan.model === null ? mainWindow(openRef(run.transcript, options), name, models) : null;
  return recorded ?? resolveWindow(name, { beta1m, models });
}

/** The prompt lengths from which a request to the model costs more. */
export function priceStepsOf(run: CompiledRun, options: InputOptions): readonly number[] {
  const name = modelOf(run, options);
  const row = name === null ? null : modelsOf(run.plan).find(name);
  return row?.priceSteps.map(({ overPromptTokens }) => overPromptTokens) ?? [];
}

/** The model that a run is for: the scenario's, or the first known one of its session. */
function modelOf({ plan, transcript }: CompiledRun, options: InputOptions): string | null {
  if (plan.model !== null) return plan.model;
  const { threads } = openRef(transcript, options);
  const model = threads.map(firstModel).find((name) => name !== null) ?? null;
  return model !== null && modelsOf(plan).find(model) !== null ? model : null;
}
