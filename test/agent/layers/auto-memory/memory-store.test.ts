import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  IndexText,
  indexTextOf,
  knownLine,
  loadIndex,
} from '../../../../src/agent/layers/auto-memory/memory-index.js';
import { readMemories } from '../../../../src/agent/layers/auto-memory/memory-store.js';
import { createFiles } from '../../../../src/core/base/files.js';
import { MEMORY_INDEX, renderMemory } from '../../../../src/core/model/memory.js';
import { forAll } from '../../../helpers/for-all.js';

const TEXTS = {
  memory: (name: string) => renderMemory({ name, description: 'd', type: 'project', body: 'b' }),
  broken: () => 'no front matter',
  link: () => 'link to /elsewhere',
};

describe('the memory directory', () => {
  it('AUT-2 read again after changes holds what a first reading finds', () => {
    const step = fc.record({
      file: fc.constantFrom('a.md', 'b.md', 'sub/c.md', '.hidden.md', 'MEMORY.md', 'note.txt'),
      name: fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six'),
      what: fc.constantFrom('memory', 'broken', 'link', 'remove', 'read'),
    });
    forAll(fc.array(step, { maxLength: 25 }), (steps) => {
      const files = createFiles();
      for (const [i, { file, name, what }] of steps.entries()) {
        const path = `/memory/${file}`;
        if (what === 'read') readMemories(files);
        else if (what === 'remove') files.remove(path);
        else files.write(path, TEXTS[what](name), i);
      }
      const again = readMemories(files);
      const first = readMemories(files.clone());
      expect(again.memories).toEqual(first.memories);
      expect(again.corrupt).toEqual(first.corrupt);
      expect(again.latest).toEqual(first.latest);
    });
  });

  it('AUT-2 is the same object while only the index changes', () => {
    const files = createFiles();
    files.write('/memory/a.md', TEXTS.memory('a'), 0);
    const store = readMemories(files);
    files.write(MEMORY_INDEX, 'x', 1);
    expect(readMemories(files)).toBe(store);
  });
});

describe('an index that grows', () => {
  it('AUT-3 knows of itself what reading it would tell', () => {
    const line = fc.constantFrom('- [a](a.md): x', '', 'ü', '\u0001', '- two');
    forAll(fc.string({ maxLength: 12 }), fc.array(line, { maxLength: 6 }), (start, lines) => {
      const files = createFiles();
      if (start !== '') files.write(MEMORY_INDEX, start, 0);
      const file = files.read(MEMORY_INDEX);
      const before = file === null ? IndexText.EMPTY : indexTextOf(file);
      const known = lines.map(knownLine);
      const index = known.reduce((grown, text) => grown.with(text), before);
      const other = known.reduceRight((grown, text) => grown.with(text), before);
      expect(index.read()).toBe(start + lines.map((text) => `${text}\n`).join(''));
      expect(other.read()).toBe(
        start +
          lines
            .toReversed()
            .map((text) => `${text}\n`)
            .join(''),
      );
      expect(before.read()).toBe(start);
      const found = IndexText.parse(index.read());
      const tell = ({ count, chars, bytes, isBinary, filled }: IndexText) => ({
        count,
        chars,
        bytes,
        isBinary,
        filled,
      });
      expect(tell(index)).toEqual(tell(found));
      for (let i = 0; i <= found.count + 1; i++) expect(index.lineAt(i)).toEqual(found.lineAt(i));
      const limits = { lines: 3, bytes: 40, lineChars: 200 };
      files.write(MEMORY_INDEX, index, 1);
      const grown = loadIndex(files.read(MEMORY_INDEX)!, limits);
      files.write(MEMORY_INDEX, index.read(), 2);
      const read = loadIndex(files.read(MEMORY_INDEX)!, limits);
      expect([grown.digest, grown.text?.read()]).toEqual([read.digest, read.text?.read()]);
    });
  });
});
