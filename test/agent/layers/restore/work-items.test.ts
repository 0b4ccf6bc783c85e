import { describe, expect, it } from 'vitest';
import { FileState } from '../../../../src/agent/layers/file-state/file-state.js';
import { isNotRestored, VisibleFiles } from '../../../../src/agent/layers/restore/restore.js';
import {
  Announcements,
  BackgroundWork,
  partOf,
  TodoList,
  type WorkItem,
  WorkState,
  workState,
} from '../../../../src/agent/layers/restore/work-state.js';
import {
  type Block,
  type BlockFacts,
  createBlock,
  type ToolEffect,
} from '../../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../../src/core/model/message.js';
import { userText } from '../../../helpers/blocks.js';

/** A block of this many tokens, eight characters each. */
function block(tokens: number, rest: Partial<Block> = {}, kind: Block['kind'] = 'tool_use'): Block {
  const { tool = null, toolUseId = null, facts = {} } = rest;
  return createBlock({ kind, role: 'user', tokens, chars: 8 * tokens, tool, toolUseId, facts });
}
let count = 0;
const message = (blocks: readonly Block[], origin: Message['origin'] = 'tool'): Message =>
  createMessage({ id: `m${++count}`, role: 'user', origin, blocks, at: 0 });
const sizes = (items: readonly WorkItem[]) =>
  items.map(({ label, tokens, rough, chars }) => [label, tokens, rough, chars]);

const KINDS = ['deferred_tools_delta', 'agent_listing_delta', 'mcp_instructions_delta'];

describe('a part of a block', () => {
  it('has its share of the tokens, all of them at most; 2.75 characters a token where none are known', () => {
    expect(sizes([partOf('x', block(100), 200)])).toEqual([['x', 25, 50, 200]]);
    expect(sizes([partOf('x', block(100), 1_600)])).toEqual([['x', 100, 400, 1_600]]);
    const unknown = userText(100, { chars: 0 });
    expect(sizes([partOf('x', unknown, 275)])).toEqual([['x', 100, 69, 275]]);
  });
});

describe('RES-3 what runs in the background', () => {
  const call = (id: string | null) => block(9, { toolUseId: id });
  const news = (state: 'running' | 'ended', call: string | null, task: string | null) =>
    ({ kind: 'background-news', state, call, task }) as const;
  const work = () => {
    const made = new BackgroundWork();
    made.start(call('a'), 'build');
    made.start(call('b'), 'tests');
    made.start(call(null), 'nameless');
    return made;
  };
  const labels = (made: BackgroundWork) => made.items().map(({ label }) => label);

  it('is a line each, with the size of its words', () => {
    const text = 'Started in the background and still running: build';
    expect(sizes(work().items())[0]).toEqual([
      'build',
      Math.ceil(text.length / 2.75),
      Math.round(text.length / 4),
      text.length,
    ]);
    expect(labels(work())).toEqual(['build', 'tests']);
  });

  it('C47 an agent that ended is named until a compaction has reported it, a command that ended is not', () => {
    const made = new BackgroundWork();
    for (const tool of ['Task', 'Agent', 'Bash'])
      made.start(block(9, { toolUseId: tool, tool }), `${tool} of the user`);
    for (const id of ['Task', 'Agent', 'Bash']) made.update(news('ended', id, null), null);
    expect(labels(made)).toEqual(['Task of the user', 'Agent of the user']);
    expect(sizes(made.items())[0]![3]).toBe(
      'Agent that has ended since the last summary: Task of the user'.length,
    );
    made.forgetFinished();
    expect(labels(made)).toEqual([]);
  });

  it('ends by its call, or by the name that its call was told', () => {
    const byCall = work();
    byCall.update(news('ended', 'a', null), null);
    expect(labels(byCall)).toEqual(['tests']);
    const byName = work();
    byName.update(news('running', null, 'task-7'), 'b');
    byName.update(news('running', null, 'task-9'), 'unknown');
    byName.update(news('ended', null, 'task-9'), null);
    expect(labels(byName)).toEqual(['build', 'tests']);
    byName.update(news('ended', 'unknown', 'task-7'), null);
    expect(labels(byName)).toEqual(['build']);
    // What has no name is not ended by news without one.
    byName.update(news('ended', null, null), null);
    expect(labels(byName)).toEqual(['build']);
  });
});

describe('RES-3 the todo list', () => {
  const effect = (value: ToolEffect) => value;
  const listed = (chars: number, items: number) => effect({ kind: 'todo-list', chars, items });
  const create = (chars: number) => effect({ kind: 'task-create', chars });
  const update = (task: string, chars: number, status: string | null = null) =>
    effect({ kind: 'task-update', task, chars, status });
  const standing = (...effects: readonly ToolEffect[]) => {
    const list = new TodoList();
    for (const one of effects) list.apply(one, block(100));
    const item = list.item();
    return item === null ? null : sizes([item])[0]!.slice(1);
  };

  it('is the list last written, none where it is empty', () => {
    expect(standing()).toBeNull();
    expect(standing(listed(80, 1))).toEqual([10, 20, 80]);
    expect(standing(listed(80, 1), listed(160, 3))).toEqual([20, 40, 160]);
    expect(standing(listed(80, 1), listed(2, 0))).toBeNull();
  });

  it('and the tasks that were created, by their number from 1, as they were updated', () => {
    expect(standing(create(80), create(160), listed(80, 1))).toEqual([40, 80, 320]);
    expect(standing(create(80), create(160), update('2', 80))).toEqual([20, 40, 160]);
    expect(standing(create(80), create(160), update('1', 0, 'deleted'))).toEqual([20, 40, 160]);
    expect(standing(create(80), update('1', 0, 'done'))).toEqual([10, 20, 80]);
    expect(standing(create(80), update('2', 400))).toEqual([10, 20, 80]);
  });

  it('is another one after each call on it, and the same after others', () => {
    const list = new TodoList();
    list.apply(create(80), block(100));
    const { digest } = list.item()!;
    list.apply(effect({ kind: 'read-part' }), block(50));
    expect(list.item()!.digest).toBe(digest);
    list.apply(update('1', 0, 'done'), block(50));
    expect(list.item()!.digest).not.toBe(digest);
  });
});

describe('RES-3 what is announced', () => {
  const TOOLS = 'deferred_tools_delta';
  const says = (added: readonly (readonly [string, number])[], removed: readonly string[] = []) =>
    block(100, { facts: { effect: { kind: 'announce', added, removed } } }, 'text');
  const standing = (...blocks: readonly Block[]) => {
    const made = new Announcements();
    for (const one of blocks) made.observe(TOOLS, one);
    return sizes(made.items(KINDS));
  };

  it('is what is in force, with its share of what was said', () => {
    expect(
      standing(
        says([
          ['a', 80],
          ['b', 160],
        ]),
      ),
    ).toEqual([[TOOLS, 30, 60, 240]]);
    expect(
      standing(
        says([
          ['a', 80],
          ['b', 160],
        ]),
        says([], ['b', 'c']),
      ),
    ).toEqual([[TOOLS, 10, 20, 80]]);
    expect(standing(says([['a', 80]]), says([], ['a']))).toEqual([]);
    // One that does not tell names stands for itself.
    expect(standing(block(100, {}, 'text'))).toEqual([[TOOLS, 100, 200, 800]]);
  });

  it('what comes back has the longer of what was said of it', () => {
    const gone = [says([['a', 160]]), says([], ['a'])];
    expect(standing(...gone, says([['a', 80]]))).toEqual([[TOOLS, 20, 40, 160]]);
    expect(standing(...gone, says([['a', 240]]))).toEqual([[TOOLS, 30, 60, 240]]);
    expect(standing(says([['a', 160]]), says([['a', 80]]))).toEqual([[TOOLS, 10, 20, 80]]);
  });

  it('each kind by itself, and none of the others', () => {
    const made = new Announcements();
    for (const kind of ['skill_listing', 'agent_listing_delta', TOOLS, 'mcp_instructions_delta'])
      made.observe(kind, says([[kind, 80]]));
    expect(made.items(KINDS).map(({ label }) => label)).toEqual([
      'agent_listing_delta',
      TOOLS,
      'mcp_instructions_delta',
    ]);
  });

  it('FUL-9 a tool counts as looked up when it is called while it is announced', () => {
    const made = new Announcements();
    made.noteCall('a');
    made.observe('agent_listing_delta', says([['a', 80]]));
    made.noteCall('a');
    made.observe(
      TOOLS,
      says([
        ['b', 80],
        ['a', 80],
      ]),
    );
    expect([...made.discovered]).toEqual([]);
    made.noteCall('b');
    made.noteCall('c');
    expect([...made.discovered]).toEqual(['b']);
  });
});

describe('RES-1 which files are visible in what stays', () => {
  const result = (path: string, id: string, facts: BlockFacts = {}, tool = 'Read') =>
    block(9, { tool, toolUseId: id, facts: { path, ...facts } }, 'tool_result');
  const call = (tool: string, id: string, facts: BlockFacts) => block(9, { tool, toolUseId: id, facts });
  const file = (path: string, changeId: string | null = null) => ({ path, changeId }) as never;
  const seen = (...blocks: readonly Block[]) =>
    new VisibleFiles({ before: [], after: [message(blocks)] }).has(file('/a'));

  it('reads in full, calls that wrote them, attachments; no part, error, stub, placeholder or edit', () => {
    expect(seen(result('/a', 'r'))).toBe(true);
    expect(seen(result('/b', 'r'))).toBe(false);
    expect(seen(result('/a', 'r', { stub: true }))).toBe(false);
    expect(seen(result('/a', 'r', { isError: true }))).toBe(false);
    expect(seen(result('/a', 'r', { replaces: 'cleared' }))).toBe(false);
    expect(seen(result('/a', 'r', {}, 'Edit'))).toBe(false);
    expect(seen(call('Read', 'r', { effect: { kind: 'read-part' } }), result('/a', 'r'))).toBe(false);
    expect(seen(call('Read', 'q', { effect: { kind: 'read-part' } }), result('/a', 'r'))).toBe(true);
    expect(seen(call('Write', 'w', { path: '/a' }))).toBe(true);
    expect(seen(call('Edit', 'w', { path: '/a' }))).toBe(false);
    expect(seen(call('Write', 'w', { path: '/a', replaces: 'cleared' }))).toBe(false);
    expect(seen(block(9, { facts: { path: '/a', attachment: 'file', replaces: 'cut' } }, 'text'))).toBe(true);
    expect(seen(block(9, { facts: { path: '/a', attachment: 'plan' } }, 'text'))).toBe(false);
  });

  it('what stands in front of the summary shows a file that was not changed behind it', () => {
    const before = [message([result('/a', 'r'), call('Edit', 'e', { path: '/a' })])];
    const visible = new VisibleFiles({ before, after: [] });
    expect(visible.has(file('/a'))).toBe(true);
    expect(visible.has(file('/a', 'e'))).toBe(true);
    expect(visible.has(file('/a', 'later'))).toBe(false);
    const behind = new VisibleFiles({ before: [], after: before });
    expect(behind.has(file('/a', 'later'))).toBe(true);
  });
});

describe('C14 what comes back by its own way', () => {
  it.each([
    ['/projects/own.jsonl', true],
    ['/srv/x/.claude/projects/p/s.jsonl', true],
    ['C:\\x\\.claude\\projects\\p\\s.jsonl', true],
    ['/srv/x/.claude/projects/p/q/s.jsonl', false],
    ['/srv/x/.claude/projects/p/s.json', false],
    ['/repo/CLAUDE.md', true],
    ['CLAUDE.local.md', true],
    ['/repo/MY-CLAUDE.md', false],
    ['/repo/CLAUDE.mdx', false],
    ['/repo/attached.md', true],
    ['/repo/a.ts', false],
  ])('%s: %s', (path, own) => {
    const work = new WorkState(new FileState());
    work.files.memories.add('/repo/attached.md');
    expect(isNotRestored(path, work, '/projects/own.jsonl')).toBe(own);
  });
});

describe('the state of the work', () => {
  const skillCall = (id: string, name?: string) =>
    block(9, {
      tool: 'Skill',
      toolUseId: id,
      facts: name === undefined ? {} : { effect: { kind: 'skill', name } },
    });
  const answer = (id: string, facts: BlockFacts = {}) => block(3, { toolUseId: id, facts }, 'tool_result');
  const told = (tokens: number, facts: BlockFacts = {}) => block(tokens, { facts }, 'text');
  function stateAfter(...messages: readonly (readonly [Block, Message['origin']?])[]): WorkState {
    const state = new WorkState(new FileState());
    for (const [one, origin] of messages) state.observe(message([one], origin));
    return state;
  }
  const skills = (state: WorkState) => state.recentSkills().map(({ label, tokens }) => [label, tokens]);

  it('RES-2 what the client says after a skill was invoked is the skill', () => {
    expect(skills(stateAfter([skillCall('s', 'pdf')], [answer('s')], [told(70), 'meta']))).toEqual([
      ['pdf', 70],
    ]);
    expect(skills(stateAfter([skillCall('s')], [answer('s')], [told(70), 'meta']))).toEqual([
      ['unnamed', 70],
    ]);
    // Not what the user says, nothing after an error, and one text for each call.
    expect(skills(stateAfter([skillCall('s', 'pdf')], [answer('s')], [told(70), 'human']))).toEqual([]);
    expect(
      skills(stateAfter([skillCall('s', 'pdf')], [answer('s', { isError: true })], [told(70), 'meta'])),
    ).toEqual([]);
    const two = stateAfter(
      [skillCall('s', 'pdf')],
      [skillCall('t', 'xls')],
      [answer('s')],
      [answer('t')],
      [told(70), 'meta'],
      [told(80), 'meta'],
      [told(90), 'meta'],
    );
    expect(skills(two)).toEqual([
      ['xls', 80],
      ['pdf', 70],
    ]);
  });

  it('RES-2 a skill that came back cut is known in full from before, and keeps its place', () => {
    const shown = (tokens: number, path: string, cut = false) =>
      [told(tokens, { attachment: 'skill', path, ...(cut ? { replaces: 'cut' as const } : {}) })] as const;
    expect(skills(stateAfter(shown(70, 'a'), shown(80, 'b'), shown(9, 'a', true)))).toEqual([
      ['b', 80],
      ['a', 70],
    ]);
    expect(skills(stateAfter(shown(70, 'a'), shown(80, 'b'), shown(75, 'a')))).toEqual([
      ['a', 75],
      ['b', 80],
    ]);
    expect(skills(stateAfter(shown(9, 'c', true)))).toEqual([['c', 9]]);
    expect(skills(stateAfter([told(9, { attachment: 'skill' })]))).toEqual([['skill', 9]]);
  });

  it('RES-3 a call without a result, or with an error, has done nothing', () => {
    const todo = block(100, {
      tool: 'TodoWrite',
      toolUseId: 't',
      facts: { effect: { kind: 'todo-list', chars: 80, items: 1 } },
    });
    expect(stateAfter([todo]).standing(KINDS)).toEqual([]);
    expect(stateAfter([todo], [answer('t', { isError: true })]).standing(KINDS)).toEqual([]);
    expect(stateAfter([todo], [answer('other')]).standing(KINDS)).toEqual([]);
    expect(stateAfter([todo], [answer('t')]).standing(KINDS)).toHaveLength(1);
  });

  it('RES-3 todo list, plan mode, then what is in force; news of the background come in results and texts', () => {
    const todo = block(100, {
      tool: 'TodoWrite',
      toolUseId: 't',
      facts: { effect: { kind: 'todo-list', chars: 80, items: 1 } },
    });
    const state = stateAfter(
      [told(50, { attachment: 'agent_listing_delta' })],
      [told(5, { attachment: 'plan_mode', path: '/plan.md' })],
      [todo],
      [answer('t')],
    );
    expect(state.standing(KINDS).map(({ label }) => label)).toEqual([
      'todo list',
      'plan mode',
      'agent_listing_delta',
    ]);
    expect(state.planPath).toBe('/plan.md');
    const bash = block(9, {
      tool: 'Bash',
      toolUseId: 'b',
      facts: { effect: { kind: 'background', label: 'build' } },
    });
    const news = (state: 'running' | 'ended', call: string | null, task: string | null): BlockFacts => ({
      effect: { kind: 'background-news', state, call, task },
    });
    const started = [[bash], [answer('b', news('running', null, 'task-1'))]] as const;
    expect(stateAfter(...started).running()).toHaveLength(1);
    expect(stateAfter(...started, [told(9, news('ended', null, 'task-1'))]).running()).toEqual([]);
    expect(stateAfter(...started, [answer('x', news('ended', 'b', null))]).running()).toEqual([]);
  });

  it('FUL-9 tools that were looked up are told in order', () => {
    const listed = told(50, {
      attachment: 'deferred_tools_delta',
      effect: {
        kind: 'announce',
        added: [
          ['b', 8],
          ['a', 8],
        ],
        removed: [],
      },
    });
    const calls = ['b', 'a', 'c'].map((tool) => [block(9, { tool, toolUseId: tool })] as const);
    expect(stateAfter([listed], ...calls).discoveredTools).toEqual(['a', 'b']);
  });

  it('is one of each thread, over its files', () => {
    const context = { shared: new Map<string, unknown>() };
    expect(workState(context)).toBe(workState(context));
  });
});
