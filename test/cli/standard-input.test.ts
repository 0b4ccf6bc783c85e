import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, tempFolder } from './cli.js';
import { startCli } from './start.js';

describe('standard input', () => {
  const run = async (argv: readonly string[], text: string, cwd: string) => {
    const { child, ended } = startCli(argv, cwd, { stdin: 'pipe' });
    child.stdin!.end(text);
    return ended;
  };

  it('is a scenario whose paths start from the current folder', async () => {
    const recording = readFileSync(new URL('../../fixtures/bugfix-20-turns.jsonl', import.meta.url));
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
    const recording = readFileSync(new URL('../../fixtures/bugfix-20-turns.jsonl', import.meta.url), 'utf8');
    const cwd = tempFolder({ 'stdin.jsonl': recording });
    const piped = await run(['inspect', '-', '--json'], recording, cwd);
    expect(piped.stderr).toBe('');
    const named = await cli(['inspect', 'stdin.jsonl', '--json'], { cwd });
    expect(JSON.parse(piped.stdout)).toEqual(JSON.parse(named.stdout.replaceAll('stdin.jsonl', '-')));
  });
});
