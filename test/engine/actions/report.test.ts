import { describe, expect, it } from 'vitest';
import type { LayerReport } from '../../../src/core/run/action.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { apply } from '../../../src/engine/actions/apply.js';
import type { RunningThread } from '../../../src/engine/requests/running-thread.js';

describe('what a layer tells of what it did', () => {
  const entry = { layer: 'full-compact', action: 'compact', details: { ids: 3 } } as unknown as LayerReport;
  const run = (tally: RunningThread['tally']) => {
    const entries: LogEntry[] = [];
    const thread = {
      env: { sink: { write: (each: LogEntry) => entries.push(each) } },
      thread: { id: 'main' },
      now: 5_000,
      turn: 7,
      tally,
    } as unknown as Parameters<typeof apply>[0];
    apply(thread, { kind: 'report', entry });
    apply(thread, { kind: 'report', entry });
    return entries;
  };

  it('comes with what its calls have cost since the report before', () => {
    const [first, second] = run({ calls: 2, costNano: 300, cacheLost: 40, keepAlives: 1 });
    expect(first).toMatchObject({
      type: 'layer',
      t: 5_000,
      thread: 'main',
      turn: 7,
      layer: 'full-compact',
      calls: 2,
      cost: 300,
      cacheLost: 40,
      details: { ids: 3, keepAlives: 1 },
    });
    expect(second).toMatchObject({ calls: 0, cost: 0, cacheLost: 0, details: { ids: 3 } });
    expect((second as { details: object }).details).not.toHaveProperty('keepAlives');
  });

  it('FUL-5 names keep-alives only where there were some', () => {
    const [first] = run({ calls: 1, costNano: 1, cacheLost: 0, keepAlives: 0 });
    expect((first as { details: object }).details).toEqual({ ids: 3 });
  });
});
