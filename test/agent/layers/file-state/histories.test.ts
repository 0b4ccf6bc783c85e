import { describe, expect, it } from 'vitest';
import {
  editedVersion,
  FileState,
  fileState,
  writtenVersion,
} from '../../../../src/agent/layers/file-state/file-state.js';
import { restoreState } from '../../../../src/core/base/checkpoint.js';
import { type Block, type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import { messageFrom, resultOf } from '../../../helpers/blocks.js';

let count = 0;
function block(kind: Block['kind'], facts: BlockFacts, rest: Partial<Block> = {}): Block {
  const { tokens = 50, tool = null, toolUseId = null } = rest;
  const role = kind === 'tool_use' ? 'assistant' : 'user';
  return createBlock({ kind, role, tokens, chars: 4 * tokens, tool, toolUseId, facts });
}
const message = (...blocks: readonly Block[]): Message => messageFrom('tool', `m${++count}`, blocks);

const call = (tool: string, id: string, facts: BlockFacts): Block =>
  block('tool_use', facts, { tool, toolUseId: id });
const result = (tool: string, id: string, facts: BlockFacts, tokens = 50): Block =>
  block('tool_result', facts, { tool, toolUseId: id, tokens });
const attached = (path: string, attachment: string, replaces?: 'cut'): Block =>
  block('text', { path, attachment, ...(replaces && { replaces }) });

/** Observes messages of one block each. */
function stateOf(...blocks: readonly Block[]): FileState {
  const state = new FileState();
  for (const one of blocks) state.observe(message(one));
  return state;
}
const paths = (state: FileState): string => [...state.recent()].map(({ path }) => path).join(' ');

describe('calls and their results', () => {
  it('a result takes its path and its tool from the call it answers', () => {
    const answer = resultOf('t', 70, { chars: 280 });
    expect(stateOf(call('Read', 't', { path: '/a' }), answer).get('/a')!.version.tokens).toBe(70);
    expect(stateOf(call('Bash', 't', { path: '/a' }), answer).get('/a')).toBeUndefined();
    expect(stateOf(call('Read', 'other', { path: '/a' }), answer).get('/a')).toBeUndefined();
  });

  it('a call is answered once', () => {
    const nameless = (tokens: number) => resultOf('t', tokens, { chars: 4 * tokens });
    const state = stateOf(call('Read', 't', { path: '/a' }), nameless(70), nameless(90));
    expect(state.get('/a')!.version.tokens).toBe(70);
  });

  it('what changed a file is known, and a whole read, but not one of a part', () => {
    const state = stateOf(result('Read', 'r', { path: '/a' }), result('Edit', 'e', { path: '/a' }));
    expect(state.get('/a')).toMatchObject({ readId: 'r', changeId: 'e' });
    const part = stateOf(result('Read', 'r', { path: '/a', limited: true }));
    expect(part.get('/a')).toMatchObject({ readId: null, changeId: null });
  });

  it('a file that could not be read can be read again once it was written', () => {
    const failed = [
      result('Read', 'r', { path: '/a' }),
      result('Read', 's', { path: '/a', isError: true }),
    ] as const;
    expect(stateOf(...failed).get('/a')!.isUnreadable).toBe(true);
    expect(stateOf(...failed, result('Edit', 'e', { path: '/a' })).get('/a')!.isUnreadable).toBe(false);
    const edit = stateOf(failed[0], result('Edit', 'e', { path: '/a', isError: true }));
    expect(edit.get('/a')).toMatchObject({ isUnreadable: false, changeId: null });
  });

  it('a write stays known, an edit does not: its call holds no whole content', () => {
    const forgotten = (tool: string): string => {
      const state = stateOf(result(tool, 'w', { path: '/a' }), result('Read', 'r', { path: '/a' }));
      state.forgetRead('r', '/a');
      return paths(state);
    };
    expect([forgotten('Write'), forgotten('Edit')]).toEqual(['/a', '']);
  });

  it('an attachment that shows a part of an unknown file tells at least its size', () => {
    expect(stateOf(attached('/a', 'file', 'cut')).get('/a')!.version).toMatchObject({
      tokens: 50,
      isEstimated: true,
    });
    expect(stateOf(attached('/a', 'file')).get('/a')!.version.isEstimated).toBe(false);
  });

  it('other attachments with a path, and changes of files that nobody saw, tell nothing', () => {
    for (const name of ['directory', 'edited_text_file'])
      expect(stateOf(attached('/a', name)).get('/a')).toBeUndefined();
    expect(paths(stateOf(attached('/a', 'nested_memory')))).toBe('');
  });

  it('a cleared result without a path is nothing to forget', () => {
    const state = stateOf(result('Read', 'r', { path: '/a' }));
    state.forgetRead('r', null);
    expect(paths(state)).toBe('/a');
    state.forgetRead('r', '/a');
    state.forgetRead('r', '/a');
    expect([paths(state), state.get('/a')!.readId]).toEqual(['', null]);
    // It is remembered with its next use.
    state.observe(message(result('Read', 's', { path: '/a', stub: true })));
    expect(paths(state)).toBe('/a');
  });
});

describe('a read that points back', () => {
  it('is as good as the read that is visible, and lost with it', () => {
    const first = result('Read', 'r', { path: '/a' });
    const state = stateOf(first, result('Read', 's', { path: '/a' }));
    state.pointBack('/unknown');
    expect(state.get('/unknown')).toBeUndefined();
    state.show('/a', first);
    state.pointBack('/a');
    expect(state.get('/a')!.readId).toBe('r');
    state.forgetRead('r', '/a');
    state.pointBack('/a');
    expect([state.get('/a')!.readId, paths(state)]).toEqual([null, '']);
  });
});

describe('CLN-1 another history', () => {
  const all = () =>
    stateOf(
      result('Read', 'a', { path: '/a' }),
      result('Read', 'b', { path: '/b' }),
      result('Read', 'c', { path: '/c' }),
      attached('/d', 'file'),
      attached('/m', 'nested_memory'),
    );

  it('makes it remember the files of its results, writes and attachments, in the order of their use', () => {
    const state = all();
    state.reset([
      message(attached('/d', 'file')),
      message(result('Read', 'c', { path: '/c' })),
      message(result('Read', 'a', { path: '/a' }), result('Bash', 'x', { path: '/b' })),
    ]);
    expect(paths(state)).toBe('/d /c /a');
    state.reset([message(call('Write', 'w', { path: '/b' }), call('Read', 'r', { path: '/a' }))]);
    expect(paths(state)).toBe('/b');
    state.reset([message(result('Read', 'a', { path: '/a', isError: true }))]);
    expect(paths(state)).toBe('');
    state.reset([
      message(attached('/a', 'edited_text_file'), result('Read', 'z', { path: '/never' })),
      message(attached('/never', 'file')),
    ]);
    expect([paths(state), state.get('/never')]).toEqual(['', undefined]);
  });

  it('holds the memory files that it shows, and its version is another one', () => {
    const state = all();
    expect([[...state.memories], state.memoryVersion]).toEqual([['/m'], 0]);
    const kept = [message(attached('/n', 'nested_memory'))];
    state.reset(kept);
    expect([[...state.memories], state.memoryVersion, paths(state)]).toEqual([['/n'], 1, '']);
    // Several layers tell of the same one.
    state.reset(kept);
    expect(state.memoryVersion).toBe(1);
    state.reset([...kept]);
    expect(state.memoryVersion).toBe(2);
  });

  it('shows no read of the one before', () => {
    const state = new FileState();
    const read = resultOf('r', 2, { text: 'same' });
    state.show('/a', read);
    expect(state.shows('/a', read)).toBe(true);
    state.reset([]);
    expect(state.shows('/a', read)).toBe(false);
  });

  it('keeps a file known beyond its reads where a write or an attachment shows it', () => {
    const forgets = (...blocks: readonly Block[]): string => {
      const state = stateOf(
        result('Write', 'w', { path: '/a' }),
        result('Read', 'a', { path: '/a' }),
        result('Read', 'b', { path: '/b' }),
      );
      state.reset([message(...blocks)]);
      state.forgetRead('a', '/a');
      state.forgetRead('b', '/b');
      return paths(state);
    };
    const reads = [result('Read', 'a', { path: '/a' }), result('Read', 'b', { path: '/b' })];
    // The write is not in this history.
    expect(forgets(...reads)).toBe('');
    expect(forgets(call('Write', 'w', { path: '/a' }), ...reads)).toBe('/a');
    expect(forgets(...reads, attached('/b', 'file'))).toBe('/b');
  });
});

describe('AGT-1 what a fork knows', () => {
  it('is what its parent knew, and nothing of its own before', () => {
    const read = resultOf('r', 2, { text: 'same' });
    const parent = stateOf(
      result('Read', 'a', { path: '/a' }),
      attached('/m', 'nested_memory'),
      call('Read', 't', { path: '/open' }),
    );
    parent.show('/a', read);
    const child = stateOf(result('Read', 'x', { path: '/x' }), attached('/n', 'nested_memory'));
    child.show('/x', read);
    restoreState(child, parent);
    expect([paths(child), [...child.memories].join(' '), child.get('/x')]).toEqual(['/a', '/m', undefined]);
    expect([child.shows('/a', read), child.shows('/x', read)]).toEqual([true, false]);
    // The call that the parent waits for is answered in the child, which has its own place for it.
    child.observe(message(resultOf('t', 9)));
    expect([paths(child), paths(parent)]).toEqual(['/open /a', '/a']);
    child.memories.delete('/m');
    child.forgetRead('r', '/a');
    expect([[...parent.memories], parent.shows('/a', read)]).toEqual([['/m'], true]);
  });

  it('has heard of the latest message of its parent', () => {
    const parent = new FileState();
    const last = message(result('Read', 'a', { path: '/a' }), result('Edit', 'e', { path: '/a' }));
    parent.observe(last);
    const child = parent.forFork();
    const { digest } = child.get('/a')!.version;
    child.observe(last);
    expect(child.get('/a')!.version.digest).toBe(digest);
  });

  it('counts its uses on from those of its parent', () => {
    const parent = stateOf(result('Read', 'a', { path: '/a' }), result('Read', 'b', { path: '/b' }));
    const child = parent.forFork();
    child.observe(message(result('Read', 'c', { path: '/c' })));
    expect(child.get('/c')!.usedAt).toBe(3);
    child.reset([
      message(result('Read', 'c', { path: '/c' })),
      message(result('Read', 'b', { path: '/b' }), result('Read', 'a', { path: '/a' })),
    ]);
    expect(paths(child)).toBe('/c /b /a');
  });

  it('is one state for all layers of the thread', () => {
    const shared = new Map<string, unknown>();
    const own = fileState({ shared });
    own.observe(message(result('Read', 'a', { path: '/a' })));
    expect(fileState({ shared })).toBe(own);
    const copy = own.forFork();
    expect([copy === own, paths(copy)]).toEqual([false, '/a']);
  });
});

describe('C13 sizes of versions', () => {
  const callOf = (tokens: number, chars: number) =>
    createBlock({ kind: 'tool_use', role: 'assistant', tokens, chars });

  it('a write has the share of its call that its characters are, and never more than the call', () => {
    // 120 of 480 characters of a call of 100 tokens.
    expect(writtenVersion(callOf(100, 480), 120)).toMatchObject({ tokens: 25, rough: 30, chars: 120 });
    expect(writtenVersion(callOf(100, 480), 960)).toMatchObject({ tokens: 100, rough: 240 });
    // A call whose characters nobody counted: 2.75 characters a token.
    expect(writtenVersion(callOf(100, 0), 275)).toMatchObject({ tokens: 100, rough: 69, isEstimated: false });
  });

  it('an edit changes the tokens as it changes the characters', () => {
    const before = writtenVersion(callOf(100, 400), 400);
    expect(editedVersion(before, callOf(9, 9), 100)).toMatchObject({ tokens: 125, rough: 125, chars: 500 });
    expect(editedVersion(before, callOf(9, 9), -500)).toMatchObject({ tokens: 0, rough: 0, chars: 0 });
    const empty = editedVersion(before, callOf(9, 9), -400);
    expect(editedVersion(empty, callOf(9, 9), 28)).toMatchObject({ tokens: 10, rough: 7, chars: 28 });
    const guessed = editedVersion(before, callOf(9, 9), null);
    expect(guessed).toMatchObject({ tokens: 100, rough: 100, chars: 400, isEstimated: true });
    expect(editedVersion(guessed, callOf(9, 9), 40).isEstimated).toBe(true);
    expect(guessed.digest).not.toBe(before.digest);
  });
});
