import { expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { pageRun } from '../../../src/report/page-data/page-run.js';
import { createRunModel, paidPart } from '../../../src/report/page-data/run-model.js';
import { createRunSample } from '../../../src/report/page-data/run-sample.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

function modelOf(requests: readonly LogEntry[]) {
  const entries = [runEntry(), threadEntry(), ...requests];
  return createRunModel(
    pageRun({ name: 'r', entries, facts: foldLog(entries), digest: 'd', policyInfo: null }),
  );
}

it('the page adds up cost along the axis it draws', () => {
  const paid: readonly (readonly [number, number])[] = [
    [0, 1],
    [9_000, 4],
    [5_000, 2],
    [5_000, 8],
  ];
  const model = modelOf(paid.map(([t, usd], i) => requestEntry({ t, n: i + 1, outputCost: usd * 1e9 })));
  const along = (axis: 'time' | 'request') => {
    const output = model.paid(axis).at(-1)!;
    return model.order(axis).map((i) => output[i]! / 1e9);
  };
  expect(along('request')).toEqual([1, 5, 7, 15]);
  expect(along('time')).toEqual([1, 3, 11, 15]);
});

it('the page counts what is written for an hour as written, and as part of the prompt', () => {
  const model = modelOf([
    requestEntry({ read: 10, write5m: 200, write1h: 3_000, input: 40_000 }),
    requestEntry({ n: 2, write1h: 7 }),
  ]);
  expect([...model.written]).toEqual([3_200, 7]);
  expect([...model.prompt]).toEqual([43_210, 7]);
  expect(model.sums(null, 'request')).toMatchObject({ prompt: 43_217, read: 10 });
});

it('INV-5 the page counts what is paid again once: its causes add up to the cost', () => {
  const model = modelOf([
    requestEntry({ readCost: 1, writeCost: 50, inputCost: 600, outputCost: 7_000 }),
    requestEntry({
      n: 2,
      cause: 'ttl-5m',
      readCost: 2,
      writeCost: 90,
      inputCost: 700,
      outputCost: 8_000,
      rewriteCost: 60,
    }),
  ]);
  expect(model.causes).toEqual(['carry', 'new', 'rewrite:ttl-5m', 'output']);
  expect(model.paid('request').map((column) => column[1])).toEqual([3, 650 + 730, 60, 15_000]);
  expect([...model.cost]).toEqual([7_651, 8_792]);
  expect(model.sums(null, 'request').cost).toBe(7_651 + 8_792);
});

it('the page finds the request nearest to a place, on either axis', () => {
  const model = modelOf([10_000, 40_000, 20_000].map((t, i) => requestEntry({ t, n: i + 1 })));
  const nearest = (axis: 'time' | 'request', places: readonly number[]) =>
    places.map((place) => model.nearest(place, axis));
  expect(nearest('request', [-5, 1.4, 1.5, 1.6, 3, 9])).toEqual([0, 0, 0, 1, 2, 2]);
  // in time: the first at 10 s, the third at 20 s, the second at 40 s
  expect(nearest('time', [0, 14_999, 15_000, 15_001, 29_999, 30_001, 99_999])).toEqual([0, 0, 0, 2, 2, 1, 1]);
  expect(modelOf([]).nearest(3, 'request')).toBeNull();
});

it('the page adds up the part of the axis that is shown, its ends included', () => {
  const model = modelOf(
    [1, 2, 4].map((usd, i) =>
      requestEntry({ n: i + 1, t: i * 1_000, read: 10 * usd, input: usd, outputCost: usd * 1e9 }),
    ),
  );
  expect(model.sums([1, 2], 'request')).toEqual({ requests: 2, prompt: 33, read: 30, cost: 3e9 });
  expect(model.sums([1.5, 2.5], 'request')).toEqual({ requests: 1, prompt: 22, read: 20, cost: 2e9 });
  expect(model.sums([1_000, 2_000], 'time')).toEqual({ requests: 2, prompt: 66, read: 60, cost: 6e9 });
});

it('the axes of the page hold every request, and time until the last answer', () => {
  const model = modelOf([
    requestEntry({ t: 5_000, latencyMs: 9_000 }),
    requestEntry({ n: 2, t: 8_000, latencyMs: 1_000 }),
  ]);
  expect(model.domain('request')).toEqual([0.5, 2.5]);
  expect(model.domain('time')).toEqual([5_000, 14_000]);
  expect(modelOf([]).domain('request')).toEqual([0.5, 1.5]);
  expect(modelOf([]).domain('time')).toEqual([0, 1]);
});

it('an event stands behind the request before it', () => {
  const model = modelOf([
    layerEntry({ t: 1 }),
    requestEntry({ t: 2 }),
    layerEntry({ t: 3 }),
    requestEntry({ n: 2, t: 4 }),
  ]);
  const [first, second] = model.run.events;
  expect([model.eventX(first!, 'request'), model.eventX(second!, 'request')]).toEqual([0.5, 1.5]);
  expect([model.eventX(first!, 'time'), model.eventX(second!, 'time')]).toEqual([1, 3]);
});

it('the page draws conversations apart: those nobody started, and each of the others; requests of layers in neither', () => {
  const entries = [
    runEntry(),
    threadEntry(),
    threadEntry({ thread: 'a', parent: 'main' }),
    threadEntry({ thread: 'b', parent: 'a' }),
    requestEntry({ n: 1, t: 1 }),
    requestEntry({ n: 2, t: 9, thread: 'a', purpose: 'subagent' }),
    requestEntry({ n: 3, t: 3, thread: 'a', purpose: 'subagent' }),
    requestEntry({ n: 4, t: 4, purpose: 'compact' }),
    requestEntry({ n: 5, t: 5, thread: 'b', purpose: 'subagent' }),
    requestEntry({ n: 6, t: 6 }),
  ];
  const { main, others } = createRunModel(
    pageRun({ name: 'r', entries, facts: foldLog(entries), digest: null, policyInfo: null }),
  );
  expect(main).toEqual([0, 5]);
  expect(others).toEqual([[2, 1], [4]]);
});

it('the page of a run that is shown in part counts all of it', () => {
  const requests = Array.from({ length: 40 }, (_, i) =>
    requestEntry({
      n: i + 1,
      t: i * 1_000,
      read: 10,
      write5m: 6,
      readCost: 1,
      writeCost: 20,
      rewriteCost: 4,
      cause: i % 2 === 0 ? 'model' : 'tools',
      outputCost: 300,
      context: i % 4,
    }),
  );
  const sample = createRunSample(39, 100);
  const log = [runEntry(), threadEntry(), ...requests];
  for (const entry of log) sample.write(entry);
  const { entries, leftOut } = sample.finish();
  const model = createRunModel(
    pageRun({ name: 'r', entries, facts: foldLog(log), digest: null, policyInfo: null, leftOut }),
  );
  expect(model.count).toBe(20);
  expect(model.number(1)).toBe(4);
  expect(model.domain('request')).toEqual([0.5, 40.5]);
  // 40 × 16 prompt tokens, 40 × 321
  expect(model.sums(null, 'request')).toEqual({ requests: 40, prompt: 640, read: 400, cost: 40 * 321 });
  expect(model.causes).toEqual(['carry', 'new', 'rewrite:model', 'rewrite:tools', 'output']);
  const last = model.order('request').at(-1)!;
  expect(model.paid('request').map((column) => column[last])).toEqual([40, 640, 80, 80, 12_000]);
});

const PAID = modelOf([
  requestEntry({ t: 0, outputCost: 1 }),
  requestEntry({ t: 1_000, n: 2, cause: 'ttl-5m', writeCost: 20, rewriteCost: 20, outputCost: 2 }),
  requestEntry({ t: 2_000, n: 3, readCost: 300, outputCost: 4 }),
  requestEntry({ t: 3_000, n: 4, outputCost: 8 }),
]);

// causes: cache reads, new content, written again, output
it('what was paid is split at the beginning of a part of the axis', () => {
  expect(paidPart(PAID, null, 'request')).toEqual({ before: [0, 0, 0, 0], within: [300, 0, 20, 15] });
  expect(paidPart(PAID, [2.5, 3.5], 'request')).toEqual({ before: [0, 0, 20, 3], within: [300, 0, 0, 4] });
  expect(paidPart(PAID, [1_000, 2_000], 'time')).toEqual({ before: [0, 0, 0, 1], within: [300, 0, 20, 6] });
});
