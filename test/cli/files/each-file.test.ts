import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, TRACE, tempFolder } from '../cli.js';

/** A file that looks like a session and is none. */
const INDEX = '{"version":1}\n';

async function looked(files: Readonly<Record<string, string>>, ...argv: readonly string[]) {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const { code, stdout, stderr } = await cli(['ttl', ...argv, '--json'], { cwd });
  return { code, lines: stderr.split('\n').filter((line) => line !== ''), json: JSON.parse(stdout) };
}

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`in/n${i}.jsonl`, INDEX]));

describe('files that are left out', () => {
  it.each([
    [1, 'in/n0.jsonl: '],
    [2, '2 files: in/n0.jsonl, in/n1.jsonl: '],
    [3, '3 files: in/n0.jsonl, in/n1.jsonl, in/n2.jsonl: '],
    [4, '4 files: in/n0.jsonl, in/n1.jsonl, in/n2.jsonl … and 1 more: '],
    [6, '6 files: in/n0.jsonl, in/n1.jsonl, in/n2.jsonl … and 3 more: '],
  ])('%d of a folder for one reason are one line, three of them named', async (count, named) => {
    const { code, lines, json } = await looked({ 'in/a.json': TRACE, ...many(count) }, 'in');
    expect(code).toBe(0);
    expect(lines[0]!.startsWith(`left out: ${named}`)).toBe(true);
    expect(lines.slice(1)).toEqual([`${count} of ${count + 1} files left out; the rest is used`]);
    expect(json.skipped).toHaveLength(count);
  });

  it('that are named and broken are one line for each fault, and stand in the order of their names', async () => {
    const { lines, json } = await looked(
      { 'a.json': TRACE, 'c.json': '', 'b.json': '', 'd.json': 'x' },
      ...['c.json', 'd.json', 'a.json', 'b.json'],
    );
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^error\[[a-z-]+\] c\.json: the file is empty \(and 1 more like it\)$/);
    expect(lines[1]).toMatch(/^error\[[a-z-]+\] d\.json: /);
    expect(lines[1]).not.toContain('more like it');
    expect(lines[2]).toBe('3 of 4 files left out; the rest is used');
    expect(json.skipped.map(({ file }: { file: string }) => file)).toEqual(['b.json', 'c.json', 'd.json']);
  });

  it('are none of the notes where all are used', async () => {
    expect(await looked({ 'a.json': TRACE }, 'a.json')).toMatchObject({
      code: 0,
      lines: [],
      json: { skipped: [] },
    });
  });

  it('are the error where nothing else is there, each reason once', async () => {
    const problemsOf = async (...input: Parameters<typeof looked>) => {
      const { code, json } = await looked(...input);
      expect(code).toBe(2);
      return json.error.problems.map(
        ({ message, place }: { message: string; place: { file: string } }) => `${place.file}: ${message}`,
      );
    };
    const unknown = 'in/n0.jsonl: the file is not a transcript in a known format';
    const empty = 'in: the folder in holds no recording';
    expect(await problemsOf(many(3), 'in')).toEqual([`${unknown} (and 2 more like it)`, empty]);
    expect(await problemsOf(many(1), 'in')).toEqual([unknown, empty]);
    expect(await problemsOf({ 'b.json': '', ...many(1) }, 'b.json', 'in')).toEqual([
      'b.json: the file is empty',
      unknown,
      empty,
    ]);
    const pattern = await looked({}, 'no*.json');
    expect(pattern).toMatchObject({
      code: 2,
      json: { error: { code: 'file-missing', hint: expect.stringContaining('put the pattern in quotes') } },
    });
  });
});
