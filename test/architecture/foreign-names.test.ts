import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typeProblems } from '../../scripts/types/check-types.mjs';
import { MAY_INDEX } from '../../scripts/types/foreign-names.mjs';
import { ROOT } from '../helpers/architecture/tree.js';

// The sources themselves are checked by npm run typecheck, which has their types.
it('H2 the type check finds a wrong type, and a planted look-up, a write, a cast and `in`; known words, lists, texts, maps and tables without a prototype pass', () => {
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
  const planted = Object.entries({ planted: found, passing, wrong: "export const n: number = 'text';" }).map(
    ([name, text]) => [join(ROOT, `src/engine/${name}.ts`), text] as const,
  );
  expect(typeProblems(ROOT, 'tsconfig.json', new Map(planted))).toEqual([
    expect.stringContaining('TS2322'),
    'src/engine/planted.ts:4 looks up a text in a plain object: units[name]',
    'src/engine/planted.ts:5 looks up a text in a plain object: all[name]',
    "src/engine/planted.ts:6 looks up a text in a plain object: known[name as 'a']",
    'src/engine/planted.ts:7 asks with `in` for a text: name in known',
    'src/engine/planted.ts:8 looks up a text in a plain object: all[name]',
  ]);
});

it('the type check refuses to read the build', () => {
  const planted = new Map([[join(ROOT, 'src/engine/planted.ts'), "import '../../dist/index.js';"]]);
  expect(typeProblems(ROOT, 'tsconfig.json', planted).join()).toContain('import the build by a URL');
});

it('each file that may index objects by text exists', () => {
  for (const path of MAY_INDEX.keys()) expect(existsSync(join(ROOT, path)), path).toBe(true);
});
