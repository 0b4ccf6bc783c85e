import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { confine, confineMemory } from '../../../../src/agent/layers/auto-memory/memory-store.js';
import { createFiles, isInside } from '../../../../src/core/base/files.js';
import { MEMORY_DIRECTORY, MemoryText } from '../../../../src/core/model/memory.js';
import { forAll } from '../../../helpers/for-all.js';
import { filesWith } from '../../../helpers/recordings/sessions.js';

describe('writes of extractions and dreams', () => {
  it('DRM-4 go anywhere below the memory directory', () => {
    for (const name of ['a.md', 'deep/er/a.md', '/memory/a.md'])
      expect(confine(createFiles(), '/memory', name).kind).toBe('allowed');
  });

  it.each([
    ['../repo/a.md', 'climbs'],
    ['a/../../repo/a.md', 'climbs'],
    ['/memory/../etc/hosts', 'climbs'],
    ['/etc/hosts', 'outside'],
    ['/memory', 'outside'],
    ['/memory-of-others/a.md', 'outside'],
    ['.dream-lock', 'reserved'],
    ['deep/.hidden', 'reserved'],
    ['', 'bad-name'],
    ['a\\..\\b', 'bad-name'],
    ['a\u0000.md', 'bad-name'],
  ])('DRM-4 are refused at %j: %s', (name, reason) => {
    expect(confine(createFiles(), '/memory', name)).toEqual({ kind: 'refused', reason });
  });

  it('DRM-4 are refused where they pass through a link, wherever it points', () => {
    const files = filesWith({ '/memory/link': 'link to /etc', '/memory/file.md': 'link to /memory/a.md' });
    expect(confine(files, '/memory', 'link/passwd')).toEqual({ kind: 'refused', reason: 'link' });
    expect(confine(files, '/memory', 'file.md')).toEqual({ kind: 'refused', reason: 'link' });
    const linked = filesWith({ '/memory': 'link to /repo' });
    expect(confine(linked, '/memory', 'a.md')).toEqual({ kind: 'refused', reason: 'link' });
  });

  it('DRM-4 of memories whose path is known are refused through a link too', () => {
    const text = new MemoryText({ name: 'plain', description: 'a', type: 'project', body: 'b' });
    expect(text.path).toBe(`${MEMORY_DIRECTORY}/plain.md`);
    const write = (links: Readonly<Record<string, string>>) => confineMemory(filesWith(links), 'plain', text);
    expect(write({})).toEqual({ kind: 'allowed', path: text.path });
    expect(write({ [MEMORY_DIRECTORY]: 'link to /repo' })).toEqual({ kind: 'refused', reason: 'link' });
    expect(write({ [text.path!]: 'link to /etc/hosts' })).toEqual({ kind: 'refused', reason: 'link' });
    expect(write({ [`${MEMORY_DIRECTORY}/other.md`]: 'link to /etc/hosts' })).toMatchObject({
      kind: 'allowed',
    });
  });

  it('DRM-4 of memories whose text is written out go by their name', () => {
    const file = `${MEMORY_DIRECTORY}/plain.md`;
    const write = (name: string, links = {}) => confineMemory(filesWith(links), name, 'two\nlines');
    expect(write('plain')).toEqual({ kind: 'allowed', path: file });
    expect(write('plain', { [file]: 'link to /etc/hosts' })).toEqual({ kind: 'refused', reason: 'link' });
    expect(write('../plain')).toEqual({ kind: 'refused', reason: 'climbs' });
  });

  it('DRM-4 that are allowed lie inside, whatever the name', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', 'memory', '/'), fc.string({ maxLength: 6 }));
    forAll(fc.array(part, { maxLength: 8 }), (parts) => {
      const confined = confine(createFiles(), '/memory', parts.join('/'));
      if (confined.kind === 'allowed') expect(isInside(confined.path, '/memory')).toBe(true);
    });
  });
});
