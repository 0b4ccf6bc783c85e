import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeClaudeCode } from '../../../bench/sessions/write-claude-code.js';
import type { Block, ToolEffect } from '../../../src/core/model/block.js';
import type { Message } from '../../../src/core/model/message.js';
import type { Thread, Transcript } from '../../../src/core/model/transcript.js';
import { readClaudeCodeFiles } from '../../../src/transcripts/readers/claude-code/read.js';
import { generateTranscript, WORKLOADS } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { RECORDED_SHAPE, type SessionShape } from '../../../src/transcripts/synthetic/synthetic.generated.js';
import { sampleShares } from '../../analysis/validate/workload-shares.js';
import { forAll } from '../../helpers/for-all.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { logFor } from '../../helpers/plan.js';

const main = (transcript: Transcript): Thread => transcript.threads[0]!;

function messagesOf(thread: Thread): Message[] {
  return thread.steps.flatMap((step) =>
    step.kind === 'message' ? [step.message] : step.kind === 'call' ? [step.call.response] : [],
  );
}

const blocksOf = (thread: Thread): Block[] => messagesOf(thread).flatMap(({ blocks }) => blocks);

function effectsOf<Kind extends ToolEffect['kind']>(
  thread: Thread,
  kind: Kind,
): Extract<ToolEffect, { kind: Kind }>[] {
  return blocksOf(thread).flatMap(({ facts }) =>
    facts.effect?.kind === kind ? [facts.effect as Extract<ToolEffect, { kind: Kind }>] : [],
  );
}

function inputOf(block: Block): Record<string, unknown> {
  return JSON.parse(block.text!.read().slice(block.tool!.length)) as Record<string, unknown>;
}

const attached = (thread: Thread, kind: string): Message[] =>
  messagesOf(thread).filter(({ blocks }) => blocks[0]?.facts.attachment === kind);

/** Everything with a share of its own switched off. */
const PLAIN: Partial<SessionShape> = {
  thinkingShare: 0,
  partialReadShare: 0,
  skillShare: 0,
  planShare: 0,
  todoShare: 0,
  mcpShare: 0,
  backgroundShare: 0,
  memoryWriteShare: 0,
  memoryFolderShare: 0,
};

describe('what generated sessions carry', () => {
  const transcript = generateTranscript({ workload: 'bugfix', turns: 3_000, seed: 4 });
  const thread = main(transcript);
  const blocks = blocksOf(thread);
  const uses = blocks.filter(({ kind }) => kind === 'tool_use');

  it('C40 thinking in front of what a response says', () => {
    const thinking = messagesOf(thread).filter(({ blocks: [first] }) => first?.kind === 'thinking');
    expect(thinking.length).toBeGreaterThan(1_000);
    expect(blocks.filter(({ kind }) => kind === 'thinking')).toHaveLength(thinking.length);
  });

  it('C40 skills: a listing, the call, and the same content behind each call of one', () => {
    expect(attached(thread, 'skill_listing')).toHaveLength(1);
    const contents = new Map<string, Set<string>>();
    const all = messagesOf(thread);
    let invoked = 0;
    all.forEach((message, i) => {
      const call = message.blocks.find(({ facts }) => facts.effect?.kind === 'skill');
      if (call === undefined) return;
      expect(inputOf(call)).toEqual({ skill: (call.facts.effect as { name: string }).name });
      invoked++;
      const rest = all.slice(i + 1);
      const result = rest.find(({ blocks: [first] }) => first?.toolUseId === call.toolUseId)!;
      if (result.blocks[0]!.facts.isError === true) return;
      const body = rest.find(({ origin }) => origin === 'meta')!;
      const { name } = call.facts.effect as { name: string };
      contents.set(name, (contents.get(name) ?? new Set()).add(body.blocks[0]!.text!.read()));
    });
    expect(invoked).toBeGreaterThan(5);
    for (const texts of contents.values()) expect(texts.size).toBe(1);
  });

  it('C40 plans that are entered, presented, rejected or accepted, in the call or in a file', () => {
    const long = main(
      generateTranscript({ workload: 'bugfix', turns: 3_000, seed: 4, overrides: { planShare: 0.2 } }),
    );
    const exits = effectsOf(long, 'plan-exit');
    expect(attached(long, 'plan_mode').length).toBeGreaterThan(0);
    expect(effectsOf(long, 'plan-enter').length).toBeGreaterThan(0);
    expect(exits.some(({ chars }) => chars >= 2_900)).toBe(true);
    expect(exits.some(({ chars }) => chars === 0)).toBe(true);
    const results = blocksOf(long).filter(
      ({ kind, tool }) => kind === 'tool_result' && tool === 'ExitPlanMode',
    );
    expect(results).toHaveLength(exits.length);
    const accepted = results.filter(({ facts }) => facts.isError !== true);
    expect(accepted).toHaveLength(attached(long, 'plan_mode_exit').length);
    expect(Math.abs(accepted.length / results.length - 0.33)).toBeLessThan(0.12);
    const files = accepted.flatMap(({ facts }) => facts.path ?? []);
    const written = blocksOf(long).flatMap(({ tool, facts }) => (tool === 'Write' ? (facts.path ?? []) : []));
    expect(files.length).toBeGreaterThan(0);
    for (const path of files) expect(written).toContain(path);
  });

  it('C40 todo lists of both kinds, whose ids and states follow from the calls before', () => {
    const kinds = new Set<string>();
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const each = main(generateTranscript({ workload: 'bugfix', turns: 600, seed }));
      const tasks = new Set<string>();
      let made = 0;
      for (const block of blocksOf(each)) {
        const { effect } = block.facts;
        if (effect?.kind === 'task-create') {
          tasks.add(String(++made));
          const { subject, description } = inputOf(block) as { subject: string; description: string };
          expect(effect.chars).toBe(subject.length + description.length);
        }
        if (effect?.kind === 'task-update') {
          expect(tasks.has(effect.task)).toBe(true);
          if (effect.status === 'deleted') tasks.delete(effect.task);
          expect(inputOf(block)).toEqual({ taskId: effect.task, status: effect.status });
        }
        if (effect?.kind === 'todo-list') {
          const { todos } = inputOf(block) as { todos: { status: string }[] };
          expect([effect.items, effect.chars]).toEqual([todos.length, JSON.stringify(todos).length]);
          expect(todos.filter(({ status }) => status === 'in_progress').length).toBeLessThanOrEqual(1);
        }
        if (effect !== undefined) kinds.add(effect.kind);
      }
      expect(tasks.size).toBeLessThanOrEqual(12);
      expect(attached(each, 'task_reminder').length + attached(each, 'todo_reminder').length).toBeGreaterThan(
        20,
      );
    }
    for (const kind of ['task-create', 'task-update', 'todo-list']) expect(kinds).toContain(kind);
  });

  it('C40 MCP tools: announcements at the start, a search before the first call', () => {
    const names = effectsOf(thread, 'announce').flatMap(({ added }) => added.map(([name]) => name));
    expect(attached(thread, 'deferred_tools_delta')).toHaveLength(1);
    expect(attached(thread, 'mcp_instructions_delta')).toHaveLength(1);
    const tools = uses.flatMap(({ tool }) =>
      tool === 'ToolSearch' || tool!.startsWith('mcp__') ? [tool!] : [],
    );
    expect(tools[0]).toBe('ToolSearch');
    const servers = tools.filter((tool) => tool.startsWith('mcp__'));
    expect(servers.length).toBeGreaterThan(10);
    for (const tool of servers) expect(names).toContain(tool);
  });

  it('C40 background agents and commands: an early result with an id, later the notice of their end', () => {
    const runs = effectsOf(thread, 'background');
    const news = effectsOf(thread, 'background-news');
    const started = news.flatMap(({ state, task }) => (state === 'running' ? [task] : []));
    const ended = news.flatMap(({ state, task }) => (state === 'ended' ? [task] : []));
    expect(started).toHaveLength(runs.length);
    expect(new Set(started).size).toBe(started.length);
    expect(ended.length).toBeGreaterThan(0.9 * started.length);
    for (const task of ended) {
      const state = news.flatMap((each) => (each.task === task ? [each.state] : []));
      expect(state).toEqual(['running', 'ended']);
    }
    const ways = new Set(
      messagesOf(thread).flatMap(({ origin, blocks: [first] }) =>
        first?.facts.effect?.kind === 'background-news' && origin !== 'tool' ? [origin] : [],
      ),
    );
    expect(ways).toEqual(new Set(['meta', 'attachment']));
    for (const use of uses) {
      if (use.facts.effect?.kind === 'background') expect(inputOf(use).run_in_background).toBe(true);
    }
  });

  it('C40 memory files in the tree, and memory written at the recorded place', () => {
    const files = Object.keys(transcript.memoryFiles!);
    const paths = uses.flatMap(({ facts }) => facts.path ?? []);
    expect(files.length).toBeGreaterThanOrEqual(1);
    for (const file of files) {
      const folder = file.slice(0, -'CLAUDE.md'.length);
      expect(paths.some((path) => path.startsWith(folder))).toBe(true);
    }
    const written = paths.filter((path) => path.includes('/.claude/projects/-repo/memory/'));
    expect(written.length).toBeGreaterThan(2);
  });

  it('C40 NES-1 acts in a replay without files listed by hand, and not where the tree has none', () => {
    const nested = (overrides: Partial<SessionShape>) =>
      logFor(
        { policy: 'claude-code/2026' },
        generateTranscript({ workload: 'bugfix', turns: 60, seed: 4, overrides }),
      ).filter(
        (entry) => entry.type === 'layer' && entry.layer === 'nested-memory' && entry.outcome === 'done',
      );
    expect(nested({}).length).toBeGreaterThan(0);
    expect(nested({ memoryFolderShare: 0 })).toHaveLength(0);
  });

  it('C40 edits and writes are as large as recorded, and say how much they change', () => {
    const sizes = (tool: string) =>
      uses
        .filter((use) => use.tool === tool)
        .map(({ chars }) => chars)
        .sort((a, b) => a - b);
    const middle = (values: readonly number[]) => values[Math.floor(values.length / 2)]!;
    expect(Math.abs(middle(sizes('Edit')) / 828 - 1)).toBeLessThan(0.15);
    expect(Math.abs(middle(sizes('Write')) / 3_125 - 1)).toBeLessThan(0.4);
    for (const use of uses) {
      const { effect } = use.facts;
      if (effect?.kind === 'write') expect(effect.chars).toBe(String(inputOf(use).content).length);
      if (effect?.kind === 'edit') {
        const { old_string: before, new_string: now, replace_all: all } = inputOf(use);
        expect(effect.chars).toBe(all === true ? null : String(now).length - String(before).length);
      }
      if (effect?.kind === 'read-part') expect(inputOf(use)).toHaveProperty('offset');
    }
  });
});

describe('shares', () => {
  it('C40 lie within a tenth, or two of a thousand, of the fitted figures in large sessions', () => {
    const large = [1, 2, 3].map((seed) => bugfixSession(20_000, { seed }));
    for (const [name, found] of Object.entries(sampleShares(large))) {
      const wanted = RECORDED_SHAPE[name as keyof SessionShape] as number;
      expect(Math.abs(found - wanted), name).toBeLessThan(Math.max(0.1 * wanted, 0.002));
    }
    const exits = large.flatMap((each) => effectsOf(main(each), 'plan-exit')).length;
    const calls = large
      .flatMap((each) => blocksOf(main(each)))
      .filter(({ kind }) => kind === 'tool_use').length;
    expect(Math.abs(exits / calls - 0.00174)).toBeLessThan(0.0006);
  });

  it('C40 0 switches each off and leaves the draws of the others as they were', () => {
    const shape = (overrides: Partial<SessionShape>) => bugfixSession(400, { seed: 9, overrides });
    const plain = main(shape(PLAIN));
    const effects = new Set(blocksOf(plain).flatMap(({ facts }) => facts.effect?.kind ?? []));
    expect(effects).toEqual(new Set(['edit', 'write']));
    expect(messagesOf(plain).every(({ origin }) => ['human', 'model', 'tool'].includes(origin))).toBe(true);
    expect(shape(PLAIN).memoryFiles).toBeUndefined();
    // Without skills, the calls that would have been skills are others; every other call is the same call.
    const tools = (overrides: Partial<SessionShape>) =>
      blocksOf(main(shape({ ...PLAIN, ...overrides }))).flatMap(({ kind, tool }) =>
        kind === 'tool_use' ? [tool!] : [],
      );
    const [off, on] = [tools({}), tools({ skillShare: 0.1 })];
    expect(on).toHaveLength(off.length);
    on.forEach((tool, i) => {
      if (tool !== 'Skill') expect(tool).toBe(off[i]);
    });
    expect(on.filter((tool) => tool === 'Skill').length).toBeGreaterThan(10);
  });
});

describe('any shape', () => {
  const share = fc.constantFrom(0, 0.05, 0.5, 1);
  const shapes = fc.record({
    thinkingShare: share,
    partialReadShare: share,
    skillShare: share,
    planShare: share,
    todoShare: share,
    mcpShare: share,
    backgroundShare: share,
    memoryWriteShare: share,
    memoryFolderShare: share,
  });

  it('C40 pairs calls and results, keeps the order of time, and replays without a broken invariant', () => {
    forAll(
      { numRuns: 12 },
      shapes,
      fc.nat(1_000),
      fc.constantFrom(...WORKLOADS.names),
      fc.constantFrom('none' as const, 'filler' as const),
      (overrides, seed, workload, text) => {
        const transcript = generateTranscript({
          workload,
          turns: 25,
          seed,
          text,
          overrides,
          subagents: { everyTurns: 10, turns: 3 },
        });
        const open = new Set<string>();
        for (const { blocks } of messagesOf(main(transcript))) {
          for (const block of blocks) {
            if (block.kind === 'tool_use') open.add(block.toolUseId!);
            if (block.kind === 'tool_result') expect(open.delete(block.toolUseId!)).toBe(true);
          }
        }
        expect(open.size).toBe(0);
        expect(
          generateTranscript({
            workload,
            turns: 25,
            seed,
            text,
            overrides,
            subagents: { everyTurns: 10, turns: 3 },
          }),
        ).toEqual(transcript);
        const entries = logFor({ policy: 'claude-code/2026' }, transcript);
        expect(entries.some(({ type }) => type === 'end')).toBe(true);
        expect(entries.filter((entry) => entry.type === 'warning')).toEqual([]);
      },
    );
  });

  it('C40 comes back from lines of Claude Code: same tools, texts, origins and attachments', () => {
    const transcript = generateTranscript({
      workload: 'bugfix',
      turns: 80,
      seed: 3,
      overrides: { skillShare: 0.1, planShare: 0.3, backgroundShare: 0.1, mcpShare: 0.1 },
    });
    const files = writeClaudeCode(transcript).files.map(({ name, text }) => ({
      name,
      bytes: Buffer.from(text),
    }));
    const again = readClaudeCodeFiles(files, { id: transcript.id });
    const told = (thread: Thread) =>
      messagesOf(thread)
        .filter(({ origin }) => origin !== 'context')
        .flatMap(({ origin, blocks }) =>
          blocks.map(({ kind, tool, facts, text }) => [origin, kind, tool, facts.attachment, text?.read()]),
        );
    expect(told(main(again))).toEqual(told(main(transcript)));
  });
});
