// Does what a new user does: packs ccbench, installs it into an empty folder, runs it, removes it. Fails when something does not work, is
// larger than docs/dependencies.md says, or stays behind. Warns of facts that are old, and never fails for them. Packages come from npm's cache, where `npm ci` has put them.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oldFacts } from './old-facts.mjs';
import { npm, pack } from './packed-files.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** What an installation may come to. */
const MOST_MEGABYTES = 45;
const MOST_PACKAGES = 10;

/** How far the size may be from what the page says: the part for the machine differs. */
const SIZE_SLACK = 0.08;

/** A sentence for the one who releases; the stack would say nothing more. */
function demand(isTrue, sentence) {
  if (!isTrue) throw new Error(sentence);
}

/** A lock file for a folder that depends on the packed file alone, with the versions of this repository. */
function lockFor(tarball, { integrity, version }) {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  return {
    name: 'someone',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'someone', dependencies: { ccbench: `file:${tarball}` } },
      'node_modules/ccbench': {
        version,
        resolved: `file:${tarball}`,
        integrity,
        dependencies: own.dependencies,
        bin: own.bin,
        engines: own.engines,
      },
      ...Object.fromEntries(installed),
    },
  };
}

/** Room on the disk that a folder takes, in MB, as `du` counts it. */
function megabytes(folder) {
  let bytes = 0;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { blocks, size } = lstatSync(join(folder, name));
    bytes += blocks === undefined ? size : blocks * 512;
  }
  return bytes / 1_048_576;
}

/** The size and the number of packages that docs/dependencies.md promises. */
function promised() {
  const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
  const [, size, count] = /An installation takes (\d+) MB in (\d+) packages/.exec(page) ?? [];
  demand(
    size !== undefined,
    'docs/dependencies.md does not say "An installation takes <n> MB in <n> packages"',
  );
  return { size: Number(size), count: Number(count) };
}

function checkSize(folder) {
  const size = megabytes(join(folder, 'node_modules'));
  const tree = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const count = Object.keys(tree.packages).length;
  const page = promised();
  const found = `${size.toFixed(1)} MB in ${count} packages`;
  demand(size <= MOST_MEGABYTES && count <= MOST_PACKAGES, `an installation takes ${found}: too much`);
  demand(
    count === page.count && Math.abs(size / page.size - 1) <= SIZE_SLACK,
    `an installation takes ${found}, and docs/dependencies.md says ${page.size} MB in ${page.count} packages`,
  );
  return found;
}

/** What a user of the package does first, on the command line and in a program. */
function useIt(folder, home) {
  const env = { ...process.env, HOME: home, USERPROFILE: home, LOCALAPPDATA: home };
  for (const name of ['CCBENCH_CACHE', 'XDG_CACHE_HOME', 'NODE_OPTIONS', 'GITHUB_ACTIONS']) delete env[name];
  const start = (command, args, shell = false) =>
    execFileSync(command, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      shell,
    });
  const isWindows = process.platform === 'win32';
  const ccbench = (...args) =>
    start(join(folder, 'node_modules/.bin', isWindows ? 'ccbench.cmd' : 'ccbench'), args, isWindows);
  const shipped = join('node_modules', 'ccbench');

  demand(/^\d+\.\d+\.\d+/.test(ccbench('--version')), 'ccbench --version prints no version');
  ccbench('run', join(shipped, 'scenarios/quickstart.yaml'), '--png');
  const report = join(folder, 'reports/quickstart');
  for (const name of [
    'run.jsonl',
    'report.html',
    'charts/context-over-time.svg',
    'charts/context-over-time.png',
  ])
    demand(existsSync(join(report, name)), `a run did not write ${name}`);
  const recording = readdirSync(join(folder, shipped, 'fixtures')).find((name) => name.endsWith('.jsonl'));
  const counted = ccbench(
    'inspect',
    join(shipped, 'fixtures', recording),
    '--count-with',
    'gpt-tokenizer,js-tiktoken',
  );
  demand(
    counted.includes('gpt-tokenizer') && counted.includes('js-tiktoken'),
    'the token counters do not count',
  );

  for (const sentence of oldFacts(
    JSON.parse(ccbench('models', '--json')),
    JSON.parse(ccbench('policies', '--json')),
  ))
    console.warn(`release check: warning: ${sentence}`);

  const program = `import { loadScenario, replay } from 'ccbench';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const scenario = await loadScenario(require.resolve('ccbench/scenarios/quickstart.yaml'));
const run = scenario.runs[0];
console.log(typeof replay(run.plan, run.transcript()).digest, require('ccbench/schema/scenario.schema.json').type);
`;
  writeFileSync(join(folder, 'program.mjs'), program);
  demand(
    start(process.execPath, ['program.mjs']).trim() === 'string object',
    'a program that imports ccbench does not run',
  );
  ccbench('cache', 'clear');
  for (const name of ['program.mjs', 'reports']) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Files below a folder; empty folders are npm's way. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    lstatSync(join(folder, name)).isFile(),
  );
}

/** Removes the package, and sees that nothing of it is left. */
function removeIt(folder, home) {
  npm(['uninstall', 'ccbench', '--prefer-offline'], { cwd: folder });
  const npmsOwn = ['package.json', 'package-lock.json', join('node_modules', '.package-lock.json')];
  const left = [...filesBelow(folder).filter((name) => !npmsOwn.includes(name)), ...filesBelow(home)];
  demand(left.length === 0, `after npm uninstall and ccbench cache clear this is left: ${left.join(', ')}`);
}

function check(base) {
  const folder = join(base, 'project');
  const home = join(base, 'home');
  for (const name of [folder, home]) mkdirSync(name);
  const packed = pack('--pack-destination', folder);
  const tarball = packed.filename;
  const lock = lockFor(tarball, packed);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(lock.packages['']));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
  npm(['ci', '--prefer-offline', '--omit=dev'], { cwd: folder });
  rmSync(join(folder, tarball));
  const found = checkSize(folder);
  useIt(folder, home);
  removeIt(folder, home);
  const megabytesPacked = (packed.size / 1_000_000).toFixed(1);
  console.log(`release check: packed ${megabytesPacked} MB, installed ${found}; ran, removed, nothing left`);
}

const base = mkdtempSync(join(tmpdir(), 'ccbench-release-'));
try {
  check(base);
} catch (error) {
  const told = [error.stderr, error.stdout].filter(Boolean).join('\n').trim();
  console.error(`release check: ${error.message}${told === '' ? '' : `\n${told}`}`);
  process.exitCode = 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
