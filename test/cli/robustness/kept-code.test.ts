import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../helpers/architecture/tree.js';
import { needFreshBuild } from '../../helpers/setup/built.js';
import { tempFolder } from '../cli.js';

const MAIN = join(ROOT, 'dist/cli/main.js');

/** A command that loads most of the program. */
const COMMAND = ['run', join(ROOT, 'scenarios/quickstart.yaml'), '--no-files', '--json'];

function run(folder: string, env: Readonly<Record<string, string>> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...COMMAND], {
    encoding: 'utf8',
    env: { ...process.env, NODE_COMPILE_CACHE: folder, ...env },
  });
  return { status, stdout, stderr };
}

/** Every file below a folder, by its path. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

/** A folder with the code of one run, and its answer. */
function kept() {
  needFreshBuild();
  const folder = join(tempFolder(), 'code');
  const answer = run(folder);
  expect(answer).toMatchObject({ status: 0, stderr: '' });
  return { folder, answer, files: filesBelow(folder) };
}

const times = (files: readonly string[]): readonly number[] => files.map((path) => statSync(path).mtimeMs);

// Later versions of Node keep compiled code themselves.
describe.skipIf(!process.versions.node.startsWith('20.'))('compiled code that Node 20 starts from', () => {
  it('is kept for its owner alone, and made once', () => {
    const { folder, answer, files } = kept();
    expect(files.map((path) => path.replace(/^.*\//, ''))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^engine-.*\.js\.code$/),
        expect.stringMatching(/^run-/),
      ]),
    );
    for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600);
    const before = times(files);
    expect(run(folder)).toEqual(answer);
    expect(filesBelow(folder)).toEqual(files);
    expect(times(files)).toEqual(before);
  });

  it('is kept for each command, as others run other functions', () => {
    const { folder, files } = kept();
    const other = spawnSync(process.execPath, [MAIN, 'metrics', '--json'], {
      env: { ...process.env, NODE_COMPILE_CACHE: folder },
    });
    expect(other.status).toBe(0);
    const added = filesBelow(folder).filter((path) => !files.includes(path));
    expect(added.length).toBeGreaterThan(0);
    for (const path of files) expect(path).toMatch(/-run-[0-9a-f]+\//);
    for (const path of added) expect(path).toMatch(/-metrics-[0-9a-f]+\//);
  });

  it('is made again where it is damaged: a changed bit, a missing end, an empty or foreign file', () => {
    const { folder, answer, files } = kept();
    const whole = files.map((path) => readFileSync(path));
    for (const [i, path] of files.entries()) {
      const bytes = Buffer.from(whole[i]!);
      const damage = i % 4;
      if (damage === 0) bytes[bytes.length >> 1]! ^= 1 << (i % 8);
      writeFileSync(path, damage === 3 ? 'foreign' : bytes);
      if (damage === 1) truncateSync(path, bytes.length >> 1);
      if (damage === 2) truncateSync(path, 0);
    }
    expect(run(folder)).toEqual(answer);
    for (const path of files) expect(statSync(path).size).toBeGreaterThan(100);
    expect(run(folder)).toEqual(answer);
  });

  it('is not kept below a folder in which others may write, nor where it is turned off', () => {
    needFreshBuild();
    const shared = join(tempFolder(), 'shared');
    mkdirSync(shared);
    for (const mode of [0o777, 0o770]) {
      chmodSync(shared, mode);
      expect(run(shared).status).toBe(0);
      expect(readdirSync(shared)).toEqual([]);
    }
    const off = tempFolder();
    expect(run(off, { NODE_DISABLE_COMPILE_CACHE: '1' }).status).toBe(0);
    expect(readdirSync(off)).toEqual([]);
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    expect(run(file)).toMatchObject({ status: 0, stderr: '' });
  });

  it('leaves nothing of a killed process or of an earlier build when it is next written', () => {
    const { folder, answer, files } = kept();
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const left = [`${files[0]}.${dead}.part`, join(files[0]!, '../run-AAAAAAAA.js.code')];
    for (const path of left) writeFileSync(path, 'left');
    truncateSync(files[0]!, 9);
    expect(run(folder)).toEqual(answer);
    expect(filesBelow(folder)).toEqual(files);
  });

  it('is made again where a file of the build has another content of the same length', () => {
    needFreshBuild();
    const copy = tempFolder();
    cpSync(join(ROOT, 'dist'), join(copy, 'dist'), { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(copy, 'package.json'));
    const help = () =>
      spawnSync(process.execPath, [join(copy, 'dist/cli/main.js'), '--help'], {
        encoding: 'utf8',
        env: { ...process.env, NODE_COMPILE_CACHE: join(copy, 'code') },
      }).stdout;
    expect(help()).toMatch(/^Usage:/);
    const chunks = join(copy, 'dist/chunks');
    const start = join(chunks, readdirSync(chunks).find((name) => name.startsWith('start-'))!);
    writeFileSync(start, readFileSync(start, 'utf8').replaceAll('Usage:', 'Usagf:'));
    expect(help()).toMatch(/^Usagf:/);
    expect(help()).toMatch(/^Usagf:/);
  });

  it('leaves nothing unfinished where it cannot be written whole', () => {
    needFreshBuild();
    const folder = tempFolder();
    const { status } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 100; exec "$@"', 'sh', process.execPath, MAIN, ...COMMAND],
      {
        env: { ...process.env, NODE_COMPILE_CACHE: folder },
      },
    );
    expect(status).toBe(0);
    expect(filesBelow(folder).filter((path) => !path.endsWith('.code'))).toEqual([]);
  });

  it('makes no folder for temporary files, and none through a link', () => {
    const below = (folder: string) => run('', { TMPDIR: folder });
    const temporary = tempFolder();
    expect(below(join(temporary, 'missing'))).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(join(temporary, 'missing'))).toBe(false);
    const other = tempFolder();
    symlinkSync(other, join(temporary, `ccbench-code-${process.getuid!()}`));
    expect(below(temporary)).toMatchObject({ status: 0, stderr: '' });
    expect(readdirSync(other)).toEqual([]);
  });

  it('does without where the system says that no folder is there', () => {
    needFreshBuild();
    const { status } = spawnSync(process.execPath, [MAIN, '--version'], {
      env: { ...process.env, NODE_COMPILE_CACHE: '/proc' },
      timeout: 20_000,
    });
    expect(status).toBe(0);
  });
});
