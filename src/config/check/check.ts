import { CcbenchError, formatPath, isGroup, type Path, succeeds, valueAt } from '../../core/base/errors.js';
import { unknownName } from '../../core/base/registry.js';
import type { ScenarioContext } from '../context.js';
import type { ScenarioDocument } from '../files/document.js';
import type { ProblemCollector } from '../load.js';
import { defaultPolicy } from '../normalise.js';
import { checkOverrides } from './check-overrides.js';
import { type Checker, consult, group, list, refuse } from './checker.js';

/** The part of a name that distinguishes folders on every file system. */
export function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}

const MAX_CHILDREN = 'agents.maxChildren';

/** Children one turn may start, as the scenario or the parameter's default says. */
function maxChildren({ document, context }: Checker): number {
  const written = valueAt(document.value, ['policy', 'set', MAX_CHILDREN]);
  if (typeof written === 'number') return written;
  const value = context.policies.specs.find((spec) => spec.path === MAX_CHILDREN)?.default;
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
}

/** Checks a generated session: its workload and models exist, and no turn starts more children than the policy allows. */
function checkSynthetic(checker: Checker, path: Path): void {
  const synthetic = group(valueAt(checker.document.value, path));
  const { workload } = synthetic;
  const { workloads, models } = checker.context;
  if (typeof workload === 'string' && workload !== '' && !workloads.includes(workload)) {
    consult(checker, [...path, 'workload'], 'value', () => {
      throw unknownName('workload', workload, workloads);
    });
  }
  const named = [
    ...list(synthetic.modelAt).map((_, i) => [...path, 'modelAt', i, 'model']),
    [...path, 'subagents', 'model'],
  ];
  for (const at of named) {
    const model = valueAt(checker.document.value, at);
    if (typeof model === 'string' && model !== '') consult(checker, at, 'value', () => models.check(model));
  }
  const most = maxChildren(checker);
  list(synthetic.forks).forEach((fork, i) => {
    const { children } = group(fork);
    if (typeof children === 'number' && children > most)
      refuse(
        checker,
        [...path, 'forks', i, 'children'],
        `${children} children of one turn are more than the limit of ${most}`,
        'raise it with the policy parameter agents.maxChildren',
      );
  });
}

function checkModel(checker: Checker, path: Path): void {
  const model = valueAt(checker.document.value, path);
  if (typeof model === 'string' && model !== '') {
    consult(checker, path, 'value', () => checker.context.models.check(model));
  }
}

function checkProvider(checker: Checker, path: Path): void {
  const provider = valueAt(checker.document.value, path);
  if (typeof provider === 'string' && provider !== '') {
    consult(checker, path, 'value', () => checker.context.providers.check(provider));
  }
}

function checkTranscripts(checker: Checker): void {
  const scenario = group(checker.document.value);
  const { sessions } = scenario;
  if (scenario.transcript === undefined && scenario.transcripts === undefined && sessions === undefined) {
    const hint = 'for a generated session: `transcript: { synthetic: { workload: refactor, turns: 200 } }`';
    refuse(checker, ['transcript'], '`transcript` is missing', hint);
  }
  if (scenario.transcript !== undefined && scenario.transcripts !== undefined) {
    refuse(checker, ['transcripts'], 'use `transcript` for one or `transcripts` for several, not both');
  }
  if (sessions !== undefined && (scenario.transcript !== undefined || scenario.transcripts !== undefined)) {
    refuse(checker, ['sessions'], 'use `sessions`, or transcripts on their own, not both');
  }
  const paths: readonly Path[] = [
    ['transcript'],
    ...list(scenario.transcripts).map((_, i) => ['transcripts', i]),
    ...list(sessions).map((_, i) => ['sessions', i, 'transcript']),
  ];
  for (const path of paths) checkSynthetic(checker, [...path, 'synthetic']);
}

function policyName(policy: unknown): string | null {
  if (typeof policy === 'string') return policy;
  const use = group(policy).use;
  return typeof use === 'string' ? use : null;
}

/** Checks the policy of the base (empty path) or of a variant. */
function checkPolicy(checker: Checker, at: Path): void {
  const { document, context } = checker;
  const own = valueAt(document.value, [...at, 'policy']);
  const named = policyName(own);
  const name = named ?? policyName(group(document.value).policy) ?? defaultPolicy(context.policies.names);
  if (!context.policies.names.includes(name)) {
    if (named === null) return;
    const path = typeof own === 'string' ? [...at, 'policy'] : [...at, 'policy', 'use'];
    consult(checker, path, 'value', () => {
      throw unknownName('policy', name, context.policies.names);
    });
    return;
  }
  const known = context.policies.specs.map((spec) => spec.path);
  const sets = [
    [...at, 'policy', 'set'],
    [...at, 'set'],
  ];
  const switches = switchesOf(checker, name, [['policy', 'set'], ['set'], ...sets]);
  for (const set of sets) {
    for (const [param, value] of Object.entries(group(valueAt(document.value, set)))) {
      const side = known.includes(param) ? 'value' : 'key';
      consult(checker, [...set, param], side, () => {
        try {
          context.policies.resolve(name, { [param]: value });
        } catch (refusal) {
          if (!succeeds(() => context.policies.resolve(name, { ...switches, [param]: value }))) throw refusal;
        }
      });
    }
  }
  checkOverrides(checker, at, name);
  checkHooks(checker, at, name);
}

/** Refuses hooks under a policy that runs none (C39): they belong to the compaction of the built-in layers. */
function checkHooks(checker: Checker, at: Path, policy: string): void {
  const path = [...at, 'hooks'];
  if (list(valueAt(checker.document.value, path)).length === 0) return;
  if (checker.context.policies.reads(policy, 'compact.scratchpad')) return;
  const hasRules = checker.context.policies.plan(policy, {}).rules !== undefined;
  consult(checker, path, 'value', () => {
    throw new CcbenchError(
      'no-effect',
      `\`${formatPath(path)}\` has no effect under ${policy}: ${hasRules ? 'a policy file runs no hooks, they belong to the compaction of the built-in layers' : 'it never compacts'}`,
      {
        hint: hasRules
          ? 'remove it (on the command line: --set "hooks=[]"), or use a policy with that compaction, such as claude-code/2026'
          : 'remove it, or use a policy with compaction, such as claude-code/2026',
      },
    );
  });
}

/** The switches that hold together with a setting: one layer may only be on while another is off (FLG-2). */
function switchesOf(
  { document, context }: Checker,
  policy: string,
  places: readonly Path[],
): Readonly<Record<string, unknown>> {
  const isSwitch = (path: string): boolean =>
    context.policies.specs.find((spec) => spec.path === path)?.kind.type === 'switch';
  const written = places.flatMap((place) => Object.entries(group(valueAt(document.value, place))));
  return Object.fromEntries(
    written.filter(
      ([path, value]) => typeof value === 'boolean' && isSwitch(path) && context.policies.reads(policy, path),
    ),
  );
}

function checkSettings(checker: Checker, at: Path): void {
  const settings = group(valueAt(checker.document.value, at));
  checkModel(checker, [...at, 'model']);
  checkModel(checker, [...at, 'llm', 'model']);
  checkProvider(checker, [...at, 'provider']);
  checkPolicy(checker, at);
  list(settings.expect).forEach((text, i) => {
    if (typeof text !== 'string' || text === '') return;
    consult(checker, [...at, 'expect', i], 'value', () => checker.context.metrics.parse(text));
  });
}

function checkVariants(checker: Checker): void {
  const seen = new Map<string, string>();
  list(group(checker.document.value).variants).forEach((variant, i) => {
    checkSettings(checker, ['variants', i]);
    const own = group(group(variant).set);
    for (const param of Object.keys(group(valueAt(variant, ['policy', 'set'])))) {
      const path = ['variants', i, 'set', param];
      if (Object.hasOwn(own, param))
        refuse(checker, path, `\`${param}\` is set twice, here and under \`policy\``);
    }
    const name = group(variant).name;
    if (typeof name !== 'string') return;
    const earlier = seen.get(slug(name));
    seen.set(slug(name), name);
    if (earlier === undefined) return;
    const path = ['variants', i, 'name'];
    const sentence =
      earlier === name
        ? `two variants are called "${name}"`
        : `the variants "${earlier}" and "${name}" would share a folder`;
    checker.problems.add(
      path,
      new CcbenchError('duplicate-name', sentence, { place: checker.document.placeOf(path) }),
    );
  });
}

/** Checks what the schema cannot know: names in other registries and values that depend on each other. */
export function checkMeaning(
  document: ScenarioDocument,
  context: ScenarioContext,
  problems: ProblemCollector,
): void {
  if (!isGroup(document.value)) return;
  const checker: Checker = { document, context, problems };
  checkTranscripts(checker);
  checkSettings(checker, []);
  checkVariants(checker);
}
