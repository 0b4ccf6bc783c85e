import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { readLog } from '../../src/metrics/read-log.js';
import { metricValues } from '../../src/metrics/registry.js';
import { logLines } from '../../src/report/tables/summary-json.js';
import {
  breakEntry,
  endEntry,
  layerEntry,
  requestEntry,
  runEntry,
  statusEntry,
  threadEntry,
} from '../helpers/log.js';

const BODY: LogEntry[] = [runEntry(), threadEntry(), requestEntry({ read: 5 }), breakEntry(), layerEntry()];
const LOG: LogEntry[] = [...BODY, endEntry(BODY)];

/** The entries of a log as text. */
function parseLog(text: string, file: string): LogEntry[] {
  const lines = text.split('\n');
  const rest = lines.pop()!;
  const given = [
    ...lines.map((line) => ({ text: line, complete: true })),
    ...(rest === '' ? [] : [{ text: rest, complete: false }]),
  ];
  return [...readLog(given, file)];
}

describe('the reader of logs', () => {
  it('reads back what was written', () => {
    expect(parseLog(logLines(LOG), 'run.jsonl')).toEqual(LOG);
  });

  it('D8 a request without what the policy saw shows nothing where that would stand', () => {
    const status = statusEntry({ estimatedTokens: 900, limit: 155_000, percentLeft: 99, warning: false });
    const {
      estimatedTokens: _seen,
      kept: _kept,
      uncompactedTokens: _untouched,
      ...request
    } = requestEntry({ purpose: 'main' });
    const body = [runEntry(), threadEntry(), status, request as LogEntry];
    const entries = parseLog(logLines([...body, endEntry(body)]), 'run.jsonl');
    const values = Object.values(metricValues(foldLog(entries)));
    expect(values.filter((value) => Number.isNaN(value))).toEqual([]);
  });

  it('D8 refuses a run without its seed, or with one that is no finite number', () => {
    const text = logLines(LOG).replace('"seed":', '"reed":');
    expect(() => parseLog(text, 'run.jsonl')).toThrow(/seed/);
    // JSON reads this as infinite
    const endless = logLines(LOG).replace(/"seed":\d+/, '"seed":1e999');
    expect(() => parseLog(endless, 'run.jsonl')).toThrow(/seed/);
  });

  it('D8 refuses a cause that is no text', () => {
    const text = logLines(LOG).replace(/"cause":[^,]+/, '"cause":{"a":1}');
    expect(() => parseLog(text, 'run.jsonl')).toThrow(/\(request\) has a cause that is no text/);
  });

  it('says of a line that is no JSON whether the file is no log or was changed', () => {
    const lines = logLines(LOG).split('\n');
    const broken = (at: number): string => lines.map((line, i) => (i === at ? '{' : line)).join('\n');
    expect(() => parseLog(broken(0), 'run.jsonl')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('line 1 is not JSON'),
        hint: 'give the run.jsonl that a run wrote',
      }),
    );
    expect(() => parseLog(broken(1), 'run.jsonl')).toThrow(
      expect.objectContaining({
        message: expect.stringContaining('line 2 is not JSON'),
        hint: expect.stringContaining('was changed after the run'),
      }),
    );
  });

  it('refuses a log of another version', () => {
    const text = logLines(LOG).replace('"version":2', '"version":3');
    expect(() => parseLog(text, 'run.jsonl')).toThrow(
      expect.objectContaining({
        code: 'bad-log',
        message: expect.stringContaining('written by another version'),
        place: { file: 'run.jsonl', line: 1 },
      }),
    );
  });

  it.each([
    ['an empty file', ''],
    ['a log without its first line', logLines(LOG.slice(1))],
    ['other JSON', '[]\n'],
    ['text', 'hello\n'],
  ])('refuses %s', (_, text) => {
    expect(() => parseLog(text, 'run.jsonl')).toThrow(expect.objectContaining({ code: 'bad-log' }));
  });

  it.each([
    ['is not JSON', '{"type":'],
    ['unknown type "nope"', '{"type":"nope"}'],
    ['is not an object', '7'],
    ['lacks lostTokens', JSON.stringify({ ...breakEntry(), lostTokens: undefined })],
    ['unknown purpose "x"', JSON.stringify({ ...requestEntry(), purpose: 'x' })],
    ['unknown layer "x"', JSON.stringify({ ...layerEntry(), layer: 'x' })],
    ['unknown outcome "x"', JSON.stringify({ ...layerEntry(), outcome: 'x' })],
    ['has no type', '{}'],
    ['has a estimatedTokens that is no number', JSON.stringify({ ...requestEntry(), estimatedTokens: 'x' })],
    ['has a position that is no number', JSON.stringify({ ...breakEntry(), position: {} })],
    ['has a reason that is no text', JSON.stringify({ ...layerEntry(), reason: 7 })],
    ['has a risk without', JSON.stringify({ ...requestEntry(), risk: { chance: 1.1, cost: 5 } })],
    ['has a risk without', JSON.stringify({ ...requestEntry(), risk: { chance: -0.1, cost: 5 } })],
    ['has a risk without', JSON.stringify({ ...requestEntry(), risk: { chance: 0.5 } })],
    ['has a risk without', JSON.stringify({ ...requestEntry(), risk: null })],
    [
      'has a chance whose high is no number',
      JSON.stringify({ ...endEntry([]), chance: { lost: 1, expected: 1, low: 1 } }),
    ],
    ['has a chance whose lost is no number', JSON.stringify({ ...endEntry([]), chance: null })],
  ])('names the line that %s', (message, line) => {
    const text = `${logLines(LOG.slice(0, 2))}${line}\n${logLines(LOG.slice(2))}`;
    expect(() => parseLog(text, 'run.jsonl')).toThrow(
      expect.objectContaining({
        code: 'bad-log',
        message: expect.stringContaining(message),
        place: { file: 'run.jsonl', line: 3 },
      }),
    );
  });

  it('K14 takes a risk of none and of certainty, and what chance added to the whole', () => {
    const body = [
      runEntry(),
      requestEntry({ risk: { chance: 0, cost: 0 } }),
      requestEntry({ n: 2, risk: { chance: 1, cost: 7 } }),
    ];
    const log = [...body, endEntry(body, { chance: { lost: 0, expected: 1, low: 0, high: 2 } })];
    expect(parseLog(logLines(log), 'run.jsonl')).toEqual(log);
  });

  it('warns about a log that was cut short, in the middle of a line or between two', () => {
    const whole = logLines(BODY);
    for (const text of [whole, `${whole}{"type":"requ`]) {
      const entries = parseLog(text, 'run.jsonl');
      expect(entries.slice(0, -1)).toEqual(BODY);
      expect(entries.at(-1)).toMatchObject({ type: 'warning', code: 'truncated-log' });
      expect(foldLog(entries).complete).toBe(false);
    }
  });
});
