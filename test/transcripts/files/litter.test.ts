import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { nameOfPart, removeLitter } from '../../../src/transcripts/files/litter.js';
import { tempFolder } from '../../cli/cli.js';

it("what ended processes left is removed, also where their number is this one's by now; what others make stays", () => {
  const folder = tempFolder();
  const left = [nameOfPart('a.json', 'part'), nameOfPart('b.json', 'new')];
  const others = [`c.json.${process.ppid}.part`, 'd.json'];
  for (const name of [...left, ...others]) writeFileSync(join(folder, name), '');
  removeLitter(folder, (name) => name !== 'b.json');
  expect(readdirSync(folder).sort()).toEqual([left[1], ...others].sort());
});

it('a whole report that was moved aside is put back where none took its place', () => {
  const folder = tempFolder();
  for (const name of ['lost', 'there']) mkdirSync(join(folder, nameOfPart(name, 'old')));
  mkdirSync(join(folder, 'there'));
  removeLitter(folder, () => true);
  expect(readdirSync(folder).sort()).toEqual(['lost', 'there']);
});
