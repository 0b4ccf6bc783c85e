import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, onTestFinished } from 'vitest';
import { findBrowser, thisMachine } from '../../scripts/find-browser.mjs';
import { startBrowser } from '../../scripts/start-browser.mjs';

/** Starts the browser; its absence is a failure that says what to do. */
async function openBrowser(): Promise<Browser> {
  const executablePath = findBrowser(await thisMachine());
  if (executablePath === null)
    throw new Error('no Chrome, Chromium or Edge was found: `node scripts/set-up-browser.mjs` installs one');
  return startBrowser(executablePath);
}

/** The browser of a file: started by the first test that asks for it, closed after the last. */
export function useBrowser(): () => Promise<Browser> {
  let browser: Promise<Browser> | undefined;
  afterAll(async () => (await browser)?.close());
  return () => {
    browser ??= openBrowser();
    return browser;
  };
}

/** A page that was opened from a file, and what it did that it should not. */
export interface OpenPage {
  readonly page: Page;
  /** Errors on the console, uncaught errors, requests for anything but the file itself. */
  readonly problems: readonly string[];
}

/** How a page is looked at. */
export interface PageOptions {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
  /** The place that its address names, such as `#turn=73`. */
  readonly place?: string;
}

/** Tabs that no test uses: a new one costs three times as much as another page in the same. */
const free = new WeakMap<Browser, Page[]>();

async function takeTab(browser: Browser): Promise<Page> {
  const tab = free.get(browser)?.pop() ?? (await browser.newPage({ reducedMotion: 'reduce' }));
  onTestFinished(async () => {
    tab.removeAllListeners();
    await tab.mouse.move(0, 0);
    free.set(browser, [...(free.get(browser) ?? []), tab]);
  });
  return tab;
}

/** Writes a page to disk and opens it from there. */
export async function openPage(
  browser: ReturnType<typeof useBrowser>,
  html: string,
  options: PageOptions = {},
): Promise<OpenPage> {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.html');
  writeFileSync(file, html);
  const url = pathToFileURL(file).href;
  const page = await takeTab(await browser());
  await page.setViewportSize({ width: options.width ?? 1280, height: 900 });
  await page.emulateMedia({ colorScheme: options.scheme ?? 'light', media: null });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (request.url().replace(/#.*/, '') !== url && !request.url().startsWith('data:'))
      problems.push(`request for ${request.url()}`);
  });
  await page.goto(`${url}${options.place ?? ''}`);
  await page.locator('main').waitFor();
  await hasDrawn(page);
  return { page, problems };
}

/** Waits until a page has drawn what it was asked for: it does so in the next frame. Text, since the tests know no types of a browser. */
async function hasDrawn(page: Page): Promise<void> {
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
}

/** Pixels that a page is too wide for its window. */
export async function sidewaysPx(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
}

/**
 * Leaves three elements of each kind, such as rows of a table, and whatever looks different from them. The check takes seconds for
 * thousands of elements, and says the same of those that are alike.
 */
const THIN_OUT = `(() => {
  const kinds = new Map([[document.body, '']]);
  const seen = new Map();
  const all = [...document.body.querySelectorAll('*')];
  const spare = new Set(all.filter((node) => {
    const { color, backgroundColor, fontSize } = getComputedStyle(node);
    const kind = [kinds.get(node.parentElement), node.tagName, node.className.baseVal ?? node.className, color, backgroundColor, fontSize].join(' ');
    kinds.set(node, kind);
    seen.set(kind, (seen.get(kind) ?? 0) + 1);
    return seen.get(kind) > 3;
  }));
  // Children come before their parents: one that holds something else stays.
  for (const node of all.reverse()) if ([...node.children].some((child) => !spare.has(child))) spare.delete(node);
  // What stays keeps its first children: a row without a cell would be a finding of its own.
  for (const node of [...spare].filter((each) => [...each.parentElement.children].indexOf(each) >= 3)) node.remove();
})()`;

/** The serious findings of the accessibility check, as short sentences. The page is of no use afterwards. */
export async function seriousFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate("document.querySelectorAll('details').forEach((item) => { item.open = true; })");
  await page.evaluate(THIN_OUT);
  await page.evaluate(axe.source);
  // What passes is not described, nor the way to what does not: both take longer than the check itself.
  const found = (await page.evaluate("axe.run({ resultTypes: ['violations'], selectors: false })")) as {
    readonly violations: readonly { id: string; impact: string; nodes: readonly { html: string }[] }[];
  };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)}`);
}

/** Presses a button, and waits until the page has drawn what comes of it. */
export async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click();
  await hasDrawn(page);
}
