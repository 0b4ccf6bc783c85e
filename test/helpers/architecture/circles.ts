import { posix } from 'node:path';
import { importsOf, type SourceFile } from './layers.js';

/** The rooms of the engine, innermost first: a file imports its own room and those before it. */
export const ENGINE_ROOMS = [
  'counting',
  'context',
  'requests',
  'actions',
  'thread',
  'run',
  'columnar',
] as const;

/** Files of the tree that each file imports, types included. */
function importGraph(files: readonly SourceFile[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => [
      file.path,
      importsOf(file)
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => posix.join(posix.dirname(file.path), specifier.replace(/\.js$/, '.ts')))
        .filter((path) => paths.has(path)),
    ]),
  );
}

/** Groups of files that import each other in a circle, whichever form the imports have (Tarjan). */
export function circlesIn(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const graph = importGraph(files);
  const order = new Map<string, number>();
  const low = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];
  const visit = (path: string): void => {
    order.set(path, order.size);
    low.set(path, order.get(path)!);
    open.push(path);
    for (const next of graph.get(path)!) {
      if (!order.has(next)) visit(next);
      if (open.includes(next)) low.set(path, Math.min(low.get(path)!, low.get(next)!));
    }
    if (low.get(path) !== order.get(path)) return;
    const circle = open.splice(open.indexOf(path));
    if (circle.length > 1 || graph.get(path)!.includes(path)) circles.push(circle.sort());
  };
  for (const path of [...graph.keys()].sort()) if (!order.has(path)) visit(path);
  return circles;
}

/** Imports of the engine that go against the direction of its rooms, and files in no room. */
export function roomViolations(files: readonly SourceFile[]): readonly string[] {
  const roomOf = (path: string): number =>
    ENGINE_ROOMS.indexOf(path.split('/')[2] as (typeof ENGINE_ROOMS)[number]);
  const found: string[] = [];
  for (const [path, imports] of importGraph(files)) {
    if (!path.startsWith('src/engine/')) continue;
    if (roomOf(path) === -1) found.push(`${path} is in no room`);
    for (const other of imports)
      if (other.startsWith('src/engine/') && roomOf(other) > roomOf(path))
        found.push(`${path} imports ${other}`);
  }
  return found;
}
