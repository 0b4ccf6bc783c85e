// @ts-check
// The ways to install a browser, by what a machine allows.

/**
 * What decides how a browser can be installed.
 * @typedef {object} Installable
 * @property {string} platform As `process.platform` names it.
 * @property {string} osRelease The text of /etc/os-release, empty where there is none.
 * @property {'root' | 'sudo' | null} power What system packages are installed with: `sudo` asks for no password.
 */

/**
 * One way to install a browser.
 * @typedef {object} Installer
 * @property {string} what What is installed.
 * @property {readonly (readonly string[])[]} commands Run one after the other.
 */

const APT_INSTALL = ['apt-get', 'install', '-y', '--no-install-recommends', 'chromium'];

/**
 * The ways to try, best first.
 * @param {Installable} machine
 * @param {string} library The command line of the test library, a file for node.
 * @returns {readonly Installer[]}
 */
export function browserInstallers(machine, library) {
  const { power } = machine;
  const download = ['install', '--no-shell', 'chromium'];
  if (!hasDebianChromium(machine) || power === null) {
    const withPackages = machine.platform === 'linux' && power !== null ? ['--with-deps'] : [];
    return [libraryInstaller([process.execPath, library, ...download, ...withPackages])];
  }
  const lead = power === 'root' ? ['env'] : ['sudo', '-n', 'env'];
  const [apt, ...rest] = APT_INSTALL;
  const options = ['DEBIAN_FRONTEND=noninteractive', /** @type {string} */ (apt), '-q'];
  const waits = ['-o', 'DPkg::Lock::Timeout=120'];
  return [
    {
      what: "Debian's chromium (apt-get)",
      commands: [
        [...lead, ...options, 'update'],
        [...lead, ...options, ...waits, ...rest],
      ],
    },
    libraryInstaller([process.execPath, library, ...download]),
  ];
}

/**
 * The command that a person types to get a browser.
 * @param {Installable} machine
 * @returns {string}
 */
export function browserCommand(machine) {
  if (!hasDebianChromium(machine)) return 'npx playwright-core install --no-shell chromium';
  const lead = machine.power === 'root' ? '' : 'sudo ';
  return `${lead}apt-get update && ${lead}${APT_INSTALL.join(' ')}`;
}

/** @param {readonly string[]} command */
function libraryInstaller(command) {
  return { what: 'Chromium with the installer of playwright-core', commands: [command] };
}

/**
 * Whether the system's packages hold a chromium: Ubuntu's is a snap.
 * @param {Installable} machine
 */
function hasDebianChromium({ platform, osRelease }) {
  if (platform !== 'linux') return false;
  const names = [...osRelease.matchAll(/^(?:ID|ID_LIKE)=(.*)$/gm)].flatMap((line) =>
    /** @type {string} */ (line[1]).replaceAll('"', '').split(' '),
  );
  return names.includes('debian') && !names.includes('ubuntu');
}
