import { describe, expect, it } from 'vitest';
import { pageHtml } from '../../src/report/html/page-html.js';
import { chartedRequests } from '../../src/report/page-data/left-out.js';
import type { StudyPageData } from '../../src/report/page-data/page-data.js';
import { requestEntry } from '../helpers/log.js';
import { openPage, seriousFindings, sidewaysPx, useBrowser } from './browser.js';

/** Three points over one number; the second is best, the third is not ranked. */
const POINTS: StudyPageData = {
  kind: 'study',
  title: 'gap-sweep',
  lead: 'best costUsd: $2.00 at gap=10',
  advice: 'It is best on one session.',
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
      name: 'sweep-costUsd',
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
      guide: [{ name: 'as recorded', y: 2.5 }],
    },
  ],
  runs: [],
  notes: [],
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

const browser = useBrowser();

const html = (data: StudyPageData): string => pageHtml({ data, elsewhere: 'elsewhere' });

describe('the page of a study', () => {
  it('shows the best point first; slider, arrow keys, table and address choose others', async () => {
    const { page, problems } = await openPage(browser, html(POINTS));
    const panel = page.locator('aside.row');
    expect(await page.locator('#summary p').allTextContents()).toEqual([POINTS.lead, POINTS.advice]);
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

  it('draws axes, line, intervals, crosses, star and ring where the numbers say', async () => {
    const { page } = await openPage(browser, html(POINTS));
    await page.locator('svg.chart .dots').waitFor({ state: 'attached' });
    const svg = page.locator('svg.chart');
    const marks = await svg.evaluate((chart) => ({
      width: chart.clientWidth,
      all: [...chart.querySelectorAll('*')].map((node) =>
        Object.fromEntries([
          ['text', node.textContent ?? ''],
          ...node.getAttributeNames().map((name: string) => [name, node.getAttribute(name)!]),
        ]),
      ),
    }));
    // 64 pixels to the left of the plot and 16 to the right; gaps from 5 to 20 with 6 % of room at either end
    const width = marks.width - 80;
    const x = (gap: number): number => 64 + ((gap - 4.1) / 16.8) * width;
    // 24 pixels above the plot of 230; dollars from zero to 3 and 6 % of the distance from 1 to 3
    const y = (usd: number): number => 254 - (usd / 3.12) * 230;
    const near = (value: number) => expect.closeTo(value, 0);
    const of = (name: string) => marks.all.filter((mark) => mark.class === name);
    const texts = (anchor: string) =>
      marks.all
        .filter((mark) => mark['text-anchor'] === anchor && (mark.class ?? 'axis') === 'axis')
        .map((mark) => [mark.text, Number(mark.x), Number(mark.y)]);
    expect(texts('end')).toEqual([
      ...[0, 1, 2, 3].map((usd) => [`$${usd}`, 56, near(y(usd) + 4)]),
      ['gap (minutes)', near(64 + width), 285],
    ]);
    const ticks = texts('middle') as [string, number, number][];
    expect(ticks.length).toBeGreaterThanOrEqual(3);
    for (const [text, at, below] of ticks) expect([at, below]).toEqual([near(x(Number(text))), 270]);
    expect(of('grid').map(({ x1, x2, y1, y2 }) => [x1, x2, y1, y2].map(Number))).toEqual(
      [0, 1, 2, 3].map((usd) => [64, near(64 + width), near(y(usd)), near(y(usd))]),
    );
    expect(of('joined')[0]!.d!.slice(1).split(/[,L]/).map(Number)).toEqual(
      [x(5), y(3), x(10), y(2)].map(near),
    );
    const path = (name: string) =>
      of(name)[0]!
        .d!.match(/[\d.]+/g)!
        .map(Number);
    expect(path('dots')).toEqual([x(5), y(3), 0, x(10), y(2), 0].map(near));
    expect(path('whisker')).toEqual([x(10), y(1), y(3)].map(near));
    expect(path('crosses').slice(0, 2)).toEqual([near(x(20)), near(y(1))]);
    expect(of('limit').map(({ x1, x2, y1 }) => [x1, x2, y1].map(Number))).toEqual([
      [64, near(64 + width), near(y(2.5))],
    ]);
    expect(of('quiet halo').map((mark) => [mark.text, Number(mark.x), Number(mark.y)])).toEqual([
      ['as recorded $2.50', near(60 + width), near(y(2.5) - 7)],
    ]);
    expect(of('halo star').map((mark) => [Number(mark.x), Number(mark.y)])).toEqual([
      [near(x(10)), near(y(2) - 8)],
    ]);
    expect(of('ring').map(({ cx, cy, r }) => [cx, cy, r].map(Number))).toEqual([
      [near(x(10)), near(y(2)), 8],
    ]);
    expect(await page.locator('figure .legend').count()).toBe(0);
  });

  it('tells of the point within 40 pixels of the pointer, and chooses its row by a click', async () => {
    const { page } = await openPage(browser, html(POINTS));
    await page.locator('svg.chart .crosses').waitFor({ state: 'attached' });
    const [, across, down] = /^M([\d.]+),([\d.]+)/.exec((await page.locator('.crosses').getAttribute('d'))!)!;
    const box = (await page.locator('svg.chart').boundingBox())!;
    const at = { x: box.x + Number(across), y: box.y + Number(down) };
    const tooltip = page.locator('.tooltip');
    await page.mouse.move(at.x, at.y - 45);
    expect(await tooltip.isVisible()).toBe(false);
    await page.mouse.move(at.x, at.y - 35);
    expect(await tooltip.textContent()).toBe(
      'gap=20gap (minutes)20costUsd (US dollars)$1.00not rankedcalls went unanswered',
    );
    await page.mouse.click(at.x - 20, at.y);
    expect(await page.locator('aside.row h3').textContent()).toBe('gap=20');
    expect(await page.locator('aside.row .alarm').textContent()).toBe('unfinished');
    expect(await page.locator('.slider output').textContent()).toBe('point 3 of 3: gap=20');
    await page.mouse.move(at.x, box.y - 100);
    expect(await tooltip.isVisible()).toBe(false);
    await page.locator('svg.chart').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('aside.row h3').textContent()).toBe('gap=20');
    await page.keyboard.press('ArrowLeft');
    expect(await tooltip.textContent()).toContain('between$1.00 and $3.00');
  });

  it('draws two series with a legend, the line of equality, and dots where a row has many points', async () => {
    const [chart] = POINTS.charts;
    const many = Array.from({ length: 13 }, (_, i) => ({ x: 10 + i, y: 30 + i, row: 0 }));
    const data: StudyPageData = {
      ...POINTS,
      charts: [
        {
          ...chart!,
          y: { ...chart!.y, unit: null },
          series: [
            { name: 'one', color: '#0072b2', drawn: 'dots', points: many },
            { name: 'two', color: '#d55e00', drawn: 'dots', points: [{ x: 15, y: 22, row: 1 }] },
          ],
          guide: 'equal',
        },
      ],
    };
    const { page } = await openPage(browser, html(data), { place: '#point=1' });
    await page.locator('.dots.own').waitFor({ state: 'attached' });
    expect((await page.locator('.dots.own').getAttribute('d'))!.match(/M/g)).toHaveLength(13);
    const inside = page.locator('.cursor .dots.small').first();
    expect([await inside.getAttribute('stroke'), await inside.getAttribute('d')]).toEqual([
      '#0072b2',
      await page.locator('.dots.own').getAttribute('d'),
    ]);
    // Half a colour over another one is in no legend.
    const opacity = "getComputedStyle(document.querySelector('.cursor .dots.small')).opacity";
    expect(await page.evaluate(opacity)).toBe('1');
    expect(await page.locator('.ring').count()).toBe(0);
    expect(await page.locator('figure .legend').textContent()).toMatch(/one.*two/);
    expect(await page.locator('.joined').count()).toBe(0);
    const places = await page.locator('.limit').evaluate((line) => {
      const chartWidth = line.closest('svg')!.clientWidth;
      return [chartWidth, ...['x1', 'y1', 'x2', 'y2'].map((name) => Number(line.getAttribute(name)))];
    });
    // x from 10 to 22 with 0.72 of room, y from 22 to 42 with 1.2: both hold 20.8 to 22.72
    const [chartWidth, x1, y1, x2, y2] = places as [number, number, number, number, number];
    const x = (value: number): number => 64 + ((value - 9.28) / 13.44) * (chartWidth - 80);
    const y = (value: number): number => 254 - ((value - 20.8) / 22.4) * 230;
    expect(x1).toBeCloseTo(x(20.8), 0);
    expect(y1).toBeCloseTo(y(20.8), 0);
    expect(x2).toBeCloseTo(x(22.72), 0);
    expect(y2).toBeCloseTo(y(22.72), 0);
    const box = (await page.locator('svg.chart').boundingBox())!;
    await page.mouse.move(box.x + x(15), box.y + y(22));
    expect(await page.locator('.tooltip').textContent()).toBe(
      'gap=10gap (minutes)15costUsd (US dollars)22oftwo',
    );
    await page.evaluate("location.hash = '#point=2'");
    await page.locator('.ring').waitFor();
    expect(await page.locator('.dots.own').count()).toBe(0);
    await page.locator('svg.chart').focus();
    await page.keyboard.press('ArrowRight');
    await page.evaluate("location.hash = '#point=9'");
    expect(await page.locator('aside.row h3').textContent()).toBe('gap=5');
  });

  it('writes labels beside points where they cover no other, and marks what happened at a place', async () => {
    const [chart] = POINTS.charts;
    const points = [
      { x: 1, y: 1, row: 0, label: 'one' },
      { x: 1.001, y: 1, row: 1, label: 'covered' },
      { x: 5, y: 2, row: 1, label: 'w'.repeat(120) },
      { x: 9, y: 3, row: 2, label: 'far away' },
    ];
    const series = [{ name: 'front', color: '#0072b2', drawn: 'line' as const, points }];
    const events = [{ x: 5, name: 'both compact', color: '#8a929b' }];
    const guide = [
      { name: 'first', y: 2 },
      { name: 'second', y: 1 },
    ];
    const { page, problems } = await openPage(
      browser,
      html({ ...POINTS, charts: [{ ...chart!, series, events, guide }] }),
    );
    const texts = (selector: string) =>
      page
        .locator(selector)
        .evaluateAll((marks) =>
          marks.map((mark) => [
            mark.textContent,
            ...['x', 'y'].map((name) => Number(mark.getAttribute(name))),
          ]),
        );
    const width = (await page.locator('svg.chart').evaluate((svg) => svg.clientWidth)) - 80;
    const near = (value: number) => expect.closeTo(value, 0);
    // From 1 to 9 and 48 hundredths at either end; from 0 to 3.12 dollars in the 230 pixels above 254.
    const x = (value: number): number => 64 + ((value - 0.52) / 8.96) * width;
    const y = (usd: number): number => 254 - (usd / 3.12) * 230;
    // Twelve pixels to the right of the point, or to its left where eight letters of 6.4 pixels have no room.
    expect(await texts('text.label')).toEqual([
      ['one', near(x(1) + 12), near(y(1) + 4)],
      ['far away', near(x(9) - 12 - 51.2), near(y(3) + 4)],
    ]);
    expect(await texts('text.quiet.halo')).toEqual([
      ['first $2.00', near(64 + width - 4), near(y(2) - 7)],
      ['second $1.00', 68, near(y(1) - 7)],
    ]);
    const happened = page.locator('path.event');
    expect(await happened.getAttribute('d')).toBe(`M${x(5).toFixed(1)},24l-5,-8h10z`);
    const line = page.locator('line.limit').last();
    expect([await line.getAttribute('y1'), await line.getAttribute('y2')]).toEqual(['24', '254']);
    expect(await page.locator('path.event').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it('has a slider for two rows and more, and neither panel nor table without any', async () => {
    /** The best one is marked in the second column. */
    const withRows = (count: number): StudyPageData => ({
      ...POINTS,
      table: {
        ...POINTS.table,
        columns: ['tokens', 'costUsd'],
        rows: POINTS.table.rows
          .slice(0, count)
          .map((row) => ({ ...row, cells: [{ text: row.name }, ...row.cells] })),
        notes: ['a note'],
      },
    });
    const found = async (count: number): Promise<readonly (number | string)[]> => {
      const { page } = await openPage(browser, html(withRows(count)));
      const selectors = ['.slider', 'aside.row', 'table.compare', '.picker', '#summary .notes li'];
      const counts = await Promise.all(selectors.map((selector) => page.locator(selector).count()));
      return [...counts, (await page.locator('aside.row').allTextContents()).join()];
    };
    expect(await found(0)).toEqual([0, 0, 0, 0, 1, '']);
    expect(await found(1)).toEqual([
      0,
      1,
      1,
      0,
      1,
      expect.stringMatching(/^gap=5tokensgap=5costUsd\$3\.00The/),
    ]);
    // The best is shown first.
    expect(await found(2)).toEqual([1, 1, 1, 1, 1, expect.stringMatching(/^gap=10tokens/)]);
  });

  it('draws small charts of runs to scale, a screen of them at first', async () => {
    const run = chartedRequests(
      [
        requestEntry({ n: 1, t: 0, write5m: 1_000 }),
        requestEntry({ n: 2, t: 1, read: 1_000, input: 1_000, rewriteCost: 5, cause: 'model' }),
      ],
      [],
      240,
    );
    const data: StudyPageData = {
      ...RUNS,
      table: {
        ...RUNS.table,
        rows: Array.from({ length: 27 }, (_, i) => ({ name: `r${i}`, cells: [{ text: `$${i}`, value: i }] })),
      },
      runs: [null, ...Array.from({ length: 26 }, () => run)],
    };
    const { page } = await openPage(browser, html(data));
    const minis = page.locator('a.mini');
    await minis.first().waitFor();
    expect(await minis.count()).toBe(24);
    expect(await minis.first().textContent()).toBe('r1$12 requests, prompts up to 2,000 tokens');
    expect(await minis.first().getAttribute('href')).toBe('#run=2');
    // 240 pixels for two requests: bars of 14 around 60 and 180; 2,000 tokens from 64 up to 8
    expect(
      await minis
        .first()
        .locator('path')
        .evaluateAll((paths) => paths.map((path) => path.getAttribute('d'))),
    ).toEqual([
      'M173.0,64.0h13.0V36.0h-13.0z',
      'M53.0,64.0h13.0V36.0h-13.0z',
      'M173.0,36.0h13.0V8.0h-13.0z',
      'M177,0h6l-3,6z',
    ]);
    const more = page.getByRole('button', { name: 'show 2 more' });
    await more.click();
    expect(await minis.count()).toBe(26);
    expect(await more.isVisible()).toBe(false);
  });

  it('breaks the names of rows behind their parts, never inside a word', async () => {
    const names = [
      'policy=peers/openhands',
      'policy=claude-code/2.1.112',
      'microcompact.token.targetTokens=40000',
      'policy=peers/codex-local, seed=1',
    ];
    const rows = names.map((name) => ({ name, cells: [{ text: '$3.00', value: 3 }] }));
    const { page } = await openPage(browser, html({ ...POINTS, table: { ...POINTS.table, rows } }), {
      width: 390,
    });
    const lines: readonly (readonly string[])[] = await page.evaluate(`
      [...document.querySelectorAll('.compare th[scope=row]')].map((head) => {
        const lines = [];
        let bottom = 0;
        const walker = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          for (let i = 0; i < walker.currentNode.length; i++) {
            const range = document.createRange();
            range.setStart(walker.currentNode, i);
            range.setEnd(walker.currentNode, i + 1);
            const box = range.getBoundingClientRect();
            if (box.top >= bottom) lines.push('');
            bottom = box.bottom;
            lines[lines.length - 1] += range.toString();
          }
        }
        return lines;
      })`);
    expect(lines.map((parts) => parts.join(''))).toEqual(names);
    expect(Math.min(...lines.map((parts) => parts.length))).toBeGreaterThan(1);
    for (const line of lines.flatMap((parts) => parts.slice(0, -1))) expect(line).toMatch(/[-/=,. ]$/);
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
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
