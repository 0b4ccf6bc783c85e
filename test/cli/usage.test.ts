import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importsOf } from '../helpers/architecture/layers.js';
import { cliPage, commandHelps } from '../helpers/pages/cli-page.js';
import { expectGenerated } from '../helpers/pages/generated.js';
import { cli, tempFolder } from './cli.js';

const run = (...argv: string[]) => cli(argv, { cwd: tempFolder() });

/** Modules and packages that are loaded before a command is chosen. */
function loadedAtStart(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  for (const { specifier, form } of importsOf({ path, text })) {
    if (form !== 'static') continue;
    if (!specifier.startsWith('.')) seen.add(specifier);
    else loadedAtStart(posix.join(posix.dirname(path), specifier.replace(/\.js$/, '.ts')), seen);
  }
  return seen;
}

describe('usage', () => {
  it('loads commander and small files of its own before a command is chosen', () => {
    const loaded = [...loadedAtStart('src/cli/start.ts')];
    expect(loaded.filter((name) => !name.startsWith('src/') && !name.startsWith('node:'))).toEqual([
      'commander',
    ]);
    expect(
      loaded.filter(
        (name) =>
          name.startsWith('src/') &&
          !/^src\/(cli|core\/base)\/|^src\/transcripts\/files\/(home|make-folder)\.ts$/.test(name),
      ),
    ).toEqual([]);
  });

  it('prints help and version with exit code 0', async () => {
    expect(await run('--help')).toMatchObject({ code: 0, stderr: '' });
    expect((await run('run', '--help')).stdout).toContain('Examples:');
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('gives every command examples and the shared options', () => {
    const helps = commandHelps();
    expect(helps.length).toBeGreaterThanOrEqual(8);
    for (const help of helps) {
      expect(help).toContain('Examples:');
      expect(help).toContain('--json');
      expect(help).toContain('--debug');
    }
  });

  it.each([
    [['rnu'], "unknown command 'rnu'", 'did you mean run?'],
    [['run', '--polcy', 'none', 'x'], "unknown option '--polcy'", 'did you mean --policy?'],
    [['run'], "missing required argument 'scenario'", null],
    [['run', 'x', '--seed', 'many'], 'whole number', null],
    [['run', 'x', '--seed', '99999999999999999999'], 'a whole number from 0 to 999999999999999', null],
    [['ttl', 'x', '--ttl', '5,-3'], 'seconds above zero', null],
    [['report', 'a', 'b'], 'too many arguments', null],
    [['why', ''], 'an argument is empty', 'a shell variable may be empty'],
  ])('%j is a usage error with exit code 2', async (argv, sentence, hint) => {
    const { code, stdout, stderr } = await run(...argv);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('error[bad-usage]');
    expect(stderr).toContain(sentence);
    if (hint !== null) expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each([['--help'], ['run', '--help'], ['tune', '--help']])(
    'fits help %s into 60 columns',
    async (...argv) => {
      const { stdout } = await cli(argv, { cwd: tempFolder(), columns: 60 });
      const [described] = stdout.split('\nExamples:');
      expect(described!.split('\n').filter((line) => line.length > 60)).toEqual([]);
    },
  );

  it('prints one JSON object for a usage error with --json', async () => {
    const { code, stdout } = await run('run', '--json', '--polcy', 'x');
    expect(code).toBe(2);
    expect(JSON.parse(stdout).error.code).toBe('bad-usage');
  });

  it('colours only a terminal, and not with --no-color or NO_COLOR', async () => {
    const cwd = tempFolder();
    const isColoured = async (argv: string[], env: Record<string, string>, terminal?: 'stdout') =>
      (await cli(argv, { cwd, env, ...(terminal === undefined ? {} : { terminal }) })).stdout.includes(
        '\u001b[',
      );
    expect(await isColoured(['models'], {}, 'stdout')).toBe(true);
    expect(await isColoured(['models'], {})).toBe(false);
    expect(await isColoured(['models', '--no-color'], {}, 'stdout')).toBe(false);
    expect(await isColoured(['models'], { NO_COLOR: '1' }, 'stdout')).toBe(false);
    expect(await isColoured(['models'], { TERM: 'dumb' }, 'stdout')).toBe(false);
  });

  it.each<[Record<string, string>, boolean]>([
    [{ FORCE_COLOR: '1' }, true],
    [{ FORCE_COLOR: 'true', TERM: 'dumb' }, true],
    [{ FORCE_COLOR: '' }, false],
    [{ FORCE_COLOR: '0' }, false],
    [{ FORCE_COLOR: 'false' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '' }, true],
  ])('colours a pipe with %j: %s', async (env, isColoured) => {
    const cwd = tempFolder();
    expect((await cli(['models'], { cwd, env })).stdout.includes('\u001b[')).toBe(isColoured);
    expect((await cli(['models', '--no-color'], { cwd, env })).stdout).not.toContain('\u001b[');
    expect((await cli(['models', '--json'], { cwd, env })).stdout).not.toContain('\u001b[');
  });

  it('docs/cli.md is the help of every command', () => expectGenerated('docs/cli.md', cliPage()));
});
