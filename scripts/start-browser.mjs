// @ts-check
// Starts the browser of the tests without a window, and without anything it would do by itself.

import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Starts a browser.
 * @param {string} executablePath
 * @returns {Promise<import('playwright-core').Browser>}
 */
export function startBrowser(executablePath) {
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}
