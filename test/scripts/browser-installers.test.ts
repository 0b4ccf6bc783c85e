import { describe, expect, it } from 'vitest';
import { browserCommand, browserInstallers, type Installable } from '../../scripts/browser-installers.mjs';

const DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 12"\nID=debian\n';
const RASPBIAN = 'ID=raspbian\nID_LIKE=debian\n';
const UBUNTU = 'ID=ubuntu\nID_LIKE=debian\n';
const MINT = 'ID=linuxmint\nID_LIKE="ubuntu debian"\n';
const FEDORA = 'ID=fedora\n';

/** The commands that are tried on a machine, as lines without node's path. */
function commands(
  osRelease: string,
  power: Installable['power'],
  platform = 'linux',
): readonly (readonly string[])[] {
  return browserInstallers({ platform, osRelease, power }, 'cli.js').map((way) =>
    way.commands.map((command) => command.join(' ').replace(process.execPath, 'node')),
  );
}

const DOWNLOAD = ['node cli.js install --no-shell chromium'];
const DOWNLOAD_AND_PACKAGES = ['node cli.js install --no-shell chromium --with-deps'];
const APT = [
  'env DEBIAN_FRONTEND=noninteractive apt-get -q update',
  'env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=120 install -y --no-install-recommends chromium',
];

describe('a missing browser is installed', () => {
  it.each([
    ['Debian', DEBIAN],
    ['a child of Debian', RASPBIAN],
  ])('from the packages of %s, then by the test library', (_name, osRelease) => {
    expect(commands(osRelease, 'root')).toEqual([APT, DOWNLOAD]);
    expect(commands(osRelease, 'sudo')).toEqual([APT.map((line) => `sudo -n ${line}`), DOWNLOAD]);
  });

  it.each([
    ['Ubuntu, whose chromium is a snap', UBUNTU],
    ['a child of Ubuntu', MINT],
    ['another Linux', FEDORA],
  ])('by the test library with what it needs on %s', (_name, osRelease) => {
    expect(commands(osRelease, 'root')).toEqual([DOWNLOAD_AND_PACKAGES]);
    expect(commands(osRelease, null)).toEqual([DOWNLOAD]);
  });

  it('by the test library where no package may be installed, and on other systems', () => {
    expect(commands(DEBIAN, null)).toEqual([DOWNLOAD]);
    expect(commands('', null, 'darwin')).toEqual([DOWNLOAD]);
    expect(commands('', 'sudo', 'darwin')).toEqual([DOWNLOAD]);
    expect(commands('', null, 'win32')).toEqual([DOWNLOAD]);
  });

  it('by hand with one command', () => {
    const command = (osRelease: string, power: Installable['power']) =>
      browserCommand({ platform: 'linux', osRelease, power });
    expect(command(DEBIAN, 'root')).toBe(
      'apt-get update && apt-get install -y --no-install-recommends chromium',
    );
    expect(command(DEBIAN, null)).toBe(
      'sudo apt-get update && sudo apt-get install -y --no-install-recommends chromium',
    );
    expect(command(UBUNTU, 'root')).toBe('npx playwright-core install --no-shell chromium');
  });
});
