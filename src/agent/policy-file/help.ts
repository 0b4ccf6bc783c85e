import type { Path } from '../../core/base/errors.js';
import { schemaMap } from '../../core/base/explain.js';
import { ownValue } from '../../core/base/own-value.js';
import { COUNTED, COUNTED_NAMES } from '../../core/run/policy-rules.js';
import { policySchema } from './read-policy.js';

/** What is said of a value of a policy file. */
export interface ValueHelp {
  readonly help: string;
  readonly unit: string | null;
}

const UNITS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(COUNTED_NAMES.map((name) => [name, COUNTED[name].unit])),
  tokens: 'tokens',
  growth: 'tokens',
  piled: 'tokens',
  freed: 'tokens',
  target: 'tokens',
  output: 'tokens',
  system: 'tokens',
  tools: 'tokens',
  floor: 'tokens',
  block: 'tokens',
  cap: 'tokens',
  minus: 'tokens',
  each: 'tokens',
  total: 'tokens',
  env: 'tokens',
  ack: 'tokens',
  trailer: 'tokens',
  perMessage: 'tokens',
  perImage: 'tokens',
  minChars: 'characters',
  head: 'characters',
  tail: 'characters',
  charsPerToken: 'characters/token',
  events: 'messages',
  'only-if': 'tokens',
  atLeast: 'tokens',
  times: 'share',
  share: 'share',
  chars: 'characters',
  scale: 'factor',
  pastReasoning: 'factor',
  keptReasoning: 'factor',
};

/** Units of keys that mean something else inside another key. */
const INSIDE: readonly (readonly [string, string, string])[] = [
  ['user', 'head', 'tokens'],
  ['shrink', 'times', 'attempts'],
  ['shrink', 'drop-oldest', 'share'],
  ['keepAlive', 'times', 'times'],
];

/** One sentence about the value at a path of a policy file, and its unit. */
export function helpFor(path: Path): ValueHelp {
  const key = [...path].reverse().find((part) => typeof part === 'string');
  const inside = INSIDE.find(([outer, own]) => own === key && path.includes(outer));
  return {
    help: schemaMap(policySchema).helpAt(path),
    unit: inside?.[2] ?? ownValue(UNITS, String(key)) ?? null,
  };
}
