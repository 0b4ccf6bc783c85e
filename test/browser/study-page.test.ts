import type { Browser } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { chartedRequests } from '../../src/report/charted-requests.js';
import { PROMPT_COLORS } from '../../src/report/charts/palette.js';
import { pageHtml } from '../../src/report/page-html.js';
import type { StudyPageData } from '../../src/report/study-page-data.js';
import { requestEntry } from '../helpers/log.js';
import { openBrowser, openPage, seriousFindings, sidewaysPx } from './browser.js';

/** Three points over one number; the second is best, the third is not ranked. */
const POINTS: StudyPageData = {
  kind: 'study',
  title: 'gap-sweep',
  lead: 'best costUsd: $2.00 at gap=10',
  cards: [],
  of: 'point',
  table: {
    caption: 'gap-sweep: gap',
    columns: ['costUsd'],
    rows: [
      { name: 'gap=5', command: 'ccbench run a.yaml --set gap=5', cells: [{ text: '$3.00', value: 3 }] },
      {
        name: 'gap=10',
        command: 'ccbench run a.yaml --set gap=10',
        cells: [{ text: '$2.00', value: 2, mark: 'best', interval: '$1.00 … $3.00' }],
      },
      { name: 'gap=20', note: 'unfinished', cells: [{ text: '$1.00', value: 1 }] },
    ],
    notes: [],
  },
  charts: [
    {
      title: 'costUsd over gap',
      x: { title: 'gap (minutes)', unit: null, scale: 'linear' },
      y: { title: 'costUsd (US dollars)', unit: 'usd', scale: 'linear' },
      series: [
        {
          name: 'costUsd',
          color: '#0072b2',
          drawn: 'line',
          points: [
            { x: 5, y: 3, row: 0 },
            { x: 10, y: 2, low: 1, high: 3, row: 1, mark: 'best' },
            { x: 20, y: 1, row: 2, mark: 'unranked' },
          ],
        },
      ],
      guide: { name: 'as recorded', y: 2.5 },
    },
  ],
  runs: [],
  notes: [],
  prompt: PROMPT_COLORS,
};

const RUNS: StudyPageData = {
  ...POINTS,
  of: 'run',
  charts: [],
  table: {
    ...POINTS.table,
    rows: [{ name: 'one', page: 'one/report.html', cells: [{ text: '$3.00', value: 3 }] }],
  },
  runs: [chartedRequests([requestEntry({ n: 1, t: 0, write5m: 1_000 })], [], 240)],
};

let browser: Browser;
beforeEach(async () => {
  browser ??= await openBrowser();
});
afterAll(async () => browser?.close());

const html = (data: StudyPageData): string => pageHtml({ data, elsewhere: 'elsewhere' });

describe('the page of a study', () => {
  it('shows the best point first; slider, arrow keys, table and address choose others', async () => {
    const { page, problems } = await openPage(browser, html(POINTS));
    const panel = page.locator('aside.row');
    expect(await panel.textContent()).toContain('gap=10');
    expect(await panel.textContent()).toContain('$1.00 … $3.00');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('ArrowRight');
    expect(await panel.textContent()).toContain('gap=20');
    expect(await page.evaluate('location.hash')).toBe('#point=3');
    await page.locator('svg.chart').focus();
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await panel.textContent()).toContain('ccbench run a.yaml --set gap=5');
    expect(await page.locator('.tooltip').textContent()).toContain('$3.00');
    expect(await slider.inputValue()).toBe('1');
    await page.getByRole('button', { name: 'gap=10' }).click();
    expect(await page.locator('tr[aria-current] th').textContent()).toBe('gap=10');
    await page.evaluate("location.hash = '#point=1'");
    await panel.getByRole('heading', { name: 'gap=5' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('draws points to scale, with intervals, the level that was recorded, and crosses for what is not ranked', async () => {
    const { page } = await openPage(browser, html(POINTS));
    const at = (selector: string, name: string): Promise<string | null> =>
      page.locator(selector).first().getAttribute(name);
    const dots = [...(await at('.dots', 'd'))!.matchAll(/M([\d.]+),([\d.]+)h0/g)].map(([, , y]) => Number(y));
    const whisker = /,([\d.]+)V([\d.]+)/.exec((await at('.whisker', 'd'))!)!;
    const level = Number(await at('.limit', 'y1'));
    // $3 and $2; the interval from $1 to $3; the level of $2.50 in the middle of both points
    expect(dots).toHaveLength(2);
    expect(Number(whisker[2])).toBeCloseTo(dots[0]!, 0);
    expect(Number(whisker[1])).toBeCloseTo(2 * dots[1]! - dots[0]!, 0);
    expect(level).toBeCloseTo((dots[0]! + dots[1]!) / 2, 0);
    expect(await at('.crosses', 'd')).toMatch(/^M/);
  });

  it('leads from the index of runs to each of them', async () => {
    const { page, problems } = await openPage(browser, html(RUNS));
    expect(await page.locator('tbody th a').getAttribute('href')).toBe('one/report.html');
    expect(await page.locator('a.mini').getAttribute('href')).toBe('one/report.html');
    expect(await page.locator('a.mini path').first().getAttribute('d')).not.toBeNull();
    expect(await page.locator('aside').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels and has no serious barrier: %s', async (width, scheme) => {
    const { page } = await openPage(browser, html(POINTS), { width, scheme });
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
