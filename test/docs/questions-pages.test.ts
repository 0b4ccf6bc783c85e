import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cli, tempFolder } from '../cli/cli.js';
import { expectGenerated } from '../helpers/pages/generated.js';

const ROOT = resolve(import.meta.dirname, '../..');

/** The rows of the first table of a page. */
const TABLE = /(?:^\|.*\n)+/m;

/** Pages that show the table of one comparison, with the command that prints it. */
const PAGES = readdirSync(resolve(ROOT, 'docs/questions')).flatMap((name) => {
  const path = `docs/questions/${name}`;
  const text = readFileSync(resolve(ROOT, path), 'utf8');
  const command = /^ccbench (compare .*)$/m.exec(text)?.[1];
  return command === undefined ? [] : [{ path, text, command }];
});

it('there are pages with a comparison', () => {
  expect(PAGES.length).toBeGreaterThan(4);
});

it.each(PAGES)('$path shows what its command prints', async ({ path, text, command }) => {
  const out = tempFolder();
  const { code } = await cli([...command.split(' '), '--out', out], { cwd: ROOT });
  expect(code).toBe(0);
  const [report] = readdirSync(out);
  const table = TABLE.exec(readFileSync(resolve(out, report!, 'compare.md'), 'utf8'))![0];
  expectGenerated(
    path,
    text.replace(TABLE, () => table),
  );
});
