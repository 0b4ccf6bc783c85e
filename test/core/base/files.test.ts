import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFiles, isInside } from '../../../src/core/base/files.js';
import { forAll } from '../../helpers/for-all.js';

describe('inside a folder', () => {
  it.each([
    ['/a/b', '/a', true],
    ['/a/b/../c', '/a/', true],
    ['/a', '/a', false],
    ['/ab', '/a', false],
    ['/a/../b', '/a', false],
    ['/a', '/', true],
    ['/', '/', false],
  ])('%s in %s: %s', (path, folder, inside) => {
    expect(isInside(path, folder)).toBe(inside);
  });
});

describe('simulated files', () => {
  it('keep words that are made when read, and know their length before', () => {
    const files = createFiles();
    let reads = 0;
    files.write('/a/x.md', { chars: 3, read: () => `ab${++reads}` }, 5);
    expect(files.read('/a/x.md')).toMatchObject({ chars: 3, mtimeMs: 5 });
    expect(reads).toBe(0);
    expect(files.read('/a/x.md')!.text).toBe('ab1');
  });

  it('keep the content when only the time changes', () => {
    const files = createFiles();
    files.write('/a/x.md', 'words', 5);
    files.setMtime('/a/x.md', 9);
    expect(files.read('/a/x.md')).toMatchObject({ content: 'words', mtimeMs: 9 });
  });

  it('list a folder in order and tell what changed below it, whatever is written and removed', () => {
    const path = fc.constantFrom('/a/x', '/a/y', '/a/b/z', '/ab/x', '/a', '/c');
    const step = fc.record({ path, how: fc.constantFrom('write', 'remove') });
    forAll(fc.array(step, { maxLength: 30 }), (steps) => {
      const files = createFiles();
      const model = new Map<string, string>();
      const changed: string[] = [];
      for (const [i, { path: at, how }] of steps.entries()) {
        if (how === 'write') {
          files.write(at, String(i), i);
          model.set(at, String(i));
        } else expect(files.remove(at)).toBe(model.delete(at));
        if ((how === 'write' || changed.includes(at)) && (at === '/a' || at.startsWith('/a/')))
          changed.push(at);
      }
      const below = [...model.keys()].filter((at) => at.startsWith('/a/')).sort();
      expect(files.list('/a')).toEqual(below);
      expect(files.below('/a').map(({ text }) => text)).toEqual(below.map((at) => model.get(at)));
      expect(files.clone().list('/')).toEqual([...model.keys()].sort());
      expect(new Set(files.changedSince('/a', 0))).toEqual(new Set(changed));
      expect(files.changedSince('/a', files.revision('/a'))).toEqual([]);
    });
  });
});
