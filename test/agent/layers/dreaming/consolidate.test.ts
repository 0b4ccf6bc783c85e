import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteLength, indexLine } from '../../../../src/agent/layers/auto-memory/memory-index.js';
import type { StoredMemory } from '../../../../src/agent/layers/auto-memory/memory-store.js';
import {
  consolidate,
  indexedMemories,
  isReadOnlyCommand,
  READ_COMMANDS,
} from '../../../../src/agent/layers/dreaming/dream.js';
import { STATEMENTS } from '../../../../src/transcripts/synthetic/synthetic.generated.js';
import { forAll } from '../../../helpers/for-all.js';

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
  it('C33 DRM-3 merges by subject into the newest, whatever the words', () => {
    const { write, remove, merged, contradicted } = consolidate(
      [
        memory('a', 0, 'Tests should never depend on the network.'),
        memory('b', 1, 'Every test needs a name that says what it covers.'),
        memory('c', 0, 'Errors should always carry the path.'),
      ],
      null,
    );
    expect(remove.map(({ name }) => name)).toEqual(['a']);
    expect({ merged, contradicted }).toEqual({ merged: 1, contradicted: 0 });
    expect(write.map((item) => [item.read.name, item.memory.body])).toEqual([
      ['b', 'Every test needs a name that says what it covers.\nTests should never depend on the network.'],
    ]);
    // Only what is new in the file is changed: the line of the other memory with its end.
    expect(write[0]!.changedChars).toBe('Tests should never depend on the network.'.length + 1);
  });

  it('C33 DRM-3 what says the same goes into the newest without a second line', () => {
    const { write, remove, merged } = consolidate(
      [
        memory('old', 0, 'Always run the linter before you stop.'),
        memory('new', 1, 'Please always run the linter before you stop!'),
      ],
      null,
    );
    expect(remove.map(({ name }) => name)).toEqual(['old']);
    expect({ merged, write }).toEqual({ merged: 1, write: [] });
  });

  it('C33 DRM-3 removes the older of two that disagree, also across types, and keeps the later one', () => {
    const { remove, contradicted, merged } = consolidate(
      [
        memory('npm', 0, 'We use npm.', 'project'),
        memory('pnpm', 3, 'No, use pnpm instead of npm.'),
        memory('other', 1, 'Avoid abbreviations in variable names.'),
      ],
      null,
    );
    expect(remove.map(({ name }) => name)).toEqual(['npm']);
    expect({ contradicted, merged }).toEqual({ contradicted: 1, merged: 0 });
  });

  it('C33 DRM-3 one line of a memory may go, the others stay', () => {
    const { write, remove, contradicted } = consolidate(
      [
        memory('both', 0, 'Use tabs for indentation.\nAlways run the linter.'),
        memory('spaces', 1, 'Use spaces for indentation.'),
      ],
      null,
    );
    expect(remove).toEqual([]);
    expect(contradicted).toBe(1);
    expect(write.map((item) => item.memory.body)).toEqual(['Always run the linter.']);
  });

  it('C33 DRM-3 makes relative dates absolute: seen from the day on which they were written', () => {
    const memories = [
      memory('a', 2, 'We agreed yesterday to drop the importer.', 'project'),
      memory('b', 2, 'The audit starts next Monday.', 'project'),
      memory('c', 2, 'The hall is closed until tomorrow.', 'project'),
      memory('d', 2, 'Production has 512 MB.', 'project'),
    ];
    // Without a clock time 0 is Monday, 5 January 2026, so day 2 is Wednesday the 7th.
    expect(consolidate(memories, null).write.map((item) => item.memory.body)).toEqual([
      'The hall is closed until 2026-01-08.',
      'The audit starts on 2026-01-12.',
      'We agreed on 2026-01-06 to drop the importer.',
    ]);
    // A recording that began on 1 March 2026: day 2 is the 3rd, a Tuesday.
    const recorded = consolidate(memories, Date.UTC(2026, 2, 1));
    expect(recorded.write.map((item) => item.memory.body)).toEqual([
      'The hall is closed until 2026-03-04.',
      'The audit starts on 2026-03-09.',
      'We agreed on 2026-03-02 to drop the importer.',
    ]);
    expect(recorded.dated).toBe(3);
  });

  it('C33 DRM-3 a second time changes nothing', () => {
    const stock = STATEMENTS.map((text, i) => memory(`m${String(i).padStart(2, '0')}`, i, text, 'project'));
    forAll({ numRuns: 60 }, fc.shuffledSubarray(stock), (memories) => {
      const first = consolidate(memories, null);
      const gone = new Set(first.remove);
      const after = memories
        .filter((item) => !gone.has(item))
        .map((item) => {
          const changed = first.write.find(({ read }) => read === item);
          return changed === undefined ? item : { ...item, ...changed.memory };
        });
      const second = consolidate(after, null);
      expect({ write: second.write, remove: second.remove }).toEqual({ write: [], remove: [] });
    });
  });

  it('C33 AUT-3 lines leave the index, oldest first', () => {
    const memories = [memory('a', 3, 'x'), memory('b', 1, 'x'), memory('c', 2, 'x')];
    const shown = indexedMemories(memories, { lines: 2, bytes: 25_000, lineChars: 150 });
    expect(shown.map(({ name }) => name)).toEqual(['a', 'c']);
    // Lines of one length: two of them with their ends are the limit.
    const bytes = 2 * (byteLength(indexLine(memories[0]!, 150)) + 1);
    const fitting = (limit: number) =>
      indexedMemories(memories, { lines: 9, bytes: limit, lineChars: 150 }).map(({ name }) => name);
    expect(fitting(bytes)).toEqual(['a', 'c']);
    expect(fitting(bytes - 1)).toEqual(['a']);
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
