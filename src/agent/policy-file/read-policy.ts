import * as z from 'zod';
import {
  isGroup,
  type Path,
  type Problems,
  problemAt,
  valueAt,
  watchProblems,
} from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { day, group, list, text } from '../../core/base/schema.js';
import { readBy, schemaMap } from '../../core/base/schema-problems.js';
import { COUNTED, COUNTED_NAMES, type PolicyRules, type RulePart } from '../../core/run/policy-rules.js';
import { checkRules } from './check-rules.js';
import { base, cache, count, guards, NO_GUARDS, USUAL_CACHE, USUAL_COUNT } from './client-schema.js';
import type { WrittenPolicy } from './paths.js';
import { rule } from './rule-schema.js';

/** What is said of a value of a policy file. */
interface ValueHelp {
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

/** A policy file. */
export const policySchema = group(
  'How an agent manages its context.',
  {
    rules: z
      .array(rule)
      .transform((rules): readonly RulePart[] => rules.map((one, i) => ({ name: `rule-${i + 1}`, ...one })))
      .meta({
        title: 'a list of rules, each after a hyphen',
        description: 'Asked in order; the first that changes the history ends the pass.',
      }),
  },
  {
    name: text('Name of the policy, in tables and reports.'),
    description: text('One sentence: what it is.'),
    sources: z
      .record(z.string(), z.unknown())
      .describe('Where numbers come from, by path; `*` speaks for the rest.'),
    checked: day('Day on which it was last compared with its sources.'),
    client: text('Whose cache behaviour applies: a client by name, `recorded`, or `none` for the bare API.'),
    layers: list(text('Name of a layer.'), 'Layers of ccbench that act before the rules, such as storage.'),
    set: z.record(z.string(), z.unknown()).describe('Parameters of those layers and of the client.'),
    count,
    base,
    guards,
    cache,
  },
);

/** Checks what no part of a policy can by itself. */
function checkTogether(written: unknown, rules: PolicyRules, path: Path, problems: Problems): void {
  checkRules(rules, [...path, 'rules'], problems);
  checkClient(written, rules, path, problems);
}

/** Refuses client settings that no rule of the policy goes by. */
function checkClient(written: unknown, policy: PolicyRules, path: Path, problems: Problems): void {
  const refuse = (at: Path, message: string, hint: string | null = null): void =>
    problems(problemAt([...path, ...at], message, { side: 'key', hint }));
  const asks = policy.rules.filter(({ ask, replace }) => ask !== null && replace === null);
  const guarded = isGroup(written) && isGroup(written.guards) ? Object.keys(written.guards) : [];
  for (const key of asks.length === 0 ? guarded : [])
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
interface PolicyHead {
  readonly name: string;
  readonly description: string;
  /** Where its numbers come from, by path; `*` speaks for the rest. */
  readonly sources: Readonly<Record<string, string>>;
  /** Day on which it was last compared with them; null if it does not say. */
  readonly checked: string | null;
  /** Whose behaviours towards the cache hold. */
  readonly client: string;
  /** Layers of ccbench that act before the rules, in order. */
  readonly layers: readonly string[];
  /** Parameters of those and of the client. */
  readonly set: Readonly<Record<string, unknown>>;
}

/** What a written policy says. */
export interface ReadPolicy {
  readonly head: PolicyHead;
  readonly rules: PolicyRules;
}

/** Reads a written policy; null when it cannot be used. What is wrong goes to `problems`, warnings too. */
export function readPolicy(
  value: unknown,
  otherwise: { readonly name: string },
  report: Problems,
  path: Path = [],
): ReadPolicy | null {
  const { problems, isSound } = watchProblems(report);
  const written = readBy(policySchema, value, problems, { path });
  if (written === undefined) return null;
  const rules: PolicyRules = {
    count: written.count ?? USUAL_COUNT,
    base: written.base ?? 'W',
    rules: written.rules,
    guards: written.guards ?? NO_GUARDS,
    cache: written.cache ?? USUAL_CACHE,
  };
  checkTogether(value, rules, path, problems);
  if (!isSound()) return null;
  const {
    name = otherwise.name,
    description = '',
    sources = {},
    checked = null,
    client = 'none',
    layers = [],
    set = {},
  } = written;
  const texts = Object.entries(sources).map(([at, source]) => [at, String(source)]);
  const head = { name, description, sources: Object.fromEntries(texts), checked, client, layers, set };
  return { head, rules };
}

/** A written policy and what was read of it. */
interface KnownRules {
  readonly written: WrittenPolicy;
  readonly rules: PolicyRules;
}

/**
 * Reads a policy of which values were changed: a study does so for every point, so what is the same object as before is not read
 * again. Null when it cannot be used.
 */
export function rereadRules(value: WrittenPolicy, known: KnownRules, report: Problems): PolicyRules | null {
  const { problems, isSound } = watchProblems(report);
  const reread = <T>(schema: z.ZodType<T>, at: Path, was: T): T => {
    const now = valueAt(value, at);
    if (now === valueAt(known.written, at)) return was;
    return readBy(schema, now, problems, { path: at }) ?? was;
  };
  const { rules } = known;
  const read: PolicyRules = {
    count: reread(count, ['count'], rules.count),
    base: reread(base, ['base'], rules.base),
    rules: rules.rules.map((was, i) => ({ ...was, ...reread<Partial<RulePart>>(rule, ['rules', i], was) })),
    guards: reread(guards, ['guards'], rules.guards),
    cache: reread(cache, ['cache'], rules.cache),
  };
  if (isSound()) checkTogether(value, read, [], problems);
  return isSound() ? read : null;
}
