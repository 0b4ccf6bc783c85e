import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { ColumnRecorder } from '../../../src/engine/columnar/column-recorder.js';
import type { Outgoing } from '../../../src/engine/requests/run-env.js';
import { levelSalts } from '../../../src/provider/cache/salts.js';
import { resolveModel } from '../../../src/provider/prices/models.js';
import { mark1h, mark5m, numbered, prefixOf } from '../../helpers/cache-request.js';
import { layerEntry, runEntry, threadEntry } from '../../helpers/log.js';

const HOUR = 3_600_000;
const SONNET = resolveModel('claude-sonnet-4-5');
const OPUS = resolveModel('claude-opus-4-5');

/** A request of the loop: tools, system and two blocks of 1,000 tokens each, marked at the system prompt and the end. */
const out = (change: Partial<Outgoing> = {}): Outgoing =>
  ({
    purpose: 'main',
    turn: 1,
    model: SONNET,
    salts: levelSalts({ model: change.model ?? SONNET }),
    view: prefixOf(numbered(4), 1, 2),
    breakpoints: [mark5m(1), mark5m(3)],
    startMs: 0,
    write: 'write',
    windowTokens: 200_000,
    outputTokens: 9,
    recordedLatencyMs: 700,
    seen: 5,
    kept: 0.5,
    untouched: 4_000,
    freshTokens: 6,
    firstChanged: null,
    announced: null,
    deleted: null,
    risk: 0,
    ...change,
  }) as Outgoing;

function record(
  requests: readonly (Outgoing | readonly [string, Outgoing])[],
  entries: readonly LogEntry[] = [],
  ended = requests.length,
) {
  const recorder = new ColumnRecorder();
  recorder.write(runEntry());
  for (const each of requests) {
    const [thread, request] = 'length' in each ? each : (['main', each] as const);
    recorder.request(thread, request);
  }
  for (const entry of entries) recorder.write(entry);
  recorder.write({ type: 'end', t: 0, turns: 1, requests: ended, cost: 0 });
  return recorder.finish();
}

describe('what can be told from columns', () => {
  it('is a run of requests of the loop, whatever changed their messages', () => {
    expect(record([out()])).not.toBeNull();
    expect(record([out({ announced: 'messages' }), out({ purpose: 'subagent' })])).not.toBeNull();
    expect(record([out({ breakpoints: [mark1h(1), mark1h(3)] })])).not.toBeNull();
    expect(record([out({ breakpoints: [] })])).not.toBeNull();
    expect(record([out()], [threadEntry()])).not.toBeNull();
  });

  it.each<[string, Partial<Outgoing>]>([
    ['a call of a layer', { purpose: 'compact' }],
    ['planning that is done again', { purpose: 'plan_again' }],
    ['a request that writes nothing', { write: 'read-only' }],
    ['a latency that follows from the cache', { recordedLatencyMs: null }],
    ['a request beside the loop', { seen: null }],
    ['content that was deleted on the server', { deleted: { tokens: 1, upTo: () => 0 } }],
    ['a compaction', { announced: 'compaction' }],
    ['a microcompaction', { announced: 'microcompaction' }],
    ['two lifetimes', { breakpoints: [mark1h(1), mark5m(3)] }],
  ])('is no run with %s', (_what, change) => {
    expect(record([out(change)])).toBeNull();
    expect(record([out(), out(change)])).toBeNull();
  });

  it('is no run that goes back by more than an hour, writes of layers, or was not heard to its end', () => {
    expect(record([out({ startMs: 2 * HOUR }), out({ startMs: HOUR })])).not.toBeNull();
    expect(record([out({ startMs: 2 * HOUR }), out({ startMs: HOUR - 1 })])).toBeNull();
    // The latest of all counts, not the one before.
    const back = [out({ startMs: 2 * HOUR }), out({ startMs: HOUR }), out({ startMs: HOUR - 1 })];
    expect(record(back)).toBeNull();
    expect(record([out()], [layerEntry()])).toBeNull();
    expect(record([out()], [], 2)).toBeNull();
    const recorder = new ColumnRecorder();
    expect(recorder.finish()).toBeNull();
    recorder.write(runEntry());
    expect(recorder.finish()).toBeNull();
  });
});

describe('the columns of requests', () => {
  it('hold what each request consists of, and how it follows the one before in its thread', () => {
    const columns = record([
      out({ startMs: 1_000 }),
      ['child', out({ startMs: 2_000, purpose: 'subagent', model: OPUS, kept: null, breakpoints: [] })],
      out({ startMs: 5_000, turn: 2, firstChanged: 3, breakpoints: [mark1h(1), mark1h(3)] }),
    ])!;
    expect(columns.requests).toBe(3);
    expect([...columns.startMs]).toEqual([1_000, 2_000, 5_000]);
    expect([...columns.promptTokens]).toEqual([4_000, 4_000, 4_000]);
    expect([...columns.outputTokens]).toEqual([9, 9, 9]);
    expect([...columns.freshTokens]).toEqual([6, 6, 6]);
    expect([...columns.latencyMs]).toEqual([700, 700, 700]);
    expect([...columns.seen]).toEqual([5, 5, 5]);
    expect([...columns.kept]).toEqual([0.5, Number.NaN, 0.5]);
    expect([...columns.turn]).toEqual([1, 1, 2]);
    expect([...columns.thread]).toEqual([0, 1, 0]);
    expect([...columns.model]).toEqual([0, 1, 0]);
    expect(columns.models).toEqual([SONNET, OPUS]);
    expect(columns.threads).toEqual([
      { id: 'main', purpose: 'main' },
      { id: 'child', purpose: 'subagent' },
    ]);
    expect([...columns.recordedTtlMs]).toEqual([HOUR / 12, 0, HOUR]);
    expect([...columns.gapMs]).toEqual([Number.NaN, Number.NaN, 4_000]);
    expect([...columns.firstChanged]).toEqual([-1, -1, 3]);
    expect(columns.timelessCause).toEqual(['server', 'server', 'messages']);
  });

  it('name the entries that a request may find, the longest first, and those that it leaves', () => {
    const longer = out({ view: prefixOf(numbered(6), 1, 2), breakpoints: [mark5m(1), mark5m(5)] });
    const columns = record([out(), longer])!;
    // Entries: up to the system prompt, up to the end of the first request, and of the second.
    expect([...columns.entryPosition]).toEqual([1, 3, 5]);
    expect([...columns.entryTokens]).toEqual([2_000, 4_000, 6_000]);
    expect([...columns.marksFrom]).toEqual([0, 2, 4]);
    expect([...columns.marks]).toEqual([0, 1, 0, 2]);
    expect([...columns.lookFrom]).toEqual([0, 0, 2]);
    expect([...columns.look]).toEqual([1, 0]);
  });

  it('CCH-1 look as far back as the cache does: twenty positions with the marked one, from each mark', () => {
    const first = out({ breakpoints: [mark5m(3)] });
    const far = (length: number, ...marks: readonly number[]) =>
      record([
        first,
        out({
          view: prefixOf(numbered(length), 1, 2),
          breakpoints: marks.map((position) => mark5m(position)),
        }),
      ])!.look.length;
    expect([far(23, 22), far(24, 23), far(24, 3, 23)]).toEqual([1, 0, 1]);
  });

  it('CCH-3 hold nothing below the minimum of the model', () => {
    // Sonnet 4.5 caches from 1,024 tokens on; the first position has 1,000.
    const columns = record([
      out({ breakpoints: [mark5m(0), mark5m(1)] }),
      out({ breakpoints: [mark5m(0), mark5m(1)] }),
    ])!;
    expect([...columns.entryPosition]).toEqual([1]);
    expect([...columns.look]).toEqual([0]);
  });

  it('tell other entries before the request that they came before', () => {
    const recorder = new ColumnRecorder();
    recorder.write(runEntry());
    recorder.write(threadEntry());
    recorder.request('main', out());
    recorder.write(threadEntry({ thread: 'child' }));
    recorder.write({ type: 'end', t: 0, turns: 1, requests: 1, cost: 0 });
    expect(recorder.finish()!.others.map(({ before }) => before)).toEqual([0, 1]);
  });
});
