import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWarnings } from '../../../src/core/run/warning.js';
import { streamJsonLines, unpackBytes } from '../../../src/transcripts/lines/json-lines.js';
import { forAll } from '../../helpers/for-all.js';
import { refusalOf } from '../../helpers/refusal.js';

function read(bytes: Uint8Array | string) {
  const warnings = createWarnings();
  const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const options = { name: 'a.jsonl', warnings };
  const located = [...streamJsonLines([unpackBytes(data, options)], options)];
  const lines = located.map(({ line, value }) => ({ line, value }));
  return { lines, values: lines.map((line) => line.value), warnings: warnings.list() };
}

describe('JSON lines', () => {
  it('splits on line feeds alone: U+2028, U+2029 and U+0085 stay inside strings', () => {
    const text = 'a\u2028b\u2029c\u0085d';
    expect(read(`{"t":"${text}"}\n{"n":2}\n`).values).toEqual([{ t: text }, { n: 2 }]);
  });

  it('reads gzip by its first bytes', () => {
    expect(read(gzipSync('{"n":1}\n{"n":2}')).values).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('accepts carriage returns, blank lines, a byte order mark and a missing last line feed', () => {
    expect(read('\ufeff{"n":1}\r\n\n  \n{"n":2}').lines).toEqual([
      { line: 1, value: { n: 1 } },
      { line: 4, value: { n: 2 } },
    ]);
  });

  it('splits objects that were written on one line', () => {
    const { lines, warnings } = read('{"a":"}{"}{"b":{"c":"\\"}{"}}\n{"d":1} {"e":2}\n');
    expect(lines.map((line) => line.value)).toEqual([{ a: '}{' }, { b: { c: '"}{' } }, { d: 1 }, { e: 2 }]);
    expect(lines.map((line) => line.line)).toEqual([1, 1, 2, 2]);
    expect(warnings).toEqual([]);
  });

  it('skips broken lines and names their numbers', () => {
    const { values, warnings } = read('{"n":1}\n{"n":\n17\n{"n":4}\n');
    expect(values).toEqual([{ n: 1 }, { n: 4 }]);
    expect(warnings).toMatchObject([{ code: 'broken-lines', count: 2 }]);
    expect(warnings[0]!.message).toContain('line 2, 3');
  });

  it('says that the file is truncated when its last line is', () => {
    const { values, warnings } = read('{"n":1}\n{"n":2,"te');
    expect(values).toEqual([{ n: 1 }]);
    expect(warnings.map((warning) => warning.code)).toEqual(['truncated-file']);
  });

  it('uses what a truncated gzip file still holds', () => {
    const rows = Array.from({ length: 5_000 }, (_, i) => `{"n":${i},"t":"${(i * 7_919) % 10_007}"}\n`).join(
      '',
    );
    const packed = gzipSync(rows);
    const { values, warnings } = read(packed.subarray(0, packed.length - 400));
    expect(values.length).toBeGreaterThan(1_000);
    expect(values.length).toBeLessThan(5_000);
    expect(warnings.map((warning) => warning.code)).toContain('truncated-file');
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['a binary file', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 10])],
    ['UTF-16', Buffer.from('{"n":1}\n', 'utf16le')],
    ['prose', Buffer.from('hello\nworld\n')],
    ['damaged gzip', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 255, 255, 255])],
    ['an empty gzip file', gzipSync('')],
  ])('refuses %s with a way out', (_name, bytes) => {
    const refusal = refusalOf(() => read(bytes));
    expect(refusal).toMatchObject({ code: 'bad-transcript' });
    expect(refusal!.hint).toBeTruthy();
  });

  it('gives back every object that was written, in order', () => {
    forAll(
      { numRuns: 60 },
      fc.array(fc.record({ text: fc.string({ unit: 'binary' }), more: fc.jsonValue() }), { minLength: 1 }),
      fc.constantFrom('\n', ''),
      (objects, separator) => {
        const text = objects.map((object) => JSON.stringify(object)).join(separator);
        expect(read(text).values).toEqual(objects.map((object) => JSON.parse(JSON.stringify(object))));
      },
    );
  });
});
