import fc from 'fast-check';
import { paramsOf, policyRegistry } from '../../../src/agent/policies/catalogue.js';
import type { ParamKind, ParamSpec, ParamValue } from '../../../src/core/run/params.js';
import type { PlanInit } from '../plan.js';
import { OWN_POLICIES, SOME_PEERS } from './varied-policies.js';

/** A value that a parameter may take. */
function anyValue({ kind, default: value }: ParamSpec): fc.Arbitrary<ParamValue> {
  switch (kind.type) {
    case 'switch':
      return fc.boolean();
    case 'choice':
      return fc.constantFrom(...kind.values);
    case 'integer':
    case 'number':
      return numberOf(kind, typeof value === 'number' ? value : 3);
    default:
      return fc.constant(value);
  }
}

function numberOf(
  kind: Extract<ParamKind, { readonly min: number }>,
  around: number,
): fc.Arbitrary<ParamValue> {
  const near = [0.1, 0.5, 1, 2, 5].map((factor) => around * factor);
  const values = near
    .map((value) => (kind.type === 'integer' ? Math.round(value) : value))
    .filter(
      (value) => value <= kind.max && (kind.minIs === 'excluded' ? value > kind.min : value >= kind.min),
    );
  return fc.constantFrom<ParamValue>(...new Set(values), ...(kind.nullable === true ? [null] : []));
}

/** Parameters whose whole point is to leave a rule aside. */
const ASIDE = new Set([
  'window.bounded',
  'microcompact.cached.billDeleted',
  'client.hazard',
  'compact.maxOutputTokens',
  'compact.forkMaxOutputTokens',
]);

/** Settings under which layers act that a short session would leave alone. */
const BOLD: readonly Readonly<Record<string, ParamValue>>[] = [
  {},
  {},
  {},
  { 'snip.enabled': true, 'snip.aboveTokens': 30_000, 'snip.downToTokens': 20_000, 'snip.minTokens': 100 },
  { 'snip.enabled': true, 'snip.aboveTokens': 15_000, 'snip.downToTokens': 10_000, 'snip.minTokens': 100 },
  {
    'collapse.enabled': true,
    'autoCompact.enabled': false,
    'collapse.aboveTokens': 20_000,
    'collapse.downToTokens': 10_000,
  },
  { 'dreaming.sessions': 1, 'dreaming.hours': 1 },
  { 'dreaming.sessions': 1, 'dreaming.hours': 0, 'dreaming.scanMinutes': 0 },
  { 'agents.coordinator': true, 'agents.progressSeconds': 5 },
  { 'agents.memory': 'project' },
  { 'nestedMemoryCache.enabled': true, 'sessionMemory.enabled': false },
  { 'sessionMemory.enabled': false, 'blocking.enabled': false },
  { 'sessionMemory.enabled': false, 'blocking.enabled': false, 'window.percent': 30 },
  { 'sessionMemory.enabled': false, 'blocking.enabled': false, 'window.percent': 20 },
  { 'sessionMemory.enabled': false, 'blocking.enabled': false, 'window.percent': 20 },
];

/** A policy with up to four of its parameters set to something else. */
export const policies: fc.Arbitrary<Pick<PlanInit, 'policy' | 'set'>> = fc
  .oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom(...OWN_POLICIES, 'claude-code/2026', 'claude-code/2026', 'claude-code/2.1'),
    },
    { weight: 1, arbitrary: fc.constantFrom(...SOME_PEERS) },
  )
  .chain((policy) =>
    fc
      .uniqueArray(
        fc.constantFrom(...paramsOf(policyRegistry.get(policy)).filter(({ path }) => !ASIDE.has(path))),
        {
          maxLength: 4,
          selector: ({ path }) => path,
        },
      )
      .chain((specs) =>
        fc.tuple(...specs.map((item) => anyValue(item).map((value) => [item.path, value] as const))),
      )
      .chain((entries) =>
        fc
          .constantFrom(...(SOME_PEERS.includes(policy) ? [{}] : BOLD))
          .map((bold) => ({ policy, set: { ...bold, ...Object.fromEntries(entries) } })),
      ),
  );
