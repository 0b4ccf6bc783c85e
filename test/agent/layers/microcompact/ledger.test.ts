import { describe, expect, it } from 'vitest';
import { BeyondBudget, type ServerRules } from '../../../../src/agent/layers/microcompact/api-native.js';
import { ResultLedger, resultLedger } from '../../../../src/agent/layers/microcompact/ledger.js';
import { cachedMicrocompactLayer } from '../../../../src/agent/layers/microcompact/microcompact.js';
import { type Block, type BlockFacts, createBlock } from '../../../../src/core/model/block.js';
import type { Message } from '../../../../src/core/model/message.js';
import type { ContextView } from '../../../../src/core/run/layer.js';
import { messageFrom, userText } from '../../../helpers/blocks.js';
import { callBlock, LayerDriver, resultBlock } from '../../../helpers/drive/drive-layer.js';

const viewOf = (messages: readonly Message[], cacheIsWarm = true): ContextView =>
  ({ messages, cacheIsWarm }) as unknown as ContextView;

let count = 0;
const message = (blocks: readonly Block[], responseId: string | null = null): Message =>
  messageFrom('tool', `m${++count}`, blocks, { responseId });

/** A call of 30 tokens and its result, a message each; the result has other rough tokens than true ones. */
const pair = (id: string, tokens: number, tool = 'Read', facts: BlockFacts = {}): readonly Message[] => [
  message([callBlock(id, { tool, facts: { path: `/${id}` } })]),
  message([resultBlock(id, { tool, tokens, chars: 8 * tokens, facts })]),
];
const thought = (responseId: string | null = null) =>
  message([createBlock({ kind: 'thinking', role: 'assistant', tokens: 9, chars: 9 })], responseId);
const memory = (path: string) => userText(9, { chars: 9, facts: { path, attachment: 'nested_memory' } });

const sums = ({ active, activeTokens, activeRough, pinned, serverTokens }: ResultLedger) => [
  active,
  activeTokens,
  activeRough,
  pinned,
  serverTokens,
];

/** Results of 100, 200, 300 and 400 tokens, known since turns 1 and 2. */
const TALK = [...pair('a', 100), ...pair('b', 200), ...pair('c', 300), ...pair('d', 400)];
function ledgerOf(messages: readonly Message[] = TALK, turn = 1): ResultLedger {
  const ledger = new ResultLedger();
  ledger.sync(viewOf(messages), turn);
  return ledger;
}
const ids = (entries: readonly { readonly toolUseId: string }[]): string =>
  entries.map(({ toolUseId }) => toolUseId).join('');

describe('what a ledger knows of results', () => {
  it('is where they stand, what they are about and how large they are', () => {
    const ledger = ledgerOf();
    expect(ledger.entries[1]).toEqual({
      toolUseId: 'b',
      tool: 'Read',
      path: '/b',
      messageIndex: 3,
      callIndex: 2,
      tokens: 200,
      callTokens: 30,
      rough: 400,
      turn: 1,
      state: 'active',
      returned: false,
    });
    expect(sums(ledger)).toEqual([4, 1_000, 2_000, 0, 0]);
  });

  it('leaves out other tools and what was cleared before; a call that is not there has no place', () => {
    const talk = [
      ...pair('a', 100, 'Task'),
      ...pair('b', 100, 'Read', { replaces: 'cleared' }),
      message([resultBlock('c', { tokens: 100, facts: { path: '/own' } })]),
      message([resultBlock('d', { tokens: 100 })]),
    ];
    expect(ledgerOf(talk).entries).toMatchObject([
      { toolUseId: 'c', callIndex: -1, callTokens: 0, path: '/own' },
      { toolUseId: 'd', callIndex: -1, callTokens: 0, path: null },
    ]);
  });

  it('finds the call of each result, whatever the order they come back in', () => {
    const calls = ['a', 'b', 'c'].map((id, i) => message([callBlock(id, { callTokens: 10 + i })]));
    const results = ['b', 'c', 'a'].map((id) => message([resultBlock(id)]));
    const { entries } = ledgerOf([...calls, ...results]);
    expect(entries.map(({ toolUseId, callIndex, callTokens }) => [toolUseId, callIndex, callTokens])).toEqual(
      [
        ['b', 1, 11],
        ['c', 2, 12],
        ['a', 0, 10],
      ],
    );
    // A call is answered once, and of two with the same id the later one.
    const twice = [message([callBlock('a')]), message([callBlock('a')]), message([resultBlock('a')])];
    const { entries: again } = ledgerOf([...twice, message([resultBlock('a')]), message([resultBlock('a')])]);
    expect(again.map(({ callIndex }) => callIndex)).toEqual([1, 0, -1]);
  });

  it('counts responses that think, each message once', () => {
    const two = message([...thought().blocks, ...thought().blocks], 'r1');
    const ledger = ledgerOf([two, thought('r1'), thought('r2'), thought()]);
    expect(ledger.thinking.map(({ messageIndex }) => messageIndex)).toEqual([0, 1, 2, 3]);
    expect(ledger.thinkingResponses).toBe(3);
    ledger.keepThinking(ledger.thinking.slice(2), 2);
    expect([ledger.thinking.length, ledger.thinkingResponses]).toEqual([2, 2]);
  });

  it('knows the messages with memory files, each once', () => {
    const talk = [...pair('a', 9), message([memory('/x'), memory('/y')]), message([memory('/z')])];
    expect(ledgerOf(talk).memories).toEqual([2, 3]);
  });

  it('reads each message once, and all of them where the history is a shorter one', () => {
    const ledger = ledgerOf(TALK.slice(0, 4));
    const { version } = ledger;
    ledger.sync(viewOf(TALK), 2);
    expect(ledger.entries.map(({ turn }) => turn)).toEqual([1, 1, 2, 2]);
    expect(ledger.version).toBe(version);
    ledger.sync(viewOf(TALK.slice(0, 2)), 3);
    expect([ids(ledger.entries), ledger.version]).toEqual(['a', version + 1]);
    expect(sums(ledger)).toEqual([1, 100, 200, 0, 0]);
  });
});

describe('what is taken note of', () => {
  it('cleared and deleted results are active no more; deletions are pinned until the cache is cold (MIC-3)', () => {
    const ledger = ledgerOf();
    const { version } = ledger;
    ledger.mark(ledger.oldest(1), 'cleared');
    expect(sums(ledger)).toEqual([3, 900, 1_800, 0, 0]);
    ledger.mark(ledger.oldest(2), 'deleted');
    expect(sums(ledger)).toEqual([1, 400, 800, 2, 0]);
    expect([ledger.oldestActive!.toolUseId, ledger.version]).toEqual(['d', version + 2]);
    ledger.sync(viewOf(TALK), 2);
    expect(ledger.pinned).toBe(2);
    ledger.sync(viewOf(TALK, false), 3);
    expect(sums(ledger)).toEqual([3, 900, 1_800, 0, 0]);
    expect([ids(ledger.oldest(9)), ledger.version]).toEqual(['bcd', version + 3]);
    // Nothing is pinned any more: nothing changes.
    ledger.sync(viewOf(TALK, false), 4);
    expect(ledger.version).toBe(version + 3);
  });

  it('the oldest are this many at most, and of those the ones that were sent before', () => {
    const ledger = ledgerOf(TALK.slice(0, 4));
    ledger.sync(viewOf(TALK), 2);
    expect([0, 1, 3, 9].map((most) => ids(ledger.oldest(most)))).toEqual(['', 'a', 'abc', 'abcd']);
    expect([1, 2, 3].map((turn) => ids(ledger.oldestDeletables(3, turn)))).toEqual(['', 'ab', 'abc']);
    ledger.mark([ledger.entries[1]!], 'cleared');
    expect(ids(ledger.oldest(2))).toBe('ac');
    ledger.mark(ledger.oldest(9), 'cleared');
    expect([ids(ledger.oldest(9)), ledger.oldestActive]).toEqual(['', null]);
  });

  it('MIC-5 what left the conversation is in no sum: active, pinned, or left out by the server', () => {
    const ledger = ledgerOf();
    ledger.mark([ledger.entries[0]!], 'deleted');
    ledger.mark([ledger.entries[1]!], 'cleared');
    ledger.serverTokens = 500;
    const { version } = ledger;
    ledger.leave([]);
    expect(ledger.version).toBe(version);
    // The second stood there with 12 of its 200 tokens.
    ledger.leave([
      resultBlock('a', { tokens: 100 }),
      resultBlock('b', { tokens: 12 }),
      resultBlock('c', { tokens: 300 }),
      resultBlock('unknown', { tokens: 1 }),
    ]);
    expect(sums(ledger)).toEqual([1, 400, 800, 0, 500 - 188]);
    expect([ids(ledger.oldest(9)), ledger.version]).toEqual(['d', version + 1]);
    expect(ledger.entries.map(({ state }) => state)).toEqual(['cleared', 'cleared', 'cleared', 'active']);
    ledger.serverTokens = 10;
    ledger.leave([resultBlock('b', { tokens: 12 })]);
    expect(ledger.serverTokens).toBe(0);
  });

  it('CLN-1 another history leaves nothing of the one before', () => {
    const ledger = ledgerOf([...TALK, thought(), message([memory('/x')]), message([callBlock('open')])]);
    ledger.mark(ledger.oldest(1), 'deleted');
    ledger.serverTokens = 7;
    const { version } = ledger;
    ledger.reset();
    expect(sums(ledger)).toEqual([0, 0, 0, 0, 0]);
    expect([ledger.entries, ledger.memories, ledger.thinking, ledger.thinkingResponses]).toEqual([
      [],
      [],
      [],
      0,
    ]);
    expect([ledger.version, ledger.oldestActive]).toEqual([version + 1, null]);
    // The call that waited is not one of the new history.
    ledger.sync(viewOf([message([resultBlock('open')]), ...pair('e', 50)]), 5);
    expect(ledger.entries.map(({ callIndex }) => callIndex)).toEqual([-1, 1]);
    expect(ids(ledger.oldest(1))).toBe('open');
  });

  it('AGT-1 a copy knows the same, all of it sent before, and goes its own way', () => {
    const parent = ledgerOf([...TALK, thought('r'), message([memory('/x')]), message([callBlock('open')])]);
    parent.mark(parent.oldest(1), 'deleted');
    parent.serverTokens = 7;
    const copy = parent.forFork();
    expect(sums(copy)).toEqual(sums(parent));
    expect([copy.memories, copy.thinking, copy.thinkingResponses]).toEqual([
      parent.memories,
      parent.thinking,
      1,
    ]);
    expect(copy.entries.map(({ turn }) => turn)).toEqual([0, 0, 0, 0]);
    const more = Array.from({ length: 11 }, () => thought('r')).concat(message([resultBlock('open')]));
    copy.sync(viewOf(more), 1);
    // Eleven messages were known; the twelfth answers the call that the parent waits for.
    expect(copy.entries.at(-1)).toMatchObject({ toolUseId: 'open', callIndex: 10 });
    copy.mark(copy.oldest(2), 'cleared');
    expect([parent.active, ids(parent.oldest(9))]).toEqual([3, 'bcd']);
  });

  it('is one of each thread', () => {
    const context = { shared: new Map<string, unknown>() };
    expect(resultLedger(context)).toBe(resultLedger(context));
    expect(resultLedger({ shared: new Map() })).not.toBe(resultLedger(context));
  });
});

describe('what the server would clear (MIC-4)', () => {
  const rules = (change: Partial<ServerRules> = {}): ServerRules => ({
    keepTokens: 700,
    keepToolUses: null,
    concerns: () => true,
    clears: 'results',
    ...change,
  });
  const beyond = (change: Partial<ServerRules>, ledger = ledgerOf()) => {
    const budget = new BeyondBudget(ledger, rules(change));
    budget.advance();
    return [ids(budget.entries()), budget.clearable];
  };

  it('is what lies beyond the latest tokens or results, less a placeholder of 12 tokens each', () => {
    expect(beyond({})).toEqual(['ab', 300 - 24]);
    expect(beyond({ keepTokens: 699 })).toEqual(['abc', 600 - 36]);
    expect(beyond({ keepTokens: 0 })).toEqual(['abc', 600 - 36]);
    expect(beyond({ keepTokens: 1_000 })).toEqual(['', 0]);
    expect(beyond({ keepToolUses: 3 })).toEqual(['a', 88]);
    expect(beyond({ keepToolUses: 4 })).toEqual(['', 0]);
  });

  it('goes with the call, of which 20 tokens stay, where calls are emptied', () => {
    // Two results of 300 and 400 with their calls of 30 fill the budget (C43).
    expect(beyond({ clears: 'calls', keepTokens: 760 })).toEqual(['ab', 300 - 24 + 2 * 10]);
    expect(beyond({ clears: 'calls', keepTokens: 759 })).toEqual(['abc', 600 - 36 + 3 * 10]);
    const loose = ledgerOf([message([resultBlock('z', { tokens: 100 })]), ...TALK]);
    expect(beyond({ clears: 'calls', keepTokens: 760 }, loose)).toEqual(['zab', 400 - 36 + 2 * 10]);
    const tiny = ledgerOf([...pair('t', 5), ...TALK]);
    expect(beyond({}, tiny)).toEqual(['tab', 300 - 24]);
  });

  it('is about some tools, and about active results alone', () => {
    const ledger = ledgerOf([...pair('x', 1_000, 'Bash'), ...TALK]);
    expect(beyond({ concerns: (tool) => tool === 'Read' }, ledger)).toEqual(['ab', 300 - 24]);
    ledger.mark([ledger.entries[1]!], 'cleared');
    expect(beyond({ concerns: (tool) => tool === 'Read' }, ledger)).toEqual(['b', 188]);
  });

  it('moves on with results that come, and begins again when one is cleared', () => {
    const ledger = ledgerOf(TALK.slice(0, 6));
    const budget = new BeyondBudget(ledger, rules({ keepTokens: 500 }));
    budget.advance();
    expect([ids(budget.entries()), budget.clearable]).toEqual(['a', 88]);
    ledger.sync(viewOf(TALK), 2);
    budget.advance();
    expect([ids(budget.entries()), budget.clearable]).toEqual(['abc', 600 - 36]);
    ledger.mark([ledger.entries[3]!], 'cleared');
    budget.advance();
    expect([ids(budget.entries()), budget.clearable]).toEqual(['a', 88]);
  });
});

describe('CLN-1 the cached form begins again', () => {
  const deletions = (driver: LayerDriver) =>
    driver.actions.flatMap((action) => (action.kind === 'delete-cached' ? [ids(action.results)] : []));
  const turns = (driver: LayerDriver, names: string): void => {
    for (const name of names) {
      driver.exchange(name, { tokens: 1_000 });
      driver.turn++;
      driver.ask();
    }
  };

  it('with a history that is longer than the one before', () => {
    const driver = new LayerDriver([cachedMicrocompactLayer]);
    turns(driver, 'abcdefghijkl');
    expect(deletions(driver)).toEqual(['abcdefg']);
    driver.compact(Array.from({ length: 40 }, () => thought()));
    turns(driver, 'mnopqrstuvwx');
    expect(deletions(driver)).toEqual(['abcdefg', 'mnopqrs']);
  });

  it('when the process does: what was deleted is there again', () => {
    const driver = new LayerDriver([cachedMicrocompactLayer]);
    turns(driver, 'abcdefghijkl');
    driver.resume();
    driver.ask();
    turns(driver, 'm');
    expect(deletions(driver)).toEqual(['abcdefg', 'abcdefgh']);
  });

  it('and tells what could be cleared before and after (MIC-5)', () => {
    const driver = new LayerDriver([cachedMicrocompactLayer]);
    turns(driver, 'abcdefghijkl');
    expect(driver.reports[0]!.details).toMatchObject({ clearableBefore: 12_000, clearableAfter: 5_000 });
    expect(driver.reports[0]!.reason).toBe('12 tool results are in the cached prefix, at least 12');
  });

  it('keeps one more than it leaves, however few it may act on', () => {
    const set = { 'microcompact.cached.minActive': 1, 'microcompact.cached.keepRecent': 2 };
    const driver = new LayerDriver([cachedMicrocompactLayer], set);
    turns(driver, 'abcd');
    expect(deletions(driver)).toEqual(['a', 'b']);
  });
});
