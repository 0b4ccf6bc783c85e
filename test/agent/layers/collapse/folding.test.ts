import { describe, expect, it } from 'vitest';
import {
  collapseLayer,
  Folds,
  FoldText,
  finishedPrompts,
  foldsOf,
  readFold,
} from '../../../../src/agent/layers/collapse/collapse.js';
import { fileState } from '../../../../src/agent/layers/file-state/file-state.js';
import { resultLedger } from '../../../../src/agent/layers/microcompact/ledger.js';
import { deletedResults, forgetResults, leaveOut } from '../../../../src/agent/layers/support/leave-out.js';
import { type Block, createBlock } from '../../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../../src/core/model/message.js';
import { messageFrom } from '../../../helpers/blocks.js';
import { callBlock, LayerDriver, resultBlock } from '../../../helpers/drive/drive-layer.js';

const words = (tokens: number, text: string | null = null, role: Block['role'] = 'user'): Block =>
  createBlock({ kind: 'text', role, tokens, chars: 4 * tokens, ...(text === null ? {} : { text }) });
const said = (id: string, tokens = 10, text: string | null = null): Message =>
  messageFrom('human', id, [words(tokens, text)]);
const answered = (id: string, tokens = 10): Message =>
  messageFrom('model', id, [words(tokens, null, 'assistant')]);
const other = (id: string, origin: Message['origin'], blocks: readonly Block[] = [words(5)]): Message =>
  createMessage({ id, role: 'user', origin, blocks, at: 0 });
const ids = (messages: readonly { readonly id: string }[]): string => messages.map(({ id }) => id).join(' ');

describe('FLG-1 which prompts are finished', () => {
  const found = (messages: readonly Message[], folded: readonly string[] = []) =>
    finishedPrompts(messages, (id) => folded.includes(id)).map(
      ({ messages: own, calls }) => `${ids(own)}: ${calls}`,
    );

  it('those that were answered and followed by another one', () => {
    const talk = [said('p'), answered('a'), answered('b'), said('q'), answered('c'), said('r')];
    expect(found(talk)).toEqual(['p a b: 2', 'q c: 1']);
    expect(found(talk.slice(0, 3))).toEqual([]);
    expect(found(talk, ['p'])).toEqual(['q c: 1']);
    expect(found([])).toEqual([]);
  });

  it('one that was not answered goes on with the next; after a fold another one begins', () => {
    expect(found([said('p'), said('q'), answered('a'), said('r')])).toEqual(['p q a: 1']);
    expect(found([said('p'), said('q'), answered('a'), said('r')], ['p'])).toEqual(['q a: 1']);
  });

  it('what was attached or stands for earlier history belongs to none, nor does what is empty', () => {
    const kinds = ['boundary', 'summary', 'context', 'attachment', 'marker'] as const;
    const talk = [
      answered('before'),
      said('p'),
      ...kinds.map((kind) => other(kind, kind)),
      other('empty', 'tool', []),
      other('result', 'tool'),
      answered('a'),
      said('q'),
    ];
    expect(found(talk)).toEqual(['p result a: 1']);
  });
});

describe('FLG-1 a fold', () => {
  it('comes back from its file as it was, words included', () => {
    const messages = [
      said('p', 10, 'some words'),
      other('t', 'tool', [resultBlock('x', { text: 'result' })]),
    ];
    const text = new FoldText(messages);
    expect(text.chars).toBe(text.read().length);
    const back = readFold(text.read());
    expect(back.map(({ blocks, ...rest }) => rest)).toEqual(messages.map(({ blocks, ...rest }) => rest));
    expect(back[0]!.blocks[0]!.text!.read()).toBe('some words');
    expect(back[1]!.blocks[0]).toMatchObject({ toolUseId: 'x', tokens: messages[1]!.blocks[0]!.tokens });
  });

  it('is known by its messages, until it is taken apart or they are gone', () => {
    const folds = new Folds();
    folds.add('/one', [said('a'), said('b')]);
    folds.add('/two', [said('c')]);
    const paths = () => ['a', 'b', 'c', 'd'].map((id) => folds.pathOf(id));
    expect(paths()).toEqual(['/one', '/one', '/two', null]);
    folds.remove('/two');
    expect(paths()).toEqual(['/one', '/one', null, null]);
    folds.keepThose([said('b')]);
    expect(paths()).toEqual([null, '/one', null, null]);
    folds.clear();
    expect(paths()).toEqual([null, null, null, null]);
    const shared = new Map<string, unknown>();
    expect(foldsOf(shared)).toBe(foldsOf(shared));
  });
});

describe('FLG-1 when prompts are folded', () => {
  const set = {
    'collapse.enabled': true,
    'collapse.aboveTokens': 1_000,
    'collapse.downToTokens': 500,
    'collapse.keepPrompts': 1,
    'collapse.quoteChars': 10,
  };
  /** This many prompts of 10 tokens with an answer of 390, and one that waits. */
  function talk(prompts: number, change: Partial<typeof set> = {}): LayerDriver {
    const driver = new LayerDriver([collapseLayer], { ...set, ...change });
    for (let i = 1; i <= prompts; i++) {
      driver.join(said(`p${i}`, 10, `prompt ${i}`));
      driver.join(answered(`a${i}`, 390));
    }
    driver.join(said('now', 10));
    return driver;
  }
  const folded = (driver: LayerDriver) =>
    driver.actions.flatMap((action) => (action.kind === 'write-file' ? [action.path] : []));

  it('above the limit, not at it; for the main loop alone', () => {
    const driver = talk(3);
    // 3 × 400 and 10.
    driver.extraSeen = 1_000 - 1_210;
    expect(driver.ask()).toEqual([]);
    driver.extraSeen++;
    driver.source = 'subagent';
    expect(driver.ask()).toEqual([]);
    driver.source = 'main';
    expect(driver.ask()).not.toEqual([]);
  });

  it('the oldest, as many as are needed, but the latest stay', () => {
    const driver = talk(5);
    driver.ask();
    // 2,010 tokens are seen: 1,510 too many, each fold takes less than 400, and of five one stays.
    expect(folded(driver)).toEqual([1, 2, 3, 4].map((n) => `/folds/main/p${n}.json`));
    expect(driver.reports[0]).toMatchObject({
      action: 'fold',
      details: { prompts: 4, rounds: 4, files: 4, threshold: 1_000 },
      reason: '2010 tokens seen, more than 1000',
    });
    const few = talk(5, { 'collapse.downToTokens': 1_700 });
    few.ask();
    expect(folded(few)).toHaveLength(1);
    const kept = talk(5, { 'collapse.keepPrompts': 3 });
    kept.ask();
    expect(folded(kept)).toHaveLength(2);
    const all = talk(5, { 'collapse.keepPrompts': 9 });
    expect(all.ask()).toEqual([]);
  });

  it('once nothing is left to fold it waits for the next prompt', () => {
    const driver = talk(3, { 'collapse.keepPrompts': 3 });
    driver.ask();
    const isDue = () =>
      driver.layers[0]!.due(
        {
          point: 'before-request',
          now: 0,
          turn: 1,
          prompt: 1,
          source: 'main',
          lastResponseMs: null,
          manual: null,
        },
        driver.view,
      );
    expect(isDue()).toBe(false);
    driver.join(answered('more', 400));
    expect(isDue()).toBe(false);
    driver.join(said('next', 10));
    expect(isDue()).toBe(true);
    driver.ask();
    driver.layers[0]!.reset?.(driver.messages);
    expect(isDue()).toBe(true);
    driver.ask();
    driver.layers[0]!.resume?.(driver.messages, driver.view);
    expect(isDue()).toBe(true);
  });

  it('a line quotes the prompt, a long one by head and tail', () => {
    const line = (text: string, quoteChars: number) => {
      const driver = new LayerDriver([collapseLayer], { ...set, 'collapse.quoteChars': quoteChars });
      driver.join(said('p', 10, text));
      driver.join(answered('a', 1_000));
      driver.join(said('q', 10, 'x'));
      driver.join(answered('b', 390));
      driver.join(said('now', 10));
      driver.ask();
      return /"(.*)"/.exec(driver.messages[0]!.blocks[0]!.text!.read())?.[1];
    };
    expect(line('0123456789', 10)).toBe('0123456789');
    expect(line('  a\n\n b ', 10)).toBe('a b');
    expect(line('0123456789a', 10)).toBe('01234 […] 6789a');
    expect(line('0123456789a', 5)).toBe('012 […] 9a');
    expect(line('0123456789a', 1)).toBe('0 […] ');
  });
});

describe('what leaves a conversation', () => {
  const host = other('host', 'tool', [resultBlock('a', { tokens: 100 }), resultBlock('b', { tokens: 50 })]);
  const text = words(3);

  it('is replaced by one text in the place of the first block of its host', () => {
    const before = other('before', 'tool', [resultBlock('z', { tokens: 7 })]);
    const { edits, tokens } = leaveOut([before, host], () => true, host, text, new Set());
    expect(edits).toEqual([
      { messageId: 'before', blockIndex: 0, block: null },
      { messageId: 'host', blockIndex: 0, block: text },
      { messageId: 'host', blockIndex: 1, block: null },
    ]);
    expect(tokens).toBe(157);
    const some = leaveOut([host], (block) => block.toolUseId === 'b', host, text, new Set());
    expect(some).toEqual({ edits: [{ messageId: 'host', blockIndex: 1, block: text }], tokens: 50 });
    // What the server had left out already is saved no second time.
    expect(leaveOut([host], () => true, host, text, new Set(['a'])).tokens).toBe(50);
  });

  it('is known to no other layer any more', () => {
    const context = { shared: new Map<string, unknown>() };
    const read = resultBlock('r', { tokens: 100, facts: { path: '/a' } });
    const talk = [messageFrom('model', 'c', [callBlock('r')]), other('t', 'tool', [read])];
    for (const message of talk) fileState(context).observe(message);
    const ledger = resultLedger(context);
    ledger.sync({ messages: talk, cacheIsWarm: true } as never, 1);
    ledger.mark(ledger.oldest(1), 'deleted');
    expect([...deletedResults(context)]).toEqual(['r']);
    forgetResults(context, talk);
    expect([...deletedResults(context)]).toEqual([]);
    expect([...fileState(context).recent()]).toEqual([]);
  });
});
