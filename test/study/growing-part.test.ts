import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { expect, it } from 'vitest';
import { GrowingPart, readPart } from '../../src/study/results/part-file.js';
import { tempFolder } from '../cli/cli.js';

const COLUMNS = [
  { name: 'what', kind: 'text' },
  { name: 'n', kind: 'number' },
] as const;

it('a file grows by row groups, and is in its place when it is whole', async () => {
  const path = join(tempFolder(), 'sub/rows.parquet');
  const part = await GrowingPart.open(path, COLUMNS);
  const rows = Array.from({ length: 25_000 }, (_, i) => [i % 7 === 0 ? null : `row ${i % 100}`, i] as const);
  for (const row of rows) part.add(row);
  expect(readdirSync(join(path, '..'))).not.toContain('rows.parquet');
  part.finish();
  part.discard();
  expect(readdirSync(join(path, '..'))).toEqual(['rows.parquet']);
  expect(await readPart(path, ['n', 'what'])).toEqual(rows.map(([what, n]) => [n, what]));
  const bytes = readFileSync(path);
  const { row_groups } = parquetMetadata(new Uint8Array(bytes).buffer);
  expect(row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([10_000, 10_000, 5_000]);
});

it('a file without rows has its columns, and one that is given up leaves nothing', async () => {
  const folder = tempFolder();
  const empty = await GrowingPart.open(join(folder, 'empty.parquet'), COLUMNS);
  empty.finish();
  const given = await GrowingPart.open(join(folder, 'given-up.parquet'), COLUMNS);
  given.add(['a', 1]);
  given.discard();
  expect(readdirSync(folder)).toEqual(['empty.parquet']);
  expect(await readPart(join(folder, 'empty.parquet'), ['n'])).toEqual([]);
});

it('says which file cannot be written and what to do', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'taken'), '');
  await expect(GrowingPart.open(join(folder, 'taken/rows.parquet'), COLUMNS)).rejects.toMatchObject({
    code: 'output-unwritable',
    hint: expect.stringContaining('--results'),
  });
});
