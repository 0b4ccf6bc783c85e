import { compileScenario } from '../../../config/compile.js';
import { builtinContext } from '../../../config/context.js';
import { createProblems, loadScenario } from '../../../config/load.js';
import { CcbenchError, ProblemList } from '../../../core/base/errors.js';
import { choiceOf } from '../../files/chosen-sessions.js';
import { BASE, type ScenarioChanges } from '../../runs/plan-runs.js';
import type { PluginOptions } from '../../runs/with-plugins.js';
import type { NamedSessions } from './study-sessions.js';

const PLAIN = /^[\w@%+=:,./-]+$/;

/** A path that YAML takes for a text without quotation marks. */
const PLAIN_PATH = /^[\w./-]+\.[a-z]+$/i;

/** A word of a command line as a shell takes it. */
function shellWord(text: string): string {
  return PLAIN.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What a run of a study was made from. */
export interface RunRecipe {
  readonly file: string;
  /** `path=value`, in order. */
  readonly set: readonly string[];
  /** Recordings that replace the scenario's transcripts; null for the scenario's own. */
  readonly recordings: readonly string[] | null;
  /** Plug-ins of the command line. */
  readonly plugins: readonly string[];
  /** The variant of the file; null for the base. */
  readonly variant: string | null;
  /** Text of the scenario. */
  readonly text: string;
}

function recordingsSet(recordings: readonly string[], hasSeveral: 'several' | 'one'): string {
  const quoted = (path: string): string => (PLAIN_PATH.test(path) ? path : JSON.stringify(path));
  const files =
    recordings.length === 1
      ? quoted(recordings[0]!)
      : `[${recordings.map((path) => JSON.stringify(path)).join(', ')}]`;
  return hasSeveral === 'several' ? `transcripts=[{file: ${files}}]` : `transcript.file=${files}`;
}

/** The settings without those that only a study may give: a value among others that is what holds anyway. */
function givenAlone({ file, text, variant }: RunRecipe, set: readonly string[]): readonly string[] {
  try {
    compileScenario({ file, text, set, ...(variant === null ? { runs: 'base' } : {}) }, builtinContext);
    return set;
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    const problems = error instanceof ProblemList ? error.problems : [error];
    const idle = problems.filter(({ code }) => code === 'no-effect').map(({ place }) => place?.file);
    return set.filter((item) => !idle.includes(`--set ${item}`));
  }
}

/** What a comparison was asked for. */
export interface CompareRecipe extends Omit<ScenarioChanges, 'variant'>, PluginOptions {
  readonly files: readonly string[];
  readonly metrics?: string;
  readonly subjectTo?: readonly string[];
  readonly baseline?: string;
  readonly pricesOf?: string;
}

/** Options of a command line as a shell takes them; one without a value is left out. */
function optionWords(name: string, ...values: readonly (string | number | undefined)[]): readonly string[] {
  return values.flatMap((value) => (value === undefined ? [] : [`--${name} ${shellWord(String(value))}`]));
}

function fileWord(file: string): string {
  return shellWord(file.startsWith('-') ? `./${file}` : file);
}

/** The command that makes a comparison again over one recording. */
export function compareAgain(recipe: CompareRecipe, recording: string): string {
  return [
    'ccbench compare',
    ...recipe.files.map(fileWord),
    ...optionWords('plugin', ...(recipe.plugin ?? [])),
    ...optionWords('policy', recipe.policy),
    ...optionWords('set', ...recipe.set),
    ...optionWords('metrics', recipe.metrics),
    ...optionWords('subject-to', ...(recipe.subjectTo ?? [])),
    ...optionWords('baseline', recipe.baseline),
    ...optionWords('seed', recipe.seed),
    ...optionWords('model', recipe.model),
    ...optionWords('prices-of', recipe.pricesOf),
    ...optionWords('transcripts', recording),
  ].join(' ');
}

/** Recordings that a command names one by one; more are named by the pattern that found them. */
const MOST_NAMED = 3;

/** A literal value after `--vary`: no list, no range, not part of the window. */
const SINGLE_VALUE = /^(?!auto$)(?!\d*\.?\d+w$)(?!.*\.\.)[\w./-]+$/;

/** A point of a study over recordings that were found by patterns. */
export interface PointRecipe extends Omit<RunRecipe, 'variant'> {
  readonly point: { readonly set: readonly string[]; readonly values: readonly string[] };
  readonly patterns: readonly string[] | undefined;
  /** What names the recordings where they represent the scenario. */
  readonly named?: NamedSessions | undefined;
}

/** The command that repeats a point of a study: over many recordings a sweep of this point alone, which takes the same ones. */
export function repeatPoint(recipe: PointRecipe): string {
  const { file, set, point, recordings, patterns = [], named, plugins, text } = recipe;
  const isFound = patterns.length > 0 || named !== undefined;
  const isLong = isFound && (recordings?.length ?? 0) > MOST_NAMED;
  const isPlain = point.values.length > 0 && point.values.every((value) => SINGLE_VALUE.test(value));
  if (!isLong || !isPlain)
    return repeatCommand({ file, text, variant: null, set: [...set, ...point.set], recordings, plugins });
  return [
    'ccbench sweep',
    ...(named?.paths ?? [file]).map(fileWord),
    ...Object.entries(choiceOf(named?.choice ?? {})).flatMap(([name, value]) => optionWords(name, value)),
    ...optionWords('plugin', ...plugins),
    ...optionWords('set', ...set),
    ...optionWords('vary', ...point.set),
    ...(named === undefined ? optionWords('transcripts', ...patterns) : []),
  ].join(' ');
}

/** The command that repeats a run of a study alone. */
export function repeatCommand(recipe: RunRecipe): string {
  const { file, recordings, text, variant } = recipe;
  const value = loadScenario(text, file, createProblems()).value as Readonly<Record<string, unknown>>;
  const settings = givenAlone(recipe, [
    ...(recordings === null ? [] : [recordingsSet(recordings, 'transcripts' in value ? 'several' : 'one')]),
    ...recipe.set,
  ]);
  const hasVariants = Array.isArray(value.variants) && value.variants.length > 0;
  return [
    'ccbench run',
    fileWord(file),
    ...optionWords('plugin', ...recipe.plugins),
    ...optionWords('variant', hasVariants ? (variant ?? BASE) : undefined),
    ...optionWords('set', ...settings),
  ].join(' ');
}
