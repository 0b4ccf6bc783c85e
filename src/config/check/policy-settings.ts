import { CcbenchError } from '../../core/base/errors.js';
import { oncePer } from '../../core/base/once.js';
import { createNameTable } from '../../core/base/own-value.js';
import {
  type CheckedScenario,
  type CompiledRun,
  checkScenario,
  compileRuns,
  type ScenarioSource,
} from '../compile.js';
import type { OverrideName, ScenarioContext } from '../context.js';
import type { NormalSettings } from '../normalise.js';
import { parseAssignment } from './set-path.js';

/** Parameters whose effect depends on more than the policy: their checks need the unchanged scenario written (WIN-1). */
const READ_ANEW: ReadonlySet<string> = new Set([
  'window.explicit',
  'window.setting',
  'window.settingByModel',
  'window.beta1m',
]);

/** A parameter of the policy and its value. */
interface Setting {
  readonly path: string;
  readonly value: unknown;
}

/**
 * A scenario of which a study compiles thousands of points. Where a point changes parameters of the policy alone, nothing but the
 * policy is planned again, and the scenario is neither read nor checked again: the runs are those that it would compile to.
 */
export class PolicySettings {
  private checked: CheckedScenario | null | undefined;
  /** What changes mean; null for what is not a parameter of the policy, or is refused. */
  private readonly known = new Map<string, Setting | null>();

  constructor(
    private readonly source: ScenarioSource,
    private readonly world: ScenarioContext,
  ) {}

  /** The runs with some changes, written `path=value`; null if the scenario has to be compiled for it. */
  runsWith(changes: readonly string[]): readonly CompiledRun[] | null {
    const settings = createNameTable<unknown>();
    for (const change of changes) {
      const setting = this.settingOf(change);
      if (setting === null || Object.hasOwn(settings, setting.path)) return null;
      settings[setting.path] = setting.value;
    }
    const { checked } = this;
    if (checked === undefined || checked === null) return null;
    const { normal } = checked;
    const changed = oncePer((own: NormalSettings) => ({
      ...own,
      policy: { ...own.policy, set: { ...own.policy.set, ...settings } },
    }));
    const runs = normal.runs.map((run) => ({ ...run, settings: changed(run.settings) }));
    return ifTaken(() => compileRuns({ ...checked, normal: { ...normal, runs } }));
  }

  private settingOf(change: string): Setting | null {
    const known = this.known.get(change);
    if (known !== undefined) return known;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    const setting = this.read(change);
    this.known.set(change, setting);
    return setting;
  }

  private read(change: string): Setting | null {
    this.checked ??= ifTaken(() =>
      withoutWindows(checkScenario({ ...this.source, runs: 'base' }, this.world)),
    );
    const assigned = ifTaken(() => parseAssignment(change, this.world));
    const { checked } = this;
    if (assigned === null || checked === null) return null;
    const [first, second, path, ...more] = assigned.path;
    const { value } = assigned;
    const isSetting = first === 'policy' && second === 'set' && typeof path === 'string' && more.length === 0;
    if (!isSetting || READ_ANEW.has(path) || !isPlain(value) || isOverridden(checked, path)) return null;
    // Each value has to be taken by itself, as when the scenario is checked.
    const isTaken = checked.normal.runs.every(
      ({ settings: { policy } }) =>
        ifTaken(() => checked.context.policies.resolve(policy.name, { [path]: value })) !== null,
    );
    return isTaken ? { path, value } : null;
  }
}

/** Changes whose meaning is remembered. */
const MOST_KNOWN = 10_000;

/** The scenario, unless one of its own settings has to be read again with every change. */
function withoutWindows(checked: CheckedScenario): CheckedScenario | null {
  const isWritten = checked.normal.runs.some(
    ({ settings: { policy, overrides } }) =>
      overrides.contextWindow !== null || [...READ_ANEW].some((path) => Object.hasOwn(policy.set, path)),
  );
  return isWritten ? null : checked;
}

/** Whether a value is a number, a word or a switch. */
function isPlain(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'string' || typeof value === 'boolean';
}

/** Whether an override of some run sets a parameter: it wins, and is said to. */
function isOverridden({ normal, context }: CheckedScenario, path: string): boolean {
  const names = (Object.keys(context.overrides) as OverrideName[]).filter(
    (name) => context.overrides[name].path === path,
  );
  return normal.runs.some(({ settings: { overrides } }) =>
    names.some((name) => overrides[name] !== null && overrides[name] !== false),
  );
}

/** What is found, or null if it is refused; why is said when the scenario is compiled. */
function ifTaken<T>(find: () => T): T | null {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof CcbenchError)) throw error;
    return null;
  }
}
