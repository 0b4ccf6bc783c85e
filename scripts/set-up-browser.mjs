// @ts-check
// Makes sure that there is a browser for the tests of report.html: finds one, or installs one and says so.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { browserCommand, browserInstallers } from './browser-installers.mjs';
import { BROWSER_VARIABLE, findBrowser, thisMachine } from './find-browser.mjs';
import { startBrowser } from './start-browser.mjs';

const INSTALL_TIMEOUT_MS = 300_000;

/**
 * Runs a command; gives why it failed, or null.
 * @param {readonly string[]} command
 * @returns {string | null}
 */
function failureOf([program, ...args]) {
  const { status, error, stdout, stderr } = spawnSync(/** @type {string} */ (program), args, {
    encoding: 'utf8',
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (error !== undefined) return error.message;
  if (status === 0) return null;
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /^(?:E|Error): /.test(text)) ?? lines.at(-1) ?? `exit code ${status}`;
  return line.replace(/, caused by$/, '');
}

/** @returns {import('./browser-installers.mjs').Installable} */
function installable() {
  const isRoot = process.getuid?.() === 0;
  const hasSudo = () => spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0;
  return {
    platform: process.platform,
    osRelease: existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : '',
    power: isRoot ? 'root' : hasSudo() ? 'sudo' : null,
  };
}

async function setUp() {
  const machine = await thisMachine();
  const there = findBrowser(machine);
  if (there !== null) return there;
  const target = installable();
  const library = join(
    dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')),
    'cli.js',
  );
  const failures = [];
  for (const { what, commands } of browserInstallers(target, library)) {
    console.log(
      `The tests need a Chrome, Chromium or Edge and found none: installing ${what}, which takes a few minutes.`,
    );
    let failure = null;
    for (const command of commands) failure = failureOf(command);
    const installed = findBrowser(machine);
    if (installed !== null) return installed;
    failures.push(failure ?? 'no browser was found afterwards');
  }
  throw new Error(
    `no Chrome, Chromium or Edge was found and none could be installed (${failures.join('; ')}): type \`${browserCommand(target)}\`, or set ${BROWSER_VARIABLE} to the file of one`,
  );
}

/**
 * Refuses a browser that does not start, such as one whose libraries are missing.
 * @param {string} file
 */
async function tryOut(file) {
  try {
    await (await startBrowser(file)).close();
  } catch (error) {
    const lines = String(error)
      .replace(/\[pid=\d+\]\[err\] /g, '')
      .split('\n');
    const reason = lines.find((line) => line.includes('cannot open shared object')) ?? lines[0];
    throw new Error(
      `the browser ${file} does not start (${reason?.trim()}): type \`npx playwright-core install-deps chromium\`, or set ${BROWSER_VARIABLE} to the file of another`,
    );
  }
}

try {
  const file = await setUp();
  await tryOut(file);
  console.log(`The tests use the browser ${file}.`);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}
