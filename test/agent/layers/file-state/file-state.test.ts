import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileState } from '../../../../src/agent/layers/file-state/file-state.js';
import { AwaitedCalls } from '../../../../src/agent/layers/support/compactable.js';
import type { Block } from '../../../../src/core/model/block.js';
import { resultOf, userText } from '../../../helpers/blocks.js';
import { messagesOf } from '../../../helpers/drive/drive-compaction.js';
import { callBlock } from '../../../helpers/drive/drive-layer.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation, type ToolStep } from '../../../helpers/generators/conversation.js';

const talk = messagesOf(
  new Conversation()
    .human(10)
    .tools([{ tool: 'Read', tokens: 100, path: '/repo/a.ts' }])
    .tools([{ tool: 'Read', tokens: 200, path: '/repo/b.ts' }])
    .tools([{ tool: 'Edit', tokens: 10, path: '/repo/a.ts', effect: { kind: 'edit', chars: 40 } }])
    .transcript(),
);

function known(): FileState {
  const state = new FileState();
  for (const message of talk) state.observe(message);
  return state;
}

const paths = (state: FileState): readonly string[] => [...state.recent()].map(({ path }) => path);

describe('what a thread knows of files', () => {
  it('hears of a message once, however many layers tell of it', () => {
    const state = new FileState();
    for (const message of talk) for (let i = 0; i < 3; i++) state.observe(message);
    expect(state.get('/repo/a.ts')!.version.tokens).toBe(110);
  });

  it('AGT-1 a copy goes its own way and leaves the original as it was', () => {
    const parent = known();
    const child = parent.forFork();
    expect(paths(child)).toEqual(['/repo/a.ts', '/repo/b.ts']);
    child.forgetRead('response4-0', '/repo/b.ts');
    for (const message of messagesOf(
      new Conversation({ ids: 'child-' })
        .tools([{ tool: 'Edit', tokens: 10, path: '/repo/a.ts', effect: { kind: 'edit', chars: 400 } }])
        .transcript(),
    ))
      child.observe(message);
    expect(paths(child)).toEqual(['/repo/a.ts']);
    expect(child.get('/repo/a.ts')!.version.tokens).toBe(210);
    expect(paths(parent)).toEqual(['/repo/a.ts', '/repo/b.ts']);
    expect(parent.get('/repo/a.ts')!.version.tokens).toBe(110);
  });

  it('CLN-1 after a compaction it remembers what the new history shows, in the order of use; sizes stay known', () => {
    const state = known();
    state.reset(talk.slice(-2));
    expect(paths(state)).toEqual(['/repo/a.ts']);
    expect(state.get('/repo/b.ts')!.version.tokens).toBe(200);
    state.reset(talk); // a resume that reads the whole record back
    expect(paths(state)).toEqual(['/repo/a.ts', '/repo/b.ts']);
  });
});

/** What a thread knows after some calls. */
function stateAfter(...tools: readonly ToolStep[]): FileState {
  const state = new FileState();
  const said = new Conversation().human(10);
  for (const tool of tools) said.tools([tool]);
  for (const message of messagesOf(said.transcript())) state.observe(message);
  return state;
}

const FILE = '/repo/a.ts';
const read = (tokens: number, change: Partial<ToolStep> = {}): ToolStep => ({
  tool: 'Read',
  tokens,
  path: FILE,
  ...change,
});
const PART = { effect: { kind: 'read-part' } } as const;
const versionOf = (state: FileState) => {
  const { tokens, isEstimated } = state.get(FILE)!.version;
  return [tokens, isEstimated];
};

describe('how large a file is', () => {
  it('is what a whole read shows, and at least what a part of it does', () => {
    expect(versionOf(stateAfter(read(100)))).toEqual([100, false]);
    expect(versionOf(stateAfter(read(100), read(300, PART)))).toEqual([100, false]);
    expect(versionOf(stateAfter(read(40, PART)))).toEqual([40, true]);
    expect(versionOf(stateAfter(read(40, PART), read(60, PART), read(50, PART)))).toEqual([60, true]);
    expect(versionOf(stateAfter(read(40, PART), read(30)))).toEqual([30, false]);
    expect(versionOf(stateAfter(read(40, { facts: { limited: true } })))).toEqual([40, true]);
  });

  it('is what a call wrote, and what edits make of it', () => {
    // 200 of the 400 characters of the call are the content.
    const write: ToolStep = {
      tool: 'Write',
      tokens: 5,
      callTokens: 100,
      path: FILE,
      effect: { kind: 'write', chars: 200 },
    };
    expect(versionOf(stateAfter(write))).toEqual([50, false]);
    const edit = (chars: number | null): ToolStep => ({
      tool: 'Edit',
      tokens: 5,
      path: FILE,
      effect: { kind: 'edit', chars },
    });
    expect(versionOf(stateAfter(write, edit(40)))).toEqual([60, false]);
    expect(versionOf(stateAfter(write, edit(-400)))).toEqual([0, false]);
    expect(versionOf(stateAfter(write, edit(null)))).toEqual([50, true]);
    // An edit of a file that nobody has seen tells its result alone.
    expect(versionOf(stateAfter(edit(40)))).toEqual([5, true]);
  });

  it('is only estimated once somebody else changed the file', () => {
    const state = stateAfter(read(100));
    const block = userText(9, { text: 'changed', facts: { path: FILE, attachment: 'edited_text_file' } });
    state.observe({ ...talk[0]!, blocks: [block] });
    expect(versionOf(state)).toEqual([100, true]);
  });
});

describe('which files are known', () => {
  const attach = (state: FileState, attachment: string, replaces?: 'cut'): void =>
    state.observe({
      ...talk[0]!,
      blocks: [
        userText(70, { text: attachment, facts: { path: FILE, attachment, ...(replaces && { replaces }) } }),
      ],
    });

  it('those of tools on files alone, and none whose read failed or was cleared', () => {
    expect(stateAfter({ tool: 'Bash', tokens: 9, path: FILE }).get(FILE)).toBeUndefined();
    expect(stateAfter(read(9, { facts: { isError: true } })).get(FILE)).toBeUndefined();
    expect(stateAfter(read(9, { facts: { replaces: 'cleared' } })).get(FILE)).toBeUndefined();
    const failed = stateAfter(read(100), read(9, { facts: { isError: true } }));
    expect([failed.get(FILE)!.isUnreadable, ...versionOf(failed)]).toEqual([true, 100, false]);
    expect(
      stateAfter(read(100), read(9, { facts: { isError: true } }), read(100)).get(FILE)!.isUnreadable,
    ).toBe(false);
    for (const tool of ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'])
      expect(stateAfter({ tool, tokens: 9, path: FILE }).get(FILE)).toBeDefined();
  });

  it('a read that only points back is a use, and shows nothing', () => {
    const other = '/repo/b.ts';
    const state = stateAfter(read(100), read(50, { path: other }), read(9, { facts: { stub: true } }));
    expect(paths(state)).toEqual([FILE, other]);
    expect(versionOf(state)).toEqual([100, false]);
    expect(stateAfter(read(9, { facts: { stub: true } })).get(FILE)).toBeUndefined();
  });

  it('one that is known by a cleared read alone is forgotten, others are not', () => {
    const forgetting = (state: FileState, id: string | null = state.get(FILE)!.readId): readonly string[] => {
      state.forgetRead(id ?? 'none', FILE);
      return paths(state);
    };
    expect(forgetting(stateAfter(read(100)))).toEqual([]);
    expect(forgetting(stateAfter(read(100)), 'another')).toEqual([FILE]);
    expect(forgetting(stateAfter(read(40, PART)))).toEqual([FILE]);
    expect(forgetting(stateAfter({ tool: 'Write', tokens: 5, path: FILE }, read(100)))).toEqual([FILE]);
    const shown = stateAfter(read(100));
    attach(shown, 'file');
    expect(versionOf(shown)).toEqual([70, false]);
    expect(forgetting(shown)).toEqual([FILE]);
    const cut = stateAfter(read(100));
    attach(cut, 'file', 'cut');
    expect(versionOf(cut)).toEqual([100, false]);
    expect(forgetting(cut)).toEqual([]);
  });

  it('memory files until they leave the context', () => {
    const state = new FileState();
    attach(state, 'nested_memory');
    expect([[...state.memories], state.memoryVersion]).toEqual([[FILE], 0]);
    state.forgetMemory('/another');
    state.forgetMemory(FILE);
    expect([[...state.memories], state.memoryVersion]).toEqual([[], 1]);
  });

  it('a read shows the same content as the visible one, if both can be read', () => {
    const state = new FileState();
    const block = (text: string | null, toolUseId = 't') => resultOf(toolUseId, 9, { chars: 4, text });
    expect(state.shows(FILE, block('same'))).toBe(false);
    state.show(FILE, block('same'));
    expect(['same', 'diff', 'longer', null].map((text) => state.shows(FILE, block(text)))).toEqual([
      true,
      false,
      false,
      false,
    ]);
    state.forgetRead('u', FILE);
    expect(state.shows(FILE, block('same'))).toBe(true);
    state.forgetRead('t', FILE);
    expect(state.shows(FILE, block('same'))).toBe(false);
  });

  it('the latest use first, however often and in which order they are used and forgotten', () => {
    const step = fc.record({ file: fc.nat(5), forget: fc.boolean() });
    forAll({ numRuns: 60 }, fc.array(step, { maxLength: 400 }), (steps) => {
      const state = new FileState();
      let expected: string[] = [];
      steps.forEach(({ file, forget }, i) => {
        const path = `/${file}`;
        expected = expected.filter((each) => each !== path);
        if (forget) {
          const id = state.get(path)?.readId;
          if (id != null) state.forgetRead(id, path);
        } else {
          expected.unshift(path);
          const result = resultOf(`t${i}`, 9, { tool: 'Read', facts: { path } });
          state.observe({ ...talk[0]!, blocks: [result] });
        }
      });
      expect(paths(state)).toEqual(expected);
      expect(paths(state.forFork())).toEqual(expected);
    });
  });
});

it('of two calls of one id the latest alone waits for its result, once', () => {
  const waiting = new AwaitedCalls();
  const [first, second, other] = ['a', 'a', 'b'].map((id) => callBlock(id)) as [Block, Block, Block];
  for (const call of [first, second, other]) waiting.add(call);
  expect(waiting.take(null)).toBeUndefined();
  expect(waiting.take('a')).toBe(second);
  expect(waiting.take('a')).toBeUndefined();
  expect(waiting.take('b')).toBe(other);
});
