import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { compileScenario } from '../../../src/config/compile.js';
import { builtinContext } from '../../../src/config/context.js';
import { filesOf, openRef } from '../../../src/config/files/open-ref.js';
import { runLog } from '../plan.js';
import { AROUND_THE_SESSION } from './around-the-session.js';
import { COUNTING } from './counting.js';
import { IN_SESSION } from './in-session.js';
import { INVARIANTS } from './invariants.js';
import type { Mechanism } from './mechanism.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const SCENARIOS = join(ROOT, 'scenarios');

/** Every mechanism, in the order of the page. */
export const MECHANISMS: readonly Mechanism[] = [...COUNTING, ...IN_SESSION, ...AROUND_THE_SESSION];

/** Where a mechanism acted most often. */
export interface Acted {
  readonly scenario: string;
  readonly variant: string | null;
  readonly times: number;
}

/** Runs every shipped scenario that needs no file of its own, and finds for each mechanism the run in which it acted most. */
export function findActed(): ReadonlyMap<string, Acted> {
  const acted = new Map<string, Acted>();
  for (const scenario of readdirSync(SCENARIOS)
    .filter((name) => name.endsWith('.yaml'))
    .sort()) {
    const text = readFileSync(join(SCENARIOS, scenario), 'utf8');
    for (const { plan, transcript: ref, variant } of compileScenario(
      { text, file: join(SCENARIOS, scenario), set: [] },
      builtinContext,
    ).runs) {
      if (filesOf(ref).some(({ path }) => !existsSync(path))) continue;
      const transcript = openRef(ref, { cwd: SCENARIOS });
      const run = { plan, transcript, entries: runLog(plan, transcript) };
      for (const mechanism of MECHANISMS) {
        const times = mechanism.acted(run);
        if (times > (acted.get(mechanism.id)?.times ?? 0))
          acted.set(mechanism.id, { scenario, variant, times });
      }
    }
  }
  return acted;
}

/** Test files by the IDs that titles in them name. */
export function findTests(): ReadonlyMap<string, readonly string[]> {
  const tests = new Map<string, string[]>();
  const folder = join(ROOT, 'test');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  for (const file of files.map((name) => name.replaceAll('\\', '/')).sort()) {
    const ids = new Set<string>();
    for (const [, title] of readFileSync(join(folder, file), 'utf8').matchAll(TITLE)) {
      for (const [id] of title!.matchAll(/\b[A-Z]{3}-\d+\b/g)) ids.add(id);
    }
    for (const id of ids) tests.set(id, [...(tests.get(id) ?? []), `test/${file}`]);
  }
  return tests;
}

/** Titles of tests: the text at the beginning of `it` and of its forms. */
const TITLE = /\bit(?:\.each\([\s\S]*?\))?\(\s*['"`]([^'"`]*)/g;

/** Scenarios are links; sources and tests are names: the page is part of the package, and they are not. */
function link(path: string): string {
  if (!path.startsWith('scenarios/')) return `\`${path}\``;
  return `[${path.split('/').at(-1)}](../${path})`;
}

/** One test is enough for a page: `grep` finds the others by the ID. */
function testLink([first]: readonly string[] = []): string {
  return first === undefined ? '' : link(first);
}

/** The page with every mechanism: what it does, where, how it is tested, and where it acts. */
export function mechanismsPage(
  acted: ReadonlyMap<string, Acted>,
  tests: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = MECHANISMS.map(({ id, does, code, source, counts }) => {
    const where = acted.get(id);
    const place =
      where === undefined
        ? ''
        : `${link(`scenarios/${where.scenario}`)}${where.variant === null ? '' : `, ${where.variant}`}`;
    const times = where === undefined ? '' : `${where.times.toLocaleString('en-US')} ${counts}`;
    return `| ${id} | ${does} | ${link(code)} | ${testLink(tests.get(id))} | ${place} | ${times} | ${source} |`;
  });
  const invariants = INVARIANTS.map(({ id, holds }) => `| ${id} | ${holds} | ${testLink(tests.get(id))} |`);
  return [
    '# Mechanisms',
    '',
    'What ccbench simulates, by ID. `grep -rn "WIN-3" src test` finds the code and all tests of one. The scenario is the shipped one in which',
    'the mechanism acted most often. An ID that acts nowhere fails the tests. This page is generated:',
    '`UPDATE_GENERATED=1 npx vitest run test/docs/mechanisms-page.test.ts`.',
    '',
    '| ID | what it does | code | test | acts in | times | source |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '## Invariants',
    '',
    'What holds in every run, whatever the policy, the faults and the clock.',
    '',
    '| ID | what holds | test |',
    '|---|---|---|',
    ...invariants,
    '',
  ].join('\n');
}
