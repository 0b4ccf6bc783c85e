import { expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { pageEvents } from '../../../src/report/page-data/page-run.js';
import { breakEntry, faultEntry, layerEntry, requestEntry } from '../../helpers/log.js';

it('quotes what was needed and gone, and says where it was', () => {
  const fault = faultEntry({ what: 'const RETRIES = 3', path: '/a.ts' });
  const said = faultEntry({ kind: 'lost', origin: 'user', tool: null, what: 'no tabs', tokens: 1 });
  expect(pageEvents([requestEntry(), fault, said])).toMatchObject([
    {
      after: 1,
      turn: 9,
      name: 'needed and gone',
      outcome: 'refetch',
      reason: '“const RETRIES = 3” of Read /a.ts, 1,000 tokens',
    },
    { outcome: 'lost', reason: '“no tabs” of user, 1 token' },
  ]);
});

it('says of each kind of event what came of it, why, and behind which request', () => {
  const at = { t: 5, thread: 'main', turn: 2 } as const;
  const entries = [
    layerEntry({ outcome: 'failed', failure: 'no_summary', reason: 'too long' }),
    requestEntry(),
    layerEntry({ cacheLost: 7 }),
    breakEntry({ cause: 'ttl-5m', expected: true, lostTokens: 9 }),
    breakEntry({ cause: 'ttl-5m', expected: false, lostTokens: 0 }),
    { type: 'lost', calls: 3, reason: 'blocked', ...at },
    { type: 'ended', calls: 4, reason: 'over', ...at },
    { type: 'returned', layer: 'microcompact', why: 'expired', tokens: 5_407, ...at },
    { type: 'returned', layer: 'microcompact', why: 'record', tokens: 7_000, ...at },
    ...(['avoided', 'deferred'] as const).map((state) => ({
      ...{ type: 'crossing', state, layers: ['snip', 'storage'], ...at },
      ...{ uncompactedTokens: 90_000, estimatedTokens: 50_000, threshold: 80_000 },
    })),
    { type: 'breaker', state: 'open', failures: 1, ...at },
  ] as readonly LogEntry[];
  const events = pageEvents(entries);
  expect(events.map(({ after }) => after)).toEqual([0, ...Array(events.length - 1).fill(1)]);
  expect(events.map(({ kind, name, action, outcome }) => [kind, name, action, outcome])).toEqual([
    ['layer', 'full-compact', 'compact', 'failed: no_summary'],
    ['layer', 'full-compact', 'compact', 'done'],
    ['break', 'ttl-5m', 'cache break', 'expected'],
    ['break', 'ttl-5m', 'cache break', 'unexpected'],
    ['lost', 'lost calls', '3', 'lost'],
    ['notice', 'calls not made', '4', 'ended'],
    ['notice', 'content returned', 'microcompact', 'expired'],
    ['notice', 'content returned', 'microcompact', 'record'],
    ['notice', 'compaction prevented', 'snip, storage', 'avoided'],
    ['notice', 'compaction only deferred', 'snip, storage', 'deferred'],
    ['breaker', 'breaker', 'open', 'open'],
  ]);
  expect(events.map(({ destroyed, readDrop }) => [destroyed, readDrop]).slice(0, 5)).toEqual([
    [0, undefined],
    [7, undefined],
    [undefined, 9],
    [undefined, 0],
    [undefined, undefined],
  ]);
  expect(events.map(({ reason }) => reason)).toEqual([
    'too long',
    'over the threshold',
    'it had been announced',
    'nothing had announced it',
    'blocked',
    'over',
    '5,407 deleted tokens are sent again: the cache is gone',
    '7,000 cleared tokens are sent again: the record still had them',
    'uncompacted, the context would have 90,000 tokens; it has 50,000, the threshold is 80,000',
    'uncompacted, the context would have 90,000 tokens; it has 50,000, the threshold is 80,000',
    '1 failure in a row',
  ]);
});
