import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { countOnce } from '../../src/analysis/why/count-once.js';
import { sumUp } from '../../src/analysis/why/sum-up.js';
import { pageSession, whyHtml, whyPageData } from '../../src/cli/commands/why/why-page-data.js';
import type { WhyPageSession } from '../../src/report/page-data/why-page-data.js';
import { whySessions } from '../helpers/recordings/why-sessions.js';
import { openPage, press, seriousFindings, sidewaysPx, useBrowser } from './browser.js';

const SESSIONS = whySessions();
const DATA = whyPageData(sumUp(SESSIONS, []), countOnce(SESSIONS).map(pageSession), {
  home: '/projects',
  notes: [],
});
const HTML = whyHtml(DATA);

const browser = useBrowser();

const panel = (page: Page): Promise<string | null> => page.locator('aside.request').textContent();
const names = (page: Page): Promise<string[]> => page.locator('#sessions [role="row"] a').allTextContents();

describe('why.html in a browser', () => {
  it('opens at the most expensive break, and a link of the list opens the session at its request', async () => {
    const { page, problems } = await openPage(browser, HTML);
    expect(await page.locator('#session h2').textContent()).toBe('Session 1: lunch');
    expect(await panel(page)).toContain('request 12');
    expect(await panel(page)).toContain('the 1-hour lifetime ran out – $0.24');
    expect(await panel(page)).toContain('40,000 tokens were paid for again, 2 h after the request before');
    const link = page.locator('#breaks [role="row"] a').nth(1);
    expect(await link.getAttribute('href')).toBe('#session=2&request=2');
    await link.click();
    expect(await page.locator('#session h2').textContent()).toBe('Session 2: early');
    expect(await panel(page)).toContain('request 2');
    expect(await page.locator('#session svg.chart').first().locator('.chosen').count()).toBe(1);
    expect(await page.locator('#session svg.chart').first().locator('.broken').count()).toBe(1);
    expect(problems).toEqual([]);
  });

  it('stacks what fills the prompts of a session, and tells it of the chosen request', async () => {
    const { page, problems } = await openPage(browser, HTML);
    const chart = page.locator('#session figure').filter({ hasText: 'What fills the context' });
    await chart.locator('svg.chart path').first().waitFor({ state: 'attached' });
    const fill = DATA.sessions[0]!.run!.fill!;
    expect(await chart.locator('svg.chart path').count()).toBe(fill.length);
    expect(await panel(page)).toMatch(/tool definitions[\d,]+ \(/);
    expect(await page.locator('#sources tbody tr').count()).toBe(DATA.sources.rows.length);
    expect(problems).toEqual([]);
  });

  it('goes to the place that the address names, and keeps the address at what is chosen', async () => {
    const { page, problems } = await openPage(browser, HTML, { place: '#session=1&request=3' });
    await page.locator('aside.request h3', { hasText: 'request 3' }).waitFor();
    expect(await panel(page)).toContain('32,010 tokens');
    await page.getByRole('button', { name: 'next break' }).click();
    expect(await panel(page)).toContain('request 12');
    expect(await page.evaluate('location.hash')).toBe('#session=1&request=12');
    // A session that is not there, and a number that is none, leave what is shown.
    for (const place of ['#session=4', '#session=0', '#session=2.5', '#request=3']) {
      await page.evaluate(`location.hash = '${place}'`);
      await page.waitForTimeout(50);
      expect(await page.locator('#session h2').textContent()).toBe('Session 1: lunch');
      expect(await panel(page)).toContain('request 12');
    }
    await page.evaluate("location.hash = '#session=3'");
    await page.locator('#session h2', { hasText: 'Session 3: quiet' }).waitFor();
    expect(problems).toEqual([]);
  });

  it('sorts sessions, finds them by words, and shows the breaks of a cause', async () => {
    const { page } = await openPage(browser, HTML);
    expect(await names(page)).toEqual(['lunch', 'early', 'quiet']);
    await page.locator('#sessions').getByRole('button', { name: 'requests', exact: true }).click();
    expect(await names(page)).toEqual(['early', 'quiet', 'lunch']);
    await page.getByRole('searchbox').fill('garden');
    expect(await names(page)).toEqual(['quiet']);
    expect(await page.locator('.mini .name').allTextContents()).toEqual(['quiet']);
    expect(await page.locator('#breaks h2').textContent()).toBe('Breaks (0 of 2)');
    await page.locator('#causes').getByRole('button', { name: 'the 1-hour lifetime ran out' }).click();
    expect(await page.locator('#breaks h2').textContent()).toBe('Breaks (2)');
    expect(await names(page)).toEqual(['early', 'lunch']);
  });

  it('finds a model and a day in every list, and counts the money of that model and day alone', async () => {
    const [lunch, early, quiet] = DATA.sessions as readonly [WhyPageSession, WhyPageSession, WhyPageSession];
    const sessions = [
      {
        ...lunch,
        spent: [
          { model: 'm-one', day: '2026-01-01', usd: 4 },
          { model: 'm-two', day: '2026-01-02', usd: 2 },
        ],
      },
      { ...early, spent: [{ model: 'm-two', day: '2026-01-02', usd: 1 }] },
      { ...quiet, day: '2026-01-03', spent: [{ model: 'm-one', day: '2026-01-03', usd: 1 }] },
    ];
    const breaks = DATA.breaks.map((each) => ({ ...each, model: 'm-two', at: '2026-01-02 10:00' }));
    const { page, problems } = await openPage(browser, whyHtml({ ...DATA, sessions, breaks }));
    const field = page.getByRole('searchbox');
    const told = (): Promise<(string | null)[]> =>
      Promise.all(
        ['#breaks h2', '#sessions h2', '.search [role="status"]'].map((place) =>
          page.locator(place).textContent(),
        ),
      );
    const slices = (): Promise<string[]> =>
      page.locator('#slices tr').evaluateAll((rows) => rows.map(({ textContent }) => textContent ?? ''));
    expect(await slices()).toEqual([
      ...['shop$7.002 sessions', 'garden$1.001 session'],
      ...['m-one$5.002 sessions', 'm-two$3.002 sessions'],
      ...['2026-01-01$4.001 session', '2026-01-02$3.002 sessions', '2026-01-03$1.001 session'],
    ]);
    await field.fill('m-two');
    expect(await told()).toEqual(['Breaks (2)', 'Sessions (2 of 3)', '2 breaks, 2 sessions']);
    expect(await names(page)).toEqual(['lunch', 'early']);
    expect(await slices()).toEqual([
      'shop$3.002 sessions',
      'm-two$3.002 sessions',
      '2026-01-02$3.002 sessions',
    ]);
    await field.fill('m-one garden');
    expect(await told()).toEqual(['Breaks (0 of 2)', 'Sessions (1 of 3)', '0 breaks, 1 session']);
    expect(await slices()).toEqual([
      'garden$1.001 session',
      'm-one$1.001 session',
      '2026-01-03$1.001 session',
    ]);
    await field.fill('2026-01-02');
    expect(await told()).toEqual(['Breaks (2)', 'Sessions (2 of 3)', '2 breaks, 2 sessions']);
    await field.fill('lifetime ran out');
    expect(await slices()).toEqual([
      'shop$7.002 sessions',
      ...['m-one$4.001 session', 'm-two$3.002 sessions'],
      ...['2026-01-01$4.001 session', '2026-01-02$3.002 sessions'],
    ]);
    await field.fill('m-three');
    expect(await slices()).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('has compactions in a table to sort, each with a link to the first request behind it, and none without', async () => {
    const row = {
      session: 0,
      request: 3,
      at: '2026-01-02 00:02',
      trigger: 'auto',
      tokensBefore: 167_000,
      tokensAfter: null,
      rereadTokens: 9_000,
      rereadBefore: 400,
      rereadUsd: 0.05,
      carriedUsd: 0.25,
      lost: 1,
      missing: 'const <b>sharedKey</b> = open();',
    };
    const compactions = [row, { ...row, session: 1, request: 2, rereadTokens: 20, lost: 0, missing: '' }];
    const { page, problems } = await openPage(
      browser,
      whyHtml({ ...DATA, compactions, forgotten: ['Much was forgotten.'] }),
    );
    const part = page.locator('#compactions');
    const listed = (): Promise<string[]> => part.locator('[role="row"] a').allTextContents();
    expect(await part.locator('h2').textContent()).toBe('What compactions forgot (2)');
    expect(await part.textContent()).toContain('Much was forgotten.');
    expect(await part.textContent()).toContain('const <b>sharedKey</b> = open();');
    expect(await listed()).toEqual(['lunch', 'early']);
    await part.getByRole('button', { name: 'read again', exact: true }).click();
    expect(await listed()).toEqual(['early', 'lunch']);
    await part.locator('[role="row"] a').first().click();
    expect(await page.evaluate('location.hash')).toBe('#session=2&request=2');
    await page.getByRole('searchbox').fill('lunch');
    expect(await part.locator('h2').textContent()).toBe('What compactions forgot (1 of 2)');
    expect(await seriousFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
    expect(await (await openPage(browser, HTML)).page.locator('#compactions').count()).toBe(0);
  });

  it('has room for what the search field says it finds', async () => {
    const { page } = await openPage(browser, HTML, { width: 1400 });
    const spare = await page.evaluate(`(() => {
      const field = document.querySelector('input[type="search"]');
      const style = getComputedStyle(field);
      const pen = document.createElement('canvas').getContext('2d');
      pen.font = style.font;
      const inside = field.clientWidth - 2 * Number.parseFloat(style.paddingLeft);
      return inside - pen.measureText(field.placeholder).width;
    })()`);
    // the cross that empties the field stands beside its text
    expect(spare).toBeGreaterThan(20);
  });

  it('keeps the words of a search in the address, and a click is a step that the browser goes back from', async () => {
    const { page, problems } = await openPage(browser, HTML, { place: '#session=2&find=garden' });
    const field = page.getByRole('searchbox');
    await page.locator('#sessions h2', { hasText: 'Sessions (1 of 3)' }).waitFor();
    expect(await field.inputValue()).toBe('garden');
    expect(await page.locator('#session h2').textContent()).toBe('Session 2: early');
    await page.locator('#causes').getByRole('button', { name: 'the 1-hour lifetime ran out' }).click();
    const found = '#session=2&find=the+1-hour+lifetime+ran+out';
    expect(await page.evaluate('location.hash')).toBe(found);
    await page.locator('#breaks [role="row"] a').first().click();
    expect(await page.locator('#session h2').textContent()).toBe('Session 1: lunch');
    expect(await field.inputValue()).toBe('the 1-hour lifetime ran out');
    await page.getByRole('navigation').getByRole('link', { name: 'changes' }).click();
    expect(await field.inputValue()).toBe('the 1-hour lifetime ran out');
    await page.locator('.mini', { hasText: 'early' }).click();
    expect(await page.locator('#session h2').textContent()).toBe('Session 2: early');
    const back = async (): Promise<unknown> => {
      await page.goBack();
      await page.waitForTimeout(100);
      const session = await page.locator('#session h2').textContent();
      return [session, await field.inputValue(), await page.locator('#sessions h2').textContent()];
    };
    const cause = ['the 1-hour lifetime ran out', 'Sessions (2 of 3)'];
    expect(await back()).toEqual(['Session 1: lunch', ...cause]);
    expect(await back()).toEqual(['Session 1: lunch', ...cause]);
    expect(await back()).toEqual(['Session 2: early', ...cause]);
    expect(await page.evaluate('location.hash')).toBe(found);
    expect(await back()).toEqual(['Session 2: early', 'garden', 'Sessions (1 of 3)']);
    expect(problems).toEqual([]);
  });

  it('goes back to how it opened', async () => {
    const { page } = await openPage(browser, HTML);
    await page.locator('#causes').getByRole('button', { name: 'the 1-hour lifetime ran out' }).click();
    await page.locator('#sessions [role="row"] a').nth(1).click();
    await page.goBack();
    await page.goBack();
    await page.waitForFunction("document.querySelector('input[type=search]').value === ''");
    expect(await page.locator('#session h2').textContent()).toBe('Session 1: lunch');
    expect(await panel(page)).toContain('request 12');
    expect(await page.locator('#breaks h2').textContent()).toBe('Breaks (2)');
  });

  it('draws a cause in one colour everywhere, spelt alike, and says what the parts of a bar are', async () => {
    const { page } = await openPage(browser, HTML);
    const colors = (place: string): Promise<Record<string, string>> =>
      page.evaluate(`Object.fromEntries([...document.querySelectorAll(${JSON.stringify(place)})]
        .map((item) => [item.textContent, getComputedStyle(item.querySelector('i')).backgroundColor]))`);
    const title = 'the 1-hour lifetime ran out';
    const cause = (await colors('#causes th[scope="row"]'))[title];
    expect(cause).toMatch(/^rgb/);
    const drawn = async (): Promise<unknown> =>
      (await colors('#session .legend span'))[`written again: ${title}`];
    expect(await drawn()).toBe(cause);
    await page.locator('#sessions [role="row"] a').nth(1).click();
    expect(await drawn()).toBe(cause);
    expect(await page.locator('#causes .legend span').allTextContents()).toEqual([
      'avoidable',
      'the rest of it',
    ]);
    const bars = await page.evaluate(
      "['.whole', '.kept'].map((part) => getComputedStyle(document.querySelector('#causes .share ' + part)).backgroundColor)",
    );
    expect(Object.values(await colors('#causes .legend span')).reverse()).toEqual(bars);
  });

  it('counts the cost of a part from its beginning, with the causes of that part', async () => {
    const { page } = await openPage(browser, HTML, { place: '#session=1&request=3' });
    const legends = (): Promise<string[]> =>
      page.locator('#session .legend').nth(1).locator('span').allTextContents();
    const cost = page.locator('#session svg.chart').nth(1);
    const again = 'written again: the 1-hour lifetime ran out';
    expect(await legends()).toEqual(['cache reads', 'new content', again, 'output']);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    // of 16 requests the middle 16 / 1.6 / 1.6 = 6.25, from 5.375 to 11.625: the 12th, which broke, is not among them
    expect(await legends()).toEqual(['cache reads', 'new content', 'output']);
    expect(await cost.textContent()).toContain('paid since the beginning of this part');
    // 219,000 tokens read at $0.30, 6,000 written at $6, 60 more at $3, 300 put out at $15 a million
    expect(await page.locator('.readout').textContent()).toContain('6 requests, $0.1064');
    const ticks = await cost.locator('text[text-anchor="end"]').allTextContents();
    expect(ticks.filter((text) => text.startsWith('$')).at(-1)).toBe('$0.1');
    // the last of the stacked areas ends at the upper edge of the plot, the first begins at its lower one
    expect(await cost.locator('path').last().getAttribute('d')).toContain('V6.0H');
    expect(await cost.locator('path').first().getAttribute('d')).toMatch(/^M\d+,156\.0/);
  });

  it('names its charts alike along both axes, and a request by its conversation and number there', async () => {
    const { page } = await openPage(browser, HTML);
    await press(page, 'by time');
    expect(await page.locator('#session figcaption').allTextContents()).toEqual([
      'Prompt of each request',
      'Cumulative cost by cause',
      'What fills the context',
    ]);
    expect(await panel(page)).toContain('conversationmainnumber in it12');
  });

  it('draws causes and slices as bars against the largest, and leaves empty what does not apply', async () => {
    const none = { events: 0, avoidableUsd: 0, remedy: null };
    const causes = [
      ...DATA.causes.slice(0, 1).map((cause) => ({ ...cause, ...none, title: 'a', usd: 8, share: 0.8 })),
      {
        title: 'b',
        color: '#000',
        usd: 2,
        share: 0.2,
        events: 3,
        avoidableUsd: 1,
        remedy: 'do',
        unavoided: '',
      },
    ];
    const spent = Array.from({ length: 9 }, (_, i) => ({ model: 'm', day: `d${i}`, usd: 8 - i }));
    const sessions = DATA.sessions.map((session, i) => ({ ...session, spent: spent.slice(0, 9 - i) }));
    const { page, problems } = await openPage(
      browser,
      whyHtml({ ...DATA, causes, sessions: sessions.slice(0, 2), changes: [], breaks: [] }),
    );
    const cells = (selector: string): Promise<string[][]> =>
      page
        .locator(selector)
        .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent ?? '')));
    const bars = (selector: string): Promise<(string | null)[]> =>
      page.locator(selector).evaluateAll((items) => items.map((item) => item.getAttribute('style')));
    expect(await cells('#causes tbody tr')).toEqual([
      ['a', '', '$8.00', '80.0%', '', '', ''],
      ['b', '', '$2.00', '20.0%', '3', '$1.00', 'do'],
    ]);
    expect(await bars('#causes .whole')).toEqual(['width:100.00%', 'width:25.00%']);
    expect(await bars('#causes .kept')).toEqual(['width:0.00%', 'width:12.50%']);
    expect(await page.locator('#causes button').allTextContents()).toEqual(['b']);
    expect(await page.locator('#causes tr.quiet th').allTextContents()).toEqual(['a']);
    // 8 to 0 dollars on nine days in one session, without the last day in the other
    const days = (await cells('#slices tbody tr')).slice(2);
    expect(days).toHaveLength(9);
    expect([days[0], days[1], days[8]]).toEqual([
      ['d0', '', '$16.00', '2 sessions'],
      ['d1', '', '$14.00', '2 sessions'],
      ['d8', '', '$0.00', '1 session'],
    ]);
    expect((await bars('#slices .whole')).slice(2, 4)).toEqual(['width:100.00%', 'width:87.50%']);
    expect(await bars('#slices .kept')).toEqual(Array(11).fill('width:0.00%'));
    expect(await page.locator('#slices details summary').textContent()).toBe('1 more');
    expect(await page.locator('#slices details tr').count()).toBe(1);
    expect(await page.locator('#changes').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  it('draws what changes would have saved between their intervals, on one scale with zero in it', async () => {
    const changes = [
      { name: 'gain', usd: 2, low: 1, high: 3 },
      { name: 'loss', usd: -0.75, low: -1, high: -0.5 },
      { name: 'open', usd: 0.5, low: 0, high: 1 },
      { name: 'idle', usd: 0, low: 0, high: 0 },
    ];
    const { page } = await openPage(browser, whyHtml({ ...DATA, changes }));
    const rows = await page
      .locator('#changes tbody tr')
      .evaluateAll((items) => items.map((item) => [...item.children].map((cell) => cell.textContent)));
    expect(rows).toEqual([
      ['gain', '', '$2.00', '$1.00 to $3.00'],
      ['loss', '', '−$0.75', '−$1.00 to −$0.50'],
      ['open', '', '$0.50', '$0.00 to $1.00'],
      ['idle', '', 'nothing', 'it would have had no effect'],
    ]);
    const drawn = await page.locator('#changes svg').evaluateAll((pictures) =>
      pictures.map((picture) => ({
        tone: picture.getAttribute('class')!.split(' ')[1],
        places: ['.zero:x1', '.zero:x2', '.span:x1', '.span:x2', 'circle:cx'].map((place) => {
          const [selector, name] = place.split(':') as [string, string];
          return Number(picture.querySelector(selector)!.getAttribute(name));
        }),
      })),
    );
    // from -1 to 3 dollars in 320 pixels with 6 at either end: 77 for a dollar
    expect(drawn).toEqual([
      { tone: 'gain', places: [83, 83, 160, 314, 237] },
      { tone: 'loss', places: [83, 83, 6, 44.5, 25.25] },
      { tone: 'open', places: [83, 83, 83, 160, 121.5] },
    ]);
    expect(await page.locator('#changes tr.quiet th').allTextContents()).toEqual(['loss', 'idle']);
  });

  it('works by keyboard', async () => {
    const { page } = await openPage(browser, HTML);
    await page.getByRole('grid', { name: 'Breaks' }).focus();
    await page.keyboard.press('ArrowDown');
    expect(await page.locator('#session h2').textContent()).toBe('Session 2: early');
    await page.keyboard.press('ArrowUp');
    expect(await page.locator('#session h2').textContent()).toBe('Session 1: lunch');
    await page.locator('#session svg.chart').first().focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('.tooltip').textContent()).toContain('request 1');
    await page.keyboard.press('Enter');
    expect(await panel(page)).toMatch(/^request 1conversation/);
  });

  it('stacks what a cause cost and what would have avoided it where the window is narrow', async () => {
    const causes = DATA.causes.map((cause) => ({
      ...cause,
      avoidableUsd: 1,
      remedy: 'leave everything as it was',
    }));
    const { page } = await openPage(browser, whyHtml({ ...DATA, causes }), { width: 500 });
    const hidden = await page.evaluate(
      "(() => { const part = document.querySelector('#causes .wide'); return part.scrollWidth - part.clientWidth; })()",
    );
    expect(hidden).toBe(0);
    const last = page.locator('#causes tbody tr').first().locator('td').last();
    expect(await last.textContent()).toBe('leave everything as it was');
    const box = (await last.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(500);
  });

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels and has no serious barrier: %s', async (width, scheme) => {
    const { page } = await openPage(browser, HTML, { width, scheme });
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
