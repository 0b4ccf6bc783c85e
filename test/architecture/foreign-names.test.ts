import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { foreignNames, MAY_INDEX } from '../../scripts/types/foreign-names.mjs';
import { ROOT } from '../helpers/architecture/tree.js';

// The sources themselves are checked by npm run typecheck, which has their types.
it('H2 the type check finds a planted look-up, a write, a cast and `in`; known words, lists, texts, maps and tables without a prototype pass', () => {
  const found = `
    const units: Readonly<Record<string, number>> = { k: 1000 };
    const known = { a: 1, b: 2 };
    export function read(name: string): unknown { return units[name]; }
    export function write(all: Record<string, number>, name: string): void { all[name] = 1; }
    export function cast(name: string): unknown { return known[name as 'a']; }
    export function asked(name: string): boolean { return name in known; }
    export function generic<K extends string>(all: Record<K, number>, name: K): unknown { return all[name]; }`;
  const passing = `
    import { createNameTable } from '../core/base/own-value.js';
    const known = { a: 1, b: 2 };
    export const word = (name: 'a' | 'b'): number => known[name];
    export const item = (list: readonly string[], i: number): unknown => list[i]?.[0];
    export const has = (): boolean => 'a' in known;
    export function count(names: readonly string[]): object {
      const table = createNameTable<number>();
      for (const name of names) table[name] = (table[name] ?? 0) + 1;
      return table;
    }`;
  const planted = Object.entries({ planted: found, passing }).map(
    ([name, text]) => [join(ROOT, `src/engine/${name}.ts`), text] as const,
  );
  expect(foreignNames(ROOT, 'tsconfig.json', new Map(planted))).toEqual([
    'src/engine/planted.ts:4 looks up a text in a plain object: units[name]',
    'src/engine/planted.ts:5 looks up a text in a plain object: all[name]',
    "src/engine/planted.ts:6 looks up a text in a plain object: known[name as 'a']",
    'src/engine/planted.ts:7 asks with `in` for a text: name in known',
    'src/engine/planted.ts:8 looks up a text in a plain object: all[name]',
  ]);
});

it('each file that may index objects by text exists', () => {
  for (const path of MAY_INDEX.keys()) expect(existsSync(join(ROOT, path)), path).toBe(true);
});
