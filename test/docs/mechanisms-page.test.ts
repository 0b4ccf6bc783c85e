import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { INVARIANTS } from '../helpers/mechanisms/invariants.js';
import { type Acted, findActed, findTests, MECHANISMS, mechanismsPage } from '../helpers/mechanisms/page.js';
import { expectGenerated } from '../helpers/pages/generated.js';

const ROOT = resolve(import.meta.dirname, '../..');
let acted: ReadonlyMap<string, Acted> = new Map();
const tests = findTests();

beforeAll(() => {
  acted = findActed();
}, 300_000);

describe('docs/mechanisms.md', () => {
  it('C40 every mechanism acts in a shipped scenario', () => {
    expect(MECHANISMS.map(({ id }) => id).filter((id) => !acted.has(id))).toEqual([]);
  });

  it('C40 every mechanism and invariant has a test that names it', () => {
    const ids = [...MECHANISMS, ...INVARIANTS].map(({ id }) => id);
    expect(ids.filter((id) => !tests.has(id))).toEqual([]);
  });

  it('C40 the code of every mechanism is where the page says', () => {
    expect(MECHANISMS.map(({ code }) => code).filter((code) => !existsSync(resolve(ROOT, code)))).toEqual([]);
  });

  it('C40 is what the scenarios show', () => {
    expectGenerated('docs/mechanisms.md', mechanismsPage(acted, tests));
  });
});
