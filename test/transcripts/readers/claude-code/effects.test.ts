import { describe, expect, it } from 'vitest';
import { writeClaudeCode } from '../../../../bench/sessions/write-claude-code.js';
import type { BlockFacts } from '../../../../src/core/model/block.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { readClaudeCode } from '../../../../src/transcripts/readers/claude-code/read.js';
import { assistant, type Fields, jsonl, result, stamp, user } from '../../../helpers/session.js';

const START = user('u', 0, 'go');
const END = assistant('end', 90, 'last', [{ type: 'text', text: 'done' }]);

const call = (n: number, name: string, input: Fields): Fields =>
  assistant(`a${n}`, n, `m${n}`, [{ type: 'tool_use', id: `toolu_${n}`, name, input }]);
const attach = (n: number, attachment: Fields): Fields => ({
  parentUuid: 'u',
  isSidechain: false,
  sessionId: 's1',
  version: '2.1.100',
  uuid: `t${n}`,
  timestamp: stamp(n),
  type: 'attachment',
  attachment,
});

const read = (lines: readonly Fields[]): Transcript =>
  readClaudeCode(jsonl([START, ...lines, END]), { id: 'x' });

/** Facts of all blocks that have an effect or a file. */
function factsOf(transcript: Transcript): readonly BlockFacts[] {
  return transcript.threads[0]!.steps.flatMap((step) => {
    if (step.kind === 'event') return [];
    const { blocks } = step.kind === 'call' ? step.call.response : step.message;
    return blocks.flatMap(({ facts }) =>
      facts.effect === undefined && facts.path === undefined ? [] : [facts],
    );
  });
}

const effect = (name: string, input: Fields) =>
  factsOf(read([call(1, name, input), result('r', 2, 'toolu_1')]))[0]?.effect;

describe('what calls do', () => {
  it.each<[string, Fields, unknown]>([
    ['Write', { file_path: '/a', content: 'x'.repeat(40) }, { kind: 'write', chars: 40 }],
    ['Edit', { file_path: '/a', old_string: 'abc', new_string: 'a' }, { kind: 'edit', chars: -2 }],
    [
      'Edit',
      { file_path: '/a', old_string: 'b', new_string: 'bb', replace_all: true },
      { kind: 'edit', chars: null },
    ],
    [
      'MultiEdit',
      {
        file_path: '/a',
        edits: [
          { old_string: 'a', new_string: 'abc' },
          { old_string: 'x', new_string: '' },
        ],
      },
      { kind: 'edit', chars: 1 },
    ],
    ['NotebookEdit', { notebook_path: '/a', new_source: 'x' }, { kind: 'edit', chars: null }],
    ['Read', { file_path: '/a', offset: 20 }, { kind: 'read-part' }],
    ['Read', { file_path: '/a' }, undefined],
    ['Skill', { skill: 'review' }, { kind: 'skill', name: 'review' }],
    ['TodoWrite', { todos: [] }, { kind: 'todo-list', items: 0, chars: 2 }],
    ['TaskCreate', { subject: 'abc', description: 'defg' }, { kind: 'task-create', chars: 7 }],
    [
      'TaskUpdate',
      { taskId: '3', status: 'deleted' },
      { kind: 'task-update', task: '3', status: 'deleted', chars: 0 },
    ],
    ['EnterPlanMode', {}, { kind: 'plan-enter' }],
    ['ExitPlanMode', { plan: 'abcd' }, { kind: 'plan-exit', chars: 4, path: null }],
    [
      'Agent',
      { prompt: 'x', description: 'look', run_in_background: true },
      { kind: 'background', label: 'look' },
    ],
    ['Bash', { command: 'ls', run_in_background: false }, undefined],
  ])('C13 C16 %s %j', (name, input, expected) => {
    expect(effect(name, input)).toEqual(expected);
  });

  it('C16 what runs in the background is named by its result and ends with a notice or an answer', () => {
    const facts = factsOf(
      read([
        call(1, 'Agent', { description: 'look', run_in_background: true }),
        result('r1', 2, 'toolu_1', 'Async agent launched successfully.\nagentId: a02cdeb (an internal name)'),
        user(
          'n1',
          3,
          '<task-notification>\n<task-id>a02cdeb</task-id>\n<tool-use-id>toolu_1</tool-use-id>\n<status>completed</status>',
        ),
        attach(4, {
          type: 'queued_command',
          prompt: '<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>',
        }),
        user('n2', 5, '<task-notification>\n<task-id>c1</task-id>\n<status>running</status>'),
      ]),
    );
    expect(facts.map((each) => each.effect)).toEqual([
      { kind: 'background', label: 'look' },
      { kind: 'background-news', state: 'running', task: 'a02cdeb', call: null },
      { kind: 'background-news', state: 'ended', task: 'a02cdeb', call: 'toolu_1' },
      { kind: 'background-news', state: 'ended', task: 'b1', call: null },
    ]);
  });

  it('C16 listings tell which names come and go, C14 attachments which file they show', () => {
    const facts = factsOf(
      read([
        attach(1, {
          type: 'deferred_tools_delta',
          addedNames: ['a', 'b'],
          addedLines: ['a: one', 'b'],
          removedNames: ['c'],
        }),
        attach(2, { type: 'nested_memory', path: '/repo/src/CLAUDE.md', content: 'rules' }),
        attach(3, {
          type: 'file',
          filename: '/repo/a.ts',
          content: { type: 'text', file: { content: 'code' } },
        }),
      ]),
    );
    expect(facts[0]!.effect).toEqual({
      kind: 'announce',
      added: [
        ['a', 6],
        ['b', 1],
      ],
      removed: ['c'],
    });
    expect(facts.slice(1).map(({ path }) => path)).toEqual(['/repo/src/CLAUDE.md', '/repo/a.ts']);
  });

  it('C13 C16 all of it is there again after writing and reading back', () => {
    const lines = [
      call(1, 'Write', { file_path: '/a', content: 'x'.repeat(40) }),
      result('r1', 2, 'toolu_1'),
      attach(3, {
        type: 'deferred_tools_delta',
        addedNames: ['a', 'b'],
        addedLines: ['a: one', 'b'],
        removedNames: ['c'],
      }),
      attach(4, {
        type: 'file',
        filename: '/repo/a.ts',
        content: { type: 'text', file: { content: 'code' } },
      }),
      attach(5, {
        type: 'queued_command',
        prompt: '<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>',
      }),
    ];
    const made = read(lines);
    const [file] = writeClaudeCode(made).files;
    const again = readClaudeCode(Buffer.from(file!.text), { id: 'x' });
    expect(factsOf(again)).toEqual(factsOf(made));
  });
});
