import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { whyHtml, whyPageData } from '../../src/cli/commands/why/why-page.js';
import { countOnce, sumUp } from '../../src/why/sum-up.js';
import { whySessions } from '../helpers/why-sessions.js';
import { openBrowser, openPage, seriousFindings, sidewaysPx } from './browser.js';

const SESSIONS = whySessions();
const HTML = whyHtml(whyPageData(sumUp(SESSIONS, []), countOnce(SESSIONS), { home: '/projects', notes: [] }));

let browser: Browser;
beforeEach(async () => {
  browser ??= await openBrowser();
});
afterAll(async () => browser?.close());

const panel = (page: Page): Promise<string | null> => page.locator('aside.request').textContent();
const names = (page: Page): Promise<string[]> => page.locator('#sessions [role="row"] a').allTextContents();

describe('why.html in a browser', () => {
  it('opens at the dearest break, and a link of the list opens the session at its request', async () => {
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

  it('goes to the place that the address names, and keeps the address at what is chosen', async () => {
    const { page, problems } = await openPage(browser, HTML, { place: '#session=1&request=3' });
    await page.locator('aside.request h3', { hasText: 'request 3' }).waitFor();
    expect(await panel(page)).toContain('32,010 tokens');
    await page.getByRole('button', { name: 'next break' }).click();
    expect(await panel(page)).toContain('request 12');
    expect(await page.evaluate('location.hash')).toBe('#session=1&request=12');
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

  it.each([
    [1280, 'light'],
    [390, 'dark'],
  ] as const)('fits %i pixels and has no serious barrier: %s', async (width, scheme) => {
    const { page } = await openPage(browser, HTML, { width, scheme });
    expect(await sidewaysPx(page)).toBeLessThanOrEqual(0);
    expect(await seriousFindings(page)).toEqual([]);
  });
});
