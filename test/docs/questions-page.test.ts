import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { printed, tempFolder } from '../cli/cli.js';
import { expectGenerated } from '../helpers/pages/generated.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = 'docs/questions.md';

/** The rows of the first table of a text. */
const TABLE = /(?:^\|.*\n)+/m;

const readPage = (): string => readFileSync(resolve(ROOT, PATH), 'utf8');

/** Questions answered by one comparison, with the command that prints its table. */
const QUESTIONS = readPage()
  .split(/^## /m)
  .flatMap((section) => {
    const command = /^ccbench (compare .*)$/m.exec(section)?.[1];
    return command === undefined ? [] : [{ question: section.split('\n')[0]!, command }];
  });

it('there are questions with a comparison', () => {
  expect(QUESTIONS.length).toBeGreaterThan(4);
});

it.each(QUESTIONS)('docs/questions.md shows what its command prints: $question', async ({ command }) => {
  const out = tempFolder();
  await printed([...command.split(' '), '--out', out], { cwd: ROOT });
  const [report] = readdirSync(out);
  const table = TABLE.exec(readFileSync(resolve(out, report!, 'compare.md'), 'utf8'))![0];
  // Read here, not above: with UPDATE_GENERATED=1 the questions before this one have changed the page.
  const page = readPage();
  const start = page.indexOf(`ccbench ${command}`);
  expectGenerated(PATH, page.slice(0, start) + page.slice(start).replace(TABLE, () => table));
});
