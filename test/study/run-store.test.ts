import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/study/results/run-store.js';

const RESULT = { key: 'k1', metrics: { costUsd: 1.5, cacheHitRate: null }, skipped: ['layer x: text'] };
const HEADER = '{"type":"sweep","version":3,"program":"1"}\n';

let folder = '';
let file = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccbench-store-'));
  file = join(folder, 'sweep.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (program = '1') => openRunStore(folder, 'out', { program, elsewhere: 'go elsewhere' });

/** Opens a folder whose file holds this text. */
function opened(text: string) {
  writeFileSync(file, text);
  return open();
}

/** A result as the store writes it. */
function lineOf(result: typeof RESULT): string {
  open().append(result);
  const line = readFileSync(file, 'utf8').split('\n').at(-2)!;
  rmSync(file);
  return `${line}\n`;
}

describe('run store', () => {
  it('reads back what it wrote', () => {
    const store = open('1.2.3');
    for (const key of ['k1', 'k2']) store.append({ ...RESULT, key });
    const { results, earlier, notes } = open('1.2.3');
    expect([...earlier]).toEqual(['k1', 'k2']);
    expect(results.get('k1')).toEqual(RESULT);
    expect(notes).toEqual([]);
  });

  it('keeps the good lines of a broken file', () => {
    const broken = ['{"type":"point","key":"k9"', '17', '{"type":"point","key":3}', '{"type":"note"}'];
    const { results, notes } = opened(HEADER + lineOf(RESULT) + broken.join('\n'));
    expect([...results.keys()]).toEqual(['k1']);
    expect(notes).toEqual(['4 broken lines of out/sweep.jsonl left out; the 1 good ones are used']);
    expect(open().notes).toEqual([]);
  });

  it('begins a line of its own behind a file without its last line break', () => {
    opened((HEADER + lineOf(RESULT)).trimEnd()).append({ ...RESULT, key: 'k2' });
    const { results, notes } = open();
    expect([[...results.keys()], notes]).toEqual([['k1', 'k2'], []]);
  });

  it.each([
    ['1.5', '1.6'],
    ['k1', 'k2'],
    ['layer x', 'layer y'],
    ['"key"', '"note"'],
    ['{"costUsd":1.5,"cacheHitRate":null}', 'null'],
    ['{"costUsd":1.5,"cacheHitRate":null}', '[]'],
    ['1.5', '"1.5"'],
    ['["layer x: text"]', '{}'],
  ])('D10 does not use a line in which %s became %s', (before, after) => {
    const { results, notes } = opened(HEADER + lineOf(RESULT).replace(before, after));
    expect({ size: results.size, notes }).toEqual({
      size: 0,
      notes: ['1 broken line of out/sweep.jsonl left out; the 0 good ones are used'],
    });
  });

  it('D10 writes a checksum on each line, and passes over empty ones', () => {
    const line = lineOf(RESULT);
    expect(JSON.parse(line).check).toMatch(/^[0-9a-f]{16}$/);
    expect(opened(`\n${HEADER}\n  \n${line}`)).toMatchObject({ notes: [] });
  });

  it.each([
    ['{"type":"sweep"}', 'format unknown'],
    ['{"type":"sweep","version":0,"program":"1"}\n', 'format 0'],
    ['{"type":"sweep","version":3}', 'ccbench of no version'],
    [HEADER.replace('"1"', '"0.9"'), 'ccbench 0.9'],
    ['[]', 'no header of a sweep'],
    ['hello\n', 'no header of a sweep'],
  ])('puts %j aside, which it cannot use', (text, found) => {
    const { results, notes } = opened(text);
    expect(results.size).toBe(0);
    expect(notes).toEqual([
      `out/sweep.jsonl was written by another version (${found}): it is kept as out/sweep.old-1.jsonl and all points are run again`,
    ]);
    expect(readFileSync(join(folder, 'sweep.old-1.jsonl'), 'utf8')).toBe(text);
    expect(readdirSync(folder).sort()).toEqual(['sweep.jsonl', 'sweep.old-1.jsonl']);
  });
});
