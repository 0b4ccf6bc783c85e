import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compileScenario } from '../../../src/config/compile.js';
import { builtinContext } from '../../../src/config/context.js';
import { filesOf } from '../../../src/config/files/open-ref.js';
import { evaluateExpectation } from '../../../src/metrics/expect.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { openOnce } from '../open-once.js';
import { runLog } from '../plan.js';
import { AROUND_THE_SESSION } from './around-the-session.js';
import { COUNTING } from './counting.js';
import { IN_SESSION } from './in-session.js';
import { INVARIANTS } from './invariants.js';
import { COMMON_SOURCE, type Mechanism, mechanisms } from './mechanism.js';

const ROOT = resolve(import.meta.dirname, '../../..');
const SCENARIOS = join(ROOT, 'scenarios');

/** Every mechanism, in the order of the page. */
export const MECHANISMS: readonly Mechanism[] = mechanisms({
  ...COUNTING,
  ...IN_SESSION,
  ...AROUND_THE_SESSION,
});

/** Where a mechanism acted most often. */
export interface Acted {
  readonly scenario: string;
  readonly variant: string | null;
  readonly times: number;
}

/** What shipped scenarios come to. */
export interface ScenarioRuns {
  /** The run in which each mechanism acted most. */
  readonly acted: ReadonlyMap<string, Acted>;
  /** Expectations that do not hold. */
  readonly failed: readonly string[];
}

/** Runs every shipped scenario that needs no file of its own. */
export function runScenarios(): ScenarioRuns {
  const acted = new Map<string, Acted>();
  const failed: string[] = [];
  for (const scenario of readdirSync(SCENARIOS)
    .filter((name) => name.endsWith('.yaml'))
    .sort()) {
    const text = readFileSync(join(SCENARIOS, scenario), 'utf8');
    const open = openOnce(SCENARIOS);
    for (const { plan, transcript: ref, variant, expectations } of compileScenario(
      { text, file: join(SCENARIOS, scenario), set: [] },
      builtinContext,
    ).runs) {
      if (filesOf(ref).some(({ path }) => !existsSync(path))) continue;
      const transcript = open(ref);
      const run = { plan, transcript, entries: runLog(plan, transcript) };
      for (const mechanism of MECHANISMS) {
        const times = mechanism.acted(run);
        if (times > (acted.get(mechanism.id)?.times ?? 0))
          acted.set(mechanism.id, { scenario, variant, times });
      }
      const facts = foldLog(run.entries);
      for (const expectation of expectations) {
        const { passed, text: wanted, message } = evaluateExpectation(expectation, facts);
        if (!passed) failed.push(`${scenario} ${variant ?? 'base'}: ${wanted}: ${message}`);
      }
    }
  }
  return { acted, failed };
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

/** One test is enough for a page, best the one that mirrors the code: `grep` finds the others by the ID. */
function testLink(tests: readonly string[] = [], code = ''): string {
  const mirror = code.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts');
  const near = (test: string): boolean => test.startsWith(`${dirname(mirror)}/`);
  const shown = tests.find((test) => test === mirror) ?? tests.find(near) ?? tests[0];
  return shown === undefined ? '' : link(shown);
}

/** The page with every mechanism: what it does, where, how it is tested, and where it acts. */
export function mechanismsPage(
  acted: ReadonlyMap<string, Acted>,
  tests: ReadonlyMap<string, readonly string[]>,
): string {
  const rows = MECHANISMS.map(({ id, does, code, source }) => {
    const where = acted.get(id);
    const place =
      where === undefined
        ? ''
        : `${link(`scenarios/${where.scenario}`)}${where.variant === null ? '' : `, ${where.variant}`}`;
    const times = where === undefined ? '' : where.times.toLocaleString('en-US');
    return `| ${id} | ${does} | ${link(code)} | ${testLink(tests.get(id), code)} | ${place} | ${times} | ${source === COMMON_SOURCE ? '' : source} |`;
  });
  const invariants = INVARIANTS.map(({ id, holds }) => `| ${id} | ${holds} | ${testLink(tests.get(id))} |`);
  return [
    '# Mechanisms',
    '',
    'What ccbench simulates, by ID. `grep -rn "WIN-3" src test` finds the code and all tests of an ID. *Acts in* names the shipped',
    'scenario in which the mechanism acts most often, and how many times. The source is public analysis, confirmed by *recordings* or',
    '*measured* on shipped clients if the last column says so. *API* is its documentation, *ccbench* our own definition.',
    '',
    '| ID | what it does | code | test | acts in | times | source |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    '',
    '## Invariants',
    '',
    'What holds in every run, whatever the policy, the faults and the clock:',
    '',
    '| ID | what holds | test |',
    '|---|---|---|',
    ...invariants,
    '',
  ].join('\n');
}
