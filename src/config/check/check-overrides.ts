import { compactsOn } from '../../agent/layers/auto-compact/may-compact.js';
import { CcbenchError, formatPath, type Path, valueAt } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { formatNumber } from '../../core/base/schema-problems.js';
import { isAmong } from '../../core/model/model-name.js';
import type { ParamValue, ParamValues } from '../../core/run/params.js';
import type { OverrideName, ScenarioContext } from '../context.js';
import type { NormalScenario, NormalSettings } from '../normalise.js';
import { type Checker, consult, group } from './checker.js';

/** A policy's `set` of the base (empty path) or of a variant. */
function setsOf(at: Path): readonly Path[] {
  return [
    [...at, 'policy', 'set'],
    [...at, 'set'],
  ];
}

/** The parameter that an override sets, with its value; null if it sets none. */
function setBy(
  { document, context }: Checker,
  at: Path,
  key: OverrideName,
): { readonly path: string; readonly value: unknown } | null {
  const value = group(valueAt(document.value, [...at, 'overrides']))[key];
  if (typeof value !== 'number' && value !== true) return null;
  const { path, whenTrue } = context.overrides[key];
  return { path, value: value === true ? whenTrue : value };
}

/** Checks the overrides of the base (empty path) or of a variant, and that no parameter is hidden by one. */
export function checkOverrides(checker: Checker, at: Path, policy: string): void {
  const { document, context } = checker;
  for (const key of Object.keys(context.overrides) as OverrideName[]) {
    const own = setBy(checker, at, key);
    if (own !== null) {
      const set = { [own.path]: own.value };
      consult(checker, [...at, 'overrides', key], 'value', () => context.policies.resolve(policy, set));
    }
    const stronger = own ?? setBy(checker, [], key);
    if (stronger === null) continue;
    for (const set of setsOf(at)) {
      if (!Object.hasOwn(group(valueAt(document.value, set)), stronger.path)) continue;
      consult(checker, [...set, stronger.path], 'value', () => {
        throw new CcbenchError(
          'no-effect',
          `${stronger.path} has no effect here: \`overrides.${key}\` sets it too, and an override wins`,
          { hint: 'remove one of them' },
        );
      });
    }
  }
}

/** Windows that a user sets in the settings of the client, with what says nothing. */
const SETTINGS: Readonly<Record<string, ParamValue>> = {
  'window.setting': null,
  'window.settingByModel': {},
};

/** Windows that the client is set to assume, as they are written for a run itself, not inherited. */
function writtenWindows(
  { document, context }: Checker,
  at: Path,
): readonly { readonly place: Path; readonly path: string }[] {
  const { path } = context.overrides.contextWindow;
  const inSets = [path, ...Object.keys(SETTINGS)].flatMap((each) =>
    setsOf(at).map((set) => ({ place: [...set, each], path: each })),
  );
  return [{ place: [...at, 'overrides', 'contextWindow'], path }, ...inSets].filter(({ place }) => {
    const value = valueAt(document.value, place);
    return typeof value === 'number' || Object.keys(group(value)).length > 0;
  });
}

/** Every setting of the runs once, however many transcripts they are over. */
function settingsOf({ runs }: NormalScenario): ReadonlySet<NormalSettings> {
  return new Set(runs.map(({ settings }) => settings));
}

/**
 * Refuses a window that the client is set to assume where it changes nothing (WIN-1). One of several values of a study may be
 * what holds anyway.
 */
export function checkWindows(checker: Checker, scenario: NormalScenario, varied: ReadonlySet<string>): void {
  const all = settingsOf(scenario);
  const names = [...new Set([...all].map(({ variant }) => variant))];
  for (const run of all) {
    const variant = names.indexOf(run.variant) - 1;
    const own: Path = run.variant === null ? [] : ['variants', variant];
    const beta = setsOf(own)
      .map((set) => [...set, BETA])
      .find((place) => valueAt(checker.document.value, place) === true);
    if (beta !== undefined) consult(checker, beta, 'value', () => checkBeta(checker, run));
    for (const { place, path } of writtenWindows(checker, own)) {
      const isChoice = varied.has(checker.document.placeOf(place).file);
      const role = isChoice ? 'a choice' : 'fixed';
      consult(checker, place, 'value', () => checkWindow(checker, run, place, path, role));
    }
  }
}

/** The parameter that asks for the 1M beta (WIN-1). */
const BETA = 'window.beta1m';

/** Refuses the 1M beta where it changes nothing: the window is given, or the model has no use for it (WIN-1). */
function checkBeta({ context }: Checker, run: NormalSettings): void {
  if (run.window === null && run.model === null) return; // The recording says it.
  const { assumedWindow, resolve } = context.policies;
  const params = resolve(run.policy.name, run.policy.set);
  if (run.window === null) {
    const window = assumedWindow({ ...params, [BETA]: false }, run.model!);
    if (assumedWindow(params, run.model!) !== window) return;
  }
  const why =
    run.window === null
      ? `the window of ${run.model} is the same with and without it`
      : `\`window\` is ${formatNumber(run.window)} tokens`;
  throw new CcbenchError('no-effect', `${BETA} has no effect: ${why}`, {
    hint: 'remove it, or run a model that supports the beta, such as claude-sonnet-4-5',
  });
}

function checkWindow(
  { context, document }: Checker,
  run: NormalSettings,
  at: Path,
  path: string,
  role: 'a choice' | 'fixed',
): void {
  const name = `\`${formatPath(at)}\``;
  if (run.window !== null) {
    throw new CcbenchError(
      'no-effect',
      `${name} has no effect: \`window\` is ${formatNumber(run.window)} tokens, for the model and for what its client assumes`,
      { hint: 'remove one of them' },
    );
  }
  const byModel = Object.keys(group(valueAt(document.value, at)));
  for (const model of byModel) context.models.check(model);
  if (run.model === null) return; // The recording says it.
  if (byModel.length > 0 && !isAmong(run.model, byModel)) return; // Agents may use other models.
  const { contextWindow } = run.overrides;
  const set = contextWindow === null ? {} : { [context.overrides.contextWindow.path]: contextWindow };
  const params = context.policies.resolve(run.policy.name, { ...run.policy.set, ...set });
  if (isException(params, path, run.model)) return; // There any window set by the user counts.
  const { assumedWindow } = context.policies;
  const window = assumedWindow({ ...params, [path]: ownValue(SETTINGS, path) ?? null }, run.model);
  if (assumedWindow(params, run.model) !== window) return;
  if (role === 'a choice' && ownValue(params, path) === window) return;
  throw new CcbenchError(
    'no-effect',
    `${name} has no effect: the client assumes ${formatNumber(window)} tokens for ${run.model} with and without it`,
    { hint: 'remove it or change it; `window` simulates a model with another window' },
  );
}

/** Whether the client does not compact by itself on a model unless a window is set. */
function isException(params: ParamValues, window: string, model: string): boolean {
  return (
    Array.isArray(params['autoCompact.exceptModels']) &&
    !compactsOn({ ...params, [window]: ownValue(SETTINGS, window) ?? null }, model)
  );
}

/** The largest percentage that may be meant as a share of one. */
const MOST_DOUBTED = 1;

/** The doubt about a percentage that looks like a share; null if there is none. */
export function percentDoubt(
  { policies }: ScenarioContext,
  path: string,
  value: unknown,
): CcbenchError | null {
  if (typeof value !== 'number' || !(value > 0 && value <= MOST_DOUBTED)) return null;
  if (policies.specs.find((spec) => spec.path === path)?.unit !== '%') return null;
  const meant = Number((value * 100).toPrecision(12));
  return new CcbenchError('bad-value', `${path} is a percentage, and at most 1 here`, {
    hint: `${value} is ${value} % of the window, ${meant} would be ${meant} %`,
  });
}

/** What is doubtful in the percentages that runs set by themselves or by an override. */
export function smallPercents(context: ScenarioContext, scenario: NormalScenario): readonly CcbenchError[] {
  const { overrides } = context;
  return [...settingsOf(scenario)].flatMap((run) => {
    const overridden = (Object.keys(overrides) as OverrideName[]).map(
      (name) => [overrides[name].path, run.overrides[name]] as const,
    );
    return [...Object.entries(run.policy.set), ...overridden].flatMap(
      ([path, value]) => percentDoubt(context, path, value) ?? [],
    );
  });
}
