import { paramsOf, policyRegistry } from '../../../agent/policies/catalogue.js';
import { planPolicy } from '../../../agent/policies/plan-policy.js';
import type { Policy } from '../../../agent/policies/policy.js';
import { policyWindow } from '../../../agent/policies/policy-window.js';
import {
  type NamedLimits,
  type PolicyThresholds,
  policyThresholds,
} from '../../../agent/policies/shown-limits.js';
import { policyValues } from '../../../agent/policy-file/paths.js';
import { helpFor } from '../../../agent/policy-file/read-policy.js';
import { goesByOutput, type KnownOutput, policySentences } from '../../../agent/policy-file/sentences.js';
import { isFileName, type PolicyFile, readPolicyFile } from '../../../config/files/policy-file.js';
import { policyTexts } from '../../../config/files/policy-text.js';
import { scenarioProblems } from '../../../config/load.js';
import { attempt, CcbenchError, formatPlace, type ProblemList } from '../../../core/base/errors.js';
import { formatCount, formatCounted, formatDecimal } from '../../../core/base/format.js';
import { createNameTable, ownValue } from '../../../core/base/own-value.js';
import type { ParamSpec, ParamValue } from '../../../core/run/params.js';
import type { PlannedPolicy } from '../../../core/run/run-plan.js';
import { resolveModel } from '../../../provider/prices/models.js';
import * as doc from '../../../report/document/document.js';
import { type Block, inset } from '../../../report/document/document.js';
import type { Conclusion } from '../../../report/text/conclusion.js';
import type { CommandOptions } from '../../commands.generated.js';
import { withPlugins } from '../../runs/with-plugins.js';
import { type CliSession, EXIT, type ExitCode } from '../../session.js';
import { present } from '../../terminal/present.js';

type ShowOptions = CommandOptions['policies show'];

/** A parameter of a policy, or a value of its file. */
interface ShownParam extends Omit<ParamSpec, 'kind'> {
  readonly value: unknown;
  readonly source: string;
}

const PARAMS: readonly doc.ColumnOf<ShownParam>[] = [
  doc.text('parameter', ({ path }) => path),
  doc.amount('value', ({ value }) => shown(value)),
  doc.text('unit', ({ unit }) => unit ?? '', 3),
  doc.text('source', ({ source }) => source, 1),
  doc.text('meaning', ({ help }) => help, 2),
];

const LIMITS: readonly doc.ColumnOf<readonly [name: string, tokens: number | null]>[] = [
  doc.text('', ([name]) => name),
  doc.amount('', ([, tokens]) => formatCount(tokens)),
];

/** Parameters of layers and client, as far as the policy sets them or has the layer. */
function paramsShown(
  policy: Policy,
  { params }: PlannedPolicy,
  set: readonly string[],
): readonly ShownParam[] {
  const specs = paramsOf(policy).filter(
    ({ path }) => policy.written === undefined || Object.hasOwn(policy.set, path) || policy.layers.length > 1,
  );
  return specs.map((spec) => ({
    path: spec.path,
    value: ownValue(params, spec.path) as ParamValue,
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
    value: Object.hasOwn(changes, path) ? ownValue(changes, path) : value,
    default: null,
    ...helpFor(at),
    source: set.some((change) => change.startsWith(`${path}=`))
      ? 'set on the command line'
      : (ownValue(policy.sources, path) ?? policy.sources['*'] ?? 'the policy file'),
  }));
}

/** The model whose limits are shown: one by name, with a window and a longest answer of its own where they are given. */
function limitsOf(options: ShowOptions, { params, rules }: PlannedPolicy): NamedLimits {
  const { model, window } = options;
  return {
    window: window ?? policyWindow(params, model, { rules }),
    maxOutput: outputLimit(options).maxOutput,
    ...(window === undefined ? { name: model } : {}),
  };
}

/** `ccbench policies show <name or file>`: what it does, thresholds, and every parameter with its source. */
export async function showPolicyCommand(
  session: CliSession,
  name: string,
  options: ShowOptions,
): Promise<ExitCode> {
  return withPlugins(session, [], options, () => {
    const { set = [] } = options;
    const policy = namedPolicy(name, session.host.cwd);
    const planned = planPolicy(policy, changesOf(policy, set));
    const model = limitsOf(options, planned);
    const limits = policyThresholds(policy, planned, model);
    const parameters = [...valuesShown(policy, set), ...paramsShown(policy, planned, set)];
    const sentences = planned.rules === undefined ? [] : policySentences(planned.rules, outputLimit(options));
    const { kind, summary, layers, checked, sources } = policy;
    const of = nameOfLimits(options, planned.rules !== undefined && goesByOutput(planned.rules));
    const shownLimits = Object.entries(limits).filter(
      ([, value]) => policy.written === undefined || value !== null,
    );
    present(session, {
      blocks: [
        doc.title(policy.name, summary),
        '',
        ...(sentences.length === 0
          ? [`Layers, in order: ${layers.length === 0 ? 'none' : layers.join(' → ')}`]
          : ['What it does', ...sentences.map((sentence) => doc.inset(sentence))]),
        '',
        `Thresholds for ${of}, in tokens`,
        doc.table(LIMITS, shownLimits),
        '',
        doc.tableOf(PARAMS, doc.rowsOf(PARAMS, parameters), ''),
      ],
      closing: conclusionOn(policy.name, name, limits, of),
      json: {
        name: policy.name,
        kind,
        summary,
        model: options.model,
        layers,
        thresholds: limits,
        sentences,
        parameters,
        checked,
        sources,
      },
    });
    return EXIT.fine;
  });
}

/** What limits apply to: the model, or what replaces it; with the longest answer if they depend on it. */
function nameOfLimits(options: ShowOptions, isOutputNamed: boolean): string {
  const { model, window } = options;
  const of = window === undefined ? model : `a window of ${formatCount(window)}`;
  return isOutputNamed ? `${of} and answers of up to ${formatCount(outputLimit(options).maxOutput)}` : of;
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
        ? `${name} does not compact at a fixed prompt length, for ${of}.`
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
    ownValue(policy.sources, path) ??
    (Object.hasOwn(policy.set, path) ? (policy.sources['*'] ?? '') : 'default of the mechanism')
  );
}

/** The changes of the command line, each checked by itself so that a problem is shown at its option. */
function changesOf(policy: Policy, set: readonly string[]): Readonly<Record<string, unknown>> {
  const changes = createNameTable<unknown>();
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
  return attempt(() => JSON.parse(text), text);
}

/** Reads a policy file that a command names. */
export function readNamedFile(file: string, cwd: string): PolicyFile {
  if (policyRegistry.has(file))
    throw new CcbenchError('bad-usage', `${file} is a policy that comes with ccbench, not a file`, {
      hint: `ccbench policies show ${file} says what it does`,
    });
  const { text } = policyTexts(null, cwd)(file, { file });
  return readPolicyFile(text, file);
}

/** A policy by its name or its file; a file that cannot be used is refused with every problem. */
function namedPolicy(name: string, cwd: string): Policy {
  if (policyRegistry.has(name) || !isFileName(name)) return policyRegistry.get(name);
  const { policy, problems } = readNamedFile(name, cwd);
  if (policy !== null && problems.length === 0) return policy;
  throw problems.length === 1
    ? problems[0]!
    : (scenarioProblems(name, problems) as ProblemList | CcbenchError);
}

/** The longest answer that a policy is explained with: one that is given, or that of a model. */
export function outputLimit({ model, maxOutput }: Pick<ShowOptions, 'model' | 'maxOutput'>): KnownOutput {
  return maxOutput === undefined
    ? { maxOutput: resolveModel(model).maxOutput, whose: `that of ${model}` }
    : { maxOutput, whose: 'as given' };
}

interface ShownProblem {
  readonly line: number | null;
  readonly column: number | null;
  readonly message: string;
  readonly hint: string | null;
}

function shownProblem({ place, message, hint }: CcbenchError): ShownProblem {
  return { line: place?.line ?? null, column: place?.column ?? null, message, hint };
}

/** `ccbench policies check file`: what is wrong with a policy file, or what it will do, in plain sentences. */
export async function checkPolicyCommand(
  session: CliSession,
  file: string,
  options: Pick<ShowOptions, 'plugin' | 'model'>,
): Promise<ExitCode> {
  return withPlugins(session, [], options, () => {
    const { policy, problems, warnings, read } = readNamedFile(file, session.host.cwd);
    const isOk = problems.length === 0 && read !== null;
    const sentences = isOk ? policySentences(read.rules, outputLimit(options)) : [];
    const lines = (errors: readonly CcbenchError[], word: string): readonly Block[] =>
      errors.flatMap(({ place, message, hint }) => [
        `${place === null ? file : formatPlace(place)}: ${word}${message}`,
        hint !== null && inset(`hint: ${hint}`),
      ]);
    const doubts = warnings.length === 0 ? '' : `, with ${formatCounted(warnings.length, 'warning')}`;
    present(session, {
      blocks: [
        ...lines(problems, ''),
        ...lines(warnings, 'warning: '),
        ...(isOk ? ['What it will do:', ''] : []),
        ...sentences.map((sentence) => inset(sentence)),
      ],
      closing: isOk
        ? {
            result: `${policy!.name} can be used${doubts}.`,
            advice: `Next: ccbench run <scenario> --policy ${file}`,
          }
        : {
            result: `${file} cannot be used: ${formatCounted(problems.length, 'problem')}.`,
            advice: 'Fix the first one first: it may cause others.',
          },
      json: {
        ok: isOk,
        problems: problems.map(shownProblem),
        warnings: warnings.map(shownProblem),
        sentences,
      },
    });
    return isOk ? EXIT.fine : EXIT.input;
  });
}
