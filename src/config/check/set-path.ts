import { parseDocument } from 'yaml';
import { isPolicyPath } from '../../agent/policy-file/paths.js';
import { CcbenchError, isGroup, type Path, type Place } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { unknownPath } from '../../core/base/registry.js';
import type { ScenarioContext } from '../context.js';
import type { ScenarioDocument } from '../files/document.js';
import type { ProblemCollector } from '../load.js';
import { scenarioPaths } from '../schema/schema.js';

/** A change from the command line: where, and what. */
interface Assignment {
  readonly path: Path;
  readonly value: unknown;
}

function isListPosition(part: string): boolean {
  return /^\d+$/.test(part);
}

function pattern(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) {
    if (isListPosition(part)) text += '[]';
    else text += text === '' ? part : `.${part}`;
  }
  return text;
}

function isScenarioPath(parts: readonly string[]): boolean {
  return scenarioPaths().includes(pattern(parts));
}

/** Splits a path of the command line: keys of the scenario, or a policy parameter by its own path. */
function splitPath(text: string, context: ScenarioContext): Path {
  const parts = text.split('.');
  const known = context.policies.specs.map((spec) => spec.path);
  const typed = (items: readonly string[]) =>
    items.map((part) => (isListPosition(part) ? Number(part) : part));
  if (isScenarioPath(parts)) return typed(parts);
  if (known.includes(text) || (isPolicyPath(text) && parts[0] !== 'cache')) return ['policy', 'set', text];
  if (parts[0] === 'policy' && isPolicyPath(parts.slice(1).join('.')))
    return ['policy', 'set', parts.slice(1).join('.')];
  const set = parts.indexOf('set');
  const head = parts.slice(0, set + 1);
  if (set >= 0 && set + 1 < parts.length && isScenarioPath(head)) {
    return [...typed(head), parts.slice(set + 1).join('.')];
  }
  const plain = scenarioPaths().filter((path) => !path.includes('[]'));
  throw unknownPath(
    'setting',
    text,
    [...plain, ...known],
    'ccbench policies show <policy> lists the settings of a policy, ccbench schema the keys of a scenario',
  );
}

/** Reads `path=value`; the value is written as in YAML. */
export function parseAssignment(text: string, context: ScenarioContext): Assignment {
  const equals = text.indexOf('=');
  if (equals <= 0) {
    throw new CcbenchError('bad-usage', `"${text}" is not path=value`, {
      hint: 'for example: --set cache.ttl=1h',
    });
  }
  const path = splitPath(text.slice(0, equals).trim(), context);
  if (path[0] === 'plugins') {
    throw new CcbenchError('bad-usage', 'plug-ins are loaded before settings are changed', {
      hint: 'name the file with --plugin',
    });
  }
  const written = text.slice(equals + 1);
  if (written.trim() === '') {
    throw new CcbenchError('bad-usage', `"${text}" has no value`, { hint: 'write null for none' });
  }
  return { path, value: readValue(written, text) };
}

/** A value as it is written in YAML. */
function readValue(written: string, text: string): unknown {
  const doc = parseDocument(written, { prettyErrors: false, logLevel: 'error' });
  try {
    if (doc.errors.length === 0) return doc.toJS();
  } catch {
    // An alias of an anchor that is not there.
  }
  throw new CcbenchError('bad-usage', `the value of "${text}" cannot be read`, { hint: 'put it in quotes' });
}

function replaceAt(current: unknown, path: Path, value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (typeof part === 'number') {
    const items: unknown[] = Array.isArray(current) ? [...current] : [];
    if (part > items.length) {
      throw new CcbenchError('bad-usage', `there is no position ${part} in a list of ${items.length}`);
    }
    items[part] = replaceAt(items[part], rest, value);
    return items;
  }
  const group = typeof current === 'object' && current !== null && !Array.isArray(current) ? current : {};
  const inner = ownValue(group as Record<string, unknown>, part);
  return { ...group, [part]: replaceAt(inner, rest, value) };
}

/** Whether a policy is written in place. */
function isInline(policy: unknown): boolean {
  return policy !== null && typeof policy === 'object' && Object.hasOwn(policy, 'rules');
}

/** Makes room for a change: a policy or an LLM given by name becomes a group, a recording takes the place of a generated session. */
function prepare(value: unknown, path: Path): unknown {
  const scenario = value as Readonly<Record<string, unknown>>;
  if (path[0] === 'policy' && path.length > 1 && typeof scenario.policy === 'string') {
    return { ...scenario, policy: { use: scenario.policy } };
  }
  if (path[0] === 'llm' && path.length > 1 && typeof scenario.llm === 'string') {
    return { ...scenario, llm: { mode: scenario.llm } };
  }
  if (path[0] === 'policy' && path[1] === 'set' && isInline(scenario.policy)) {
    return { ...scenario, policy: { use: scenario.policy } };
  }
  if (path[0] === 'transcript' && path[1] === 'file') return { ...scenario, transcript: {} };
  return value;
}

function covers(outer: Path, inner: Path): boolean {
  return outer.every((part, i) => inner[i] === part);
}

/** Replaces a scenario's transcripts with recordings; none given leaves it as it is. */
export function withRecordings(
  document: ScenarioDocument,
  recordings: readonly string[] | undefined,
): ScenarioDocument {
  const { value } = document;
  if (recordings === undefined || !isGroup(value)) return document;
  const { transcript: _one, transcripts: _several, ...rest } = value;
  const place: Place = { file: '--transcripts' };
  const placed = (path: Path, otherwise: (path: Path) => Place): Place =>
    path[0] === 'transcript' ? place : otherwise(path);
  return {
    file: document.file,
    value: { ...rest, transcript: { file: [...recordings] } },
    placeOf: (path) => placed(path, document.placeOf),
    placeOfKey: (path) => placed(path, document.placeOfKey),
  };
}

/** A scenario with its base alone. */
export function withoutVariants(document: ScenarioDocument): ScenarioDocument {
  const { value } = document;
  if (!isGroup(value)) return document;
  const { variants: _variants, ...base } = value;
  return { ...document, value: base };
}

/** The name of a scenario's policy, in either form. */
function policyIn(scenario: unknown): unknown {
  const { policy } = scenario as Readonly<Record<string, unknown>>;
  return isGroup(policy) ? policy.use : policy;
}

/** The option that a change comes from: `--policy` and `--model` hand theirs on in quotes. */
function placeOf(change: string): Place {
  const [, option, name] = /^(policy|model)="(.*)"$/.exec(change) ?? [];
  return { file: option === undefined ? `--set ${change}` : `--${option} ${name}` };
}

/** Applies `path=value` changes of the command line; what is wrong with one is reported at that option. */
export function assign(
  document: ScenarioDocument,
  changes: readonly string[],
  context: ScenarioContext,
  problems: ProblemCollector,
): ScenarioDocument {
  let value = document.value;
  const assigned: { readonly path: Path; readonly place: Place }[] = [];
  if (!isGroup(value)) return document;
  for (const change of changes) {
    const place = placeOf(change);
    try {
      const { path, value: wanted } = parseAssignment(change, context);
      const lost = assigned.find((item) => item.path.length > path.length && covers(path, item.path));
      if (lost !== undefined) {
        throw new CcbenchError('no-effect', `it replaces what ${lost.place.file} has set`, {
          hint: 'put its content after it, or remove one of them',
        });
      }
      // Naming the policy that the scenario has is no reason to forget its settings: those of a recording's client, for one.
      if (path.length === 1 && path[0] === 'policy' && wanted === policyIn(value)) continue;
      value = replaceAt(prepare(value, path), path, wanted);
      assigned.unshift({ path, place });
    } catch (error) {
      if (!(error instanceof CcbenchError)) throw error;
      const details = error.hint === null ? { place } : { place, hint: error.hint };
      problems.addAll([new CcbenchError(error.code, error.message, details)]);
    }
  }
  const placed = (path: Path, otherwise: (path: Path) => Place): Place =>
    assigned.find((item) => covers(item.path, path))?.place ?? otherwise(path);
  return {
    file: document.file,
    value,
    placeOf: (path) => placed(path, document.placeOf),
    placeOfKey: (path) => placed(path, document.placeOfKey),
  };
}
