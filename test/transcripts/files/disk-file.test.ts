import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileSource } from '../../../src/transcripts/files/disk-file.js';
import { tempFolder } from '../../cli/cli.js';

it('a path is read as it is now, though another file was there and read before', () => {
  const path = join(tempFolder({ 'a.jsonl': 'old' }), 'a.jsonl');
  const open = () => fileSource({ name: 'a', path, place: { file: 'a' } });
  expect(String(open().read(0, 3))).toBe('old');
  rmSync(path);
  writeFileSync(path, 'new');
  expect(String(open().read(0, 3))).toBe('new');
});
