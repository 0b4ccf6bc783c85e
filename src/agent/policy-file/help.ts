import type { PartPath } from '../../core/base/shape.js';
import { policySchema } from './read-policy.js';

/** What is said of a value of a policy file. */
export interface ValueHelp {
  readonly help: string;
  readonly unit: string | null;
}

type Node = Readonly<Record<string, unknown>>;

const UNITS: Readonly<Record<string, string>> = {
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
  toolChars: 'characters',
  charsPerToken: 'characters/token',
  messages: 'messages',
  events: 'messages',
  turns: 'turns',
  toolResults: 'results',
  images: 'images',
  'only-if': 'tokens',
  atLeast: 'tokens',
  times: 'share',
  share: 'share',
  chars: 'share',
  scale: 'factor',
  pastReasoning: 'factor',
};

/** Units of keys that mean something else inside another key. */
const INSIDE: readonly (readonly [string, string, string])[] = [
  ['user', 'head', 'tokens'],
  ['until', 'chars', 'characters'],
  ['shrink', 'chars', 'characters'],
  ['shrink', 'times', 'attempts'],
  ['shrink', 'drop-oldest', 'share'],
  ['keepAlive', 'times', 'times'],
];

let schema: Node | null = null;

/** One sentence about the value at a path of a policy file, and its unit. */
export function helpFor(path: PartPath): ValueHelp {
  schema ??= policySchema();
  let found: readonly Node[] = [schema];
  let help = '';
  for (const part of path) {
    found = found.flatMap(alternatives).flatMap((node) => step(node, part));
    const described = found.flatMap(alternatives).find((node) => typeof node.description === 'string');
    if (described !== undefined) help = String(described.description);
  }
  const key = [...path].reverse().find((part) => typeof part === 'string');
  const inside = INSIDE.find(([outer, own]) => own === key && path.includes(outer));
  return { help, unit: inside?.[2] ?? UNITS[String(key)] ?? null };
}

function alternatives(node: Node): readonly Node[] {
  const { anyOf } = node;
  return Array.isArray(anyOf) ? [node, ...(anyOf as readonly Node[]).flatMap(alternatives)] : [node];
}

function step(node: Node, part: string | number): readonly Node[] {
  if (typeof part === 'number') return node.items === undefined ? [] : [node.items as Node];
  const properties = node.properties as Readonly<Record<string, Node>> | undefined;
  const next = properties?.[part];
  return next === undefined ? [] : [next];
}
