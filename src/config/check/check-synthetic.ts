import { formatPath, type Path, valueAt } from '../../core/base/problem.js';
import { unknownName } from '../../core/base/registry.js';
import { compileDistribution, type Distribution } from '../../transcripts/synthetic/distribution.js';
import type { SteadySpec } from '../../transcripts/synthetic/spec.js';
import { generateSteady } from '../../transcripts/synthetic/steady.js';
import { TOOL_PROFILES } from '../../transcripts/synthetic/synthetic.generated.js';
import { SYNTHETIC_DEFAULTS, SYNTHETIC_LISTS } from '../normalise/normalise-synthetic.js';
import { checkForks } from './check-sessions.js';
import { type Checker, consult, group, list, refuse } from './checker.js';

/** Tools whose share is weighed; the others have a share of their own in the shape. */
const TOOLS = TOOL_PROFILES.filter(({ group }) => group === 'plain' || group === 'mcp').map(
  ({ name }) => name,
);

function checkTurns(checker: Checker, path: Path): void {
  const synthetic = group(valueAt(checker.document.value, path));
  const turns = synthetic.turns ?? SYNTHETIC_DEFAULTS.turns;
  if (typeof turns !== 'number') return;
  for (const name of SYNTHETIC_LISTS) {
    list(synthetic[name]).forEach((entry, i) => {
      const at = [...path, name, i, 'afterTurn'];
      const turn = group(entry).afterTurn;
      if (typeof turn === 'number' && turn > turns) {
        refuse(checker, at, `\`${formatPath(at)}\` is turn ${turn}, but the session has ${turns}`);
      }
    });
  }
}

function checkShapeOverrides(checker: Checker, path: Path): void {
  const overrides = group(valueAt(checker.document.value, path));
  for (const [name, value] of Object.entries(overrides)) {
    const { p, v } = group(value);
    if (!Array.isArray(p) || !Array.isArray(v) || checker.problems.touches([...path, name])) continue;
    consult(checker, [...path, name], 'value', () => void compileDistribution(name, value as Distribution));
  }
  for (const tool of Object.keys(group(overrides.toolWeights))) {
    if (TOOLS.includes(tool)) continue;
    consult(checker, [...path, 'toolWeights', tool], 'key', () => {
      throw unknownName('tool', tool, TOOLS);
    });
  }
}

function checkSteady(checker: Checker, path: Path): void {
  const steady = valueAt(checker.document.value, path);
  if (steady === undefined || steady === null || checker.problems.touches(path)) return;
  consult(checker, path, 'value', () => {
    generateSteady(
      { workload: SYNTHETIC_DEFAULTS.workload, turns: 1, seed: 0, text: 'none' },
      steady as SteadySpec,
    );
  });
}

const MAX_CHILDREN = 'agents.maxChildren';

/** Children one turn may start, as the scenario or the parameter's default says. */
function maxChildren({ document, context }: Checker): number {
  const written = valueAt(document.value, ['policy', 'set', MAX_CHILDREN]);
  if (typeof written === 'number') return written;
  const value = context.policies.specs.find((spec) => spec.path === MAX_CHILDREN)?.default;
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
}

/** Calls that all threads of a session may make together. */
const MOST_CALLS = 2_000_000;

/** Calls of a generated session with its subagents and forks, at most. */
function callsOf(synthetic: Readonly<Record<string, unknown>>, turns: number): number {
  const amount = (value: unknown): number => (typeof value === 'number' ? value : 0);
  const { everyTurns, turns: each } = group(synthetic.subagents);
  const subagents = Math.floor(turns / Math.max(1, amount(everyTurns))) * amount(each);
  const forks = list(synthetic.forks).map(group);
  return forks.reduce((calls, fork) => calls + amount(fork.children) * amount(fork.turns), turns + subagents);
}

/** Checks a generated session: its workload, models and tools exist, its turns lie within it, its sizes fit together. */
export function checkSynthetic(checker: Checker, path: Path): void {
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
  checkTurns(checker, path);
  const turns = typeof synthetic.turns === 'number' ? synthetic.turns : SYNTHETIC_DEFAULTS.turns;
  const calls = callsOf(synthetic, turns);
  if (calls > MOST_CALLS) {
    const sentence = `the threads of the session would make ${calls} calls; at most ${MOST_CALLS} are possible`;
    refuse(checker, path, sentence, 'give it fewer turns, subagents or children');
  }
  checkForks(checker, path, turns, maxChildren(checker));
  checkShapeOverrides(checker, [...path, 'overrides']);
  checkSteady(checker, [...path, 'steady']);
}
