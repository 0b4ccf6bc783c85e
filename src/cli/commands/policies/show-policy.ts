import { paramsOf } from '../../../agent/policies/catalogue.js';
import { planPolicy } from '../../../agent/policies/plan-policy.js';
import type { Policy } from '../../../agent/policies/policy.js';
import { type PolicyThresholds, policyThresholds } from '../../../agent/policies/policy-thresholds.js';
import { policyWindow } from '../../../agent/policies/policy-window.js';
import type { NamedLimits } from '../../../agent/policies/shown-limits.js';
import { helpFor } from '../../../agent/policy-file/help.js';
import { policyValues } from '../../../agent/policy-file/paths.js';
import { goesByOutput, policySentences } from '../../../agent/policy-file/sentences.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { formatCount, formatDecimal } from '../../../core/base/format.js';
import type { ParamValue } from '../../../core/run/params.js';
import type { PlannedPolicy } from '../../../core/run/run-plan.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import { type Column, tableLines } from '../../../report/text/table.js';
import { EXIT, type ExitCode } from '../../exit-codes.js';
import { type PluginOptions, withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, printJson } from '../../session.js';
import { closingText } from '../../terminal/closing.js';
import { screenFor } from '../../terminal/paint.js';
import { namedPolicy } from './named-policy.js';
import { toldOutput } from './told-output.js';

const PARAM_COLUMNS: readonly Column[] = [
  { header: 'parameter', align: 'left', drop: null },
  { header: 'value', align: 'right', drop: null },
  { header: 'unit', align: 'left', drop: 3 },
  { header: 'source', align: 'left', drop: 1 },
  { header: 'meaning', align: 'left', drop: 2 },
];

/** What `policies show` is asked for. */
export interface ShowOptions extends PluginOptions {
  readonly model: string;
  /** Window and longest answer in the place of the model's. */
  readonly window?: number;
  readonly maxOutput?: number;
  readonly set: readonly string[];
}

/** A parameter of a policy, or a value of its file. */
interface ShownParam {
  readonly path: string;
  readonly value: unknown;
  readonly default: ParamValue;
  readonly unit: string | null;
  readonly help: string;
  readonly source: string;
}

/** Parameters of layers and client, as far as the policy sets them or has the layer. */
function paramsShown(
  policy: Policy,
  { params }: PlannedPolicy,
  set: readonly string[],
): readonly ShownParam[] {
  const specs = paramsOf(policy).filter(
    ({ path }) => policy.written === undefined || Object.hasOwn(policy.set, path) || policy.tiers.length > 1,
  );
  return specs.map((spec) => ({
    path: spec.path,
    value: params[spec.path] as ParamValue,
    default: spec.default,
    unit: spec.unit,
    help: spec.help,
    source: sourceOf(policy, spec.path, set),
  }));
}

/** Values of a policy file, with what is said of them. */
function valuesShown(policy: Policy, set: readonly string[]): readonly ShownParam[] {
  if (policy.written === undefined) return [];
  const changes = changesOf(policy, set);
  return policyValues(policy.written).map(({ path, value, at }) => ({
    path,
    value: Object.hasOwn(changes, path) ? changes[path] : value,
    default: null,
    ...helpFor(at),
    source: set.some((change) => change.startsWith(`${path}=`))
      ? 'set on the command line'
      : (policy.sources[path] ?? policy.sources['*'] ?? 'the policy file'),
  }));
}

/** The model whose limits are shown: one by name, with a window and a longest answer of its own where they are given. */
function limitsOf(options: ShowOptions, { params, parts }: PlannedPolicy): NamedLimits {
  const { model, window } = options;
  return {
    window: window ?? policyWindow(params, model, { parts }),
    maxOutput: toldOutput(options).maxOutput,
    ...(window === undefined ? { name: model } : {}),
  };
}

/** `ccbench policies show <name or file>`: what it does, thresholds, and every parameter with its source. */
export async function showPolicyCommand(
  session: CliSession,
  name: string,
  options: ShowOptions,
): Promise<ExitCode> {
  return withPlugins(session, [], options, () => showPolicy(session, name, options));
}

function showPolicy(session: CliSession, name: string, options: ShowOptions): ExitCode {
  const policy = namedPolicy(name, session.host.cwd);
  const planned = planPolicy(policy, changesOf(policy, options.set));
  const model = limitsOf(options, planned);
  const limits = policyThresholds(policy, planned, model);
  const parameters = [...valuesShown(policy, options.set), ...paramsShown(policy, planned, options.set)];
  const sentences = planned.parts === undefined ? [] : policySentences(planned.parts, toldOutput(options));
  if (session.json) {
    const { kind, summary, tiers, sources } = policy;
    printJson(session, {
      name: policy.name,
      kind,
      summary,
      model: options.model,
      tiers,
      thresholds: limits,
      sentences,
      parameters,
      sources,
    });
    return EXIT.fine;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  const limitLines = Object.entries(limits)
    .filter(([, value]) => policy.written === undefined || value !== null)
    .map(([key, value]) => `  ${key.padEnd(12)} ${(value === null ? '–' : formatCount(value)).padStart(10)}`);
  const rows = parameters.map(({ path, value, unit, source, help }) => ({
    cells: [path, shown(value), unit ?? '', source, help],
  }));
  const of = nameOfLimits(options, planned.parts !== undefined && goesByOutput(planned.parts));
  session.host.stdout.write(
    [
      `${screen.style.bold(policy.name)}  ${policy.summary}`,
      '',
      ...(sentences.length === 0
        ? [`Tiers, in order: ${policy.tiers.length === 0 ? 'none' : policy.tiers.join(' → ')}`]
        : ['What it does', ...sentences.map((sentence) => `  ${sentence}`)]),
      '',
      `Thresholds for ${of}, in tokens`,
      ...limitLines,
      '',
      ...tableLines(PARAM_COLUMNS, rows, { indent: '', ...screen }),
      '',
      closingText(conclusionOn(policy.name, name, limits, of), screen),
    ].join('\n'),
  );
  return EXIT.fine;
}

/** What limits are for: the model, or what is given in its place; the longest answer stands there where they go by it. */
function nameOfLimits(options: ShowOptions, isOutputNamed: boolean): string {
  const { model, window } = options;
  const of = window === undefined ? model : `a window of ${formatCount(window)}`;
  return isOutputNamed ? `${of} and answers of up to ${formatCount(toldOutput(options).maxOutput)}` : of;
}

/** When the policy acts, and how to try it: under the name, or the file, that was given. */
function conclusionOn(
  name: string,
  given: string,
  { autoCompact, blocking }: PolicyThresholds,
  of: string,
): Conclusion {
  const at = autoCompact ?? blocking;
  return {
    result:
      at === null
        ? `${name} has no prompt length at which it compacts, for ${of}.`
        : `${name} ${autoCompact === null ? 'stops' : 'compacts'} at ${formatCount(at)} tokens, for ${of}.`,
    advice: `What it would cost on a session of yours: ccbench run <scenario> --policy ${given}`,
  };
}

function shown(value: unknown): string {
  if (value === null) return '–';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return formatDecimal(value, 3);
  return typeof value === 'string' ? (value === '' ? '""' : value) : JSON.stringify(value);
}

function sourceOf(policy: Policy, path: string, set: readonly string[]): string {
  if (set.some((change) => change.startsWith(`${path}=`))) return 'set on the command line';
  return (
    policy.sources[path] ??
    (Object.hasOwn(policy.set, path) ? (policy.sources['*'] ?? '') : 'default of the mechanism')
  );
}

/** The changes of the command line, each checked by itself so that a problem is shown at its option. */
function changesOf(policy: Policy, set: readonly string[]): Readonly<Record<string, unknown>> {
  const changes: Record<string, unknown> = {};
  for (const change of set) {
    const at = change.indexOf('=');
    if (at < 1) {
      throw new CcbenchError('bad-usage', `--set takes path=value; found "${change}"`, {
        hint: 'e.g. --set window.percent=50',
      });
    }
    const path = change.slice(0, at);
    changes[path] = typedValue(change.slice(at + 1));
    try {
      planPolicy(policy, { [path]: changes[path] });
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      throw new CcbenchError(error.code, error.message, {
        place: { file: `--set ${change}` },
        ...(error.hint === null ? {} : { hint: error.hint }),
      });
    }
  }
  return changes;
}

/** A value as typed: JSON where it is JSON, otherwise a text. */
function typedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
