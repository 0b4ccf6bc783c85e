import { describe, expect, it } from 'vitest';
import {
  agentTypes,
  filledBy,
  type Origin,
  type SourceBy,
  SourceNames,
  sourceOf,
} from '../../../src/analysis/why/name-sources.js';
import { type BlockFacts, type BlockInit, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message, type MessageOrigin } from '../../../src/core/model/message.js';
import type { Step, Thread } from '../../../src/core/model/transcript.js';

type Content = Partial<BlockInit> | string;

function messageOf(id: string, origin: MessageOrigin, content: Content): Message {
  const role = origin === 'model' ? 'assistant' : 'user';
  const given = typeof content === 'string' ? { text: content } : content;
  const block = createBlock({ kind: 'text', role, tokens: 1, ...given });
  return createMessage({ id, role, origin, blocks: [block], at: 0 });
}

function stepOf(message: Message): Step {
  if (message.origin !== 'model') return { kind: 'message', message };
  return { kind: 'call', call: { response: message } } as unknown as Step;
}

const kindAndName = ({ kind, name }: Origin): string => `${kind}: ${name}`;

/** Where each message of a conversation comes from. */
function namesOf(said: readonly (readonly [MessageOrigin, Content, string?])[]): readonly string[] {
  const messages = said.map(([origin, content], i) => messageOf(`m${i}`, origin, content));
  const names = new SourceNames({ steps: messages.map(stepOf) });
  return messages.map((message) => kindAndName(names.of(message.blocks[0]!, message)));
}

const OTHERS: Origin = { kind: 'user', name: 'text', tool: null, path: null };
const NAMES = new SourceNames({ steps: [] });

describe('what is said comes from', () => {
  it('the user, a command, a skill or the client, as its words and what was said before them tell', () => {
    const skill = { kind: 'skill', name: 'paint' } as const;
    const talk: readonly (readonly [MessageOrigin, Content, string])[] = [
      ['human', 'look', 'user: text'],
      ['human', { kind: 'image' }, 'user: images and documents'],
      ['meta', 'Base directory for this skill: /skills/draw\n\nDraw carefully.', 'skill: draw'],
      ['meta', 'Base directory for this skill: C:\\skills\\sketch\\', 'skill: sketch'],
      ['meta', '<task-notification>done', 'reminder: updates from tasks and subagents'],
      ['meta', '<environment_context>here', 'reminder: environment context'],
      ['meta', 'go on', 'reminder: other'],
      ['command', '<command-name>/review</command-name>', 'command: /review'],
      ['command', '<local-command-stdout>ok', 'command: /review'],
      ['meta', 'Look through the changes.', 'command: /review'],
      ['command', ' <bash-input>ls</bash-input>', 'command: shell commands'],
      ['human', 'thanks', 'user: text'],
      ['command', '<local-command-stdout>ok', 'command: output of commands'],
      [
        'model',
        { kind: 'tool_use', tool: 'Skill', toolUseId: 't1', facts: { effect: skill } },
        'skill: paint',
      ],
      ['tool', { kind: 'tool_result', tool: 'Skill', toolUseId: 't1' }, 'skill: paint'],
      ['meta', 'Base directory for this skill: /skills/draw', 'skill: paint'],
      ['meta', '<task-notification>done', 'reminder: updates from tasks and subagents'],
      ['meta', 'Paint carefully.', 'skill: paint'],
      ['meta', 'go on', 'reminder: other'],
      ['attachment', '# AGENTS.md instructions for /repo', 'instructions: AGENTS.md'],
      ['attachment', '<user_instructions>', 'instructions: of the user'],
      ['attachment', '<skills_instructions>', 'skill: list of skills'],
      ['attachment', { text: 'calls, a line each', facts: { replaces: 'summary' } }, 'reminder: other'],
      ['summary', 'A file was looked at.', 'summary: summaries'],
      ['marker', 'left out', 'unrecorded: inserted to make the request valid'],
      ['tool', { tool: 'Read' }, 'tool: Read'],
      ['model', { kind: 'thinking' }, 'model: thinking'],
      ['model', 'done', 'model: answers'],
    ];
    expect(namesOf(talk)).toEqual(talk.map(([, , name]) => name));
  });

  const names = ['github', 'shop'].map((name) => [name, 9] as const);
  const announced = (count: number): BlockFacts => ({
    attachment: 'mcp_instructions_delta',
    effect: { kind: 'announce', what: 'mcp', added: names.slice(0, count), removed: [] } as never,
  });
  const ended = { kind: 'background-news', state: 'ended', task: 'a', call: null } as const;

  it.each<readonly [string, BlockFacts]>([
    ['instructions: CLAUDE.md', { attachment: 'nested_memory', path: '/repo/web/CLAUDE.md' }],
    ['instructions: CLAUDE.md', { attachment: 'memory', path: 'C:\\repo\\CLAUDE.md' }],
    ['instructions: memory index', { attachment: 'memory-index' }],
    ['hook: PreToolUse:Bash', { attachment: 'hook_success' }],
    ['user: text', { attachment: 'queued_command' }],
    ['reminder: updates from tasks and subagents', { attachment: 'queued_command', effect: ended }],
    ['mcp: github', announced(1)],
    ['mcp: instructions of several servers', announced(2)],
    ['mcp: instructions of several servers', { attachment: 'mcp_instructions_delta' }],
    ['skill: list of skills', { attachment: 'skill_listing' }],
    ['file: changed on disk', { attachment: 'edited_text_file', path: '/a.ts' }],
    ['unrecorded: unexplained growth', { attachment: 'unlogged-context' }],
    ['reminder: todo reminder', { attachment: 'todo_reminder' }],
    ['reminder: constructor', { attachment: 'constructor' }],
  ])('%s, attached as %o', (name, facts) => {
    const block = { text: '<system-reminder>\nPreToolUse:Bash hook ok', facts };
    expect(namesOf([['attachment', block]])).toEqual([name]);
    const { path } = NAMES.of(createBlock({ kind: 'text', role: 'system', tokens: 1, ...block }), null);
    expect(path).toBe(facts.path ?? null);
  });

  it('a hook without a name where none is said', () => {
    const facts = { attachment: 'hook_additional_context' };
    expect(namesOf([['attachment', { text: 'hook ok', facts }]])).toEqual(['hook: unnamed']);
    expect(namesOf([['attachment', { facts }]])).toEqual(['hook: unnamed']);
  });

  it.each([
    ['Read', 'tool: Read'],
    ['mcp__shop__list_items', 'mcp: shop'],
    ['mcp__shop', 'tool: mcp__shop'],
    [null, 'tool: unknown'],
  ])('the tool %s: %s', (tool, name) => {
    const block = { tool, facts: { path: '/a.ts' } };
    expect(namesOf([['model', { kind: 'tool_use', ...block }]])).toEqual([name]);
    expect(namesOf([['tool', { kind: 'tool_result', ...block }]])).toEqual([name]);
  });

  it('tools and system prompt in front of all messages', () => {
    const front = (role: 'tools' | 'system') => createBlock({ kind: 'system', role, tokens: 1 });
    expect(kindAndName(NAMES.of(front('tools'), null))).toBe('definitions: tool definitions');
    expect(kindAndName(NAMES.of(front('system'), null))).toBe('system: system prompt');
  });
});

describe('the type of a subagent', () => {
  const task = (prompt: string, type?: string, tool = 'Task'): Step =>
    stepOf(
      messageOf('c', 'model', {
        kind: 'tool_use',
        tool,
        text: `${tool} ${JSON.stringify({ prompt, subagent_type: type })}`,
      }),
    );
  const broken = stepOf(messageOf('c', 'model', { kind: 'tool_use', tool: 'Task', text: 'Task {"prompt' }));
  const bare = stepOf(messageOf('c', 'model', { kind: 'tool_use', tool: 'Task', text: 'Task' }));
  const long = 'x'.repeat(400);
  const asking = [
    broken,
    bare,
    task('look at it ', 'Explore'),
    task('read it', undefined, 'Agent'),
    task('write it', 'Writer', 'Bash'),
    task(`${long}, please`, 'Painter'),
  ];
  const main = { id: 'main', label: 'main', parentId: null, steps: asking };
  const typeOf = (label: string, said: string): string | undefined => {
    const steps = [stepOf(messageOf('u', 'human', said))];
    const threads = [main, { id: 'child', label, parentId: 'main', steps }] as unknown as Thread[];
    const types = agentTypes({ threads });
    expect([...types.keys()]).toEqual(['child']);
    return types.get('child');
  };

  it.each([
    ['that its call asked for', 'a1b2c3d', 'look at it', 'Explore'],
    ['that of a prompt with the same first 400 characters', 'a1b2c3d', `${long}.`, 'Painter'],
    ['not recorded where its call names none', 'reader', 'read it', 'type not recorded'],
    ['its label where only another tool got its prompt', 'writer', 'write it', 'writer'],
    ['its label where no call has its prompt', 'reviewer', `${long.slice(1)}.`, 'reviewer'],
    ['not recorded where its label is a number', 'a1b2c3d', 'hello', 'type not recorded'],
    ['not recorded where its label is a place', 'sidechain-12', 'hello', 'type not recorded'],
  ])('is %s', (_, label, said, type) => {
    expect(typeOf(label, said)).toBe(type);
  });

  it('is nothing that main conversations have', () => {
    expect(agentTypes({ threads: [main] as unknown as Thread[] }).size).toBe(0);
  });
});

describe('a source', () => {
  const grouped = (origin: Origin, agent: string | null, groups: readonly SourceBy[]) =>
    Object.fromEntries(groups.map((by) => [by, sourceOf(origin, agent, by)]));

  it('is grouped as asked: names of one kind, everything else by kind', () => {
    const origin: Origin = { kind: 'mcp', name: 'shop', tool: 'mcp__shop__list', path: '/a.ts' };
    const ofKind = ['kind', 'skill', 'hook', 'instructions', 'command'] as const;
    for (const by of ofKind) expect(sourceOf(origin, 'Explore', by)).toEqual({ kind: 'mcp', name: null });
    expect(grouped(origin, 'Explore', ['source', 'tool', 'mcp', 'file', 'subagent'])).toEqual({
      source: { kind: 'mcp', name: 'shop' },
      tool: { kind: 'tool', name: 'mcp__shop__list' },
      mcp: { kind: 'mcp', name: 'mcp__shop__list' },
      file: { kind: 'file', name: '/a.ts' },
      subagent: { kind: 'subagent', name: 'Explore' },
    });
    for (const by of ['tool', 'mcp', 'file', 'subagent'] as const)
      expect(sourceOf(OTHERS, null, by)).toEqual({ kind: 'user', name: null });
    const named = (kind: Origin['kind'], by: SourceBy) => sourceOf({ ...OTHERS, kind, name: 'n' }, null, by);
    for (const kind of ['mcp', 'skill', 'hook', 'instructions', 'command'] as const)
      expect(named(kind, kind)).toEqual({ kind, name: 'n' });
    expect(named('tool', 'mcp')).toEqual({ kind: 'tool', name: null });
    const file: Origin = { ...OTHERS, kind: 'instructions', name: 'CLAUDE.md', path: '/a/CLAUDE.md' };
    expect(sourceOf(file, null, 'instructions')).toEqual({ kind: 'instructions', name: '/a/CLAUDE.md' });
  });

  it('is drawn by its kind, a tool by its name', () => {
    expect(filledBy({ ...OTHERS, kind: 'tool', name: 'Read' })).toEqual({ kind: 'tool', name: 'Read' });
    expect(filledBy(OTHERS)).toEqual({ kind: 'user', name: null });
  });
});
