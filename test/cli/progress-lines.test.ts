import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, scenario, tempFolder } from './cli.js';

/** What ends a line of progress as the terminal gets it. */
const WIPE = '\r\u001b[2K';
const SESSION = resolve(import.meta.dirname, '../../fixtures/bugfix-20-turns.jsonl');
const POLICY = scenario('tiny').replace('policy: none', 'policy: baselines/prune').replace('40', '10');
const VARY = ['--vary', 'cache.ttl=5m,1h'];
const QUIET = ['--no-files', '--workers', '0'];

/** Commands that take a while, and the words of their progress: this many of what. */
const COMMANDS: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['run', 'a.yaml', '--no-files'], ['tiny']],
  [['compare', 'b.yaml', ...QUIET], ['of 3 runs']],
  [
    ['sweep', 'a.yaml', ...VARY, ...QUIET],
    ['planning', 'of 2 points', 'of 2 runs'],
  ],
  [['sweep', 'a.yaml', ...VARY, '--results', 'out', '--workers', '0'], ['of 2 runs']],
  [
    [
      'tune',
      'c.yaml',
      '--vary',
      'rules.prune.when.piled=2000..40000',
      '--budget',
      '6',
      '--no-holdout',
      ...QUIET,
    ],
    ['many-tune, rung 1 of 2', 'of 18 runs'],
  ],
  [['inspect', 's.jsonl', 't.jsonl'], ['of 2 files']],
  [
    ['why', 's.jsonl', 't.jsonl', '--results', 'why', '--shard', '1/1'],
    ['looking for copies', 'explaining'],
  ],
  [['validate', 's.jsonl', 't.jsonl'], ['of 2 files']],
  [['ttl', 's.jsonl', 't.jsonl'], ['of 2 files']],
];

function folder(): string {
  const variants = 'variants: [{ name: hour, cache: { ttl: 1h } }, { name: wide, policy: unbounded }]\n';
  const sessions = [4, 5, 6, 7].map(
    (turns) => `  - synthetic: { workload: bugfix, turns: ${turns}, text: none }`,
  );
  const many = `name: many\ntranscripts:\n${sessions.join('\n')}\npolicy: baselines/prune\n`;
  const cwd = tempFolder({ 'a.yaml': POLICY, 'b.yaml': scenario('varied', variants), 'c.yaml': many });
  for (const name of ['s.jsonl', 't.jsonl']) copyFileSync(SESSION, join(cwd, name));
  return cwd;
}

/** A clock on which every look is a tenth of a second later: each step is drawn. */
function slowClock(): () => number {
  let now = 0;
  return () => (now += 100);
}

/** Nothing that tune varies here is cheaper than the unchanged scenario. */
const exitOf = ([command]: readonly string[]): number => (command === 'tune' ? 99 : 0);

describe('progress of a command', () => {
  it.each(COMMANDS)('%j is drawn on a terminal and wiped at the end', async (argv, words) => {
    const { code, stdout, stderr } = await cli(argv, { cwd: folder(), terminal: 'stderr', now: slowClock() });
    expect(code).toBe(exitOf(argv));
    for (const word of words) expect(stderr).toContain(word);
    const drawn = stderr.slice(0, stderr.lastIndexOf(WIPE) + WIPE.length);
    expect(drawn).toMatch(/^\r/);
    // what comes after the last line of progress are notes, each a line of its own
    expect(stderr.slice(drawn.length)).toMatch(/^(?:[^\r]*\n)?$/);
    expect(stdout).not.toContain('\r');
  });

  it('ends with the rate of a study that took a second, on a terminal alone', async () => {
    const cwd = folder();
    const said = async (stepMs: number, terminal: { terminal?: 'stderr' }, ...more: readonly string[]) => {
      let at = 0;
      const now = () => (at += stepMs);
      return (await cli(['sweep', 'a.yaml', ...VARY, ...QUIET, ...more], { cwd, now, ...terminal })).stderr;
    };
    const terminal = { terminal: 'stderr' } as const;
    const rate = /20 turns in [\d.]+ s: \d+ turns\/s\n/;
    expect(await said(1_000, terminal)).toMatch(rate);
    expect(await said(1_000, {})).not.toMatch(rate);
    expect(await said(1_000, terminal, '--json')).not.toMatch(rate);
    expect(await said(1, terminal)).not.toMatch(rate);
  });

  it.each(COMMANDS)('%j is silent with --json, and where stderr is no terminal', async (argv) => {
    const cwd = folder();
    const asJson = await cli([...argv, '--json'], { cwd, terminal: 'stderr', now: slowClock() });
    expect([asJson.code, asJson.stderr.includes('\r')]).toEqual([exitOf(argv), false]);
    JSON.parse(asJson.stdout);
    expect((await cli(argv, { cwd, now: slowClock() })).stderr).not.toContain('\r');
  });
});
