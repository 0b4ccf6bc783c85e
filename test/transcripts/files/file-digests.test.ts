import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileDigests } from '../../../src/transcripts/files/file-digests.js';
import { tempFolder } from '../../cli/cli.js';

it('digests are kept for their owner alone, and found again until a file changes', () => {
  const cwd = tempFolder({ 'a.jsonl': 'one' });
  const folder = join(cwd, 'kept');
  const file = { path: join(cwd, 'a.jsonl'), name: 'a.jsonl', place: { file: 'a.jsonl' } };
  const later = Date.now() + 60_000;
  const digests = new FileDigests(folder, later);
  const sha256 = digests.of(file);
  digests.keep([file]);
  digests.save();
  const modes = [folder, join(folder, 'digests.json')].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([0o700, 0o600]);
  const again = new FileDigests(folder, later);
  expect([again.find(file), again.isSession(file.path)]).toEqual([sha256, true]);
  writeFileSync(file.path, 'changed');
  expect([again.find(file), again.isSession(file.path)]).toEqual([null, false]);
});

it('digests are kept of every file that had not just been changed, as a session only if it was read as one', () => {
  const cwd = tempFolder({ 'a.jsonl': 'one' });
  const folder = join(cwd, 'kept');
  const file = { path: join(cwd, 'a.jsonl'), name: 'a.jsonl', place: { file: 'a.jsonl' } };
  const found = (nowMs: number) => {
    const digests = new FileDigests(folder, nowMs);
    const before = [digests.find(file) !== null, digests.isSession(file.path)];
    digests.of(file);
    if (nowMs === later + 1) digests.keep([file]);
    digests.save();
    return before;
  };
  const later = Date.now() + 60_000;
  // Just changed, changed long ago, read as a session, and known as one.
  expect([Date.now(), later, later + 1, later + 2].map(found)).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [true, true],
  ]);
});
