import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import { reportHtml } from '../../src/report/html/report-html.js';
import type { StudyChart } from '../../src/report/page-data/page-data.js';
import { breakEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';
import { sampleRun } from '../helpers/sample-run.js';
import { openPage, press, seriousFindings, sidewaysPx, useBrowser } from './browser.js';

const ONE = reportHtml({ title: 'sample', runs: [sampleRun('sample', 120, 15)] });
/** Of each prompt 20,000 tokens are the system prompt and the rest is what a tool said. */
const FILLED_RUN = sampleRun('filled', 60, 15);
const FILLED = reportHtml({
  title: 'filled',
  runs: [
    {
      ...FILLED_RUN,
      fills: {
        columns: [
          { kind: 'system', name: null },
          { kind: 'tool', name: 'Read' },
        ],
        of: new Map(
          FILLED_RUN.entries.flatMap((entry) =>
            entry.type === 'request' && entry.purpose === 'main'
              ? [[entry, [20_000, entry.prompt - 20_000]] as const]
              : [],
          ),
        ),
      },
    },
  ],
});
const MANY = reportHtml({ title: 'long', runs: [sampleRun('long', 10_000, 15)] });
const TWO = reportHtml({
  title: 'two variants',
  runs: [sampleRun('rare', 120, 15), sampleRun('often', 120, 6)],
});

const browser = useBrowser();

/** The middle of the plot of the n-th chart. */
async function plotPoint(page: Page, chart: number, share: number): Promise<{ x: number; y: number }> {
  const svg = page.locator('svg.chart').nth(chart);
  await svg.scrollIntoViewIfNeeded();
  const box = (await svg.boundingBox())!;
  return { x: box.x + 64 + (box.width - 76) * share, y: box.y + box.height * 0.7 };
}

describe('report.html in a browser', () => {
  it('opens from disk without an error, a warning or a request', async () => {
    const { page, problems } = await openPage(browser, ONE);
    expect(await page.title()).toBe('sample – ccbench');
    expect(await page.locator('h2').allTextContents()).toEqual([
      'Summary',
      'Timeline',
      'Tokens saved by layer',
      'Events (18)',
      'Requests (128)',
      'Scenario and policy',
      'Warnings and what was skipped',
    ]);
    expect(await page.locator('#policy').textContent()).toMatch(
      /Policy claude-code\/2026A policy for tests\.analysed · layers in order: storage, auto-compactparameter/,
    );
    expect(await page.locator('#policy tr').allTextContents()).toEqual([
      'parametervalueset bysourcemeaning',
      'window.compactOffset13000 tokenspolicyWIN-3Distance of the threshold from the limit.',
      'parametervalueset bysourcemeaning',
      'breaker.maxFailures3 failuresdefaultdefaultFailures until the breaker opens.',
      'cache.ttl5m',
      'seed7',
    ]);
    expect(await page.locator('#policy summary').textContent()).toBe('1 parameters at their defaults');
    // One compaction of 150,000 tokens and seven of 180,000, at $0.30 a million and $0.075 for each summary.
    const layers = page.locator('#layers .layer');
    expect(await layers.locator('h3').allTextContents()).toEqual(['storage', 'full-compact']);
    expect(await layers.nth(1).locator('p').first().textContent()).toMatch(
      /^acted 8 times, its requests cost \$1\.02$/,
    );
    expect(await page.locator('#notes li').allTextContents()).toEqual([
      'one odd thing </script> (2 times)→ look at it',
      'estimates of <b>thinking</b>: needs thinking blocks',
    ]);
    expect(problems).toEqual([]);
  });

  it('cuts no column, header or number of its tables from 1,200 pixels on', async () => {
    for (const width of [1_200, 1_440]) {
      const { page } = await openPage(browser, ONE, { width });
      await page.locator('#requests [role="gridcell"]').first().waitFor();
      const cut = await page.evaluate(
        "[...document.querySelectorAll('.table')].map((table) => table.scrollWidth - table.clientWidth)",
      );
      expect(cut, `at ${width} pixels`).toEqual([0, 0]);
      const short = await page.evaluate(
        "[...document.querySelectorAll('.table .right, .table [role=columnheader]')].filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent)",
      );
      expect(short, `at ${width} pixels`).toEqual([]);
    }
  });

  it('names limits that are close to each other apart', async () => {
    const sample = sampleRun('sample', 120, 15);
    const thresholds = [
      { name: 'auto-compact', tokens: 167_000 },
      { name: 'blocking', tokens: 168_000 },
    ];
    const run = { ...sample, policyInfo: { ...sample.policyInfo!, thresholds } };
    const { page } = await openPage(browser, reportHtml({ title: 'limits', runs: [run] }));
    const labels = page.locator('svg.chart').first().locator('text.halo');
    expect(await labels.allTextContents()).toEqual(['auto-compact 167k', 'blocking 168k', 'window 200k']);
    const boxes = await Promise.all((await labels.all()).map((label) => label.boundingBox()));
    const [compact, blocking] = boxes;
    expect(blocking!.x + blocking!.width).toBeLessThan(compact!.x);
    const heights = (place: string, name: string): Promise<number[]> =>
      page
        .locator('svg.chart')
        .first()
        .locator(place)
        .evaluateAll((marks, of) => marks.map((mark) => Number(mark.getAttribute(of))), name);
    const lines = await heights('.limit', 'y1');
    expect(await heights('text.halo', 'y')).toEqual(lines.map((at) => at - 3));
    // the names are drawn over the curve
    const order = await page
      .locator('svg.chart')
      .first()
      .evaluate((svg) => [...svg.querySelectorAll('.line, .halo')].map((mark) => mark.classList[0]));
    expect(order.lastIndexOf('line')).toBeLessThan(order.indexOf('quiet'));
  });

  it('MIC-3 says in words why something was written again, and counts writes for an hour', async () => {
    const entries = [
      runEntry(),
      threadEntry(),
      requestEntry({ write1h: 5_000, write5m: 400, rewritten: 300, cause: 'not-readable-yet' }),
      breakEntry({ cause: 'not-readable-yet', lostTokens: 300 }),
    ];
    const param = { default: null, unit: 'tokens', help: 'h', source: null, from: 'scenario' } as const;
    const values = [true, false, null, ['a', 'b'], 'text', 7];
    const policyInfo = {
      name: 'own',
      kind: 'analysed',
      summary: '',
      layers: [],
      params: values.map((value, i) => ({ ...param, path: `p${i}`, value })),
      thresholds: [],
    } as const;
    const run = { name: 'r', entries, facts: foldLog(entries), digest: null, policyInfo };
    const { page } = await openPage(browser, reportHtml({ title: 'words', runs: [run] }));
    expect(await page.locator('#policy tr.scenario').allTextContents()).toEqual(
      ['on', 'off', 'none', '["a","b"]', 'text', '7 tokens'].map((text, i) => `p${i}${text}scenario–h`),
    );
    expect(await page.locator('#policy').textContent()).toContain('analysed · layers in order: none');
    expect(await page.locator('#notes').textContent()).toContain('No warnings.Nothing was skipped.');
    const cells = page.locator('#request-0 [role="gridcell"]');
    await cells.first().waitFor();
    const texts = await cells.allTextContents();
    expect(texts.slice(4, 8)).toEqual(['5,400', '0', '5,400', '0']);
    expect(texts[11]).toBe('not readable yet');
    expect(await page.locator('#event-0').textContent()).toContain('not readable yet');
    expect(await page.locator('main').textContent()).not.toContain('not-readable-yet');
  });

  it('shows the request under the pointer', async () => {
    const { page } = await openPage(browser, ONE);
    const tooltip = page.locator('.tooltip');
    expect(await tooltip.isVisible()).toBe(false);
    const point = await plotPoint(page, 0, 0.001);
    await page.mouse.move(point.x, point.y);
    expect(await tooltip.textContent()).toContain('request 1 · turn 1 · main');
    expect(await tooltip.textContent()).toContain('20,000 tokens');
    expect(await tooltip.isVisible()).toBe(true);
    /** Where the tooltip is, and how large, for a pointer in a window of some size. */
    const placed = async (x: number, y: number, height: number) => {
      await page.setViewportSize({ width: 1280, height });
      await page.mouse.move(x - 1, y);
      await page.mouse.move(x, y);
      return (await tooltip.boundingBox())!;
    };
    const below = Math.round(point.y + 14);
    // To the right of the pointer and below it; to its left where the window ends; as low as there is room.
    expect(await placed(400, point.y, 1_500)).toMatchObject({ x: 414, y: below });
    const left = await placed(1_200, point.y, 1_500);
    expect(left).toMatchObject({ x: Math.round(1_200 - 14 - left.width), y: below });
    const high = await placed(400, point.y, below + 40);
    expect(high).toMatchObject({ x: 414, y: Math.round(below + 40 - high.height - 4) });
    // Not beyond the edge of a window that is narrower than both sides; and the plot has 120 pixels in any.
    await page.setViewportSize({ width: 180, height: 900 });
    const narrow = await plotPoint(page, 0, 0.5);
    await page.mouse.move(narrow.x, narrow.y);
    expect((await tooltip.boundingBox())!.x).toBe(4);
    await page.locator('svg.chart .grid[x2="184"]').first().waitFor({ state: 'attached' });
    await page.mouse.move(1, 1);
    expect(await tooltip.isVisible()).toBe(false);
  });

  it('tells of a compaction that is clicked in the timeline: in, out, cost, cache', async () => {
    const { page, problems } = await openPage(browser, ONE);
    await page.locator('circle.mark[data-event="0"]').click();
    const panel = await page.locator('#events aside').textContent();
    // Turn 15: 20,000 tokens and thirteen times 10,000 more; a summary of 5,000 tokens at 15 dollars per million.
    expect(panel).toContain('full-compact · compact');
    expect(panel).toMatch(/What went in.*context150,000 tokens.*messages summarised12/);
    expect(panel).toMatch(/What came out.*context40,000 tokens.*summary tokens5,000.*restored files2/);
    expect(panel).toMatch(/What it cost\$0\.1200 for 1 request of its own/);
    expect(panel).toContain('130,000 cached tokens after the first change were destroyed');
    expect(panel).toMatch(/The next one, request 16, read 20,000 of 40,000 prompt tokens/);
    expect(await page.locator('#event-0').getAttribute('aria-selected')).toBe('true');
    await page.getByRole('button', { name: 'request 15', exact: true }).click();
    expect(await page.locator('#request-14').getAttribute('aria-selected')).toBe('true');
    expect(problems).toEqual([]);
  });

  it('selects a range by dragging, adds it up, and shows all again', async () => {
    const { page } = await openPage(browser, ONE);
    await press(page, 'by request');
    const from = await plotPoint(page, 0, 0.25);
    const to = await plotPoint(page, 0, 0.5);
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 4 });
    await page.mouse.up();
    const readout = page.locator('.readout');
    expect(await readout.textContent()).toMatch(/^Selected · 32 requests/);
    expect(await page.locator('#requests h2').textContent()).toBe('Requests (32 of 128)');
    await page.getByRole('button', { name: 'show all of the session' }).click();
    expect(await readout.textContent()).toMatch(/^Whole session · 128 requests/);
  });

  it('works by keyboard: charts, events, requests, theme', async () => {
    const { page, problems } = await openPage(browser, ONE);
    await page.locator('svg.chart').first().focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.tooltip').textContent()).toContain('request 2 · turn 2');
    await page.keyboard.press('+');
    expect(await page.locator('.readout').textContent()).toMatch(/^Selected/);
    await page.keyboard.press('0');
    expect(await page.locator('.readout').textContent()).toMatch(/^Whole session/);
    await page.getByRole('grid', { name: 'Events' }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#events aside h3').textContent()).toBe('compaction · cache break');
    await page.getByRole('grid', { name: 'Requests' }).focus();
    await page.keyboard.press('End');
    expect(await page.locator('#request-127').getAttribute('aria-selected')).toBe('true');
    const theme = page.getByRole('button', { name: 'theme: auto' });
    await theme.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(problems).toEqual([]);
  });

  it('goes to the turn or the request that its address names, and to one that is typed', async () => {
    const { page, problems } = await openPage(browser, ONE, { place: '#turn=73' });
    const title = page.locator('aside.request h3');
    // four compactions are behind it, at every 15th turn: one request each
    await title.filter({ hasText: 'turn 73 · main' }).waitFor();
    expect(await title.textContent()).toMatch(/^request 77 /);
    expect(await page.locator('svg.chart').first().locator('line.chosen').count()).toBe(1);
    expect(await page.evaluate('location.hash')).toMatch(/^#request=77$/);
    await page.evaluate("location.hash = '#request=3'");
    await title.filter({ hasText: 'request 3 · turn 3' }).waitFor();
    const box = page.getByRole('searchbox', { name: 'Find events' });
    await box.fill('turn 9');
    await box.press('Enter');
    await title.filter({ hasText: 'turn 9 ·' }).waitFor();
    await box.fill('break');
    expect(await page.locator('#events h2').textContent()).toBe('Events (9 of 18)');
    await page.evaluate("location.hash = '#event=2'");
    await page.locator('#events aside h3').filter({ hasText: 'compaction · cache break' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('filters events by kind and sorts requests by a column', async () => {
    const { page } = await openPage(browser, ONE);
    await page.getByRole('button', { name: 'break 9' }).click();
    expect(await page.getByRole('grid', { name: 'Events' }).getAttribute('aria-rowcount')).toBe('10');
    await page.getByRole('columnheader', { name: 'written' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'written' }).getByRole('button').click();
    const top = page.locator('#requests [role="row"][aria-rowindex="2"]');
    // After lunch everything has to be written again.
    expect(await top.textContent()).toContain('ttl-5m');
  });

  it('keeps only what is seen of 10,000 requests and finds the last one at once', async () => {
    const { page, problems } = await openPage(browser, MANY);
    expect(await page.locator('#requests h2').textContent()).toBe('Requests (10,666)');
    const drawn = (): Promise<number> => page.locator('#requests .rows [role="row"]').count();
    expect(await drawn()).toBeLessThan(60);
    expect(await page.locator('*').count()).toBeLessThan(4_000);
    await page.getByRole('grid', { name: 'Requests' }).focus();
    await page.keyboard.press('End');
    await page.locator('#request-10665').waitFor();
    expect(await drawn()).toBeLessThan(60);
    const point = await plotPoint(page, 0, 1);
    await page.mouse.move(point.x, point.y);
    expect(await page.locator('.tooltip').textContent()).toContain('turn 10000');
    expect(problems).toEqual([]);
  });

  it('sets variants side by side on one axis and shows the one that is chosen', async () => {
    const { page, problems } = await openPage(browser, TWO);
    expect(await page.locator('#comparison tbody th').allTextContents()).toEqual(['rare', 'often']);
    const ends = await page
      .locator('svg.chart')
      .evaluateAll((charts) =>
        charts
          .slice(0, 2)
          .map((chart) =>
            [...chart.querySelectorAll('text')]
              .map((item) => item.textContent ?? '')
              .filter((text) => /^\d+$/.test(text) && text !== '0'),
          ),
      );
    expect(ends[0]!.length).toBeGreaterThan(2);
    expect(ends[0]).toEqual(ends[1]);
    await page.locator('#comparison').getByRole('button', { name: 'often' }).click();
    expect(await page.locator('#summary h2').textContent()).toBe('Summary of often');
    expect(await page.locator('#events h2').textContent()).toBe('Events (42)');
    expect(problems).toEqual([]);
  });

  it('sorts a comparison by any column and shows the variants that are picked, by keyboard', async () => {
    const row = (name: string, cost: number | null, hits: number) => ({
      name,
      cells: [
        { text: cost === null ? '–' : `$${cost}`, value: cost },
        { text: `${hits}%`, value: hits },
      ],
    });
    const comparison = {
      caption: 'Three',
      columns: ['costUsd', 'cacheHitRate'],
      rows: [
        row('middle', 9, 50),
        row('cheap', 2, 10),
        row('dear', 10, 90),
        { ...row('lost', null, 70), isDiscarded: true as const },
      ],
      notes: [],
    };
    const { page, problems } = await openPage(
      browser,
      reportHtml({ title: 'sort', runs: [sampleRun('sample', 12, 5)], comparison }),
    );
    const table = page.locator('#comparison');
    const shown = () => page.locator('#comparison tbody tr:visible th').allTextContents();
    expect(await shown()).toEqual(['middle', 'cheap', 'dear', 'lost']);
    expect(await page.locator('#comparison tr.discarded th').allTextContents()).toEqual(['lost']);
    expect(await page.locator('#comparison .same').count()).toBe(0);
    const cost = table.getByRole('button', { name: 'costUsd' });
    await cost.focus();
    await page.keyboard.press('Enter');
    expect(await shown()).toEqual(['cheap', 'middle', 'dear', 'lost']);
    expect(await table.getByRole('columnheader', { name: 'costUsd' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await page.keyboard.press('Enter');
    expect(await shown()).toEqual(['dear', 'middle', 'cheap', 'lost']);
    await page.keyboard.press('Enter');
    expect(await shown()).toEqual(['middle', 'cheap', 'dear', 'lost']);
    await table.getByRole('button', { name: 'variant' }).click();
    expect(await shown()).toEqual(['cheap', 'dear', 'lost', 'middle']);

    await table.locator('.picker summary').press('Enter');
    await table.getByRole('checkbox', { name: 'dear' }).press('Space');
    expect(await shown()).toEqual(['cheap', 'lost', 'middle']);
    expect(await table.locator('.picker summary').textContent()).toBe('Rows: 3 of 4 shown');
    await table.getByRole('searchbox', { name: 'Find rows' }).fill('E');
    await table.getByRole('button', { name: 'none' }).click();
    expect(await shown()).toEqual(['lost']);
    await table.getByRole('button', { name: 'all' }).click();
    expect(await shown()).toEqual(['cheap', 'dear', 'lost', 'middle']);
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('charts the rows of a comparison, and shows the run of a chosen point', async () => {
    const runs = [sampleRun('base', 30, 12), sampleRun('often', 30, 5)];
    const comparison = {
      caption: 'Variants',
      columns: ['costUsd'],
      rows: runs.map(({ name }) => ({ name, cells: [{ text: '$2.00' }] })),
      notes: ['* best · one point'],
    };
    const chart: StudyChart = {
      name: 'cost-against-kept',
      title: 'What it costs',
      x: { title: 'cost (US dollars)', unit: 'usd', scale: 'linear' },
      y: { title: 'content kept (share)', unit: 'share', scale: 'linear' },
      series: [
        {
          name: 'variants',
          color: '#0072b2',
          drawn: 'dots',
          points: [
            { x: 1, y: 0.5, row: 0 },
            { x: 2, y: 0.9, row: 1 },
          ],
        },
      ],
    };
    const html = reportHtml({ title: 'two', runs, comparison, charts: [chart] });
    const { page, problems } = await openPage(browser, html);
    const notes = page.locator('details.notes').first();
    await notes.locator('summary').click();
    expect(await notes.getByText('★ best · one point').isVisible()).toBe(true);
    const drawn = page.locator('#charts svg');
    await drawn.focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#summary h2').textContent()).toBe('Summary of often');
    expect(await page.locator('.tooltip').filter({ hasText: 'often' }).textContent()).toContain('90');
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('stacks what fills the prompts, marks the compactions, and says it of the chosen request', async () => {
    const { page, problems } = await openPage(browser, FILLED);
    const figure = page.locator('#timeline figure').filter({ hasText: 'What fills the context' });
    await figure.locator('path.filled').first().waitFor({ state: 'attached' });
    expect(await figure.locator('path.filled').count()).toBe(2);
    const [system, tool] = await figure
      .locator('path.filled')
      .evaluateAll((paths) => paths.map((path) => path.getAttribute('d')!));
    const width = (await figure.locator('svg.chart').evaluate((svg) => svg.clientWidth)) - 64 - 12;
    // 64 requests, of which the 15th, 31st, 47th and 63rd are summaries; prompts up to 180,000 tokens in 190 pixels above 204.
    const px = (n: number): number => Math.round(64 + ((n - 0.5) / 64) * width);
    const py = (tokens: number): string => (204 - (tokens / 180_000) * 190).toFixed(1);
    expect(system).toMatch(new RegExp(`^M${px(1)},${py(20_000)}H${px(2)}V${py(20_000)}H`));
    expect(tool!.startsWith(`M${px(1)},${py(20_000)}H${px(2)}V${py(30_000)}H${px(3)}V${py(40_000)}H`)).toBe(
      true,
    );
    expect(tool).toContain(`H${px(14)}V${py(150_000)}H${px(16)}V${py(40_000)}H`);
    expect(tool).toMatch(new RegExp(`H${64 + width}V${py(20_000)}H[^M]*z$`));
    const [first] = await figure
      .locator('path.compacted')
      .evaluateAll((marks) => marks.map((mark) => mark.getAttribute('d')!));
    // Between the summary and the request behind it.
    expect(first).toBe(`M${64 + (15 / 64) * width - 5},1h10l-5,9z`);
    expect(await figure.locator('path.compacted').count()).toBe(FILLED_RUN.facts.compactions.done);
    const legend = page.locator('#timeline figure + div').filter({ hasText: 'tool Read' });
    expect(await legend.textContent()).toContain('system prompt');
    // Prompts grow by 10,000 tokens: the third has 40,000, half of them a tool's.
    await page.getByRole('searchbox').fill('request 3');
    await page.getByRole('searchbox').press('Enter');
    await page.locator('aside.request h3', { hasText: 'request 3' }).waitFor();
    const panel = await page.locator('aside.request').textContent();
    expect(panel).toMatch(/system prompt20,000 \(50(\.0)?%\)/);
    expect(panel).toMatch(/tool Read20,000 \(50(\.0)?%\)/);
    // The keys that move over the other charts move over this one.
    await figure.locator('svg.chart').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.locator('aside.request h3', { hasText: 'request 2 ' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('says why it does not show what fills the prompts, and shows no empty chart then', async () => {
    const noFills = 'What fills the context is not shown: the table is gone.';
    const html = reportHtml({ title: 'bare', runs: [{ ...sampleRun('bare', 12, 15), noFills }] });
    const { page, problems } = await openPage(browser, html);
    expect(await page.locator('#timeline p.quiet:visible').allTextContents()).toEqual([noFills]);
    expect(await page.locator('#timeline svg.chart:visible').count()).toBe(3);
    expect(problems).toEqual([]);
  });

  it.each([
    ['one run', ONE],
    ['filled prompts', FILLED],
    ['two runs', TWO],
  ])('fits a phone: %s', async (_name, html) => {
    const { page, problems } = await openPage(browser, html, { width: 390 });
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    await page.locator('circle.mark').first().click();
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    expect(problems).toEqual([]);
  });

  it.each([
    ['light', FILLED],
    ['dark', FILLED],
    ['light', TWO],
  ] as const)('has no serious barrier for anybody: %s', async (scheme, html) => {
    const { page } = await openPage(browser, html, { scheme });
    await page.locator('circle.mark').first().click();
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('is light or dark as the reader prefers', async () => {
    const ground = 'getComputedStyle(document.body).backgroundColor';
    const light = await openPage(browser, ONE, { scheme: 'light' });
    expect(await light.page.evaluate(ground)).toBe('rgb(255, 255, 255)');
    const dark = await openPage(browser, ONE, { scheme: 'dark' });
    expect(await dark.page.evaluate(ground)).toBe('rgb(15, 20, 25)');
    const shots = await Promise.all([light.page.screenshot(), dark.page.screenshot()]);
    expect(shots[0].equals(shots[1])).toBe(false);
  });
});
