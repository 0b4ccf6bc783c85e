import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionMemoryLayer } from '../../../../src/agent/layers/session-memory/extract.js';
import { notesPath, sessionMemoryState } from '../../../../src/agent/layers/session-memory/notes-file.js';
import { createFiles } from '../../../../src/core/base/files.js';
import type { Message } from '../../../../src/core/model/message.js';
import { NOTES_TEMPLATE } from '../../../../src/core/model/notes.js';
import type { AnswerSpec, LayerReport, Outcome } from '../../../../src/core/run/action.js';
import { observeBy } from '../../../../src/core/run/layer.js';
import type { ParamValues } from '../../../../src/core/run/params.js';
import {
  type Driven,
  drive,
  layerContext,
  modelMessage,
  moment,
  notesAnswer,
  only,
  reportOf,
  toolResult,
  toolUse,
  userMessage,
  viewOf,
  words,
} from '../../../helpers/drive/drive-session-memory.js';
import { forAll } from '../../../helpers/for-all.js';

const PATH = notesPath('main');
const NOTES = '# Title\n_name_\nA parser\n\n# Worklog\n_log_\nbegan\n';

/** A layer with a conversation that grows message by message. */
function session(set: ParamValues = {}) {
  const context = layerContext(set);
  const layer = sessionMemoryLayer.create(context);
  const files = createFiles();
  const messages: Message[] = [];
  const state = sessionMemoryState(context.shared);
  return {
    layer,
    files,
    state,
    messages,
    add(...added: Message[]) {
      for (const message of added) {
        messages.push(message);
        observeBy(layer, message);
      }
    },
    /** One response with this many calls, all answered. */
    turn(calls: number) {
      const n = messages.length;
      const ids = Array.from({ length: calls }, (_, i) => `t${n}.${i}`);
      const blocks = calls === 0 ? [words(1, 'assistant')] : ids.map(toolUse);
      this.add(modelMessage(`a${n}`, blocks, { responseId: `r${n}` }));
      if (calls > 0)
        this.add(
          userMessage(
            `x${n}`,
            ids.map((id) => toolResult(id)),
            { origin: 'tool' },
          ),
        );
    },
    due: (seen: number, now = 0) => layer.due(moment(now), viewOf(messages, seen, files)),
    act: (seen: number, now: number, answer: Outcome) =>
      drive(layer.act(moment(now), viewOf(messages, seen, files)), files, answer),
  };
}

/** A session whose first extraction, at this many tokens, has come to its end. */
function begun(seen = 10_000) {
  const run = session();
  run.add(userMessage('u', [words(1)]));
  run.turn(0);
  run.act(seen, 0, notesAnswer(NOTES, 0));
  return run;
}

describe('session memory: when', () => {
  it('SES-2 first extraction at 10,000 tokens, not at 9,999', () => {
    const run = session();
    run.turn(1);
    expect(run.due(9_999)).toBe(false);
    expect(run.due(10_000)).toBe(true);
  });

  it('SES-2 then at 5,000 tokens more, not at 4,999', () => {
    const run = begun(10_000);
    run.turn(3);
    expect(run.due(14_999)).toBe(false);
    expect(run.due(15_000)).toBe(true);
  });

  it('SES-2 with three tool calls since, not with two while the agent is at work', () => {
    const run = begun();
    run.turn(2);
    expect(run.due(15_000)).toBe(false);
    run.turn(1);
    expect(run.due(15_000)).toBe(true);
  });

  it('SES-2 or when the last response had no tool call; the tokens are needed all the same', () => {
    const run = begun();
    run.turn(2);
    run.turn(0);
    expect(run.due(15_000)).toBe(true);
    expect(run.due(14_999)).toBe(false);
  });

  it('SES-2 a response in several messages has a tool call when one of them has', () => {
    const run = begun();
    run.add(modelMessage('p1', [toolUse('q')], { responseId: 'parts' }));
    run.add(modelMessage('p2', [words(1, 'assistant')], { responseId: 'parts' }));
    expect(run.due(15_000)).toBe(false);
  });

  it('SES-2 tool calls before an extraction do not count for the next', () => {
    const run = session();
    run.turn(9);
    run.act(10_000, 0, notesAnswer(NOTES, 0));
    run.turn(2);
    expect(run.due(90_000)).toBe(false);
  });

  it('SES-2 growth after a compaction counts from the new size', () => {
    const run = begun(150_000);
    run.layer.reset?.([]);
    run.turn(3);
    expect(run.due(30_000)).toBe(false);
    expect(run.due(34_999)).toBe(false);
    expect(run.due(35_000)).toBe(true);
  });

  it('SES-3 BRK-2 runs in the main thread alone', () => {
    const { layer } = session();
    for (const source of ['subagent', 'compact', 'session_memory', 'fork'] as const) {
      expect(layer.due(moment(0, { source }), viewOf([], 50_000))).toBe(false);
    }
  });

  it('FLG-1 the kill switch stops it', () => {
    const run = session({ 'sessionMemory.enabled': false });
    run.turn(3);
    expect(run.due(50_000)).toBe(false);
  });
});

/** What the extraction itself says; the request that ends it has a report of its own. */
function extractOf(driven: Driven<unknown>): LayerReport {
  return only(driven, 'report').find(({ entry }) => entry.action === 'extract')!.entry;
}

/** The notes that a question is asked about. */
function previousOf(answer: AnswerSpec): string | undefined {
  return answer.kind === 'notes' ? answer.previous?.text.read() : undefined;
}

describe('session memory: what', () => {
  it('SES-1 SES-3 asks a background fork to fill the template, and writes what it gives', () => {
    const run = session();
    run.add(userMessage('u', [words(1)]), modelMessage('a', [words(1, 'assistant')]));
    const driven = run.act(10_000, 0, notesAnswer(NOTES, 0));
    expect(driven.actions.map(({ kind }) => kind)).toEqual([
      'write-file',
      'ask',
      'report',
      'write-file',
      'ask',
      'report',
    ]);
    const { request } = only(driven, 'ask')[0]!;
    expect(request).toMatchObject({ purpose: 'session_memory', shape: { kind: 'fork' }, mode: 'background' });
    expect(request.messages.map(({ id }) => id)).toEqual(['u', 'a']);
    expect(request.answer).toMatchObject({ kind: 'notes', condense: [] });
    expect(previousOf(request.answer)).toBe(NOTES_TEMPLATE);
    expect(request.instruction.blocks[0]!.text!.read()).toContain(PATH);
    expect(run.files.read(PATH)!.text).toBe(NOTES);
    expect(run.state.lastSummarisedMessageId).toBe('a');
    expect(extractOf(driven)).toMatchObject({
      layer: 'session-memory',
      action: 'extract',
      outcome: 'done',
      saved: 0,
    });
  });

  it('SES-3 the instruction is as long as it says, and carries the notes', () => {
    const run = begun();
    run.turn(3);
    const { instruction } = only(run.act(20_000, 0, notesAnswer(NOTES, 0)), 'ask')[0]!.request;
    const block = instruction.blocks[0]!;
    expect(block.text!.read()).toHaveLength(block.chars);
    expect(block.text!.read()).toContain('A parser');
  });

  it('SES-3 a response whose calls are open is neither sent nor covered', () => {
    const run = session();
    run.add(
      userMessage('u', [words(1)]),
      modelMessage('a1', [words(1, 'assistant')], { responseId: 'r' }),
      modelMessage('a2', [toolUse('t')], { responseId: 'r' }),
    );
    const driven = run.act(10_000, 0, notesAnswer(NOTES, 0));
    expect(only(driven, 'ask')[0]!.request.messages.map(({ id }) => id)).toEqual(['u']);
    expect(run.state.lastSummarisedMessageId).toBe('u');
  });

  it('SES-3 the notes are on disk only once the extraction has ended', () => {
    const run = session();
    run.add(userMessage('u', [words(1)]), modelMessage('a', [words(1, 'assistant')]));
    run.act(10_000, 1_000, notesAnswer(NOTES, 9_000));
    expect(run.files.read(PATH)!.text).toBe(NOTES_TEMPLATE);
    expect(run.state.lastSummarisedMessageId).toBeNull();
    run.turn(3);
    expect(run.due(40_000, 8_999)).toBe(false);
    expect(run.due(10_001, 9_000)).toBe(true);
    const landing = run.act(10_001, 9_000, notesAnswer('x', 9_001));
    expect(landing.actions.map(({ kind }) => kind)).toEqual(['write-file', 'ask', 'report']);
    expect(run.files.read(PATH)!.text).toBe(NOTES);
    expect(run.state.lastSummarisedMessageId).toBe('a');
    expect(run.due(10_001, 9_000)).toBe(false);
  });

  it('C31 SES-3 a fork whose conversation was compacted meanwhile is not asked to close; its edits stay', () => {
    const run = session();
    run.add(userMessage('u', [words(1)]), modelMessage('a', [words(1, 'assistant')]));
    run.act(10_000, 1_000, notesAnswer(NOTES, 9_000));
    run.layer.reset?.([]);
    const landing = run.act(5_000, 9_000, notesAnswer('x', 9_001));
    expect(landing.actions.map(({ kind }) => kind)).toEqual(['write-file']);
    expect(run.files.read(PATH)!.text).toBe(NOTES);
  });

  it('SES-3 extractions never overlap, whatever their times', () => {
    const steps = fc.array(
      fc.record({ gapMs: fc.nat(30_000), runsMs: fc.nat(60_000), grows: fc.nat(9_000) }),
      {
        minLength: 2,
        maxLength: 30,
      },
    );
    forAll({ numRuns: 60 }, steps, (list) => {
      const run = session();
      let now = 0;
      let seen = 8_000;
      let freeAtMs = 0;
      for (const { gapMs, runsMs, grows } of list) {
        now += gapMs;
        seen += grows;
        run.turn(2);
        if (!run.due(seen, now)) continue;
        const asks = only(run.act(seen, now, notesAnswer(NOTES, now + runsMs)), 'ask').filter(
          ({ request }) => request.answer.kind === 'notes',
        );
        if (asks.length === 0) continue;
        expect(asks).toHaveLength(1);
        expect(now).toBeGreaterThanOrEqual(freeAtMs);
        freeAtMs = now + runsMs;
      }
    });
  });

  it('SES-4 tells the next extraction which sections to condense, and is urgent over the total', () => {
    const run = session();
    run.add(userMessage('u', [words(1)]));
    run.turn(0);
    const long = `# Title\n_name_\nA parser\n\n# Worklog\n_log_\n${'x'.repeat(8_004)}\n`;
    const first = run.act(10_000, 0, notesAnswer(long, 0));
    expect(extractOf(first).details).toMatchObject({
      sectionsOver: ['Worklog'],
      totalOver: false,
      condensed: [],
    });
    run.turn(3);
    const huge = `# Title\n_name_\nA parser\n\n# Worklog\n_log_\n${'x'.repeat(48_004)}\n`;
    const second = run.act(20_000, 0, notesAnswer(huge, 0));
    const told = only(second, 'ask')[0]!.request;
    expect(told.answer).toMatchObject({ condense: ['Worklog'] });
    expect(previousOf(told.answer)).toBe(long);
    expect(told.instruction.blocks[0]!.text!.read()).toContain('Worklog: about 2001 of 2000 tokens');
    expect(told.instruction.blocks[0]!.text!.read()).not.toContain('URGENT');
    run.turn(3);
    const third = run.act(30_000, 0, notesAnswer(NOTES, 0));
    const urgent = only(third, 'ask')[0]!.request;
    expect(urgent.answer).toMatchObject({ condense: ['Title', 'Worklog'] });
    expect(urgent.instruction.blocks[0]!.text!.read()).toContain('URGENT');
    expect(extractOf(third).details).toMatchObject({ sectionsOver: [], totalOver: false, urgent: true });
  });

  it.each<[string, Outcome, string]>([
    [
      'a refused call',
      { kind: 'failed', failure: { reason: 'overloaded', status: 529, message: '', gapTokens: null } },
      'overloaded',
    ],
    ['an empty answer', notesAnswer('', 5, { form: 'empty' }), 'empty-notes'],
    ['no answer', { kind: 'done' }, 'no-answer'],
    ['an answer without words', notesAnswer('', 5), 'empty-notes'],
    ['an error as answer', notesAnswer('API Error', 5, { form: 'error' }), 'error-as-notes'],
    ['a refused tool', notesAnswer('x', 5, { form: 'tool-call' }), 'tool-refused'],
  ])('SES-3 %s changes nothing and is told', (_, outcome, failure) => {
    const run = begun();
    run.turn(3);
    const before = { ...run.state };
    const driven = run.act(15_000, 0, outcome);
    expect(reportOf(driven)).toMatchObject({ outcome: 'failed', failure });
    expect(run.state).toEqual(before);
    expect(run.files.read(PATH)!.text).toBe(NOTES);
    expect(run.due(15_000)).toBe(true);
  });

  it('SES-5 a restart leaves the file alone and forgets what only the process knew', () => {
    const run = begun();
    run.layer.resume?.(run.messages, viewOf(run.messages, 12_000, run.files));
    expect(run.state).toMatchObject({ notes: null, lastSummarisedMessageId: null, running: null });
    expect(run.due(10_000)).toBe(true);
    const driven = run.act(10_000, 0, notesAnswer(NOTES, 0));
    expect(previousOf(only(driven, 'ask')[0]!.request.answer)).toBe(NOTES);
  });
});
