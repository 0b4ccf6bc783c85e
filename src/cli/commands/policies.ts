import { CcbenchError } from '../../base/errors.js';
import { resolveModel } from '../../cache/models.js';
import { policyWindow } from '../../engine/requests/policy-window.js';
import type { ParamValue } from '../../model/params.js';
import { paramSpecs, paramsOf, policyRegistry, resolvePolicy } from '../../policies/catalogue.js';
import type { Policy } from '../../policies/policy.js';
import { policyThresholds } from '../../policies/policy-thresholds.js';
import { formatCount, formatDecimal } from '../../report/format.js';
import { type Column, tableLines } from '../../report/table.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { type CliSession, printJson } from '../session.js';
import { screenFor } from '../terminal/paint.js';

const LIST_COLUMNS: readonly Column[] = [
  { header: 'policy', align: 'left', drop: null },
  { header: 'kind', align: 'left', drop: 1 },
  { header: 'what it is', align: 'left', drop: null },
];

const PARAM_COLUMNS: readonly Column[] = [
  { header: 'parameter', align: 'left', drop: null },
  { header: 'value', align: 'right', drop: null },
  { header: 'unit', align: 'left', drop: 3 },
  { header: 'source', align: 'left', drop: 1 },
  { header: 'meaning', align: 'left', drop: 2 },
];

/** `ccbench policies`: every policy with one sentence. */
export function policiesCommand(session: CliSession): ExitCode {
  const all = policyRegistry.all().map(({ name, kind, summary, tiers }) => ({ name, kind, summary, tiers }));
  if (session.json) {
    printJson(session, { policies: all, parameters: paramSpecs });
    return EXIT.fine;
  }
  const rows = all.map(({ name, kind, summary }) => ({ cells: [name, kind, summary] }));
  const screen = screenFor(session.host.stdout, session.colors);
  session.host.stdout.write(`${tableLines(LIST_COLUMNS, rows, { indent: '', ...screen }).join('\n')}\n`);
  return EXIT.fine;
}

/** What `policies show` is asked for. */
export interface ShowOptions {
  readonly model: string;
  readonly set: readonly string[];
}

/** `ccbench policies show <name>`: tiers, thresholds and every parameter with its source. */
export function showPolicyCommand(session: CliSession, name: string, options: ShowOptions): ExitCode {
  const policy = policyRegistry.get(name);
  const params = resolvePolicy(name, changesOf(name, options.set));
  const { maxOutput } = resolveModel(options.model);
  const window = policyWindow(params, options.model);
  const limits = policyThresholds(policy, params, { window, maxOutput, name: options.model });
  const parameters = paramsOf(policy).map((spec) => ({
    path: spec.path,
    value: params[spec.path] as ParamValue,
    default: spec.default,
    unit: spec.unit,
    help: spec.help,
    source: sourceOf(policy, spec.path, options.set),
  }));
  if (session.json) {
    const { kind, summary, tiers } = policy;
    printJson(session, { name, kind, summary, model: options.model, tiers, thresholds: limits, parameters });
    return EXIT.fine;
  }
  const screen = screenFor(session.host.stdout, session.colors);
  const limitLines = Object.entries(limits).map(
    ([key, value]) => `  ${key.padEnd(12)} ${(value === null ? '–' : formatCount(value)).padStart(10)}`,
  );
  const rows = parameters.map(({ path, value, unit, source, help }) => ({
    cells: [path, shown(value), unit ?? '', source, help],
  }));
  session.host.stdout.write(
    [
      `${screen.style.bold(policy.name)}  ${policy.summary}`,
      '',
      `Tiers, in order: ${policy.tiers.length === 0 ? 'none' : policy.tiers.join(' → ')}`,
      '',
      `Thresholds for ${options.model}, in tokens`,
      ...limitLines,
      '',
      ...tableLines(PARAM_COLUMNS, rows, { indent: '', ...screen }),
      '',
    ].join('\n'),
  );
  return EXIT.fine;
}

function shown(value: ParamValue): string {
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
function changesOf(name: string, set: readonly string[]): Readonly<Record<string, unknown>> {
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
      resolvePolicy(name, { [path]: changes[path] });
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
