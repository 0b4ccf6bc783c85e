import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandGlobs } from '../../src/cli/commands/study/glob.js';
import { tempFolder } from './cli.js';

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

describe('expandGlobs', () => {
  it.each([
    ['a/*.jsonl', ['a/[odd].jsonl', 'a/x1.jsonl', 'a/x2.jsonl']],
    ['a/x?.jsonl', ['a/x1.jsonl', 'a/x2.jsonl']],
    ['a/x[13].jsonl', ['a/x1.jsonl']],
    ['a/{x1,y}.*', ['a/x1.jsonl', 'a/y.json']],
    ['**/x*.jsonl', ['a/b/x3.jsonl', 'a/x1.jsonl', 'a/x2.jsonl']],
    ['.hidden/*', ['.hidden/x4.jsonl']],
    ['a/nothing-special.jsonl', ['a/nothing-special.jsonl']],
  ])('%s', (pattern, expected) => {
    expect(expandGlobs([pattern], tree())).toEqual(expected);
  });

  it('takes absolute patterns, joins several and names each file once', () => {
    const cwd = tree();
    expect(expandGlobs([join(cwd, 'a/x1*')], '/')).toEqual([join(cwd, 'a/x1.jsonl')]);
    expect(expandGlobs(['a/x1*', 'a/x*'], cwd)).toEqual(['a/x1.jsonl', 'a/x2.jsonl']);
  });

  it('is an error when nothing matches', () => {
    expect(() => expandGlobs(['b/*'], tree())).toThrow('no file matches b/*');
  });
});
