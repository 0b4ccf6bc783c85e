import { describe, expect, it } from 'vitest';
import { createFiles } from '../../../src/core/base/files.js';
import { type Block, createBlock } from '../../../src/core/model/block.js';
import { createMessage, type Message } from '../../../src/core/model/message.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { apply } from '../../../src/engine/actions/apply.js';
import { contextMessage } from '../../../src/engine/actions/context-message.js';
import { Context } from '../../../src/engine/context/context.js';
import { Journal, TakenOut } from '../../../src/engine/context/taken-out.js';
import { ThreadView } from '../../../src/engine/context/thread-view.js';
import { counterRules, SeenCounter } from '../../../src/engine/counting/seen-counter.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf } from '../../helpers/plan.js';

const POLICY = 'claude-code/2026';
const PREFIX = 15_000;

/** The user asks for a compaction behind some rounds of work, and goes on. */
function compacted(rounds: number): Conversation {
  const talk = new Conversation().human(100);
  for (let i = 0; i < rounds; i++) talk.tools([{ tool: 'Task', tokens: 1_000 }]);
  return talk
    .answer(10)
    .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
    .turn(20, 10);
}

const layersOf = (entries: readonly LogEntry[], action: string) =>
  ofType(entries, 'layer').filter((entry) => entry.action === action);
const warningsOf = (entries: readonly LogEntry[]) => ofType(entries, 'warning').map(({ code }) => code);

describe('a new history in the place of the conversation', () => {
  const run = (talk: Conversation, set: Readonly<Record<string, unknown>> = {}) =>
    runSent(planOf({ policy: POLICY, set: { ...COMPACTION_ONLY, ...set } }), talk.transcript());

  it('FUL-9 loses what was cached behind tools and system, and the next request finds these alone', () => {
    const { entries } = run(compacted(10));
    const [compaction] = layersOf(entries, 'compact');
    const before = mainRequests(entries).at(-2)!;
    expect(compaction!.cacheLost).toBe(before.prompt - PREFIX);
    const after = mainRequests(entries).at(-1)!;
    expect(after.read).toBe(PREFIX);
    expect(after.prompt).toBe(compaction!.trueAfter + 20);
    expect(ofType(entries, 'break')).toMatchObject([{ cause: 'compaction', expected: true }]);
    expect(warningsOf(entries)).not.toContain('compaction-grew');
  });

  it('loses nothing that has left the cache before', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Task', tokens: 1_000 }]);
    talk.answer(10).wait(400);
    talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));
    const { entries } = run(talk.turn(20, 10));
    expect(layersOf(entries, 'compact')[0]!.cacheLost).toBe(0);
  });

  it('that is longer than the one before is reported', () => {
    // The summary of 4,000 tokens takes the place of 110.
    const { entries } = run(compacted(0));
    const [compaction] = layersOf(entries, 'compact');
    expect(compaction!.trueAfter).toBeGreaterThan(compaction!.trueBefore);
    expect(warningsOf(entries)).toContain('compaction-grew');
  });

  it('FLT-5 begins with the context map, as the one before did, and holds it once', () => {
    const { sent } = run(compacted(10), { 'context.memoryFiles': { '/a.md': 500 } });
    for (const { blocks, systemEnd } of sentFor(sent, 'main')) {
      expect(blocks![systemEnd]!.facts.path).toBe('/a.md');
      expect(blocks!.filter(({ facts }) => facts.path === '/a.md')).toHaveLength(1);
    }
  });
});

describe('blocks that are put in the place of others', () => {
  /** Twenty results, then two steps over the threshold of 2.0 at 187,000 tokens, where warning and threshold are one. */
  const prefix = 62_000;
  const cleared = () => {
    const talk = new Conversation({ toolsTokens: prefix - 3_000, systemTokens: 3_000 }).human(100);
    for (let i = 0; i < 20; i++) talk.tools([{ tool: 'Read', tokens: 5_000 }]);
    talk.tools([{ tool: 'Task', tokens: 187_000 - prefix - 100 - 20 * 5_020 - 20 }]);
    talk.tools([{ tool: 'Task', tokens: 10 }]).answer(10);
    const set = { 'sessionMemory.enabled': false, 'storage.enabled': false, 'window.warningOffset': 0 };
    return logFor({ policy: 'claude-code/2.0', set }, talk);
  };

  it('MIC-1 lose what was cached behind the first of them', () => {
    const entries = cleared();
    const [clear] = layersOf(entries, 'clear');
    const before = mainRequests(entries).findLast(({ turn }) => turn < clear!.turn)!;
    const after = mainRequests(entries).find(({ turn }) => turn === clear!.turn)!;
    // The first result stands behind tools, system, the prompt and the call.
    expect(clear!.cacheLost).toBe(before.prompt - (prefix + 100 + 20));
    expect(after.cause).toBe('microcompaction');
    expect(after.uncompactedTokens! - after.prompt).toBe(clear!.saved);
  });
});

describe('a result that was deleted on the server before other content took its place', () => {
  const block = (kind: Block['kind'], role: Block['role'], tokens: number, toolUseId?: string): Block =>
    createBlock({ kind, role, tokens, text: 'x'.repeat(4 * tokens), ...(toolUseId && { toolUseId }) });
  const message = (id: string, role: Message['role'], ...blocks: readonly Block[]): Message =>
    createMessage({ id, role, origin: role === 'user' ? 'tool' : 'model', blocks, at: 0 });

  it('MIC-3 C28 is deleted no more, and is taken off once', () => {
    const context = new Context([]);
    const seen = new SeenCounter(counterRules(planOf({ policy: POLICY }).policy.params, 1));
    const view = new ThreadView(context, seen, createFiles());
    context.extend([
      message('u', 'user', block('text', 'user', 30)),
      message(
        'a',
        'assistant',
        block('tool_use', 'assistant', 5, 't'),
        block('tool_use', 'assistant', 5, 'k'),
      ),
      message('r', 'user', block('tool_result', 'user', 100, 't'), block('tool_result', 'user', 200, 'k')),
    ]);
    seen.anchor({ input: 340, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 0 }, 0);
    const run = {
      context,
      view,
      seen,
      journal: new Journal(),
      takenOut: new TakenOut(),
      tally: { calls: 0, costNano: 0, cacheLost: 0, keepAlives: 0 },
      announced: null,
      sentLength: context.length,
      cachedTokens: () => 0,
    } as unknown as Parameters<typeof apply>[0];
    const by = { layer: 'microcompact', reason: 'a test' } as const;
    apply(run, { kind: 'delete-cached', by, results: [{ toolUseId: 't', messageIndex: 2 }] });
    expect([seen.tokens, view.trueTokens, view.deletedTokens, run.takenOut.total]).toEqual([
      240, 240, 100, 100,
    ]);
    const edits = [{ messageId: 'r', blockIndex: 0, block: block('tool_result', 'user', 10, 't') }];
    apply(run, { kind: 'rewrite-blocks', by, cause: 'microcompaction', edits, keep: 'live' });
    expect([seen.tokens, view.trueTokens, view.deletedTokens, run.takenOut.total]).toEqual([250, 250, 0, 90]);
    expect(run.announced).toBe('microcompaction');
  });

  it('names a block that is there', () => {
    const context = new Context([]);
    const seen = new SeenCounter(counterRules(planOf({ policy: POLICY }).policy.params, 1));
    const run = { context, view: new ThreadView(context, seen, createFiles()) } as unknown as Parameters<
      typeof apply
    >[0];
    const by = { layer: 'microcompact', reason: 'a test' } as const;
    const edits = [{ messageId: 'nowhere', blockIndex: 0, block: null }];
    expect(() =>
      apply(run, { kind: 'rewrite-blocks', by, cause: 'microcompaction', edits, keep: 'live' }),
    ).toThrow(/nowhere 0/);
  });
});

describe('the context map', () => {
  const map = (files: Readonly<Record<string, number>>, memoryTokens: number) =>
    contextMessage({ 'context.memoryFiles': files, 'context.memoryTokens': memoryTokens }, 7);

  it('FLT-5 holds files up to their limit exactly, each as long as its tokens', () => {
    const message = map({ '/a.md': 30, '/b.md': 11, '/c.md': 10 }, 40)!;
    expect(message.blocks.map(({ facts, tokens }) => [facts.path, tokens])).toEqual([
      ['/a.md', 30],
      ['/c.md', 10],
    ]);
    expect(message.blocks.map(({ text }) => text!.read().length)).toEqual([120, 40]);
    expect(message).toMatchObject({ id: 'context', origin: 'context', role: 'user', at: 7 });
    expect(map({ '/a.md': 41 }, 40)).toBeNull();
    expect(contextMessage({ 'context.memoryTokens': 40 }, 0)).toBeNull();
  });
});
