import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { reportHtml } from '../../src/report/html/report-html.js';
import type { PolicyInfo } from '../../src/report/text/policy-info.js';
import { breakEntry, layerEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';
import { openPage, press, useBrowser } from './browser.js';

const MINUTE = 60_000;
const CONTEXT = 'Context size and what happened to it';

/** Two threads, events of three kinds, one of them bad, and pauses of one and of three hours. */
const ENTRIES: readonly LogEntry[] = [
  runEntry(),
  threadEntry(),
  threadEntry({ thread: 'child', parent: 'main', label: 'child' }),
  requestEntry({ n: 1, t: 0, write5m: 100_000 }),
  requestEntry({ n: 2, t: 4 * MINUTE, read: 100_000, write5m: 20_000 }),
  requestEntry({ n: 3, t: 5 * MINUTE, thread: 'child', write5m: 40_000 }),
  layerEntry({ t: 6 * MINUTE, turn: 2, layer: 'storage', action: 'store', saved: 1_000 }),
  layerEntry({ t: 6 * MINUTE, turn: 2, layer: 'full-compact', action: 'compact', outcome: 'failed' }),
  breakEntry({ t: 8 * MINUTE, n: 4, cause: 'server', expected: false, lostTokens: 900 }),
  requestEntry({ n: 4, t: 8 * MINUTE, read: 120_000, write1h: 60_000, input: 20_000 }),
  requestEntry({ n: 5, t: 68 * MINUTE, read: 50_000 }),
  requestEntry({ n: 6, t: 248 * MINUTE, read: 50_000 }),
];
const POLICY: PolicyInfo = {
  name: 'limits',
  kind: 'analysed',
  summary: '',
  layers: [],
  params: [],
  thresholds: [{ name: 'near', tokens: 150_000 }],
};
const HTML = (() => {
  const run = { name: 'r', entries: ENTRIES, facts: foldLog(ENTRIES), digest: null, policyInfo: POLICY };
  return reportHtml({ title: 'layout', runs: [run] });
})();

const browser = useBrowser();

interface Mark {
  readonly tag: string;
  readonly text: string;
  readonly of: string;
  readonly at: Readonly<Record<string, number>>;
}

/** Everything that is drawn in the chart of a title: what it is, and its numbers. */
async function drawn(page: Page, title: string): Promise<readonly Mark[]> {
  const figure = page.locator('figure').filter({ hasText: title });
  return figure.locator('svg *').evaluateAll((nodes) =>
    nodes.map((node) => ({
      tag: node.tagName,
      text: node.textContent ?? '',
      of: node.getAttribute('class') ?? '',
      at: Object.fromEntries(
        node.getAttributeNames().map((name: string) => [name, Number(node.getAttribute(name))]),
      ),
    })),
  );
}
const pick = (marks: readonly Mark[], of: string, tag?: string): readonly Mark[] =>
  marks.filter((mark) => mark.of === of && (tag === undefined || mark.tag === tag));
const numbers = (marks: readonly Mark[], name: string): readonly number[] => marks.map(({ at }) => at[name]!);

describe('the chart of the context', () => {
  it('has a lane for each kind of event above the plot, its name on its line, beside the numbers of the axis', async () => {
    const { page } = await openPage(browser, HTML);
    const marks = await drawn(page, CONTEXT);
    const lanes = pick(marks, 'lane');
    const names = pick(marks, 'lanename');
    const grid = pick(marks, 'grid');
    const ticks = marks.filter(({ tag, of, text }) => tag === 'text' && of === '' && /k$|^0$/.test(text));
    expect(names.map(({ text }) => text)).toEqual(['storage', 'compact', 'break']);
    const [first, second, third] = numbers(lanes, 'y1');
    expect(numbers(lanes, 'y2')).toEqual(numbers(lanes, 'y1'));
    // Lanes are equally high, the first line in the middle of its own, and the plot begins below the last.
    expect([second! - first!, third! - second!]).toEqual([2 * first!, 2 * first!]);
    const top = Math.min(...numbers(grid, 'y1'), ...numbers(pick(marks, 'idle'), 'y'));
    expect(top).toBeGreaterThan(6 * first!);
    // Names and numbers end at one place, as far below their lines.
    expect(new Set([...numbers(names, 'x'), ...numbers(ticks, 'x')]).size).toBe(1);
    expect(new Set(names.map(({ at }, i) => at.y! - lanes[i]!.at.y1!))).toEqual(
      new Set(ticks.map(({ at }, i) => at.y! - grid[i]!.at.y1!)),
    );
    // Lanes are as wide as the grid.
    expect(new Set(numbers([...lanes, ...grid], 'x1')).size).toBe(1);
    expect(new Set(numbers([...lanes, ...grid], 'x2')).size).toBe(1);
    const circles = [...pick(marks, 'mark'), ...pick(marks, 'mark bad')];
    expect([...numbers(circles, 'cy')].sort((a, b) => a - b)).toEqual([first, second, third]);
    expect(pick(marks, 'mark bad').map(({ text }) => text)).toEqual([
      expect.stringMatching(/compact.*failed/),
      expect.stringMatching(/unexpected/),
    ]);
    expect(pick(marks, 'line faint')).toHaveLength(1);
  });

  it('names a limit above its line, before the end of the plot', async () => {
    const { page } = await openPage(browser, HTML);
    const marks = await drawn(page, CONTEXT);
    const limits = pick(marks, 'limit');
    const names = pick(marks, 'quiet halo');
    expect(names.map(({ text }) => text)).toEqual(['near 150k', 'window 200k']);
    names.forEach(({ at }) => {
      const own = limits.find(({ at: line }) => line.y1! - at.y! === 3);
      expect(own).toBeDefined();
      expect(own!.at.x2! - at.x!).toBe(4);
    });
  });

  it('says how long a pause is where there is room: minutes up to two hours, then hours', async () => {
    const { page } = await openPage(browser, HTML);
    await press(page, 'by time');
    const marks = await drawn(page, CONTEXT);
    const idle = pick(marks, 'idle');
    const said = pick(marks, 'quiet').filter(({ text }) => text.startsWith('idle'));
    expect(said.map(({ text }) => text)).toEqual(['idle 60 min', 'idle 3.0 h']);
    said.forEach(({ at }, i) => {
      const { x, y, width, height } = idle[i]!.at;
      expect(at.x).toBeCloseTo(x! + width! / 2, 3);
      expect(y! + height! - at.y!).toBe(6);
    });
    // The blocks are as high as the plot.
    const grid = numbers(pick(marks, 'grid'), 'y1');
    expect(idle[0]!.at.y! + idle[0]!.at.height!).toBe(Math.max(...grid));
  });

  it('draws the line of a chosen event from below its ring to the end of the plot', async () => {
    const { page } = await openPage(browser, HTML);
    await page.locator('circle.mark[data-event="1"]').click();
    const marks = await drawn(page, CONTEXT);
    const [ring] = pick(marks, 'ring');
    const [line] = pick(marks, 'chosen');
    expect(line!.at.y1).toBe(ring!.at.cy! + ring!.at.r!);
    expect(line!.at.y2).toBe(Math.max(...numbers(pick(marks, 'grid'), 'y1')));
    // The mark lies within its ring, and the ring within its lane.
    const [mark] = pick(marks, 'mark bad');
    expect(ring!.at.r!).toBeGreaterThan(mark!.at.r!);
    expect(ring!.at.r!).toBeLessThan(pick(marks, 'lane')[0]!.at.y1!);
  });

  it('takes a click near a mark for one on it, within 14 pixels and in its lane', async () => {
    const rings = async (dx: number, dy: number): Promise<number> => {
      const { page } = await openPage(browser, HTML);
      const box = (await page.locator('circle.mark[data-event="0"]').boundingBox())!;
      await page.mouse.click(box.x + box.width / 2 + dx, box.y + box.height / 2 + dy);
      return page.locator('circle.ring').count();
    };
    expect(await rings(13, 0)).toBe(1);
    expect(await rings(-13, 9)).toBe(1);
    expect(await rings(15, 0)).toBe(0);
  });
});

describe('a drag over a chart', () => {
  it('of six pixels selects what it covers and shows that; a shorter one is a click', async () => {
    const { page } = await openPage(browser, HTML);
    const chart = page.locator('figure').filter({ hasText: 'Prompt of each request' }).locator('svg.chart');
    const brush = () =>
      chart
        .locator('rect.brush')
        .evaluate((node) => ['visibility', 'x', 'width'].map((name) => node.getAttribute(name)));
    const drag = async (from: number, to: number, button: 'left' | 'middle' = 'left') => {
      await chart.scrollIntoViewIfNeeded();
      const box = (await chart.boundingBox())!;
      await page.mouse.move(box.x + from, box.y + 60);
      await page.mouse.down({ button });
      await page.mouse.move(box.x + to, box.y + 60);
      const shown = await brush();
      await page.mouse.up({ button });
      return shown;
    };
    expect(await drag(300, 305)).toEqual(['hidden', null, null]);
    expect(await page.locator('.readout').textContent()).not.toMatch(/^Selected/);
    expect((await drag(600, 300)).map(String)).toEqual(['visible', '300', '300']);
    expect((await brush())[0]).toBe('hidden');
    expect(await page.locator('.readout').textContent()).toMatch(/^Selected · \d requests?/);
    await chart.dblclick({ position: { x: 400, y: 60 } });
    expect(await page.locator('.readout').textContent()).not.toMatch(/^Selected/);
    // Another button than the first drags nothing.
    expect((await drag(300, 600, 'middle'))[0]).toBe('hidden');
    expect(await page.locator('.readout').textContent()).not.toMatch(/^Selected/);
    expect((await drag(300, 306))[0]).toBe('visible');
  });
});
