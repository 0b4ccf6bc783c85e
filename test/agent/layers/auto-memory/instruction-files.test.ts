import { describe, expect, it } from 'vitest';
import {
  indexedNames,
  instructionBlocks,
  instructionsSay,
  memoryQuality,
} from '../../../../src/agent/layers/auto-memory/known-memories.js';
import { readMemories } from '../../../../src/agent/layers/auto-memory/memory-store.js';
import { createFiles } from '../../../../src/core/base/files.js';
import { type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import { renderMemory } from '../../../../src/core/model/memory.js';
import { userMessage } from '../../../helpers/drive/drive-session-memory.js';

const block = (kind: 'text' | 'tool_result' | 'tool_use', facts: BlockFacts, text: string | null = null) =>
  createBlock({ kind, role: 'user', tokens: 9, chars: 9, text, facts });
const RULES = block(
  'text',
  { attachment: 'memory' },
  'first line\nalways run linter tests commit branch\nlast',
);

describe('AUT-2 instructions of a project', () => {
  it.each([
    ['text', { attachment: 'memory' }, true],
    ['text', { attachment: 'nested_memory' }, true],
    ['text', { attachment: 'file', path: '/repo/CLAUDE.md' }, false],
    ['text', {}, false],
    ['tool_result', { path: '/repo/CLAUDE.md' }, true],
    ['tool_result', { path: 'C:\\repo\\CLAUDE.local.md' }, true],
    ['tool_result', { path: 'AGENTS.md' }, true],
    ['tool_result', { path: '/repo/GEMINI.md' }, true],
    ['tool_result', { path: '/repo/MY-CLAUDE.md' }, false],
    ['tool_result', { path: '/repo/README.md' }, false],
    ['tool_result', {}, false],
    ['tool_use', { path: '/repo/CLAUDE.md' }, false],
  ] as const)('a %s with %j is one: %s', (kind, facts, is) => {
    expect(instructionBlocks([userMessage('m', [block(kind, facts)])])).toHaveLength(is ? 1 : 0);
  });

  it('say as much as a sentence when one line holds four fifths of its words', () => {
    const says = (sentence: string, rules = [RULES]) => instructionsSay(rules, sentence);
    expect(says('run linter tests commit branch')).toBe(true);
    expect(says('run linter tests commit elsewhere')).toBe(true);
    expect(says('run linter tests somewhere elsewhere')).toBe(false);
    // The words of two lines do not add up.
    expect(says('first line linter branch commit')).toBe(false);
    expect(says('run linter tests commit branch', [])).toBe(false);
    expect(says('')).toBe(false);
    expect(says('run linter tests commit branch', [block('text', { attachment: 'memory' })])).toBe(false);
  });

  it('are looked at up to 40,000 characters', () => {
    const line = 'always run linter tests commit branch';
    const says = (before: number) =>
      instructionsSay(
        [block('text', { attachment: 'memory' }, `${'\n'.repeat(before)}${line}`)],
        'run linter tests commit branch',
      );
    expect([says(40_000 - line.length), says(40_000)]).toEqual([true, false]);
  });
});

describe('C33 what memories are worth', () => {
  const store = (memories: Readonly<Record<string, readonly [string, number]>>) => {
    const files = createFiles();
    for (const [name, [body, mtimeMs]] of Object.entries(memories))
      files.write(
        `/memory/${name}.md`,
        renderMemory({ name, description: 'd', type: 'project', body }),
        mtimeMs,
      );
    return { files, store: readMemories(files) };
  };

  it('one that says the same as another is a duplicate, one that an other contradicts is the older of the two', () => {
    const quality = (a: readonly [string, number], b: readonly [string, number]) =>
      memoryQuality(store({ a, b }).store, null, []);
    const same = 'We use Postgres 15 in production.';
    expect(quality([same, 1], [same, 2])).toMatchObject({ kept: 2, duplicate: 1, contradicted: 0 });
    expect(quality([same, 1], ['We use MySQL in production.', 2])).toMatchObject({
      duplicate: 0,
      contradicted: 1,
    });
    expect(quality([`${same}\n${same}`, 1], ['Production has 512 MB.', 2])).toMatchObject({ duplicate: 0 });
  });

  it('what the instructions say, or nobody should keep, pollutes; what the index does not name is off it', () => {
    const said = {
      a: ['always run linter tests commit branch', 1],
      b: ['Production has 512 MB.', 1],
    } as const;
    const { files, store: memories } = store(said);
    expect(memoryQuality(memories, null, [])).toMatchObject({ polluted: 0, offIndex: 2 });
    expect(memoryQuality(memories, null, [userMessage('m', [RULES])]).polluted).toBe(1);
    files.write('/memory/MEMORY.md', '- [a](a.md): d\nno link\n- [c](c.md): d', 1);
    const index = files.read('/memory/MEMORY.md');
    expect([...indexedNames(index)]).toEqual(['a', 'c']);
    expect(indexedNames(index)).toBe(indexedNames(index));
    expect(memoryQuality(memories, index, []).offIndex).toBe(1);
  });
});
