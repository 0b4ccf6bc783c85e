import { type Path, valueAt } from '../../core/base/problem.js';
import { unknownName } from '../../core/base/registry.js';
import { type Checker, consult, group, list, refuse } from './checker.js';

const MAX_CHILDREN = 'agents.maxChildren';

/** Children one turn may start, as the scenario or the parameter's default says. */
function maxChildren({ document, context }: Checker): number {
  const written = valueAt(document.value, ['policy', 'set', MAX_CHILDREN]);
  if (typeof written === 'number') return written;
  const value = context.policies.specs.find((spec) => spec.path === MAX_CHILDREN)?.default;
  return typeof value === 'number' ? value : Number.POSITIVE_INFINITY;
}

/** Checks a generated session: its workload and models exist, and no turn starts more children than the policy allows. */
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
