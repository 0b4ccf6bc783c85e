import { describe, expect, it } from 'vitest';
import { createMessage } from '../../../../src/core/model/message.js';
import type { ManualCompaction } from '../../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { callOf, resultOf } from '../../../helpers/blocks.js';
import { above, COMPACTION_ONLY } from '../../../helpers/drive/above-threshold.js';
import { effective } from '../../../helpers/effective.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../../helpers/plan.js';

const POLICY = 'claude-code/2026';
const QUIET = effective(POLICY, COMPACTION_ONLY);
/** Figures that every compaction tells. */
const TOLD = [
  ...['threshold', 'overshoot', 'chained', 'thrash', 'turnsSincePrevious', 'previousTurn', 'source'],
  ...['messagesSummarised', 'messagesKept', 'lastMessage', 'preserved', 'recompactsNextTurn', 'breakdown'],
];

const run = (init: PlanInit, talk: Conversation): LogEntry[] => logFor({ policy: POLICY, ...init }, talk);
const done = (entries: readonly LogEntry[], action = 'compact') =>
  ofType(entries, 'layer').filter((entry) => entry.action === action && entry.outcome === 'done');
const byHand = (talk: Conversation, partial: ManualCompaction['partial'] = null): Conversation =>
  talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial } }));
/** This many turns of a prompt and an answer each. */
const turns = (talk: Conversation, count: number): Conversation => {
  for (let i = 0; i < count; i++) talk.turn(10, 10);
  return talk;
};

describe('what every compaction tells', () => {
  it('C37 BRK-4 one within three turns of the previous one is chained, the very next turn alone is thrash', () => {
    const talk = () => byHand(turns(byHand(turns(byHand(turns(new Conversation(), 3)), 3)), 4)).turn(10, 10);
    const told = (set: PlanInit['set']) =>
      done(run({ set: { ...QUIET, ...set } }, talk())).map(({ details }) => [
        details.turnsSincePrevious,
        details.chained,
        details.thrash,
      ]);
    expect(told({})).toEqual([
      [null, false, false],
      [3, true, false],
      [4, false, false],
    ]);
    expect(told({ 'thrash.chainTurns': 2 })[1]).toEqual([3, false, false]);
  });

  it('C37 FUL-9 the first boundary counts what was said, not the reminder in front of it', () => {
    const set = { ...QUIET, 'context.memoryFiles': { 'CLAUDE.md': 300 } };
    const [first, second] = done(
      run({ set }, byHand(turns(byHand(turns(new Conversation(), 2)), 1)).turn(10, 10)),
    );
    expect(first!.details).toMatchObject({
      messagesSummarised: 4,
      messagesKept: 0,
      lastMessage: 'response4',
      preserved: null,
      discoveredTools: [],
    });
    // The summary and the prompt with its answer.
    expect(second!.details).toMatchObject({ messagesSummarised: 3, lastMessage: 'response6' });
  });

  it('C37 FUL-9 a partial one names the message its boundary follows, and the segment that stays', () => {
    const set = { ...QUIET, 'context.memoryFiles': { 'CLAUDE.md': 300 } };
    const partial = (direction: 'from' | 'up_to') =>
      done(
        run({ set }, byHand(turns(new Conversation(), 4), { direction, messagesBack: 2 }).turn(10, 10)),
      )[0]!.details;
    const from = partial('from');
    expect(from.preserved).toMatchObject({ head: 'human1' });
    expect(from.lastMessage).toBe((from.preserved as { readonly tail: string }).tail);
    const upTo = partial('up_to');
    expect(upTo.preserved).toMatchObject({ tail: 'response8' });
    expect((from.messagesSummarised as number) + (from.messagesKept as number)).toBe(8);
    expect((upTo.messagesSummarised as number) + (upTo.messagesKept as number)).toBe(8);
  });

  it('C37 FUL-9 names the announced tools that had been looked up', () => {
    const announced = {
      attachment: 'deferred_tools_delta',
      effect: {
        kind: 'announce',
        added: [
          ['mcp__x', 40],
          ['mcp__y', 40],
        ],
        removed: [],
      },
    } as const;
    const talk = new Conversation()
      .human(10)
      .attach(20, null, announced)
      .tools([{ tool: 'mcp__x', tokens: 50 }])
      .answer(10);
    const [compaction] = done(run({ set: QUIET }, byHand(talk).turn(10, 10)));
    expect(compaction!.details.discoveredTools).toEqual(['mcp__x']);
  });

  it('C37 FUL-12 TOK-7 tells the raw breakdown at that moment', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 500, path: '/repo/a.ts' }])
      .answer(30);
    const [compaction] = done(run({ set: QUIET }, byHand(talk).turn(10, 10)));
    expect(compaction!.details.breakdown).toMatchObject({
      human: 100,
      assistant: 30,
      other: 0,
      toolRequests: { Read: 20 },
      toolResults: { Read: 500 },
      total: 650,
    });
    expect(compaction!.details.context).toMatchObject({ human: 15, toolResults: 77 });
  });

  it('C52 TOK-8 tells how many files were read more than once', () => {
    const talk = new Conversation().human(100);
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b'])
      talk.tools([{ tool: 'Read', tokens: 500, path: `/repo/${name}.ts` }]);
    const [compaction] = done(run({ set: QUIET }, byHand(talk.answer(30)).turn(10, 10)));
    // Two files: three reads of one and two of the other.
    expect(compaction!.details.breakdown).toMatchObject({ duplicateReadFiles: 2, duplicateReads: 3 * 500 });
  });

  it('C37 C17 one from notes tells the same and what it put back, and so does a reactive one', () => {
    const talk = new Conversation({ toolsTokens: 12_000, systemTokens: 3_000 }).human(100);
    for (let i = 0; i < 55; i++) talk.tools([{ tool: 'Read', tokens: 3_000, path: `/repo/${i}.ts` }]);
    const set = { ...QUIET, 'sessionMemory.enabled': true };
    const notes = done(run({ set }, talk.answer(10)))[0]!;
    expect(notes.layer).toBe('session-memory');
    expect(Object.keys(notes.details)).toEqual(expect.arrayContaining(TOLD));
    expect(notes.details).toMatchObject({ threshold: 167_000, restoredFiles: 5, restoredTokens: 15_000 });
    expect(notes.details.overshoot).toBe(notes.estimatedBefore! - 167_000);
    const faults = [{ call: 'main', error: 'prompt_too_long', nth: 3 }] as const;
    const reactive = done(run({ set: QUIET, faults }, turns(new Conversation(), 4)))[0]!;
    expect(reactive.layer).toBe('reactive');
    expect(Object.keys(reactive.details)).toEqual(expect.arrayContaining(TOLD));
  });

  it('C17 CLN-1 sizes of one from notes are those of the request that follows', () => {
    const talk = new Conversation({ toolsTokens: 12_000, systemTokens: 3_000 }).human(100);
    for (let i = 0; i < 55; i++) talk.tools([{ tool: 'Read', tokens: 3_000, path: `/repo/${i}.ts` }]);
    const entries = run({ set: { ...QUIET, 'sessionMemory.enabled': true } }, talk.answer(10));
    const notes = done(entries)[0]!;
    const next = mainRequests(entries).find(({ turn }) => turn === notes.turn)!;
    expect(next.prompt).toBe(notes.trueAfter);
    expect(notes.saved).toBe(notes.trueBefore - notes.trueAfter);
    // One message before the first call, two for each turn behind it; the last result has no answer yet.
    const { messagesSummarised, messagesKept, lastMessage, preserved } = notes.details;
    expect((messagesSummarised as number) + (messagesKept as number)).toBe(2 * (notes.turn - 1) + 1);
    expect(lastMessage).not.toBe((preserved as { readonly head: string }).head);
    expect(preserved).toMatchObject({ anchor: 'notes-summary-1' });
  });

  it('C37 baselines tell the same', () => {
    const summarised = done(run({ policy: 'baselines/summarise' }, turns(new Conversation(), 40)), 'compact');
    expect(Object.keys(summarised[0]!.details)).toEqual(expect.arrayContaining(TOLD));
    const cut = done(run({ policy: 'baselines/truncate' }, above({ from: 185_000, rounds: 3 })), 'truncate');
    expect(Object.keys(cut[0]!.details)).toEqual(expect.arrayContaining(TOLD));
  });
});

describe('what is told besides', () => {
  it('C37 WIN-7 a /compact that nobody carries out is an entry', () => {
    const refused = (init: PlanInit) => {
      const entries = run(init, byHand(turns(new Conversation(), 2)).turn(10, 10));
      return {
        messages: ofType(entries, 'notice').flatMap(({ what, details }) =>
          what === 'compact-refused' ? [details.reason] : [],
        ),
        metric: metricValues(foldLog(entries)).refusedCompactions,
      };
    };
    expect(refused({ set: { 'compact.enabled': false } })).toEqual({
      messages: ['compaction is switched off'],
      metric: 1,
    });
    expect(refused({ policy: 'none' })).toEqual({
      messages: ['this policy has no compaction by hand'],
      metric: 1,
    });
    expect(refused({ set: QUIET })).toEqual({ messages: [], metric: 0 });
    const empty = run({ set: QUIET }, byHand(new Conversation()).turn(10, 10));
    expect(ofType(empty, 'layer')).toMatchObject([
      { outcome: 'failed', failure: 'nothing-to-compact', trigger: 'manual' },
    ]);
  });

  it('C37 FLT-4 what had to be mended is an entry of the request', () => {
    const talk = new Conversation().turn(10, 10).human(10);
    const call = callOf('open', 5, { tool: 'Bash', text: 'Bash{}' });
    const orphan = resultOf('none', 5, { tool: 'Bash', text: 'ok' });
    const message = (id: string, role: 'user' | 'assistant', block: typeof call) =>
      createMessage({ id, role, origin: role === 'user' ? 'tool' : 'model', blocks: [block], at: 1_000 });
    talk.steps.push({ kind: 'message', message: message('a', 'assistant', call) });
    talk.steps.push({ kind: 'message', message: message('b', 'user', orphan) });
    const entries = run({ policy: 'none' }, talk.turn(10, 10).turn(5, 5));
    expect(ofType(entries, 'notice')).toMatchObject([
      {
        what: 'repaired',
        details: { orphanResults: 1, missingResults: 1, leadingMarkers: 0, addedPrompts: 0 },
      },
    ]);
    expect(metricValues(foldLog(entries)).repairedRequests).toBe(1);
  });
});
