import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import {
  CcbenchError,
  isGroup,
  type Path,
  type Place,
  type Problem,
  type Problems,
} from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';

/** A scenario's value together with where each part of it was written. */
export interface ScenarioDocument {
  readonly file: string;
  readonly value: unknown;
  /** Where the value at a path is; the nearest enclosing one if it is absent. */
  placeOf(path: Path): Place;
  /** Where the key of a path is. */
  placeOfKey(path: Path): Place;
}

/** What reading a text gave: a document unless its syntax is broken, and what is wrong with it. */
export interface ReadDocument {
  readonly document: ScenarioDocument | null;
  readonly problems: readonly CcbenchError[];
}

const SYNTAX: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'a tab is used for indentation; YAML allows only spaces',
  MULTIPLE_DOCS: 'a second document starts here; a scenario file holds one',
  BAD_INDENT: 'this line is indented differently from its neighbours, or a bracket before it is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'a second `key:` on one line; put the value in quotes or on its own line',
  BAD_ALIAS: 'this alias is not written correctly',
  BAD_DQ_ESCAPE: 'an unknown escape inside double quotes',
  MULTILINE_IMPLICIT_KEY: 'a `key: value` pair is broken over lines, or a colon is missing',
};

const MISSING_CHAR = /^Missing closing ["']quote$/;

function syntaxSentence(code: string, message: string): string {
  if (MISSING_CHAR.test(message)) return 'a quotation mark is not closed';
  const known = ownValue(SYNTAX, code);
  if (known !== undefined) return known;
  return `not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`;
}

function resolve(node: unknown, doc: Document.Parsed): Node | null {
  let current = node;
  while (isAlias(current)) current = current.resolve(doc);
  return isNode(current) ? current : null;
}

function firstLostAlias(doc: Document.Parsed): Alias | null {
  let lost: Alias | null = null;
  visit(doc, {
    Alias(_key, node) {
      if (node.resolve(doc) !== undefined) return undefined;
      lost = node;
      return visit.BREAK;
    },
  });
  return lost;
}

interface Step {
  readonly key: Node | null;
  readonly value: Node | null;
}

function step(node: Node | null, part: string | number): Step | null {
  if (isMap(node)) {
    const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(part));
    if (pair === undefined) return null;
    return { key: pair.key as Node, value: isNode(pair.value) ? pair.value : null };
  }
  if (isSeq(node) && typeof part === 'number') {
    const item = node.items[part];
    return isNode(item) ? { key: item, value: item } : null;
  }
  return null;
}

function createPlaces(doc: Document.Parsed, lines: LineCounter, file: string) {
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const offsetOf = (node: Node | null): number | null => node?.range?.[0] ?? null;
  const find = (path: Path, want: 'key' | 'value'): Place => {
    let offset = offsetOf(doc.contents) ?? 0;
    let node = resolve(doc.contents, doc);
    for (const part of path) {
      const next = step(node, part);
      if (next === null) break;
      const atKey = offsetOf(next.key);
      const empty = next.value === null || (isScalar(next.value) && next.value.source === '');
      const atValue = empty ? atKey : offsetOf(next.value);
      offset = (want === 'key' ? atKey : atValue) ?? offset;
      node = resolve(next.value, doc);
    }
    return placeAt(offset);
  };
  return { placeAt, find };
}

/** What an empty file should hold. */
export const EMPTY_HINTS = {
  scenario: 'write at least `name:` and `transcript:`; `ccbench init` makes a starter file',
  policy: 'write at least `rules:`; `ccbench policies new` makes a starter file',
  provider: 'write the knobs of its cache; docs/providers.md names them',
  script: 'write at least `steps:`; docs/serve.md has an example',
  'table of models': 'write models by id, such as `my-model: { prices: { input: 1, output: 5 } }`',
} as const;

/** Reads a scenario's text; duplicate keys leave a document to continue checking, broken syntax does not. */
export function readDocument(
  source: string,
  file: string,
  kind: keyof typeof EMPTY_HINTS = 'scenario',
): ReadDocument {
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const lines = new LineCounter();
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const places = createPlaces(doc, lines, file);
  const problems: CcbenchError[] = [];
  let broken = false;
  for (const error of doc.errors) {
    const place = places.placeAt(error.pos[0]);
    if (error.code === 'DUPLICATE_KEY') {
      const key = /^[^\s:,}\]]+/.exec(text.slice(error.pos[0]))?.[0] ?? 'a key';
      problems.push(
        new CcbenchError('duplicate-name', `\`${key}\` is written twice`, {
          place,
          hint: 'keep one of the two',
        }),
      );
    } else {
      broken = true;
      problems.push(new CcbenchError('bad-scenario', syntaxSentence(error.code, error.message), { place }));
    }
  }
  for (const warning of doc.warnings) {
    const place = places.placeAt(warning.pos[0]);
    const tag = /![^\s]*/.exec(warning.message)?.[0] ?? '';
    problems.push(
      new CcbenchError('bad-scenario', `the tag \`${tag}\` means nothing here`, { place, hint: 'remove it' }),
    );
  }
  if (broken) return { document: null, problems };
  if (doc.contents === null) {
    problems.push(
      new CcbenchError('bad-scenario', `the ${kind} is empty`, {
        place: { file, line: 1, column: 1 },
        hint: EMPTY_HINTS[kind],
      }),
    );
    return { document: null, problems };
  }
  let value: unknown;
  try {
    value = doc.toJS({ maxAliasCount: 100 });
  } catch {
    const lost = firstLostAlias(doc);
    problems.push(
      new CcbenchError(
        'bad-scenario',
        lost === null ? 'too many aliases' : `there is no anchor &${lost.source}`,
        {
          place: places.placeAt(lost?.range?.[0] ?? 0),
        },
      ),
    );
    return { document: null, problems };
  }
  return {
    document: {
      file,
      value,
      placeOf: (path) => places.find(path, 'value'),
      placeOfKey: (path) => places.find(path, 'key'),
    },
    problems,
  };
}

/** A value with the one at a path replaced. */
export function replaceAt(current: unknown, [part, ...rest]: Path, value: unknown): unknown {
  if (part === undefined) return value;
  if (Array.isArray(current))
    return current.map((item, i) => (i === part ? replaceAt(item, rest, value) : item));
  return {
    ...(current as object),
    [part]: replaceAt(ownValue(current as Record<string | number, unknown>, part), rest, value),
  };
}

/** What a YAML file is meant as, where its keys leave no doubt. */
export function kindOfFile(value: unknown): 'scenario' | 'policy' | null {
  if (!isGroup(value)) return null;
  const isScenario = ['transcript', 'transcripts', 'sessions'].some((key) => Object.hasOwn(value, key));
  const isPolicy = Object.hasOwn(value, 'rules');
  if (isScenario === isPolicy) return null;
  return isScenario ? 'scenario' : 'policy';
}

/** The error where a file of one kind is given for another: the keys that it lacks would say less. */
export function wrongKind(file: string, is: string, wanted: string, hint: string): CcbenchError {
  return new CcbenchError('bad-scenario', `this is ${is}, not ${wanted}`, {
    place: { file, line: 1, column: 1 },
    hint,
  });
}

/** Takes in problems and hands them on as errors with their places in a document, whose text shows where values begin. */
export function placedProblems(
  document: ScenarioDocument,
  text: string | null,
  add: (error: CcbenchError, problem: Problem) => void,
): Problems {
  return (problem) => {
    const { code, message, hint } = problem;
    const place = placeOf(document, problem, text);
    add(new CcbenchError(code, message, { place, ...(hint === null ? {} : { hint }) }), problem);
  };
}

/** Where a problem is; one about a character of a value is shown at that character. */
function placeOf(document: ScenarioDocument, { path, side, offset }: Problem, text: string | null): Place {
  if (side === 'key') return document.placeOfKey(path);
  const place = document.placeOf(path);
  if (offset === null || place.line === undefined || place.column === undefined) return place;
  const line = text?.split(/\r?\n/)[place.line - 1] ?? '';
  const quote = /["']/.test(line[place.column - 1] ?? '') ? 1 : 0;
  return { ...place, column: place.column + quote + offset };
}
