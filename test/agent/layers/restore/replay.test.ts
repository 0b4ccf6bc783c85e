import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ToolEffect } from '../../../../src/core/model/block.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation, type ToolStep } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, planOf } from '../../../helpers/plan.js';
import { planUnder } from '../../../helpers/plan-under.js';

/** Nothing but the user's own compaction acts, and it is the only request beside the loop. */
const POLICY = 'claude-code/2026';
const QUIET = {
  'sessionMemory.enabled': false,
  'autoMemory.enabled': false,
  'dreaming.enabled': false,
  'microcompact.cached.enabled': false,
} as const;

const byHand = (talk: Conversation): Conversation =>
  talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));

/** What the request behind the last compaction holds that was put back, and what the compactions told. */
function afterCompaction(talk: Conversation, set: PlanInit['set'] = {}, policy = POLICY) {
  const quiet = policy === POLICY ? QUIET : {};
  const plan = planOf({ policy, set: { ...quiet, ...set } });
  const { entries, sent } = runSent(plan, byHand(talk).turn(10, 10).transcript());
  const blocks = sentFor(sent, 'main').at(-1)!.blocks!;
  const back = (kind: string) => blocks.filter(({ facts }) => facts.attachment === kind);
  const layers = ofType(entries, 'layer');
  const compactions = layers.filter(({ action, outcome }) => action === 'compact' && outcome === 'done');
  return {
    files: back('file').map(({ facts, tokens }) => [facts.path, tokens] as const),
    estimated: back('file').flatMap(({ facts }) => (facts.estimated === true ? [facts.path] : [])),
    skills: back('skill').map(({ facts, tokens }) => [facts.path, tokens] as const),
    standing: back('standing').map(({ facts, tokens }) => [facts.path, tokens] as const),
    details: compactions.at(-1)!.details,
    layers,
  };
}

const talk = (...steps: readonly ToolStep[]): Conversation => {
  const made = new Conversation().human(10);
  for (const step of steps) made.tools([step]);
  return made.answer(10);
};

const read = (path: string, tokens: number, more: Partial<ToolStep> = {}): ToolStep => ({
  tool: 'Read',
  path,
  tokens,
  ...more,
});
/** A call of 20 tokens more than what it writes; its confirmation has 20. */
const write = (path: string, tokens: number): ToolStep => ({
  tool: 'Write',
  path,
  tokens: 20,
  callTokens: tokens + 20,
  effect: { kind: 'write', chars: tokens * 4 },
});
const edit = (path: string, chars: number | null, more: Partial<ToolStep> = {}): ToolStep => ({
  tool: 'Edit',
  path,
  tokens: 30,
  callTokens: 60,
  effect: { kind: 'edit', chars },
  ...more,
});

describe('files come back as they are now', () => {
  it('C13 RES-1 one that was written comes back with its 5,000 tokens, not with the 20 of the confirmation', () => {
    const { files, details } = afterCompaction(talk(write('/repo/a.ts', 5_000)));
    expect(files).toEqual([['/repo/a.ts', 5_000]]);
    expect(details).toMatchObject({ restoredFiles: 1, restoredTokens: 5_000, restoredEstimated: 0 });
  });

  it('C13 an edit changes the size of what was read by what it adds and takes away', () => {
    // 1,000 tokens are 4,000 characters; 400 more and 2,000 less.
    const path = '/repo/a.ts';
    expect(afterCompaction(talk(read(path, 1_000), edit(path, 400))).files).toEqual([[path, 1_100]]);
    expect(afterCompaction(talk(read(path, 1_000), edit(path, -2_000))).files).toEqual([[path, 500]]);
    expect(afterCompaction(talk(write(path, 1_000), edit(path, 400), edit(path, 400))).files).toEqual([
      [path, 1_200],
    ]);
  });

  it('C13 a later read or write tells again, a failed call changes nothing', () => {
    const path = '/repo/a.ts';
    expect(afterCompaction(talk(write(path, 900), edit(path, null), read(path, 700))).files).toEqual([
      [path, 700],
    ]);
    const failed = edit(path, 4_000, { facts: { isError: true } });
    expect(afterCompaction(talk(read(path, 700), failed)).files).toEqual([[path, 700]]);
  });

  it('C13 where a change cannot be told the size of the last known version stands for it, marked', () => {
    const path = '/repo/a.ts';
    const { files, estimated, details } = afterCompaction(talk(read(path, 700), edit(path, null)));
    expect(files).toEqual([[path, 700]]);
    expect(estimated).toEqual([path]);
    expect(details).toMatchObject({ restoredFiles: 1, restoredEstimated: 1 });
    expect(afterCompaction(talk(edit(path, 80))).estimated).toEqual([path]);
    expect(afterCompaction(talk(read(path, 700), edit(path, 80))).estimated).toEqual([]);
  });

  it('C13 after somebody else changed a file its known size is an estimate', () => {
    const path = '/repo/a.ts';
    const told = new Conversation().human(10).tools([read(path, 700)]);
    told.attach(50, null, { attachment: 'edited_text_file', path });
    const { files, estimated } = afterCompaction(told.answer(10));
    expect(files).toEqual([[path, 700]]);
    expect(estimated).toEqual([path]);
  });

  it('C13 a part does not tell the whole file: the known size stays, else the largest part is the estimate', () => {
    const path = '/repo/a.ts';
    const part = (tokens: number) => read(path, tokens, { effect: { kind: 'read-part' } });
    expect(afterCompaction(talk(read(path, 900), part(100)))).toMatchObject({
      files: [[path, 900]],
      estimated: [],
    });
    expect(afterCompaction(talk(part(100), part(300), part(200)))).toMatchObject({
      files: [[path, 300]],
      estimated: [path],
    });
  });

  it('C13 what an edit writes into an empty file counts at the usual density', () => {
    const path = '/repo/a.ts';
    const { files } = afterCompaction(talk(write(path, 10), edit(path, -40), edit(path, 275)));
    expect(files).toEqual([[path, 100]]); // 2.75 characters a token
  });

  it('C13 the size is that of all writes and edits, however they are mixed', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), tokens: fc.integer({ min: 1, max: 1_000 }) }),
      fc.record({ kind: fc.constant('edit' as const), tokens: fc.integer({ min: -200, max: 200 }) }),
    );
    forAll({ numRuns: 25 }, fc.array(step, { maxLength: 8 }), (steps) => {
      const path = '/repo/a.ts';
      let tokens = 600;
      const made = steps.map((each) => {
        tokens = each.kind === 'write' ? each.tokens : tokens + each.tokens;
        fc.pre(tokens > 0); // what is written into an empty file has no known density
        return each.kind === 'write' ? write(path, each.tokens) : edit(path, each.tokens * 4);
      });
      const { files } = afterCompaction(talk(read(path, 600), ...made));
      expect(Math.abs(files[0]![1] - tokens)).toBeLessThanOrEqual(steps.length); // roundings
    });
  });
});

describe('a second compaction', () => {
  it('CLN-1 RES-1 puts back what the first left in the context, not what it forgot', () => {
    const made = byHand(talk(read('/repo/old.ts', 20_000), read('/repo/large.ts', 40_000)));
    made
      .human(10)
      .tools([write('/repo/large.ts', 1_000)])
      .answer(10);
    // Of 50,000 tokens the first takes 40,000 and leaves the older file out; the second would have room for it.
    const set = { 'restore.fileTokens': 50_000, 'restore.filesTotalTokens': 50_000 };
    expect(afterCompaction(made, set).files).toEqual([['/repo/large.ts', 1_000]]);
  });
});

describe('what is left out', () => {
  it('C14 the transcript, the plan file and memory files, and nothing else', () => {
    const others = [
      '/data/log.jsonl',
      '/repo/plans/next.md',
      '/repo/plan.md',
      '/repo/AGENTS.md',
      '/repo/MEMORY.md',
    ];
    const out = ['/u/.claude/projects/-repo/5f.jsonl', '/repo/CLAUDE.md', '/repo/src/CLAUDE.local.md'];
    const { files } = afterCompaction(talk(...[...others, ...out].map((path) => read(path, 100))));
    expect(files.map(([path]) => path)).toEqual([...others].reverse());
  });

  it('C14 the plan file is the one that plan mode names or lets write, whatever it is called', () => {
    const enter: ToolStep = { tool: 'EnterPlanMode', tokens: 40, effect: { kind: 'plan-enter' } };
    const exit = (path: string | null): ToolStep => ({
      tool: 'ExitPlanMode',
      tokens: 20,
      effect: { kind: 'plan-exit', chars: 0, path },
    });
    const named = afterCompaction(talk(read('/x/idea.md', 300), exit('/x/idea.md'), read('/repo/a.ts', 50)));
    expect(named.files).toEqual([['/repo/a.ts', 50]]);
    expect(named.standing).toEqual([['plan', 300]]);
    const written = afterCompaction(
      talk(enter, write('/x/idea.md', 400), exit(null), read('/repo/a.ts', 50)),
    );
    expect(written.files).toEqual([['/repo/a.ts', 50]]);
    expect(written.standing).toEqual([['plan', 400]]);
  });

  it('C14 NES-1 a memory file that was attached on the way does not come back as a file', () => {
    const files = { '/repo/src/NOTES.md': 70 };
    const steps = [read('/repo/src/NOTES.md', 90), read('/repo/src/a.ts', 50)];
    const set = { 'nestedMemory.files': files };
    expect(afterCompaction(talk(...steps), set).files).toEqual([['/repo/src/a.ts', 50]]);
    expect(afterCompaction(talk(...steps)).files.map(([path]) => path)).toEqual([
      '/repo/src/a.ts',
      '/repo/src/NOTES.md',
    ]);
  });
});

describe('what is visible in kept messages', () => {
  /** The measured client keeps the last round verbatim. */
  const kept = (...steps: readonly ToolStep[]) => {
    const made = new Conversation().human(10);
    for (const step of steps) made.tools([step]);
    return afterCompaction(made, { 'compact.keepLastRounds': 1 });
  };
  const earlier = [read('/repo/a.ts', 500), read('/repo/b.ts', 400)];

  it('C15 a read or a call that wrote the file makes it visible, an edit does not', () => {
    const a = '/repo/a.ts';
    expect(kept(...earlier, read(a, 500)).files).toEqual([['/repo/b.ts', 400]]);
    expect(kept(...earlier, write(a, 600)).files).toEqual([['/repo/b.ts', 400]]);
    expect(kept(...earlier, edit(a, 400)).files).toEqual([
      [a, 600],
      ['/repo/b.ts', 400],
    ]);
    const part = read(a, 20, { effect: { kind: 'read-part' } });
    expect(kept(...earlier, part).files.map(([path]) => path)).toContain(a);
  });
});

describe('lists, plans, skills and what runs', () => {
  const task = (tokens: number): ToolStep => ({
    tool: 'TaskCreate',
    tokens: 10,
    callTokens: tokens + 20,
    effect: { kind: 'task-create', chars: tokens * 4 },
  });
  const update = (id: string, status: string, tokens = 0): ToolStep => ({
    tool: 'TaskUpdate',
    tokens: 10,
    callTokens: tokens + 20,
    effect: { kind: 'task-update', task: id, status, chars: tokens * 4 },
  });
  const todos = (items: number, tokens: number): ToolStep => ({
    tool: 'TodoWrite',
    tokens: 40,
    callTokens: tokens + 20,
    effect: { kind: 'todo-list', items, chars: tokens * 4 },
  });

  it('C16 RES-3 the todo list is its state: all tasks as they are now, not the last call', () => {
    expect(
      afterCompaction(talk(task(100), task(150), task(50), update('3', 'deleted'), update('1', 'completed')))
        .standing,
    ).toEqual([['todo list', 250]]);
    expect(afterCompaction(talk(task(100), update('1', 'in_progress', 130))).standing).toEqual([
      ['todo list', 130],
    ]);
    expect(afterCompaction(talk(todos(3, 200), todos(2, 140))).standing).toEqual([['todo list', 140]]);
  });

  it('C16 nothing comes back of an empty list', () => {
    expect(afterCompaction(talk(task(100), update('1', 'deleted'))).standing).toEqual([]);
    expect(afterCompaction(talk(todos(3, 200), todos(0, 1))).standing).toEqual([]);
  });

  it('C16 the plan comes back whether it was written to a file or given at the end of plan mode', () => {
    const exit = (effect: Partial<ToolEffect>, facts = {}): ToolStep => ({
      tool: 'ExitPlanMode',
      tokens: 20,
      callTokens: 920,
      effect: { kind: 'plan-exit', chars: 0, path: null, ...effect } as ToolEffect,
      facts,
    });
    expect(afterCompaction(talk(exit({ chars: 3_600 }))).standing).toEqual([['plan', 900]]);
    const file = '/u/.claude/plans/calm-river.md';
    const steps = [write(file, 700), exit({ path: file }), edit(file, 400)];
    expect(afterCompaction(talk(...steps))).toMatchObject({ files: [], standing: [['plan', 800]] });
    expect(afterCompaction(talk(exit({ chars: 3_600 }, { isError: true }))).standing).toEqual([]);
  });

  it('C16 plan mode is said again while it is on', () => {
    const enter: ToolStep = { tool: 'EnterPlanMode', tokens: 40, effect: { kind: 'plan-enter' } };
    const exit: ToolStep = {
      tool: 'ExitPlanMode',
      tokens: 20,
      effect: { kind: 'plan-exit', chars: 0, path: null },
    };
    expect(afterCompaction(talk(enter)).standing).toEqual([['plan mode', 40]]);
    expect(afterCompaction(talk(enter, exit)).standing).toEqual([]);
  });

  it('C16 RES-2 a skill comes back once, however often it was invoked, the latest first', () => {
    const made = new Conversation().human(10);
    for (const [name, tokens] of [
      ['review', 300],
      ['tests', 200],
      ['review', 310],
    ] as const)
      made.tools([{ tool: 'Skill', tokens: 10, effect: { kind: 'skill', name } }]).say('meta', tokens);
    const { skills, details } = afterCompaction(made.answer(10));
    expect(skills).toEqual([
      ['review', 310],
      ['tests', 200],
    ]);
    expect(details).toMatchObject({ restoredSkills: 2 });
  });

  const start = (label: string): ToolStep => ({
    tool: 'Agent',
    tokens: 30,
    effect: { kind: 'background', label },
  });

  it('C16 C47 what still runs in the background is named, and agents that ended since; 2.0 does not do that', () => {
    const made = new Conversation()
      .human(10)
      .tools([start('look for tests')])
      .tools([start('build')]);
    const ended: ToolEffect = { kind: 'background-news', state: 'ended', task: null, call: 'response2-0' };
    made.attach(40, null, { attachment: 'queued_command', effect: ended }).answer(10);
    const { standing } = afterCompaction(made);
    expect(standing.map(([path]) => path)).toEqual(['build', 'look for tests']);
    for (const [, tokens] of standing) expect(Math.abs(tokens - 20)).toBeLessThanOrEqual(4); // about 20 each
    const again = new Conversation()
      .human(10)
      .tools([start('build')])
      .answer(10);
    expect(afterCompaction(again, {}, 'claude-code/2.0').standing).toEqual([]);
  });

  it.each([
    ['Claude Code', planOf({ policy: POLICY, set: QUIET })],
    [
      'a policy file',
      planUnder('rules: [{ when: { event: manual }, ask: { shape: own }, layout: [summary, todos] }]', {}),
    ],
  ])('C47 under %s an agent that ended is named by one compaction, not by the next', (_name, plan) => {
    const main = new Conversation().human(10).tools([start('build'), start('find')]);
    const ended: ToolEffect = { kind: 'background-news', state: 'ended', task: null, call: 'response2-1' };
    main.wait(60).attach(40, null, { attachment: 'queued_command', effect: ended }).answer(10);
    const own = new Conversation({ ids: 'c-' }).wait(5).turn(20, 20).thread('child', 'main');
    const child = { ...own, fork: { callId: 'response2' } };
    byHand(byHand(main).turn(10, 10)).turn(10, 10);
    const transcript = { ...main.transcript(), threads: [main.thread(), child] };
    const named = sentFor(runSent(plan, transcript).sent, 'main').map(({ blocks }) =>
      blocks!.flatMap(({ facts }) => (facts.attachment === 'standing' ? [facts.path] : [])),
    );
    expect(named.slice(-2)).toEqual([['build', 'find', child.label], ['build']]);
  });

  it('C16 announcements follow from what is in force: names added so far less those withdrawn', () => {
    const delta = (added: readonly (readonly [string, number])[], removed: readonly string[] = []) => ({
      attachment: 'deferred_tools_delta',
      effect: { kind: 'announce', added, removed } as const,
    });
    const made = new Conversation()
      .human(10)
      // 200 tokens are 800 characters: 600 of one tool, 200 of the other.
      .attach(
        200,
        null,
        delta([
          ['mcp__a', 600],
          ['mcp__b', 200],
        ]),
      )
      .attach(100, null, delta([['mcp__c', 400]], ['mcp__a']))
      .attach(80, null, { attachment: 'mcp_instructions_delta' })
      .attach(60, null, { attachment: 'todo_reminder' })
      .answer(10);
    expect(afterCompaction(made).standing).toEqual([
      ['deferred_tools_delta', 150],
      ['mcp_instructions_delta', 80],
    ]);
  });
});

describe('what the agent has forgotten', () => {
  it('C17 MIC-2 reads cleared after a pause do not come back, those that stayed do', () => {
    const steps = [1, 2, 3, 4, 5, 6, 7].map((n) => read(`/repo/${n}.ts`, 100));
    const made = talk(...steps)
      .wait(61 * 60)
      .turn(10, 10);
    const { files } = afterCompaction(made, { 'restore.files': 9 });
    expect(files.map(([path]) => path)).toEqual([7, 6, 5, 4, 3].map((n) => `/repo/${n}.ts`));
  });

  it('C17 MIC-1 the same after clearing by tokens; what was written since is remembered', () => {
    // Seven reads of 10,000: the four oldest go, as the remaining 30,000 are the protected three.
    const steps = [1, 2, 3, 4, 5, 6, 7].map((n) => read(`/repo/${n}.ts`, 10_000));
    const made = talk(write('/repo/1.ts', 800), ...steps.slice(1), write('/repo/2.ts', 900)).turn(10, 10);
    const set = { 'microcompact.token.requiresWarning': false, 'restore.files': 9 };
    const { files, layers } = afterCompaction(made, set, 'claude-code/2.1');
    expect(layers.filter(({ layer }) => layer === 'microcompact')).toHaveLength(1);
    expect(files.map(([path]) => path)).toEqual([2, 7, 6, 5, 4, 1].map((n) => `/repo/${n}.ts`));
  });

  it('C17 MIC-3 reads deleted on the server are forgotten as well', () => {
    const steps = Array.from({ length: 13 }, (_, n) => read(`/repo/${n}.ts`, 100));
    const set = { 'restore.files': 20, 'microcompact.cached.enabled': true };
    const { files, layers } = afterCompaction(talk(...steps), set);
    const deleted = layers.find(({ action }) => action === 'delete')!;
    expect(files).toHaveLength(13 - (deleted.details.ids as number));
  });

  it('RES-1 a file that can no longer be read is an entry of its own', () => {
    const gone = read('/repo/gone.ts', 20, { facts: { isError: true } });
    const { files, layers, details } = afterCompaction(
      talk(read('/repo/gone.ts', 300), read('/repo/a.ts', 50), gone),
    );
    expect(files).toEqual([['/repo/a.ts', 50]]);
    expect(details).toMatchObject({ restoredFiles: 1, restoredFailed: 1 });
    expect(layers.filter(({ action }) => action === 'restore')).toMatchObject([
      { outcome: 'failed', failure: 'file-unreadable', details: { path: '/repo/gone.ts' }, calls: 0 },
    ]);
  });
});
