import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../helpers/architecture/tree.js';
import { cli, scenario, tempFolder } from '../cli.js';

const SESSION = join(ROOT, 'fixtures/bugfix-20-turns.jsonl');
const VARIANTS =
  'variants:\n  - { name: hour, cache: { ttl: 1h } }\n  - { name: five, cache: { ttl: 5m } }\n';

const COMMANDS: readonly (readonly [string, readonly string[]])[] = [
  ['run', ['a.yaml']],
  ['run', ['b.yaml']],
  ['compare', ['a.yaml', '--set', 'cache.ttl=5m,1h']],
  ['sweep', ['a.yaml', '--vary', 'cache.ttl=5m,1h']],
  ['tune', ['a.yaml', '--vary', 'cache.ttl=5m,1h', '--minimise', 'costUsd']],
  ['why', [SESSION]],
  ['inspect', [SESSION]],
  ['ttl', [SESSION]],
  ['validate', [SESSION]],
  ['diff', ['a.yaml', 'b.yaml']],
];

const METRIC_NAMES = /\b(costUsd|cacheHitRate|callsLost|finishedShare|contentRetention|peakContextTokens)\b/;

function setUp(argv: readonly string[]) {
  const cwd = tempFolder({ 'a.yaml': scenario('tiny'), 'b.yaml': scenario('several', VARIANTS) });
  return cli(argv, { cwd, detail: 'as-given', columns: 100 });
}

describe('what a command prints', () => {
  it.each(COMMANDS)(
    '%s is an answer, one table and a line on the rest, within 25 lines',
    async (command, rest) => {
      const { code, stdout } = await setUp([command, ...rest]);
      // The scenario has five minutes already: tune finds nothing better.
      expect(code).toBe(command === 'tune' ? 99 : 0);
      const lines = stdout.trimEnd().split('\n');
      expect(lines.length).toBeLessThanOrEqual(25);
      expect(lines[0]).toMatch(/^\S.*/); // a sentence at the left edge
      expect(lines[0]).not.toMatch(/ {3}/); // and no row of a table
      expect(stdout).not.toMatch(METRIC_NAMES);
      expect(stdout).not.toContain('turns/s');
    },
  );

  it('--notes adds the notes that the short form counts', async () => {
    const brief = (await setUp(['run', 'a.yaml'])).stdout;
    const [, count] = /^(\d+) notes? \(--notes\)/m.exec(brief)!;
    expect(Number(count)).toBeGreaterThan(0);
    const noted = (await setUp(['run', 'a.yaml', '--notes'])).stdout;
    expect(noted).toContain('A replay is open-loop');
    expect(brief).not.toContain('A replay is open-loop');
    expect(noted).not.toContain('(--notes)');
  });

  it('--verbose has every table, and no word of what is left out', async () => {
    const { stdout } = await setUp(['run', 'a.yaml', '--verbose']);
    for (const heading of ['Requests', 'Tokens', 'Context', 'Cost by cause'])
      expect(stdout).toContain(heading);
    expect(stdout).not.toContain('--verbose');
  });

  it('what an option asks for is shown in the short form', async () => {
    const { stdout } = await setUp(['inspect', SESSION, '--count-with', 'gpt-tokenizer']);
    expect(stdout).toMatch(/^ {2}gpt-tokenizer +[\d,]+/m);
  });

  it.each([
    ['why', 'not JSON and skipped: line 11'],
    ['inspect', 'not JSON and skipped: line 11'],
    ['run', 'not JSON and skipped: line 11'],
    ['ttl', 'not JSON and skipped: line 11'],
    ['validate', 'not JSON and skipped: line 11'],
  ])('%s says that a line of the recording is missing', async (command, words) => {
    const lines = readFileSync(SESSION, 'utf8').split('\n');
    const cwd = tempFolder({ 'a.jsonl': [...lines.slice(0, 10), '{"broken', ...lines.slice(11)].join('\n') });
    const { stdout, stderr } = await cli([command, 'a.jsonl'], { cwd, detail: 'as-given', columns: 200 });
    expect(`${stdout}${stderr}`).toContain(words);
  });

  it.each(['compare', 'sweep'])('%s says that a session did not finish', async (command) => {
    const text = scenario('tiny').replace('turns: 40', 'turns: 400');
    const cwd = tempFolder({ 'a.yaml': `${text}window: 40000\n` });
    const vary = command === 'compare' ? ['--policy', 'none,unbounded'] : ['--vary', 'seed=3,4'];
    const { stdout } = await cli([command, 'a.yaml', ...vary], { cwd, detail: 'as-given', columns: 200 });
    expect(stdout).toMatch(/did not finish/);
  });
});
