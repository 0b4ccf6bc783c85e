import { describe, expect, it } from 'vitest';
import type { StoredMemory } from '../../../src/tiers/auto-memory/memory-store.js';
import { consolidate } from '../../../src/tiers/dreaming/consolidate.js';
import { pruneToIndex } from '../../../src/tiers/dreaming/prune.js';
import { isReadOnlyCommand, READ_COMMANDS } from '../../../src/tiers/dreaming/read-commands.js';

const DAY = 86_400_000;

function memory(
  name: string,
  day: number,
  body: string,
  type: StoredMemory['type'] = 'feedback',
): StoredMemory {
  return {
    name,
    description: 'd',
    type,
    body,
    path: `/memory/${name}.md`,
    line: { text: '', digest: 0 },
    mtimeMs: day * DAY,
    chars: body.length,
  };
}

describe('consolidation', () => {
  it('DRM-3 merges what says the same into the newest', () => {
    const { write, remove, merged } = consolidate([
      memory('a', 0, 'On tests the user wants: unit tests.'),
      memory('b', 1, 'On tests the user wants: all of them.'),
      memory('c', 0, 'The same.', 'project'),
      memory('d', 1, 'The same.', 'project'),
    ]);
    expect(remove).toEqual(['/memory/a.md', '/memory/c.md']);
    expect(merged).toBe(2);
    expect(write).toHaveLength(1);
    expect(write[0]!.memory.body).toBe('On tests the user wants: all of them.\nAlso: unit tests.');
  });

  it('DRM-3 deletes what a later memory contradicts, and keeps the later one', () => {
    const { remove, contradicted, merged } = consolidate([
      memory('old', 0, 'On commits the user wants: many small ones.'),
      memory('new', 3, 'On commits the user refuses: many small ones.'),
      memory('other', 1, 'On naming the user wants: short names.'),
    ]);
    expect(remove).toEqual(['/memory/old.md']);
    expect({ contradicted, merged }).toEqual({ contradicted: 1, merged: 0 });
  });

  it('DRM-3 makes relative dates absolute: the day on which they were written', () => {
    const { write, dated } = consolidate([
      memory('a', 2, 'A fact. Noted today.', 'project'),
      memory('b', 2, 'Another. Noted yesterday.', 'project'),
      memory('c', 2, 'A third.', 'project'),
    ]);
    expect(write.map((item) => item.memory.body)).toEqual([
      'A fact. Noted on 2026-01-07.',
      'Another. Noted on 2026-01-06.',
    ]);
    expect(dated).toBe(2);
  });

  it('DRM-3 a second time changes nothing', () => {
    expect(consolidate([memory('a', 2, 'A fact. Noted on 2026-01-07.', 'project')])).toMatchObject({
      write: [],
      remove: [],
    });
  });

  it('DRM-3 AUT-3 prunes to the limits of the index, oldest first', () => {
    const memories = [memory('a', 3, 'x'), memory('b', 1, 'x'), memory('c', 2, 'x')];
    const { keep, drop } = pruneToIndex(memories, { lines: 2, bytes: 25_000, lineChars: 150 });
    expect(keep.map(({ name }) => name)).toEqual(['a', 'c']);
    expect(drop.map(({ name }) => name)).toEqual(['b']);
  });
});

describe('what a dream may run', () => {
  it.each(READ_COMMANDS)('DRM-4 %s', (name) => {
    expect(isReadOnlyCommand(`${name} /memory`)).toBe(true);
  });

  it.each([
    'rm /memory/a.md',
    'cat a > b',
    'cat a; rm b',
    'grep x $(rm a)',
    'ls `rm a`',
    'ls && rm a',
    'find /memory -delete',
    'find /memory -exec rm {} +',
    'tee a',
    'sed -i s/a/b/ c',
    '',
    'ls\nrm a',
  ])('DRM-4 never: %j', (command) => {
    expect(isReadOnlyCommand(command)).toBe(false);
  });
});
