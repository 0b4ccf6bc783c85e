import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../src/core/run/run-log.js';
import { foldLog } from '../../src/metrics/fold.js';
import { reportHtml } from '../../src/report/html/report-html.js';
import { breakEntry, layerEntry, requestEntry, runEntry, threadEntry } from '../helpers/log.js';
import { openPage, press, useBrowser } from './browser.js';

const MINUTE = 60_000;
const USD = 1_000_000_000;

function pageOf(entries: readonly LogEntry[]): string {
  const run = { name: 'r', entries, facts: foldLog(entries), digest: null, policyInfo: null };
  return reportHtml({ title: 'details', runs: [run] });
}

/** A compaction with its request, a layer that failed, a break and a refusal. */
const HTML = pageOf([
  runEntry(),
  threadEntry(),
  requestEntry({
    n: 1,
    turn: 1,
    t: MINUTE,
    write5m: 900,
    input: 100,
    output: 7,
    writeCost: USD,
    latencyMs: 2_500,
  }),
  requestEntry({
    n: 2,
    turn: 2,
    t: 2 * MINUTE,
    purpose: 'compact',
    read: 900,
    input: 100,
    output: 50,
    readCost: USD / 2,
  }),
  layerEntry({
    t: 2 * MINUTE,
    turn: 2,
    trueBefore: 1_000,
    trueAfter: 250,
    saved: 750,
    estimatedBefore: 1_100,
    estimatedAfter: 300,
    cacheLost: 900,
    calls: 1,
    cost: USD / 2,
    details: {
      summaryTokens: 50,
      messagesSummarised: 12,
      context: { toolResults: 60, thinking: 0, text: 40 },
      breakdown: { toolResults: { read: 400, grep: 200 } },
    },
  }),
  breakEntry({ t: 2 * MINUTE, n: 3, cause: 'compaction', expected: true, lostTokens: 900 }),
  requestEntry({
    n: 3,
    turn: 2,
    t: 3 * MINUTE,
    read: 50,
    write5m: 150,
    write1h: 50,
    writeCost: USD / 4,
    rewriteCost: USD / 8,
    rewritten: 100,
    cause: 'compaction',
  }),
  layerEntry({ t: 3 * MINUTE, turn: 3, outcome: 'failed', failure: 'no_summary', reason: 'it was too long' }),
  {
    type: 'refused',
    t: 4 * MINUTE,
    thread: 'main',
    turn: 3,
    purpose: 'main',
    status: 400,
    error: 'invalid_request_error',
    message: 'prompt is too long',
    prompt: 900_000,
    limit: 200_000,
  } as LogEntry,
]);

const browser = useBrowser();

/** The cells of the rows that a table has drawn. */
async function cells(page: Page, table: 'Events' | 'Requests'): Promise<string[][]> {
  const grid = page.getByRole('grid', { name: table });
  await grid.locator('.rows [role="row"]').first().waitFor();
  return grid
    .locator('.rows [role="row"]')
    .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
}

describe('the lists of a run', () => {
  it('hold every number in its column', async () => {
    const { page } = await openPage(browser, HTML);
    expect((await cells(page, 'Requests')).map((row) => row.join(' | '))).toEqual([
      '1 | 0:01:00 | 1 | main | 1,000 | 0 | 900 | 100 | 7 | $1.00 | 0 |  | 2.5 s | main | claude-sonnet-4-5',
      '2 | 0:02:00 | 2 | compact | 1,000 | 900 | 0 | 100 | 50 | $0.5000 | 0 |  | 0 ms | main | claude-sonnet-4-5',
      '3 | 0:03:00 | 2 | main | 250 | 50 | 200 | 0 | 0 | $0.2500 | 100 | compaction | 0 ms | main | claude-sonnet-4-5',
    ]);
    expect(await cells(page, 'Events')).toEqual([
      ['0:02:00', '2', 'full-compact', 'compact', 'done', '750', '900', '', '$0.5000', 'over the threshold'],
      ['0:02:00', '', 'compaction', 'cache break', 'expected', '', '', '900', '', 'it had been announced'],
      ['0:03:00', '3', 'full-compact', 'compact', 'failed: no_summary', '', '', '', '', 'it was too long'],
      [
        '0:04:00',
        '3',
        'invalid_request_error',
        'main',
        'refused with 400',
        '',
        '',
        '',
        '',
        'prompt is too long',
      ],
    ]);
    expect(await page.locator('circle.mark.bad').count()).toBe(2);
  });

  it('are sorted up, down and as they came, and say when nothing is left', async () => {
    const { page } = await openPage(browser, HTML);
    const order = async () => (await cells(page, 'Requests')).map(([n]) => n);
    const head = page.getByRole('grid', { name: 'Requests' }).getByRole('columnheader', { name: 'prompt' });
    await head.getByRole('button').click();
    expect([await order(), await head.getAttribute('aria-sort')]).toEqual([['3', '1', '2'], 'ascending']);
    await head.getByRole('button').click();
    expect([await order(), await head.getAttribute('aria-sort')]).toEqual([['1', '2', '3'], 'descending']);
    await head.getByRole('button').click();
    expect([await order(), await head.getAttribute('aria-sort')]).toEqual([['1', '2', '3'], null]);
    for (const name of ['full-compact 2', 'break 1', 'refused 1']) {
      expect(await page.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true');
      await page.getByRole('button', { name }).click();
      expect(await page.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('false');
    }
    expect(await cells(page, 'Events')).toEqual([['nothing to show']]);
    expect(await page.locator('#events h2').textContent()).toBe('Events (0 of 4)');
    await page.getByRole('button', { name: 'break 1' }).click();
    expect(await page.locator('#events h2').textContent()).toBe('Events (1 of 4)');
  });

  it('are walked by keys, a row or a page at a time, and stop at their ends', async () => {
    const entries = Array.from({ length: 100 }, (_, i) => requestEntry({ n: i + 1, t: i, input: 1 }));
    const { page } = await openPage(browser, pageOf([runEntry(), threadEntry(), ...entries]));
    const grid = page.getByRole('grid', { name: 'Requests' });
    /** The first and last row that is drawn, and where. */
    const drawnRows = () =>
      grid.locator('.rows [role="row"]').evaluateAll((rows) =>
        [rows[0]!, rows.at(-1)!].map((row) => {
          const top = /translateY\((\d+)px\)/.exec(row.getAttribute('style')!)![1];
          return [row.id, row.getAttribute('aria-rowindex'), Number(top)];
        }),
      );
    const height = await grid.evaluate((table) => table.clientHeight);
    // Six rows beyond what is seen at either end; a row is 30 pixels high, and the first one of the grid is its head.
    const seen = Math.ceil(height / 30) + 12;
    expect(await drawnRows()).toEqual([
      ['request-0', '2', 0],
      [`request-${seen - 1}`, String(seen + 1), 30 * (seen - 1)],
    ]);
    await grid.evaluate((table) => {
      table.scrollTop = 929;
    });
    await page.locator('#request-25').waitFor();
    await page.locator('#request-0').waitFor({ state: 'detached' });
    expect((await drawnRows()).map(([id]) => id)).toEqual(['request-24', `request-${23 + seen}`]);
    expect(await grid.locator('.rows').getAttribute('style')).toContain('height: 3000px');
    // The least width of all columns together.
    expect(await grid.locator('.head').getAttribute('style')).toBe('min-width:1128px');
    await grid.focus();
    const chosen = async (key: string): Promise<string | null> => {
      await page.keyboard.press(key);
      const row = page.locator('#requests [role="row"][aria-selected="true"]');
      await row.waitFor();
      expect(await grid.getAttribute('aria-activedescendant')).toBe(await row.getAttribute('id'));
      return row.getAttribute('id');
    };
    expect(await chosen('ArrowDown')).toBe('request-0');
    expect(await chosen('ArrowDown')).toBe('request-1');
    expect(await chosen('ArrowUp')).toBe('request-0');
    expect(await chosen('ArrowUp')).toBe('request-0');
    // 460 pixels hold 15 rows of 30; two stay in sight
    expect(await chosen('PageDown')).toBe('request-13');
    expect(await chosen('PageUp')).toBe('request-0');
    expect(await chosen('End')).toBe('request-99');
    expect(await chosen('ArrowDown')).toBe('request-99');
    // The last row is in sight, below the head and with a row to spare.
    expect(await grid.evaluate((table) => Math.round(table.scrollTop))).toBe(99 * 30 + 60 - height);
    expect(await chosen('ArrowUp')).toBe('request-98');
    expect(await grid.evaluate((table) => Math.round(table.scrollTop))).toBe(99 * 30 + 60 - height);
    expect(await chosen('Home')).toBe('request-0');
    expect(await grid.evaluate((table) => table.scrollTop)).toBe(0);
    expect(await grid.getAttribute('aria-rowcount')).toBe('101');
  });
});

describe('the details of an event', () => {
  const detailsOf = async (page: Page, event: number): Promise<string> => {
    await page.locator(`#event-${event}`).click();
    return (await page.locator('#events aside').textContent())!;
  };

  it('say what a compaction was made from, what came of it, and what it cost', async () => {
    const { page } = await openPage(browser, HTML);
    const text = await detailsOf(page, 0);
    expect(text).toContain('full-compact · compact0:02:00 · turn 2 · main · auto · doneover the threshold');
    expect(text).toContain('taken out750 tokensseen by the policy1,100 → 300 tokens');
    expect(text).toContain('context1,000 tokensmessages summarised12tool results60 %, 600 tokenstext40 %');
    expect(text).toContain('What came outcontext250 tokenssummary tokens50');
    expect(text).toContain(
      '$0.5000 for 1 request of its own.request 2 $0.5000: 1,000 prompt tokens, 90.0% from the cache, 50 output',
    );
    expect(text).toContain(
      '900 cached tokens after the first change were destroyed.The next one, request 3, read 50 of 250 prompt tokens from the cache, wrote 200 and cost $0.2500.',
    );
    expect(
      await page
        .locator('#events aside .bar i')
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('style'))),
    ).toEqual(['width:100.0%', 'width:25.0%']);
  });

  it('say of a failure that it made no request, and of a refusal only what was refused', async () => {
    const { page } = await openPage(browser, HTML);
    const failed = await detailsOf(page, 2);
    expect(failed).toContain('It made no request.');
    expect(failed).toContain('No cached token was destroyed.');
    expect(failed).not.toContain('The next one');
    const refused = await detailsOf(page, 3);
    expect(refused).toContain('prompt is too long');
    expect(refused).not.toMatch(/What it did to the cache|What went in/);
    const broken = await detailsOf(page, 1);
    expect(broken).toContain(
      'What it did to the cacheThe request read 900 tokens fewer from the cache than the one before.',
    );
    expect(broken).not.toContain('What went in');
  });
});

describe('moving on the axis', () => {
  const MANY = pageOf([
    runEntry(),
    threadEntry(),
    ...Array.from({ length: 100 }, (_, i) =>
      requestEntry({ n: i + 1, turn: i + 1, t: i * MINUTE, input: 10, inputCost: USD }),
    ),
  ]);
  const readout = (page: Page): Promise<string | null> => page.locator('.readout').textContent();

  it('goes by ten with shift, zooms out again, and shows all after a double click', async () => {
    const { page } = await openPage(browser, MANY);
    const chart = page.locator('svg.chart').first();
    await chart.focus();
    for (const key of ['ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'ArrowLeft'])
      await page.keyboard.press(key);
    expect(await page.locator('.tooltip').textContent()).toContain('request 20 · turn 20');
    await page.keyboard.press('Enter');
    expect(await page.locator('aside.request h3').textContent()).toMatch(/^request 20 /);
    // 100 requests, a part of 1 / 1.6 around the 20th: from 7.8 to 70.3
    await page.keyboard.press('+');
    expect(await readout(page)).toBe(
      'Selected · 63 requests, $63.00, 630 prompt tokens, 0.0% from the cache',
    );
    await page.keyboard.press('+');
    expect(await readout(page)).toMatch(/^Selected · 39 requests/);
    await page.keyboard.press('-');
    expect(await readout(page)).toMatch(/^Selected · 6[23] requests/);
    await page.keyboard.press('Escape');
    expect(await readout(page)).toMatch(/^Whole session · 100 requests, \$100\.00/);
    await page.keyboard.press('=');
    await chart.dblclick({ position: { x: 300, y: 120 } });
    expect(await readout(page)).toMatch(/^Whole session/);
    for (let i = 0; i < 3; i++) await page.keyboard.press('Shift+ArrowLeft');
    expect(await page.locator('.tooltip').textContent()).not.toBe('');
  });

  it('zooms with the wheel and Ctrl about the pointer, and turns a part into time', async () => {
    const { page } = await openPage(browser, MANY);
    const box = (await page.locator('svg.chart').first().boundingBox())!;
    // the left end of the plot
    await page.mouse.move(box.x + 64, box.y + box.height / 2);
    await page.mouse.wheel(0, -100);
    expect(await readout(page)).toMatch(/^Whole session/);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.locator('.readout', { hasText: 'Selected' }).waitFor();
    // from 0.5 to 63
    expect(await readout(page)).toMatch(/^Selected · 6[23] requests/);
    await page.keyboard.up('Control');
    await press(page, 'by time');
    // from the first request to the 62nd or 63rd, a minute apart
    expect(await readout(page)).toMatch(
      /^Selected · 1 h: 6[23] requests|^Selected · 6[12] min: 6[23] requests/,
    );
    await press(page, 'by request');
    expect(await readout(page)).toMatch(/^Selected · 6[23] requests/);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await readout(page)).toMatch(/^Whole session/);
    expect(await page.getByRole('button', { name: 'show all of the session' }).isDisabled()).toBe(true);
  });
});
