import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { reportHtml } from '../../src/report/html/report-html.js';
import { createRunSample } from '../../src/report/page-data/run-sample.js';
import type { PolicyInfo } from '../../src/report/text/policy-info.js';
import { endEntry, layerEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';
import { openPage, press, useBrowser } from './browser.js';

const MINUTE = 60_000;
const USD = 1_000_000_000;

/** Four requests with round sizes and costs; an hour passes before the last, and a layer acts after the second. */
const ENTRIES: readonly LogEntry[] = [
  runEntry(),
  threadEntry(),
  requestEntry({ n: 1, t: 0, write5m: 100_000, writeCost: USD }),
  requestEntry({ n: 2, t: 4 * MINUTE, read: 100_000, write5m: 20_000, readCost: USD, writeCost: USD }),
  layerEntry({ t: 6 * MINUTE, turn: 2, layer: 'storage', action: 'store', saved: 1_000 }),
  requestEntry({ n: 3, t: 8 * MINUTE, read: 120_000, write1h: 60_000, input: 20_000, outputCost: USD }),
  requestEntry({ n: 4, t: 68 * MINUTE, read: 50_000, outputCost: USD }),
];
const LOG = [...ENTRIES, endEntry(ENTRIES)];

/** The page of one run. */
function pageOf(name: string, entries: readonly LogEntry[], policyInfo: PolicyInfo | null = null): string {
  const run = { name, entries, facts: foldLog(entries), digest: 'd'.repeat(64), policyInfo };
  return reportHtml({ title: name, runs: [run] });
}

const HTML = pageOf('drawn', LOG);

const browser = useBrowser();

interface Mark {
  readonly tag: string;
  readonly text: string;
  readonly [attribute: string]: string;
}

/** Everything that is drawn in the chart of a title, in order. */
async function drawn(page: Page, title: string): Promise<readonly Mark[]> {
  const figure = page.locator('figure').filter({ hasText: title });
  return figure.locator('svg *').evaluateAll((nodes) =>
    nodes.map((node) => ({
      ...Object.fromEntries(
        node.getAttributeNames().map((name: string) => [name, node.getAttribute(name) ?? '']),
      ),
      tag: node.tagName,
      text: node.textContent ?? '',
    })),
  );
}

/** Where the ticks of an axis stand, by their text. */
function ticks(marks: readonly Mark[], anchor: 'end' | 'middle'): Readonly<Record<string, number>> {
  const found = marks.filter(({ tag, 'text-anchor': at, class: of }) => {
    return tag === 'text' && at === anchor && of === undefined;
  });
  return Object.fromEntries(
    found.map(({ text, x, y }) => [text, anchor === 'end' ? Number(y) - 4 : Number(x)]),
  );
}

/** Left, bottom, width and top of each bar of a path. */
function bars(path: string): readonly (readonly [number, number, number, number])[] {
  const shape = /M([\d.]+),([\d.]+)h([\d.]+)V([\d.]+)/g;
  return [...path.matchAll(shape)].map(([, ...numbers]) => {
    const [left, bottom, width, top] = numbers.map(Number);
    return [left!, bottom!, width!, top!];
  });
}

const CONTEXT = 'Context size and what happened to it';
const byTime = (page: Page): Promise<void> => press(page, 'by time');
const byRequest = (page: Page): Promise<void> => press(page, 'by request');

describe('charts of the page', () => {
  it('name requests by number and times by the clock', async () => {
    const { page } = await openPage(browser, HTML);
    await byTime(page);
    expect(Object.keys(ticks(await drawn(page, 'Prompt of each request'), 'middle'))).toEqual([
      '0:00',
      '0:10',
      '0:20',
      '0:30',
      '0:40',
      '0:50',
      '1:00',
    ]);
    await byRequest(page);
    expect(Object.keys(ticks(await drawn(page, 'Prompt of each request'), 'middle'))).toEqual([
      '1',
      '2',
      '3',
      '4',
    ]);
  });

  it('name their axes below the ticks, inside the picture', async () => {
    const { page } = await openPage(browser, HTML);
    await byTime(page);
    const marks = await drawn(page, 'Prompt of each request');
    const below = Number(
      marks.find(({ 'text-anchor': at, class: of }) => at === 'middle' && of === undefined)!.y,
    );
    const left = Number(marks.find(({ class: of }) => of === 'grid')!.x1);
    const right = Number(marks.find(({ class: of }) => of === 'grid')!.x2);
    expect(
      marks.filter(({ class: of }) => of === 'axis').map(({ text, x, y }) => [text, Number(x), Number(y)]),
    ).toEqual([
      ['time since the start (h:mm)', right, below + 15],
      [expect.stringMatching(/^↑ .*tokens/), left, below + 15],
    ]);
    const svg = page.locator('figure').filter({ hasText: 'Prompt of each request' }).locator('svg.chart');
    expect(Number(await svg.getAttribute('height'))).toBe(below + 18);
    // the lowest line of the grid is that of nothing, 16 pixels above its ticks
    expect(Number(marks.find(({ class: of }) => of === 'grid')!.y1)).toBe(below - 16);
    await byRequest(page);
    const [title] = (await drawn(page, 'Prompt of each request')).filter(({ class: of }) => of === 'axis');
    expect(title!.text).toBe('request');
  });

  it('draw prompts as bars to scale: read at the bottom, then written, then uncached', async () => {
    const { page } = await openPage(browser, HTML);
    const marks = await drawn(page, 'Prompt of each request');
    const heights = ticks(marks, 'end');
    const places = ticks(marks, 'middle');
    const px = (tokens: number): number =>
      heights['0']! + ((heights['200k']! - heights['0']!) * tokens) / 200_000;
    const [read, written, uncached] = marks.filter(({ tag }) => tag === 'path').map(({ d }) => bars(d!));
    const expected = (from: number, to: number, request: number) => [
      expect.closeTo(places[request]! - 7, 0),
      expect.closeTo(px(from), 0),
      13,
      expect.closeTo(px(to), 0),
    ];
    expect(read).toEqual([expected(0, 100_000, 2), expected(0, 120_000, 3), expected(0, 50_000, 4)]);
    expect(written).toEqual([
      expected(0, 100_000, 1),
      expected(100_000, 120_000, 2),
      expected(120_000, 180_000, 3),
    ]);
    expect(uncached).toEqual([expected(180_000, 200_000, 3)]);
  });

  it('draw what was paid as steps that end at the total', async () => {
    const { page } = await openPage(browser, HTML);
    const marks = await drawn(page, 'Cumulative cost by cause');
    const heights = ticks(marks, 'end');
    const places = ticks(marks, 'middle');
    const top = (path: string) =>
      [...path.split('H')[0]!.matchAll(/M([\d.]+),([\d.]+)/g), ...path.matchAll(/H([\d.]+)V([\d.]+)/g)].map(
        ([, x, y]) => [Number(x), Number(y)],
      );
    // carry: one dollar with the second; new: one with the first, one with the second; output: the third and the fourth
    const dollars = (value: number): number => heights.$0! + ((heights.$4! - heights.$0!) * value) / 4;
    const lines = marks.filter(({ tag }) => tag === 'path').map(({ d }) => top(d!).slice(0, 4));
    const at = (sums: readonly number[]) =>
      sums.map((sum, i) => [Math.round(places[i + 1]!), expect.closeTo(dollars(sum), 0)]);
    expect(lines).toContainEqual(at([0, 1, 1, 1]));
    expect(lines).toContainEqual(at([1, 3, 3, 3]));
    expect(lines).toContainEqual(at([1, 3, 4, 5]));
  });

  it('draw the context as a line that keeps its height until the next request', async () => {
    const { page } = await openPage(browser, HTML);
    const marks = await drawn(page, CONTEXT);
    const heights = ticks(marks, 'end');
    const places = ticks(marks, 'middle');
    const px = (tokens: number): number =>
      heights['0']! + ((heights['100k']! - heights['0']!) * tokens) / 100_000;
    const line = marks.find(({ tag, class: of }) => tag === 'path' && of === 'line')!;
    const numbers = [...line.d!.matchAll(/([MHV,])([\d.]+)/g)];
    const across = numbers.filter(([, how]) => how === 'M' || how === 'H').map(([, , x]) => Number(x));
    const levels = numbers.filter(([, how]) => how === 'V').map(([, , y]) => Number(y));
    expect(across).toEqual([1, 2, 3, 4].map((n) => Math.round(places[n]!)));
    // low, high and last of each request
    expect(levels).toEqual(
      [100_000, 120_000, 200_000, 50_000].flatMap((tokens) => Array(3).fill(expect.closeTo(px(tokens), 0))),
    );
    await press(page, 'Zoom in');
    const part = await drawn(page, CONTEXT);
    const left = Number(part.find(({ class: of }) => of === 'grid')!.x1);
    const right = Number(part.find(({ class: of }) => of === 'grid')!.x2);
    const shown = ticks(part, 'middle');
    const points = [...part.find(({ class: of }) => of === 'line')!.d!.matchAll(/([MHV,])([\d.]+)/g)].map(
      ([, how, at]) => [how, Number(at)],
    );
    const at = (tokens: number, times: number) => Array(times).fill(['V', expect.closeTo(px(tokens), 0)]);
    // Four requests in 2.5 of their widths: the second and the third, with the height of the first before and no more behind.
    expect(points).toEqual([
      ['M', left],
      [',', expect.closeTo(px(100_000), 0)],
      ['H', Math.round(shown['2']!)],
      ...at(120_000, 3),
      ['H', Math.round(shown['3']!)],
      ...at(200_000, 3),
      ['H', right],
      ...at(200_000, 3),
    ]);
  });

  it('show limits that the context comes near, at their height', async () => {
    const policyInfo: PolicyInfo = {
      name: 'limits',
      kind: 'analysed',
      summary: '',
      layers: [],
      params: [],
      thresholds: [
        { name: 'near', tokens: 400_000 },
        { name: 'far', tokens: 600_000 },
      ],
    };
    const { page } = await openPage(browser, pageOf('limits', LOG, policyInfo));
    const marks = await drawn(page, CONTEXT);
    const heights = ticks(marks, 'end');
    // the largest context has 200,000 tokens: the window and a limit of twice as much are in sight, three times as much is not
    expect(marks.filter(({ class: of }) => of === 'limit').map(({ y1 }) => Number(y1))).toEqual([
      expect.closeTo(heights['400k']!, 0),
      expect.closeTo(heights['200k']!, 0),
    ]);
    expect(marks.filter(({ class: of }) => of === 'quiet halo').map(({ text }) => text)).toEqual([
      'near 400k',
      'window 200k',
    ]);
  });

  it('show a pause as a block with its length, and as a line between requests', async () => {
    const { page } = await openPage(browser, HTML);
    await byTime(page);
    const inTime = await drawn(page, CONTEXT);
    const places = ticks(inTime, 'middle');
    const idle = inTime.filter(({ class: of }) => of === 'idle');
    expect(idle).toHaveLength(1);
    const hour = places['1:00']! - places['0:00']!;
    expect(Number(idle[0]!.x)).toBeCloseTo(places['0:00']! + (hour * 8) / 60, 0);
    expect(Number(idle[0]!.width)).toBeCloseTo(hour, 0);
    expect(inTime.map(({ text }) => text)).toContain('idle 60 min');
    await byRequest(page);
    const byNumber = await drawn(page, CONTEXT);
    const numbers = ticks(byNumber, 'middle');
    const line = byNumber.filter(({ class: of }) => of === 'gap');
    expect(line.map(({ x1 }) => Number(x1))).toEqual([
      expect.closeTo((numbers['3']! + numbers['4']!) / 2, 0),
    ]);
  });

  it('show a pause of a run that is shown in part before the request it ended with', async () => {
    const requests = Array.from({ length: 40 }, (_, i) =>
      requestEntry({ n: i + 1, t: i * MINUTE + (i < 30 ? 0 : 60 * MINUTE), write5m: 1_000, context: i % 4 }),
    );
    const sample = createRunSample(39, 100);
    const entries: readonly LogEntry[] = [runEntry(), threadEntry(), ...requests];
    for (const entry of entries) sample.write(entry);
    const { entries: shown, leftOut } = sample.finish();
    expect(leftOut?.requests).toBe(40);
    const run = {
      name: 'part',
      entries: shown,
      facts: foldLog(entries),
      digest: null,
      policyInfo: null,
      leftOut,
    };
    const { page } = await openPage(browser, reportHtml({ title: 'part', runs: [run] }));
    await byRequest(page);
    const marks = await drawn(page, CONTEXT);
    const places = ticks(marks, 'middle');
    // of each four requests the first and the last are there: the 32nd is the first after the pause that is
    const perRequest = (places['30']! - places['10']!) / 20;
    expect(marks.filter(({ class: of }) => of === 'gap').map(({ x1 }) => Number(x1))).toEqual([
      expect.closeTo(places['30']! + 1.5 * perRequest, 0),
    ]);
  });

  it('mark the chosen event in its lane, and the request under the cursor in every chart', async () => {
    const { page } = await openPage(browser, HTML);
    await page.locator('circle.mark[data-event="0"]').click();
    const marks = await drawn(page, CONTEXT);
    const places = ticks(marks, 'middle');
    const between = expect.closeTo((places['2']! + places['3']!) / 2, 0);
    const ring = marks.find(({ class: of }) => of === 'ring')!;
    const mark = marks.find(({ class: of }) => of === 'mark')!;
    expect([Number(ring.cx), Number(mark.cx)]).toEqual([between, between]);
    expect(ring.cy).toBe(mark.cy);
    expect(marks.filter(({ class: of }) => of === 'chosen').map(({ x1 }) => Number(x1))).toEqual([between]);

    await page.locator('svg.chart').first().focus();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key);
    for (const title of [CONTEXT, 'Prompt of each request', 'Cumulative cost by cause']) {
      const hairs = (await drawn(page, title)).filter(({ class: of }) => of === 'hair');
      expect(hairs.map(({ x1, x2 }) => [Number(x1), Number(x2)])).toEqual([
        [expect.closeTo(places['3']!, 0), expect.closeTo(places['3']!, 0)],
      ]);
    }
    const heights = ticks(marks, 'end');
    const dot = (await drawn(page, CONTEXT)).find(({ class: of }) => of === 'dot')!;
    expect([dot.cx, dot.cy, dot.r].map(Number)).toEqual([
      expect.closeTo(places['3']!, 0),
      expect.closeTo(heights['200k']!, 0),
      4,
    ]);
    const cost = await drawn(page, 'Cumulative cost by cause');
    const dollars = ticks(cost, 'end');
    expect(Number(cost.find(({ class: of }) => of === 'dot')!.cy)).toBeCloseTo(dollars.$4!, 0);
  });

  it('zoom around the middle, and bars grow with the room there is', async () => {
    const entries: readonly LogEntry[] = [
      runEntry(),
      threadEntry(),
      ...Array.from({ length: 400 }, (_, i) => requestEntry({ n: i + 1, t: i * MINUTE, write5m: 1_000 })),
    ];
    const { page } = await openPage(browser, pageOf('many', [...entries, endEntry(entries)]));
    const widths = async (): Promise<readonly number[]> => {
      const [, written] = (await drawn(page, 'Prompt of each request')).filter(({ tag }) => tag === 'path');
      return bars(written!.d!).map(([, , width]) => width);
    };
    const all = await widths();
    // 400 requests in about 1,150 pixels: less than three each
    expect([all.length, all[0]]).toEqual([400, expect.closeTo(2.9, 0)]);
    for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Zoom in' }).click();
    // 400 / 1.6⁴ = 61 wide around 200.5: the requests 170 to 231, with room for 14 pixels and more
    expect(await page.locator('.readout').textContent()).toMatch(/^Selected · 62 requests/);
    const some = await widths();
    expect([some.length, some[1]]).toEqual([62, 13]);
    const shown = Object.keys(ticks(await drawn(page, 'Prompt of each request'), 'middle'));
    expect([shown[0], shown.at(-1)]).toEqual(['170', '230']);
  });
});
