import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandGlob } from '../../../src/transcripts/files/glob.js';
import { tempFolder } from '../../cli/cli.js';

function tree(): string {
  const cwd = tempFolder();
  for (const folder of ['a/b', '.hidden']) mkdirSync(join(cwd, folder), { recursive: true });
  for (const file of [
    'a/x1.jsonl',
    'a/x2.jsonl',
    'a/y.json',
    'a/b/x3.jsonl',
    '.hidden/x4.jsonl',
    'a/[odd].jsonl',
  ])
    writeFileSync(join(cwd, file), '');
  return cwd;
}

describe('expandGlob', () => {
  it.each([
    ['a/*.jsonl', ['a/[odd].jsonl', 'a/x1.jsonl', 'a/x2.jsonl']],
    ['a/x?.jsonl', ['a/x1.jsonl', 'a/x2.jsonl']],
    ['a/x[13].jsonl', ['a/x1.jsonl']],
    ['a/{x1,y}.*', ['a/x1.jsonl', 'a/y.json']],
    ['a/{x{1,2},b/x3}.jsonl', ['a/b/x3.jsonl', 'a/x1.jsonl', 'a/x2.jsonl']],
    ['a/*/', ['a/b']],
    ['./a/x1*', ['a/x1.jsonl']],
    ['**/x*.jsonl', ['a/b/x3.jsonl', 'a/x1.jsonl', 'a/x2.jsonl']],
    ['.hidden/*', ['.hidden/x4.jsonl']],
  ])('%s', (pattern, expected) => {
    expect(expandGlob(pattern, tree())).toEqual(expected);
  });

  it('takes absolute patterns and names each file once', () => {
    const cwd = tree();
    expect(expandGlob(join(cwd, 'a/x1*'), '/')).toEqual([join(cwd, 'a/x1.jsonl')]);
    expect(expandGlob('a/{x1*,x*}', cwd)).toEqual(['a/x1.jsonl', 'a/x2.jsonl']);
  });

  it.each(['b/*', 'a/x[9-1].jsonl', 'a/{x', 'a/x1.jsonl/*'])('finds nothing behind %s', (pattern) => {
    expect(expandGlob(pattern, tree())).toEqual([]);
  });
});
