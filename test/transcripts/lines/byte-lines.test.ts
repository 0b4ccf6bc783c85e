import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitLines } from '../../../src/transcripts/lines/byte-lines.js';
import { forAll } from '../../helpers/for-all.js';

/** Chunks that share one buffer, as a file is read. */
function* chunksOf(bytes: Buffer, sizes: readonly number[]): Generator<Uint8Array> {
  const buffer = Buffer.alloc(Math.max(1, ...sizes));
  let from = 0;
  for (let i = 0; from < bytes.length; i++) {
    const length = bytes.copy(buffer, 0, from, from + sizes[i % sizes.length]!);
    from += length;
    yield buffer.subarray(0, length);
  }
}

function linesOf(bytes: Buffer, sizes: readonly number[]) {
  const lines = [];
  for (const { buffer, start, end, offset, complete } of splitLines(chunksOf(bytes, sizes), 'a file'))
    lines.push({ text: buffer.toString('latin1', start, end), offset, complete });
  return lines;
}

describe('lines of bytes', () => {
  it('gives the place of every line and says which one has no end', () => {
    expect(linesOf(Buffer.from('ab\n\nc'), [100])).toEqual([
      { text: 'ab', offset: 0, complete: true },
      { text: '', offset: 3, complete: true },
      { text: 'c', offset: 4, complete: false },
    ]);
  });

  it('leaves out a byte order mark, even one that comes in pieces, and counts it in the places', () => {
    const bytes = Buffer.from('\ufeffab\nc\n');
    const expected = [
      { text: 'ab', offset: 3, complete: true },
      { text: 'c', offset: 6, complete: true },
    ];
    expect(linesOf(bytes, [100])).toEqual(expected);
    expect(linesOf(bytes, [1])).toEqual(expected);
  });

  it('refuses a line of more than 256 MiB and names the file, without taking in the rest', () => {
    let given = 0;
    function* endless(): Generator<Uint8Array, void, void> {
      const chunk = Buffer.alloc(16 * 1024 * 1024, 'x');
      for (;;) {
        given++;
        yield chunk;
      }
    }
    expect(() => [...splitLines(endless(), 'big.jsonl')]).toThrow(
      'big.jsonl: a line of the file is longer than 256 MiB',
    );
    expect(given).toBe(17);
  });

  it('is the same in whatever chunks the bytes come', () => {
    const text = fc.array(fc.constantFrom('a', 'bc', '\n', '\r\n', '→'), { maxLength: 60 });
    forAll(text, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (parts, sizes) => {
      const bytes = Buffer.from(parts.join(''));
      const lines = linesOf(bytes, sizes);
      expect(lines).toEqual(linesOf(bytes, [1_000]));
      for (const line of lines) {
        expect(bytes.toString('latin1', line.offset, line.offset + line.text.length)).toBe(line.text);
      }
    });
  });
});
