import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../helpers/architecture/tree.js';
import { needFreshBuild } from '../../helpers/setup/built.js';
import { tempFolder } from '../cli.js';

const MAIN = join(ROOT, 'dist/cli/main.js');
const IS_20 = process.versions.node.startsWith('20.');

/** The built program after a line of code that makes this Node another one. */
function startedBehind(code: string, ...argv: readonly string[]) {
  needFreshBuild();
  const fake = join(tempFolder(), 'fake.cjs');
  writeFileSync(fake, code);
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', fake, MAIN, ...argv], {
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const underNode = (version: string, ...argv: readonly string[]) =>
  startedBehind(
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`,
    ...argv,
  );

describe('an old or new Node', () => {
  it.each(['12.22.12', '18.20.8', '20.18.3'])('%s is told which one is needed', (version) => {
    expect(underNode(version, 'run', 'x.yaml')).toEqual({
      status: 2,
      stdout: '',
      stderr: `error[old-node]: ccbench needs Node 20.19 or later, and this is Node ${version}\n  hint: install a newer Node from https://nodejs.org, or switch to one with your version manager\n`,
    });
  });

  it('is told in JSON where JSON was asked for', () => {
    const { status, stdout } = underNode('18.20.8', 'run', 'x.yaml', '--json');
    expect(status).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'old-node', place: null } });
  });

  it.each(['20.19.0', '22.0.0', '24.1.0'])('%s is new enough', (version) => {
    const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(underNode(version, '--version')).toEqual({ status: 0, stdout: `${own.version}\n`, stderr: '' });
    expect(own.engines.node).toBe('>=20.19');
  });

  it.each([
    [
      'keeps compiled code where Node can',
      "require('node:module').enableCompileCache = () => console.error('kept');",
      'kept\n',
      'kept\n',
    ],
    [
      'has Node 20 optimize later what takes long',
      "require('node:v8').setFlagsFromString = console.error;",
      IS_20 ? '--interrupt-budget=300000\n' : '',
      '',
    ],
  ])('%s', (_what, code, said, saidByHelp) => {
    const { status, stderr } = startedBehind(code, 'metrics', '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: said });
    expect(startedBehind(code, '--help').stderr).toBe(saidByHelp);
  });

  it('can read the first file: it loads nothing and needs no newer syntax', async () => {
    const text = readFileSync(MAIN, 'utf8');
    const loads = text.match(/require\(.*?\)/g);
    expect(loads).toEqual(['require("./prepare-node.js")', 'require("./start.js")']);
    for (const load of loads!) expect(text).toContain(`.then(()=>${load})`);
    const read = async (target: string) => (await transform(text, { target, format: 'esm' })).code;
    expect(await read('es2017')).toBe(await read('esnext'));
    expect(await read('es2017')).not.toContain('await');
  });
});
