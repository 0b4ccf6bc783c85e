import { type CcbenchError, formatPath, type Path, ProblemList } from '../core/base/errors.js';
import { readBy } from '../core/base/schema-problems.js';
import { placedProblems, type ReadDocument, readDocument, type ScenarioDocument } from './files/document.js';
import { type Scenario, scenarioSchema } from './schema/schema.js';

/** Problems of one scenario; of several at one path the first is kept. */
export interface ProblemCollector {
  add(path: Path, error: CcbenchError): void;
  addAll(errors: readonly CcbenchError[]): void;
  /** Whether there is a problem at a path or below it. */
  touches(path: Path): boolean;
  /** In the order of the file; those of the command line last. */
  list(): readonly CcbenchError[];
}

function inFileOrder(a: CcbenchError, b: CcbenchError): number {
  const line = (error: CcbenchError) => error.place?.line ?? Number.MAX_SAFE_INTEGER;
  return line(a) - line(b) || (a.place?.column ?? 0) - (b.place?.column ?? 0);
}

/** Creates an empty collector. */
export function createProblems(): ProblemCollector {
  const errors: CcbenchError[] = [];
  const paths: Path[] = [];
  const isBelow = (inner: Path, outer: Path) => outer.every((part, i) => inner[i] === part);
  return {
    add(path, error) {
      if (paths.some((seen) => seen.length === path.length && isBelow(seen, path))) return;
      paths.push(path);
      errors.push(error);
    },
    addAll: (more) => void errors.push(...more),
    touches: (path) => paths.some((seen) => isBelow(seen, path)),
    list: () => [...errors].sort(inFileOrder),
  };
}

/** The error that carries all problems of a scenario. */
export function scenarioProblems(file: string, problems: readonly CcbenchError[]): ProblemList {
  return new ProblemList('bad-scenario', file, problems);
}

/** The text that was read last: a study compiles one scenario again and again, each time with other settings. */
let latest: { readonly text: string; readonly file: string; readonly read: ReadDocument } | null = null;

/** Reads a text with places and collects what its syntax and its duplicate keys say; broken syntax throws at once. */
export function loadScenario(text: string, file: string, problems: ProblemCollector): ScenarioDocument {
  if (latest?.text !== text || latest.file !== file) latest = { text, file, read: readDocument(text, file) };
  const { read } = latest;
  problems.addAll(read.problems);
  if (read.document === null) throw scenarioProblems(file, problems.list());
  return read.document;
}

/** Reads a scenario by its schema; undefined after its problems were reported. */
export function readScenario(document: ScenarioDocument, problems: ProblemCollector): Scenario | undefined {
  const label = (path: Path): string => (path.length === 0 ? '' : `\`${formatPath(path)}\`: `);
  const add = placedProblems(document, null, (error, { path }) => problems.add(path, error));
  return readBy(scenarioSchema, document.value, add, { label });
}
