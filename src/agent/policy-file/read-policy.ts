import {
  group,
  isGroup,
  list,
  type PartPath,
  type PartProblem,
  type Problems,
  type Shape,
  shape,
  shownValue,
  text,
  wrongValue,
} from '../../core/base/shape.js';
import type { CountPart, PartsPolicy, RulePart } from '../../core/run/parts.js';
import { checkRules } from './check-rules.js';
import { base, cache, count, guards, NO_GUARDS, USUAL_CACHE, USUAL_COUNT } from './read-client.js';
import { RULE_SCHEMA, rule } from './read-rule.js';

/** Keys of `count` that a source does not go by. */
const IDLE: Readonly<Record<CountPart['source'], readonly string[]>> = {
  usage: ['charsPerToken', 'scale', 'perMessage', 'perImage', 'calibrate'],
  'usage+new': ['calibrate'],
  estimate: ['of', 'since', 'pastReasoning'],
  max: [],
  tokenizer: [
    'of',
    'charsPerToken',
    'scale',
    'perMessage',
    'perImage',
    'since',
    'calibrate',
    'pastReasoning',
  ],
};

/** Refuses what the client is told to do and that nothing in the policy goes by. */
function checkClient(written: unknown, policy: PartsPolicy, path: PartPath, problems: Problems): void {
  const refuse = (at: PartPath, message: string, hint: string | null = null): void =>
    problems({ path: [...path, ...at], side: 'key', offset: null, message, hint, weight: 'error' });
  if (!isGroup(written)) return;
  const idleOf = (count: unknown, { source }: CountPart, at: PartPath): void => {
    for (const key of isGroup(count) ? Object.keys(count) : [])
      if (IDLE[source].includes(key))
        refuse([...at, key], `\`${key}\` has no effect where \`source\` is ${source}`, 'take it out');
  };
  idleOf(written.count, policy.count, ['count']);
  policy.rules.forEach(({ count }, i) => {
    const rule = Array.isArray(written.rules) ? written.rules[i] : undefined;
    if (count !== undefined && isGroup(rule)) idleOf(rule.count, count, ['rules', i, 'count']);
  });
  const asks = policy.rules.filter(({ ask, replace }) => ask !== null && replace === null);
  for (const key of isGroup(written.guards) && asks.length === 0 ? Object.keys(written.guards) : [])
    if (['breaker', 'perTurn', 'cooldown', 'spend'].includes(key))
      refuse(['guards', key], `\`${key}\` has no effect: no rule asks for a summary of the history`);
  const shares = asks.some(
    ({ ask }) => ask?.model === null && ask.shapes[0] !== 'own' && ask.shapes[0] !== 'text',
  );
  if (policy.cache.warmBefore !== undefined && !shares)
    refuse(
      ['cache', 'warmBefore'],
      '`warmBefore` has no effect: no summary request shares the main one',
      'write ask: { shape: extend }, or take it out',
    );
}

/** Who a policy is, beside what it does. */
export interface PolicyHead {
  readonly name: string;
  readonly description: string;
  /** Where its numbers come from, by path; `*` speaks for the rest. */
  readonly sources: Readonly<Record<string, string>>;
  /** Whose habits towards the cache hold. */
  readonly client: string;
  /** Layers of ccbench that act before the rules, in order. */
  readonly layers: readonly string[];
  /** Parameters of those and of the client. */
  readonly set: Readonly<Record<string, unknown>>;
}

/** What a written policy says. */
export interface ReadPolicy {
  readonly head: PolicyHead;
  readonly parts: PartsPolicy;
}

const table = (description: string): Shape<Readonly<Record<string, unknown>>> =>
  shape({ type: 'object', description }, (value, path, problems) => {
    if (isGroup(value)) return value;
    problems(wrongValue(path, `a group of keys is wanted here, not ${shownValue(value)}`));
    return undefined;
  });

const rules: Shape<readonly RulePart[]> = shape(
  {
    type: 'array',
    items: RULE_SCHEMA,
    minItems: 1,
    description: 'Asked in order; the first that changes the history ends the pass.',
  },
  (value, path, problems) => {
    if (!Array.isArray(value)) {
      problems(
        wrongValue(
          path,
          `a list of rules is wanted here, not ${shownValue(value)}`,
          'begin each rule with a hyphen',
        ),
      );
      return undefined;
    }
    const read = value.map((item, i) => rule(i).read(item, [...path, i], problems));
    return read.every((item) => item !== undefined) ? read : undefined;
  },
);

const policyShape = group(
  {
    name: text('Name of the policy, in tables and reports.'),
    description: text('One sentence: what it is.'),
    sources: table('Where numbers come from, by path; `*` speaks for the rest.'),
    client: text(
      'Whose habits towards the cache hold: a client by name, `recorded`, or `none` for the bare API.',
    ),
    layers: list(text('Name of a layer.'), 'Layers of ccbench that act before the rules, such as storage.'),
    set: table('Parameters of those layers and of the client.'),
    count,
    base,
    rules,
    guards,
    cache,
  },
  'How an agent manages its context.',
  ['rules'],
);

/** JSON Schema of a policy file. */
export function policySchema(): Readonly<Record<string, unknown>> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'ccbench policy',
    ...policyShape.schema,
  };
}

/** Reads a written policy; null when it cannot be used. What is wrong goes to `problems`, warnings too. */
export function readPolicy(
  value: unknown,
  otherwise: { readonly name: string },
  tell: Problems,
  path: PartPath = [],
): ReadPolicy | null {
  let isSound = true;
  const problems = (problem: PartProblem): void => {
    if (problem.weight === 'error') isSound = false;
    tell(withHome(problem));
  };
  const written = policyShape.read(value, path, problems);
  if (written === undefined) return null;
  const parts: PartsPolicy = {
    count: written.count ?? USUAL_COUNT,
    base: written.base ?? 'W',
    rules: written.rules!,
    guards: written.guards ?? NO_GUARDS,
    cache: written.cache ?? USUAL_CACHE,
  };
  checkRules(parts, [...path, 'rules'], problems);
  checkClient(value, parts, path, problems);
  if (!isSound) return null;
  return {
    head: {
      name: written.name ?? otherwise.name,
      description: written.description ?? '',
      sources: textsOf(written.sources ?? {}),
      client: written.client ?? 'none',
      layers: written.layers ?? [],
      set: written.set ?? {},
    },
    parts,
  };
}

function textsOf(written: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(written).map(([path, source]) => [path, String(source)]));
}

/** Where a policy may have a key, as its place is written: `when` in a rule. */
const homes = new Map<string, string>();

function findHomes(schema: unknown, at: string): void {
  if (Array.isArray(schema)) for (const one of schema) findHomes(one, at);
  if (!isGroup(schema)) return;
  for (const [key, inner] of Object.entries(isGroup(schema.properties) ? schema.properties : {})) {
    const place = at === '' ? key : `${at}.${key}`;
    if (!homes.has(key)) homes.set(key, place);
    findHomes(inner, place);
  }
  findHomes(schema.items, `${at}[]`);
  findHomes(schema.anyOf, at);
}

/** The problem, with the place where a key belongs that stands in the wrong one. */
function withHome(problem: PartProblem): PartProblem {
  const key = String(problem.path.at(-1));
  if (problem.message !== `unknown key \`${key}\``) return problem;
  if (homes.size === 0) findHomes(policyShape.schema, '');
  const home = homes.get(key);
  if (home === undefined) return problem;
  const known = problem.hint?.replace(/^did you mean [^?]*\? /, '') ?? '';
  return { ...problem, hint: `\`${key}\` belongs to ${home}; ${known}` };
}
