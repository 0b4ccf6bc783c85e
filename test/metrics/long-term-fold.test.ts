import { describe, expect, it } from 'vitest';
import type { LayerEntry } from '../../src/core/run/log-entries.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { layerEntry, requestEntry, threadEntry } from '../helpers/log.js';

const longTerm = (...entries: readonly LogEntry[]) => foldLog(entries).longTerm;

const acted = (
  layer: LayerEntry['layer'],
  action: string,
  details: LayerEntry['details'] = {},
  outcome: LayerEntry['outcome'] = 'done',
): LayerEntry => layerEntry({ layer, action, details, outcome });

const told = (what: string, details: LayerEntry['details'] = {}): LogEntry => ({
  type: 'notice',
  t: 0,
  thread: 'main',
  what,
  message: '',
  details,
});

describe('what outlives threads and sessions', () => {
  it('FRK counts forks, and what the first request of each found in the cache', () => {
    const { forks } = longTerm(
      threadEntry(),
      threadEntry({ thread: 'f1', parent: 'main', sharedTokens: 1_000 }),
      threadEntry({ thread: 'f2', parent: 'main', sharedTokens: 1_000 }),
      threadEntry({ thread: 'other', parent: 'main' }),
      requestEntry({ n: 1, thread: 'f1', purpose: 'compact', read: 5 }),
      requestEntry({ n: 2, thread: 'f1', purpose: 'subagent', read: 900, input: 100 }),
      requestEntry({ n: 3, thread: 'f1', purpose: 'subagent', read: 1_000, input: 100 }),
      requestEntry({ n: 4, thread: 'other', purpose: 'subagent', read: 7 }),
      requestEntry({ n: 5, thread: 'f2', purpose: 'subagent', input: 1_200 }),
      told('fork-lost'),
    );
    expect(forks).toEqual({ started: 2, lost: 1, firstPromptTokens: 2_200, firstReadTokens: 900 });
  });

  it('AUT counts memories that were written and refused, and the most files that could not be read', () => {
    const { memory } = longTerm(
      acted('auto-memory', 'read', { corrupt: 2 }),
      acted('auto-memory', 'write', { written: ['a', 'b'], refusals: 1, corrupt: 9 }),
      acted('auto-memory', 'read', { corrupt: 1 }),
      acted('auto-memory', 'write', { written: 3, indexLines: 12 }),
      acted('dreaming', 'confine', { refusals: 4 }),
      acted('dreaming', 'dream', { refusals: 4, written: 6 }),
      acted('full-compact', 'write', { written: 100 }),
    );
    expect(memory).toMatchObject({ written: 5, refused: 5, corrupt: 2, indexLines: 12, quality: null });
  });

  it('AUT keeps the last judgement of what is in the memory, and the last length of its index', () => {
    const { memory } = longTerm(
      acted('auto-memory', 'quality', { kept: 1 }),
      acted('auto-memory', 'quality', { kept: 8, duplicate: 1, contradicted: 2, polluted: 3, offIndex: 4 }),
      told('memory-index', { lines: 210, cutBy: 'lines' }),
      told('memory-index', { lines: 190 }),
    );
    expect(memory.quality).toEqual({ kept: 8, duplicate: 1, contradicted: 2, polluted: 3, offIndex: 4 });
    expect(memory).toMatchObject({ indexLines: 190, indexCuts: 1 });
  });

  it('SMC counts notes that were taken, what they cost and their last size', () => {
    const { notes } = longTerm(
      acted('session-memory', 'extract', { outputTokens: 300, tokens: 250, condensed: [], urgent: true }),
      acted('session-memory', 'extract', { outputTokens: 200, condensed: ['Errors'] }),
      acted('session-memory', 'extract', { outputTokens: 999 }, 'failed'),
      acted('session-memory', 'compact', { outputTokens: 999 }),
    );
    expect(notes).toEqual({ extractions: 2, condensed: 1, urgent: 1, outputTokens: 500, tokens: 250 });
    expect(longTerm().notes.tokens).toBeNull();
  });

  it('DRM counts dreams by how they ended, what they changed, and which gates were shut', () => {
    const { dreams, memory } = longTerm(
      acted('dreaming', 'dream', { removed: 2, merged: 3, contradicted: 1, dated: 4, reclaimed: true }),
      acted('dreaming', 'dream', { state: 'killed' }, 'failed'),
      acted('dreaming', 'dream', { state: 'failed', removed: 1 }, 'failed'),
      acted('dreaming', 'gates', { exits: { time: 5, sessions: 2 } }, 'declined'),
      acted('dreaming', 'gates', { exits: { lock: 1, time: 1 } }, 'declined'),
    );
    expect(dreams).toEqual({
      completed: 1,
      killed: 1,
      failed: 1,
      reclaimed: 1,
      skips: { lock: 1, sessions: 2, time: 6 },
    });
    expect(memory).toMatchObject({ removed: 3, merged: 3, contradicted: 1, dated: 4 });
  });

  it('AGT counts agents that were shut down, plans, waiting and messages', () => {
    const { agents, messages } = longTerm(
      told('shut-down'),
      told('plan-rejected', { waitedMs: 2_000 }),
      told('plan-approved', { waitedMs: 500 }),
      acted('agents', 'recall'),
      acted('agents', 'progress'),
      told('messages', { sent: 5, delivered: 3, late: 1, waiting: 1, lost: 1 }),
      told('messages', { sent: 2, delivered: 2 }),
    );
    expect(agents).toEqual({ shutDown: 1, plansRejected: 1, approvalWaitMs: 2_500, memoriesRead: 1 });
    expect(messages).toEqual({ sent: 7, delivered: 5, late: 1, waiting: 1, lost: 1 });
  });
});
