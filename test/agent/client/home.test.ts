import { describe, expect, it } from 'vitest';
import { createHome } from '../../../src/agent/client/home.js';
import { DREAM_LOCK } from '../../../src/agent/layers/dreaming/lock.js';
import { MEMORY_INDEX, parseMemory } from '../../../src/core/model/memory.js';
import type { HomePlan } from '../../../src/core/run/run-plan.js';
import { planOf } from '../../helpers/plan.js';

const HOUR = 60 * 60 * 1_000;
const homeOf = (home: Partial<HomePlan>) =>
  createHome({
    ...planOf({ policy: 'claude-code/2026' }),
    home: { memories: 0, files: [], lock: null, ...home },
  });
const mtimeOf = (files: ReturnType<typeof homeOf>, path: string) => files.read(path)?.mtimeMs ?? null;

describe('the home before the first session', () => {
  it('holds nothing where nothing is said of it', () => {
    expect(createHome(planOf()).list('/')).toEqual([]);
    expect(homeOf({}).list('/')).toEqual([]);
  });

  it('AUT-2 AUT-3 holds memories of each type in turn, one an hour old, the next two, and an index of them', () => {
    const files = homeOf({ memories: 5 });
    const names = [
      'user-kept-0001',
      'feedback-kept-0002',
      'project-kept-0003',
      'reference-kept-0004',
      'user-kept-0005',
    ];
    names.forEach((name, i) => {
      const path = `/memory/${name}.md`;
      expect(mtimeOf(files, path)).toBe(-(i + 1) * HOUR);
      expect(parseMemory(files.read(path)!.text)).toMatchObject({ name, type: name.split('-')[0] });
    });
    const lines = files.read(MEMORY_INDEX)!.text.trimEnd().split('\n');
    expect(lines.filter((line) => line.startsWith('- ['))).toHaveLength(5);
    for (const name of names) expect(lines.some((line) => line.includes(`(${name}.md)`))).toBe(true);
    expect(mtimeOf(files, MEMORY_INDEX)).toBe(-HOUR);
    // No two say the same.
    const bodies = names.map((name) => parseMemory(files.read(`/memory/${name}.md`)!.text)!.body);
    expect(new Set(bodies).size).toBe(5);
    expect(mtimeOf(homeOf({ memories: 1 }), MEMORY_INDEX)).toBe(-HOUR);
  });

  it('DRM-2 holds files and the lock of a dream, as old as they are said to be', () => {
    const files = homeOf({
      files: [{ path: '/notes.md', text: 'hello', hoursAgo: 3 }],
      lock: { body: '4711', hoursAgo: 2, process: 'dead' },
    });
    expect([files.read('/notes.md')!.text, mtimeOf(files, '/notes.md')]).toEqual(['hello', -3 * HOUR]);
    expect([files.read(DREAM_LOCK)!.text, mtimeOf(files, DREAM_LOCK)]).toEqual(['4711', -2 * HOUR]);
    expect(files.read(MEMORY_INDEX)).toBeNull();
  });
});
