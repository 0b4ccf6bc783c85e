import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { INVARIANTS } from '../helpers/mechanisms/invariants.js';
import {
  findTests,
  MECHANISMS,
  mechanismsPage,
  runScenarios,
  type ScenarioRuns,
} from '../helpers/mechanisms/page.js';
import { expectGenerated } from '../helpers/pages/generated.js';

const ROOT = resolve(import.meta.dirname, '../..');
let runs: ScenarioRuns;
const tests = findTests();

beforeAll(() => {
  runs = runScenarios();
}, 300_000);

it('shipped scenarios hold what they expect', () => {
  expect(runs.failed).toEqual([]);
});

describe('docs/mechanisms.md', () => {
  it('C40 every mechanism acts in a shipped scenario', () => {
    expect(MECHANISMS.map(({ id }) => id).filter((id) => !runs.acted.has(id))).toEqual([]);
  });

  it('C40 every mechanism and invariant has a test that names it', () => {
    const ids = [...MECHANISMS, ...INVARIANTS].map(({ id }) => id);
    expect(ids.filter((id) => !tests.has(id))).toEqual([]);
  });

  it('C40 the code of every mechanism is where the page says', () => {
    expect(MECHANISMS.map(({ code }) => code).filter((code) => !existsSync(resolve(ROOT, code)))).toEqual([]);
  });

  it('C40 is what the scenarios show', () => {
    expectGenerated('docs/mechanisms.md', mechanismsPage(runs.acted, tests));
  });
});
