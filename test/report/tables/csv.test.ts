import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { REQUESTS_HEAD, requestLines } from '../../../src/report/tables/csv.js';
import { EVENTS_HEAD, eventLines } from '../../../src/report/tables/events-csv.js';
import {
  breakEntry,
  crossingEntry,
  endEntry,
  faultEntry,
  layerEntry,
  requestEntry,
  runEntry,
  threadEntry,
} from '../../helpers/log.js';

const requestsCsv = (entries: Iterable<LogEntry>): string => REQUESTS_HEAD + requestLines(entries);
const eventsCsv = (entries: Iterable<LogEntry>): string => EVENTS_HEAD + eventLines(entries);

/** One record of a CSV without quoted cells, by column name. */
function record(csv: string, line: number): Record<string, string> {
  const [header, ...lines] = csv
    .trimEnd()
    .split('\n')
    .map((text) => text.split(','));
  return Object.fromEntries(header!.map((name, index) => [name, lines[line]![index]!]));
}

describe('requests.csv', () => {
  it('holds one line per request, money in exact dollars', () => {
    const csv = requestsCsv([
      runEntry(),
      requestEntry({ read: 10, input: 2, readCost: 3000, inputCost: 6 }),
      layerEntry(),
    ]);
    expect(csv.trimEnd().split('\n')).toHaveLength(2);
    expect(record(csv, 0)).toMatchObject({
      n: '1',
      thread: 'main',
      promptTokens: '12',
      cacheReadTokens: '10',
      uncachedTokens: '2',
      estimatedTokens: '',
      costUsd: '0.000003006',
    });
  });

  it('CCH-4 tells each kind of token and of money apart, and what was paid again from what was written', () => {
    const csv = requestsCsv([
      requestEntry({
        read: 1,
        write5m: 20,
        write1h: 300,
        input: 4_000,
        output: 50_000,
        newTokens: 6,
        rewritten: 70,
        cause: 'ttl-1h',
        readCost: 1_000_000_000,
        writeCost: 2_500_000_000,
        inputCost: 300_000_000,
        outputCost: 40_000_000,
        rewriteCost: 1_250_000_000,
      }),
    ]);
    expect(record(csv, 0)).toMatchObject({
      promptTokens: '4321',
      cacheReadTokens: '1',
      cacheWrite5mTokens: '20',
      cacheWrite1hTokens: '300',
      uncachedTokens: '4000',
      outputTokens: '50000',
      newTokens: '6',
      rewrittenTokens: '70',
      rewriteCause: 'ttl-1h',
      readUsd: '1',
      writeUsd: '2.5',
      inputUsd: '0.3',
      outputUsd: '0.04',
      costUsd: '3.84',
      rewriteUsd: '1.25',
    });
  });

  it('is a header alone for a run without requests', () => {
    expect(requestsCsv([]).trimEnd().split('\n')).toHaveLength(1);
  });
});

describe('events.csv', () => {
  it('holds what happened besides requests, in order', () => {
    const csv = eventsCsv([
      runEntry(),
      threadEntry(),
      requestEntry(),
      breakEntry({ t: 5, lostTokens: 4000 }),
      layerEntry({ t: 6, turn: 3, saved: -5, cacheLost: 7, reason: 'over it', cost: 1_500_000_000 }),
      { type: 'skipped', what: 'dreaming', needs: 'timestamps' },
      endEntry([]),
    ]);
    expect(
      csv
        .trimEnd()
        .split('\n')
        .map((line) => line.split(',')[3]),
    ).toEqual(['event', 'thread', 'break', 'layer', 'skipped']);
    expect(record(csv, 1)).toMatchObject({ destroyedTokens: '', readDropTokens: '4000' });
    expect(record(csv, 2)).toMatchObject({
      destroyedTokens: '7',
      readDropTokens: '',
      timeMs: '6',
      turn: '3',
      name: 'full-compact',
      savedTokens: '-5',
      reason: 'over it',
      costUsd: '1.5',
      details: '',
    });
    expect(record(csv, 3)).toMatchObject({
      timeMs: '',
      thread: '',
      name: 'dreaming',
      reason: 'needs timestamps',
    });
  });

  it('C9 C10 tells of content that came back and of compactions that were prevented', () => {
    const csv = eventsCsv([
      { type: 'returned', t: 1, thread: 'main', turn: 2, layer: 'microcompact', tokens: 70, why: 'expired' },
      crossingEntry({ turn: 4, layers: ['storage', 'microcompact'] }),
    ]);
    expect(record(csv, 0)).toMatchObject({
      event: 'returned',
      name: 'content returned',
      action: 'microcompact',
      outcome: 'expired',
      savedTokens: '-70',
      reason: '70 deleted tokens are sent again: the cache is gone',
    });
    expect(record(csv, 1)).toMatchObject({
      event: 'crossing',
      turn: '4',
      name: 'compaction prevented',
    });
    expect(csv).toContain('"storage, microcompact",,avoided,');
    expect(csv).toContain('""uncompactedTokens"":167000');
  });

  it('quotes what was needed and gone', () => {
    const csv = eventsCsv([faultEntry({ what: 'const RETRIES = 3', path: '/a.ts' })]);
    expect(record(csv, 0)).toMatchObject({
      event: 'fault',
      turn: '9',
      name: 'needed and gone',
      outcome: 'refetch',
    });
    expect(csv).toContain('""what"":""const RETRIES = 3""');
    expect(csv).toContain('""path"":""/a.ts""');
  });

  it('quotes what needs quoting and disarms formulas', () => {
    const csv = eventsCsv([
      layerEntry({ reason: 'a, "b"\nc', details: { z: 1, a: [2] } }),
      { type: 'notice', t: 0, thread: 'main', what: '=HYPERLINK(1)', message: '', details: {} },
    ]);
    expect(csv).toContain('"a, ""b""\nc"');
    expect(csv).toContain('"{""a"":[2],""z"":1}"');
    expect(csv).toContain("'=HYPERLINK(1)");
    expect(csv).not.toContain(',=HYPERLINK');
  });
});
