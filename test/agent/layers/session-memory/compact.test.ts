import { describe, expect, it } from 'vitest';
import { workState } from '../../../../src/agent/layers/restore/work-state.js';
import { compactFromNotes } from '../../../../src/agent/layers/session-memory/compact.js';
import {
  notesPath,
  parseSections,
  sessionMemoryState,
} from '../../../../src/agent/layers/session-memory/notes-file.js';
import { createFiles } from '../../../../src/core/base/files.js';
import type { Message } from '../../../../src/core/model/message.js';
import { NOTES_TEMPLATE, notesFromText } from '../../../../src/core/model/notes.js';
import { literalText } from '../../../../src/core/model/text.js';
import type { LayerContext } from '../../../../src/core/run/layer.js';
import type { ParamValues } from '../../../../src/core/run/params.js';
import {
  drive,
  layerContext,
  modelMessage,
  moment,
  only,
  reportOf,
  toolResult,
  toolUse,
  userMessage,
  viewOf,
  words,
} from '../../../helpers/drive/drive-session-memory.js';

const PATH = notesPath('main');
const NOTES = '# Title\n_name_\nA parser\n\n# Worklog\n_log_\nbegan\n';

/** Twenty text messages of 10,000 tokens: m0 … m19. */
const LONG = Array.from({ length: 20 }, (_, i) => userMessage(`m${i}`, [words(10_000)]));

interface Setup {
  readonly set?: ParamValues;
  readonly messages?: readonly Message[];
  readonly notes?: string | null;
  readonly last?: string | null;
  readonly now?: number;
  readonly factor?: number;
  readonly prepare?: (context: LayerContext) => void;
}

function compact(setup: Setup = {}) {
  const { messages = LONG, notes = NOTES, last = 'm14', now = 0 } = setup;
  const context = layerContext(setup.set, setup.factor);
  const files = createFiles();
  if (notes !== null) files.write(PATH, notes, 0);
  sessionMemoryState(context.shared).lastSummarisedMessageId = last;
  setup.prepare?.(context);
  const view = viewOf(messages, 190_000, files);
  const driven = drive(compactFromNotes(moment(now, { point: 'before-request' }), view, context, {}), files);
  return { ...driven, context, files, history: only(driven, 'replace-history')[0]?.messages ?? null };
}

describe('compaction from notes', () => {
  it('SES-5 FUL-8 puts boundary, summary, kept messages and attachments in this order', () => {
    const attachment = words(7);
    const facts = { attachment: 'mcp_instructions_delta' };
    const told = userMessage('m0', [{ ...attachment, facts }], { origin: 'attachment' });
    const run = compact({ prepare: (context) => workState(context).observe(told) });
    expect(run.result).toBe('done');
    expect(run.actions.map(({ kind }) => kind)).toEqual(['replace-history', 'cleanup', 'report']);
    const history = run.history!;
    expect(history.map(({ origin }) => origin).slice(0, 2)).toEqual(['boundary', 'summary']);
    expect(history.slice(2).map(({ id }) => id)).toEqual([
      ...['m15', 'm16', 'm17', 'm18', 'm19'],
      'notes-1-restored-0',
    ]);
    expect(history[0]!.blocks).toEqual([]);
  });

  it('SES-5 the summary is one user text that holds the notes, as long as it says', () => {
    const [, summary] = compact().history!;
    const block = summary!.blocks[0]!;
    expect(summary).toMatchObject({ role: 'user', origin: 'summary' });
    expect(summary!.blocks).toHaveLength(1);
    expect(block.facts.replaces).toBe('summary');
    expect(block.text!.read()).toHaveLength(block.chars);
    expect(block.text!.read().endsWith(NOTES)).toBe(true);
  });

  it('SES-5 FUL-9 reports what it found, what it keeps and what stands before the boundary', () => {
    const run = compact();
    expect(reportOf(run)).toMatchObject({
      action: 'compact',
      trigger: 'auto',
      outcome: 'done',
      trueBefore: 200_000,
    });
    expect(reportOf(run).details).toMatchObject({
      messagesKept: 5,
      keptTokens: 50_000,
      messagesSummarised: 15,
      lastMessage: 'm14',
      preserved: { head: 'm15', anchor: 'notes-summary-1', tail: 'm19' },
    });
  });

  it.each<[string, Setup, string]>([
    ['FLG-1 session memory is off', { set: { 'sessionMemory.enabled': false } }, 'off'],
    ['FLG-1 its compaction is off', { set: { 'sessionMemory.compaction.enabled': false } }, 'off'],
    ['there is no file', { notes: null }, 'no-notes'],
    ['the file holds the empty template', { notes: NOTES_TEMPLATE }, 'empty-notes'],
    ['the last summarised message is gone', { last: 'elsewhere' }, 'message-not-found'],
    ['no message was summarised in this process', { last: null }, 'message-not-found'],
  ])('SES-5 declines and says so when %s', (_, setup, failure) => {
    const run = compact(setup);
    expect(run.result).toBe('declined');
    expect(run.actions.map(({ kind }) => kind)).toEqual(['report']);
    expect(reportOf(run)).toMatchObject({ outcome: 'declined', failure, saved: 0, trueAfter: 200_000 });
  });

  it('SES-7 keeps the call of a result it keeps', () => {
    const messages = [
      userMessage('u', [words(30_000)]),
      modelMessage('a1', [toolUse('t')], { responseId: 'r' }),
      userMessage('x', [toolResult('t', 12_000)], { origin: 'tool' }),
      ...Array.from({ length: 5 }, (_, i) => userMessage(`n${i}`, [words(10)])),
    ];
    const run = compact({ messages, last: 'x' });
    expect(run.history!.slice(2).map(({ id }) => id)).toEqual(['a1', 'x', 'n0', 'n1', 'n2', 'n3', 'n4']);
  });

  it('SES-8 declines at the auto-compact threshold, goes ahead one token below', () => {
    const run = compact();
    const estimate = reportOf(run).details.resultTokens as number;
    expect(estimate).toBe(50_000 + Math.round(run.history![1]!.blocks[0]!.chars / 4));
    const offset = 200_000 - Math.ceil((estimate * 4) / 3);
    expect(compact({ set: { 'window.compactOffset': offset - 1 } }).result).toBe('done');
    const refused = compact({ set: { 'window.compactOffset': offset } });
    expect(refused.result).toBe('declined');
    expect(reportOf(refused).failure).toBe('result-too-large');
    expect(refused.history).toBeNull();
  });

  it('SES-8 judges with the margin of a third whatever the counter adds, and with the error of the estimator', () => {
    const rough = reportOf(compact()).details.resultTokens as number;
    const padded = reportOf(compact({ set: { 'counter.newContent': 'padded' } })).details;
    expect(padded.resultTokens).toBe(Math.ceil((rough * 4) / 3));
    expect(reportOf(compact()).details.resultWithMargin).toBe(padded.resultTokens);
    expect(compact({ factor: 3.9 }).result).toBe('declined');
  });

  it('SES-9 cuts long sections and counts what is left', () => {
    const long = `# Title\n_name_\nA parser\n\n# Worklog\n_log_\n${'a step was done\n'.repeat(2_000)}`;
    const run = compact({ notes: long });
    const text = run.history![1]!.blocks[0]!.text!.read();
    const notes = text.slice(text.indexOf('# Title'));
    expect(parseSections(notes)[1]!.content.length).toBeLessThan(8_200);
    expect(notes).toContain(PATH);
    const { notesTokens, sectionsCut } = reportOf(run).details;
    expect(sectionsCut).toEqual(['Worklog']);
    expect(notesTokens).toBe(Math.ceil((notesFromText(long).tokens * notes.length) / long.length));
  });
});

describe('compaction from notes while an extraction runs', () => {
  const newer = '# Title\n_name_\nA better parser\n';

  function running(startMs: number, endMs: number) {
    return (context: LayerContext): void => {
      const notes = { text: literalText(newer), tokens: 8, digest: 1, sections: null };
      sessionMemoryState(context.shared).running = {
        startMs,
        endMs,
        notes,
        lastMessageId: 'm16',
        fork: null,
      };
    };
  }

  it('SES-5 waits for it and uses what it wrote', () => {
    const run = compact({ now: 20_000, prepare: running(10_000, 35_000) });
    expect(only(run, 'wait').map(({ ms }) => ms)).toEqual([15_000]);
    expect(run.files.read(PATH)!.text).toBe(newer);
    expect(run.history![1]!.blocks[0]!.text!.read()).toContain('A better parser');
    expect(run.history![0]!.at).toBe(35_000);
  });

  it('SES-5 after 15 seconds it goes on with the notes there are', () => {
    const run = compact({ now: 20_000, prepare: running(10_000, 35_001) });
    expect(only(run, 'wait').map(({ ms }) => ms)).toEqual([15_000]);
    expect(run.history![1]!.blocks[0]!.text!.read().endsWith(NOTES)).toBe(true);
    expect(run.history![2]!.id).toBe('m15');
  });

  it('SES-5 gives up at 60 seconds after its start', () => {
    expect(only(compact({ now: 60_000, prepare: running(0, 61_000) }), 'wait')).toEqual([]);
    expect(only(compact({ now: 55_000, prepare: running(0, 90_000) }), 'wait').map(({ ms }) => ms)).toEqual([
      5_000,
    ]);
  });

  it('SES-5 an extraction that has ended meanwhile costs no wait', () => {
    const run = compact({ now: 20_000, prepare: running(10_000, 20_000) });
    expect(only(run, 'wait')).toEqual([]);
    expect(run.files.read(PATH)!.text).toBe(newer);
  });
});
