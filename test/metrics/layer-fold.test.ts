import { describe, expect, it } from 'vitest';
import type { ReturnedEntry } from '../../src/core/run/log-entries.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { crossingEntry, layerEntry, requestEntry, threadEntry } from '../helpers/log.js';
import { logFor, ofType } from '../helpers/plan.js';
import { ask, assistant, readSession, result, say, user } from '../helpers/session.js';

function cleared(saved: number, thread = 'main'): LogEntry {
  return layerEntry({ layer: 'microcompact', action: 'delete', saved, thread });
}

function returned(tokens: number, thread = 'main'): ReturnedEntry {
  return { type: 'returned', t: 0, thread, turn: 1, layer: 'microcompact', tokens, why: 'expired' };
}

function values(...entries: LogEntry[]) {
  return metricValues(foldLog(entries));
}

describe('what layers save', () => {
  it('C9 a token that is taken out, comes back and is taken out again was saved while it was gone', () => {
    const entries = [
      threadEntry(),
      cleared(1_000),
      requestEntry({ n: 1 }),
      requestEntry({ n: 2 }),
      returned(1_000),
      requestEntry({ n: 3 }),
      cleared(1_200),
      requestEntry({ n: 4 }),
    ];
    expect(values(...entries)).toMatchObject({ tokensSaved: 1_200, tokensNotCarried: 2 * 1_000 + 1_200 });
    expect(foldLog(entries).layers.microcompact).toMatchObject({ saved: 1_200, notCarried: 3_200 });
  });

  it('C9 counts the requests of the loops alone: a layer’s own would not be made without it', () => {
    const entries = [cleared(500), requestEntry({ purpose: 'session_memory' }), requestEntry({ n: 2 })];
    expect(values(...entries).tokensNotCarried).toBe(500);
  });

  it('C9 C7 deleted content that is billed as read is carried', () => {
    const billed = requestEntry({ read: 900, output: 50, context: 900 + 50 - 500 });
    expect(values(cleared(500), billed)).toMatchObject({ tokensSaved: 500, tokensNotCarried: 0 });
  });

  it('C9 what a fork inherits is not carried by it, and saved by its parent', () => {
    const fork = threadEntry({ thread: 'fork', parent: 'main', takenOut: { microcompact: 700 } });
    const request = requestEntry({ thread: 'fork', purpose: 'subagent' });
    const both = [cleared(700), fork, request];
    expect(values(...both)).toMatchObject({ tokensSaved: 700, tokensNotCarried: 700 });
    expect(values(...both, cleared(100, 'fork')).tokensSaved).toBe(800);
    expect(values(...both, returned(700, 'fork')).tokensSaved).toBe(700);
  });

  it('C9 a compaction that leaves more than it found saves less than nothing', () => {
    expect(values(layerEntry({ saved: -300 }), requestEntry())).toMatchObject({
      tokensSaved: -300,
      tokensNotCarried: -300,
    });
  });
});

describe('contexts that grow back', () => {
  const compacted = (trueBefore: number, thread = 'main') => layerEntry({ trueBefore, thread });
  const calls = (...contexts: number[]) => contexts.map((context, i) => requestEntry({ n: i + 1, context }));

  it('take the calls of their thread until four fifths of the size before, on average', () => {
    const other = requestEntry({ thread: 'agent', purpose: 'subagent', context: 1_000 });
    const first = [compacted(1_000), ...calls(200, 500), other, ...calls(800, 900)];
    expect(values(...first).regrowCalls).toBe(3);
    expect(values(...first, compacted(1_000), ...calls(850)).regrowCalls).toBe(2);
  });

  it('are counted from the latest compaction, and not where they stay small', () => {
    expect(values(compacted(1_000), ...calls(200), compacted(400), ...calls(390)).regrowCalls).toBe(1);
    expect(values(compacted(1_000), ...calls(200, 799)).regrowCalls).toBeNull();
    expect(values(...calls(900)).regrowCalls).toBeNull();
  });
});

describe('what layers prevent', () => {
  it('C10 each crossing counts once, for every layer that made the difference', () => {
    const facts = foldLog([crossingEntry({ layers: ['storage', 'microcompact'] }), crossingEntry()]);
    expect(metricValues(facts)).toMatchObject({ compactionsPrevented: 2, compactionsDeferred: 0 });
    expect(facts.layers.microcompact).toMatchObject({ prevented: 2, deferred: 0 });
    expect(facts.layers.storage).toMatchObject({ prevented: 1, deferred: 0 });
  });

  it('C10 a crossing that the real context makes later was only deferred', () => {
    const facts = foldLog([crossingEntry(), crossingEntry({ state: 'made' }), crossingEntry()]);
    expect(metricValues(facts)).toMatchObject({ compactionsPrevented: 1, compactionsDeferred: 1 });
    expect(facts.layers.microcompact).toMatchObject({ prevented: 1, deferred: 1 });
  });
});

const MODEL = { model: 'claude-sonnet-4-5' };

/** Three commands at once, whose results are longer than the 30,000 characters that stay; then a fourth one. */
function threeAtOnce() {
  const long = 'y'.repeat(40_000);
  return readSession([
    user('u1', 0, 'go'),
    assistant('a1', 5, 'm1', [...ask('t1'), ...ask('t2'), ...ask('t3')], MODEL),
    result('r1', 10, 't1', long),
    result('r2', 10, 't2', long),
    result('r3', 10, 't3', long),
    assistant('a2', 15, 'm2', ask('t4'), MODEL),
    result('r4', 20, 't4', long),
    assistant('a3', 25, 'm3', say('done'), MODEL),
  ]);
}

it('C37 STO-1 a replay that stores three results at once and one later counts four', () => {
  const entries = logFor({ policy: 'claude-code/2026' }, threeAtOnce());
  const stores = ofType(entries, 'layer').filter(({ layer }) => layer === 'storage');
  expect(stores.map(({ action }) => action)).toEqual(['store', 'store']);
  expect(metricValues(foldLog(entries)).storedResults).toBe(4);
});

it('C37 STO-1 a replay without storage counts none', () => {
  const entries = logFor({ policy: 'claude-code/2026', set: { 'storage.enabled': false } }, threeAtOnce());
  expect(metricValues(foldLog(entries)).storedResults).toBe(0);
});
