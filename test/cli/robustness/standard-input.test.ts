import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, tempFolder } from '../cli.js';
import { startCli } from '../start.js';

describe('standard input', () => {
  const run = async (argv: readonly string[], text: string, cwd: string) => {
    const { child, ended } = startCli(argv, cwd, { stdin: 'pipe' });
    child.stdin!.end(text);
    return ended;
  };

  it('is a scenario whose paths start from the current folder', async () => {
    const recording = readFileSync(new URL('../../../fixtures/bugfix-20-turns.jsonl', import.meta.url));
    const cwd = tempFolder({ 'rec.jsonl': recording });
    const text = 'name: piped\ntranscript: { file: rec.jsonl }\nmodel: claude-sonnet-4-5\npolicy: none\n';
    const { code, stdout } = await run(['run', '-', '--json', '--no-files'], text, cwd);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs[0].name).toBe('piped');
    const broken = await run(['run', '-', '--no-files'], `${text}polcy: x\n`, cwd);
    expect(broken.code).toBe(2);
    expect(broken.stderr).toMatch(/^error\[[a-z-]+\] -:5:1: /);
  });

  it('is a recording, the same as from its file, and leaves nothing behind', async () => {
    const recording = readFileSync(
      new URL('../../../fixtures/bugfix-20-turns.jsonl', import.meta.url),
      'utf8',
    );
    const cwd = tempFolder({ 'stdin.jsonl': recording });
    const piped = await run(['inspect', '-', '--json'], recording, cwd);
    expect(piped.stderr).toBe('');
    const named = await cli(['inspect', 'stdin.jsonl', '--json'], { cwd });
    expect(JSON.parse(piped.stdout)).toEqual(JSON.parse(named.stdout.replaceAll('stdin.jsonl', '-')));
  });

  it('is a recording in the place of a scenario, and costs what it costs from its file', async () => {
    const recording = readFileSync(
      new URL('../../../fixtures/bugfix-20-turns.jsonl', import.meta.url),
      'utf8',
    );
    const cwd = tempFolder({ 'stdin.jsonl': recording });
    const piped = await run(['run', '-', '--json', '--no-files'], recording, cwd);
    expect(piped.code).toBe(0);
    expect(piped.stderr).toContain('- is a recording: run as its own client (claude-code/2.1.325');
    const named = await cli(['run', 'stdin.jsonl', '--json', '--no-files'], { cwd });
    const [ours, theirs] = [piped.stdout, named.stdout].map((text) => JSON.parse(text).runs[0]);
    expect(ours.metrics).toEqual(theirs.metrics);
    expect(ours.digest).toBe(theirs.digest);
  });
});
