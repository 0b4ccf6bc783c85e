import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  byteLength,
  indexLine,
  loadIndex,
  renderIndex,
} from '../../../../src/agent/layers/auto-memory/memory-index.js';
import { StoredFile } from '../../../../src/core/base/files.js';
import { MEMORY_INDEX, parseMemories, parseMemory, renderMemory } from '../../../../src/core/model/memory.js';
import { forAll } from '../../../helpers/for-all.js';

const indexFile = (text: string) => new StoredFile(MEMORY_INDEX, text, 0);
const LIMITS = { lines: 200, bytes: 25_000, lineChars: 150 };
const memory = (name: string, description = 'about something') => ({
  name,
  description,
  type: 'project' as const,
  body: 'A fact.',
});

describe('the memory index', () => {
  it('AUT-3 has one line per memory, each below 150 characters', () => {
    const text = renderIndex([memory('a'), memory('b', 'x'.repeat(400)), memory('c', 'two\nlines')], 150);
    const lines = text.split('\n').slice(0, -1);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.length).toBeLessThan(150);
    expect(lines[0]).toContain('a.md');
    // Cut so that it has 149 characters.
    expect(lines[1]).toBe(`- [b](b.md): ${'x'.repeat(135)}…`);
  });

  it('AUT-3 is loaded whole up to 200 lines', () => {
    const text = renderIndex(
      Array.from({ length: 200 }, (_, i) => memory(`m${i}`)),
      150,
    );
    const loaded = loadIndex(indexFile(text), LIMITS);
    expect(loaded).toMatchObject({ shownLines: 200, cutBy: null });
    expect(loaded.text!.read()).toBe(text);
  });

  it('AUT-3 is cut after 200 lines, and says so', () => {
    const text = renderIndex(
      Array.from({ length: 240 }, (_, i) => memory(`m${i}`)),
      150,
    );
    const loaded = loadIndex(indexFile(text), LIMITS);
    expect(loaded).toMatchObject({ lines: 240, shownLines: 200, cutBy: 'lines' });
    const lines = loaded.text!.read().split('\n').slice(0, -1);
    expect(lines).toHaveLength(201);
    expect(lines.at(-1)).toBe('[index cut: 200 of 240 lines are shown, the limit is 200 lines]');
    expect(lines[199]).toContain('m199');
  });

  it('AUT-3 is cut at 25 KB when that comes first, at the end of a line', () => {
    const text = renderIndex(
      Array.from({ length: 190 }, (_, i) => memory(`m${i}`, 'ü'.repeat(120))),
      150,
    );
    expect(byteLength(text)).toBeGreaterThan(25_000);
    const loaded = loadIndex(indexFile(text), LIMITS);
    expect(loaded.cutBy).toBe('bytes');
    const shown = loaded.text!.read().split('\n').slice(0, -2);
    expect(byteLength(`${shown.join('\n')}\n`)).toBeLessThanOrEqual(25_000);
    expect(text.startsWith(shown.join('\n'))).toBe(true);
    expect(loaded.text!.read()).toContain(' of 190 lines are shown, the limit is 25000 bytes]');
  });

  it('INV-10 never shows more than its limits', () => {
    const texts = fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 60 });
    forAll(texts, fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 400 }), (lines, most, bytes) => {
      const loaded = loadIndex(indexFile(lines.join('\n')), { lines: most, bytes, lineChars: 150 });
      expect(loaded.shownLines).toBeLessThanOrEqual(most);
      const shown = (loaded.text?.read() ?? '').split('\n').slice(0, loaded.shownLines);
      expect(byteLength(shown.map((line) => `${line}\n`).join(''))).toBeLessThanOrEqual(bytes);
      if (loaded.cutBy !== null) expect(loaded.text!.read()).toContain('index cut');
      if (loaded.text !== null) expect(loaded.text.chars).toBe(loaded.text.read().length);
    });
  });

  it('AUT-3 with binary content is not loaded', () => {
    expect(loadIndex(indexFile('- [a](a.md)\n\u0000\u0001'), LIMITS)).toMatchObject({
      text: null,
      isBinary: true,
    });
  });

  it('AUT-3 cuts a line of the index without losing its name', () => {
    expect(indexLine(memory('short'), 150)).toBe('- [short](short.md): about something');
  });
});

describe('memory files', () => {
  it('AUT-2 carry name, description and one of four types in their front matter', () => {
    const text = renderMemory(memory('a'));
    expect(text).toBe('---\nname: a\ndescription: about something\ntype: project\n---\n\nA fact.\n');
    expect(parseMemory(text)).toEqual(memory('a'));
  });

  it.each([
    '',
    'no front matter',
    '---\nname: a\ndescription: b\ntype: other\n---\n\nx',
    '---\nname: a\n---\nx',
    '---\nname: a\ndescription: b\ntype: user\n---\n\n\u0000',
  ])('AUT-2 that are broken are no memories: %j', (text) => {
    expect(parseMemory(text)).toBeNull();
  });

  it('AUT-2 written one after the other are told apart, the broken ones counted', () => {
    const text = [renderMemory(memory('a')), '---\nname: b\ntype: x\n---\n', renderMemory(memory('c'))].join(
      '\n',
    );
    const { memories, broken } = parseMemories(text);
    expect(memories.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(broken).toBe(1);
  });
});
