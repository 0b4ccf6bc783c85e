// @ts-check
// Finds the Chrome, Chromium or Edge that the tests of report.html open.

import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

/** The environment variable that names a browser and is believed before anything else. */
export const BROWSER_VARIABLE = 'CCBENCH_BROWSER';

/**
 * What is asked of a machine to find a browser on it.
 * @typedef {object} Machine
 * @property {string} platform As `process.platform` names it.
 * @property {Readonly<Record<string, string | undefined>>} env
 * @property {(file: string) => boolean} isProgram Whether a file can be started as a browser.
 * @property {string | null} downloaded Where the test library keeps the browser that it installs.
 */

const LINUX_NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const WINDOWS_NAMES = ['chrome.exe', 'chromium.exe', 'msedge.exe'];

/**
 * The browser of a machine, or null where there is none; a wrong value of the variable is an error.
 * @param {Machine} machine
 * @returns {string | null}
 */
export function findBrowser(machine) {
  const named = machine.env[BROWSER_VARIABLE];
  if (named !== undefined && named !== '') {
    if (machine.isProgram(named)) return named;
    throw new Error(
      `${BROWSER_VARIABLE} is ${named}, which is no program: set it to the file of a Chrome, Chromium or Edge, or unset it`,
    );
  }
  const downloaded = machine.downloaded === null ? [] : [machine.downloaded];
  return [...onPath(machine), ...usualPlaces(machine), ...downloaded].find(machine.isProgram) ?? null;
}

/** @param {Machine} machine */
function onPath({ platform, env }) {
  const path = platform === 'win32' ? win32 : posix;
  const names = platform === 'win32' ? WINDOWS_NAMES : LINUX_NAMES;
  return (env.PATH ?? env.Path ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder))
    .flatMap((folder) => names.map((name) => path.join(folder, name)));
}

/** @param {Machine} machine */
function usualPlaces({ platform, env }) {
  if (platform === 'win32') {
    const roots = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(
      (root) => root !== undefined,
    );
    const places = [
      'Google\\Chrome\\Application\\chrome.exe',
      'Chromium\\Application\\chrome.exe',
      'Microsoft\\Edge\\Application\\msedge.exe',
    ];
    return roots.flatMap((root) => places.map((place) => win32.join(root, place)));
  }
  if (platform === 'darwin') {
    const roots = ['/Applications', ...(env.HOME === undefined ? [] : [`${env.HOME}/Applications`])];
    const names = ['Google Chrome', 'Chromium', 'Microsoft Edge'];
    return roots.flatMap((root) => names.map((name) => `${root}/${name}.app/Contents/MacOS/${name}`));
  }
  return [
    ...['/usr/bin', '/usr/local/bin'].flatMap((folder) => LINUX_NAMES.map((name) => `${folder}/${name}`)),
    '/usr/lib/chromium/chromium',
    '/usr/lib64/chromium-browser/chromium-browser',
    '/opt/google/chrome/chrome',
    '/opt/microsoft/msedge/msedge',
  ];
}

/**
 * The machine this runs on.
 * @returns {Promise<Machine>}
 */
export async function thisMachine() {
  return {
    platform: process.platform,
    env: process.env,
    isProgram,
    downloaded: await downloadedBrowser(),
  };
}

async function downloadedBrowser() {
  try {
    const { chromium } = await import('playwright-core');
    return chromium.executablePath();
  } catch {
    return null; // The test library knows no browser for this platform.
  }
}

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile() && !isSnap(file);
  } catch {
    return false;
  }
}

/**
 * Whether a program only starts a snap, which sees no file of the tests.
 * @param {string} file
 */
function isSnap(file) {
  if (posix.basename(realpathSync(file)) === 'snap') return true;
  const isScript = statSync(file).size < 65_536;
  return isScript && readFileSync(file, 'latin1').includes('/snap/bin/');
}
