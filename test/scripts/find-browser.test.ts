import { describe, expect, it } from 'vitest';
import { BROWSER_VARIABLE, findBrowser } from '../../scripts/find-browser.mjs';

interface Setting {
  readonly platform?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly downloaded?: string;
}

/** The browser that is found where only these files are programs. */
function found({ platform = 'linux', env = {}, files, downloaded }: Setting): string | null {
  return findBrowser({
    platform,
    env,
    isProgram: (file) => files.includes(file),
    downloaded: downloaded ?? null,
  });
}

describe('the browser of the tests', () => {
  it('is the one that the environment names, before all others', () => {
    const files = ['/mine/edge', '/bin/chromium', '/usr/bin/chromium'];
    expect(found({ env: { [BROWSER_VARIABLE]: '/mine/edge', PATH: '/bin' }, files })).toBe('/mine/edge');
  });

  it('is an error with a hint where the environment names no program', () => {
    const env = { [BROWSER_VARIABLE]: '/mine/edge', PATH: '/bin' };
    expect(() => found({ env, files: ['/bin/chromium'] })).toThrow(
      'CCBENCH_BROWSER is /mine/edge, which is no program: set it to the file of a Chrome, Chromium or Edge, or unset it',
    );
  });

  it('an empty variable names nothing', () => {
    expect(found({ env: { [BROWSER_VARIABLE]: '', PATH: '/bin' }, files: ['/bin/chromium'] })).toBe(
      '/bin/chromium',
    );
  });

  it.each(['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'])(
    'is %s on the PATH, in the order of its folders',
    (name) => {
      const files = [`/b/${name}`, `/c/${name}`, `/usr/bin/${name}`];
      expect(found({ env: { PATH: '/a::relative:/b:/c' }, files })).toBe(`/b/${name}`);
    },
  );

  it('is on the Path of Windows', () => {
    const files = ['D:\\tools\\msedge.exe'];
    expect(found({ platform: 'win32', env: { Path: 'C:\\x;D:\\tools' }, files })).toBe(files[0]);
  });

  it.each([
    ['linux', '/usr/bin/chromium'],
    ['linux', '/opt/google/chrome/chrome'],
    ['linux', '/opt/microsoft/msedge/msedge'],
    ['darwin', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
    ['darwin', '/Applications/Chromium.app/Contents/MacOS/Chromium'],
    ['darwin', '/Users/me/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge'],
    ['win32', 'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
    ['win32', 'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe'],
    ['win32', 'C:\\Users\\me\\AppData\\Local\\Chromium\\Application\\chrome.exe'],
  ])('is in the usual places of %s: %s', (platform, file) => {
    const env = {
      HOME: '/Users/me',
      PROGRAMFILES: 'C:\\Program Files',
      'PROGRAMFILES(X86)': 'C:\\Program Files (x86)',
      LOCALAPPDATA: 'C:\\Users\\me\\AppData\\Local',
    };
    expect(found({ platform, env, files: [file] })).toBe(file);
  });

  it('is the one the test library has downloaded, when the machine has none of its own', () => {
    const files = ['/cache/chrome', '/usr/bin/chromium'];
    expect(found({ files, downloaded: '/cache/chrome' })).toBe('/usr/bin/chromium');
    expect(found({ files: ['/cache/chrome'], downloaded: '/cache/chrome' })).toBe('/cache/chrome');
  });

  it.each(['linux', 'darwin', 'win32', 'freebsd'])('is none on a bare machine: %s', (platform) => {
    expect(found({ platform, env: { PATH: '/bin' }, files: [], downloaded: '/cache/chrome' })).toBeNull();
  });
});
