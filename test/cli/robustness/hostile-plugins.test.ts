import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { needFreshBuild } from '../../helpers/setup/built.js';
import { cli, testCache } from '../cli.js';
import { type Ended, startCli } from '../start.js';

const SCENARIO = `name: small
transcript: { synthetic: { workload: bugfix, turns: 3 } }
policy: none
plugins: [./p.mjs]
`;

/** A plug-in whose layer does this whenever it may act. */
const layer = (act: string): string => `
  export default {
    name: 'hostile',
    layers: [{
      name: 'odd', points: ['before-request'],
      create: () => ({ due: () => true, *act(moment, view) { const by = { layer: 'rules', reason: 'x' }; ${act} } }),
    }],
    policies: ['{ name: odd-policy, layers: [odd], rules: [] }'],
  };`;

const RUN = ['run', 's.yaml', '--json', '--no-cache', '--policy'];
function folderOf(plugin: string): string {
  const cwd = mkdtempSync(join(testCache(), 'plugin-'));
  writeFileSync(join(cwd, 's.yaml'), SCENARIO);
  writeFileSync(join(cwd, 'p.mjs'), plugin);
  return cwd;
}
/** As a process of its own: what the plug-in leaves behind or never ends is seen there alone. */
const start = (plugin: string) => startCli([...RUN, 'none'], folderOf(plugin));

const NEVER_LOADED = [
  'export default new Promise(() => {});',
  'export default () => new Promise(() => {});',
  'await new Promise(() => {}); export default { name: "x" };',
];
let neverLoaded: readonly Promise<Ended>[];

beforeAll(() => {
  needFreshBuild();
  neverLoaded = NEVER_LOADED.map((plugin) => start(plugin).ended); // they wait while the other tests run
});

describe('H5 a plug-in that does not do what it should', () => {
  it('a timer at its top level does not keep a finished command', async () => {
    const { code, stdout } = await start('setInterval(() => {}, 1000); export default { name: "x" };').ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('runs');
  });

  it.each([
    ['a rejected default export', 'export default Promise.reject(new Error("no such thing"));'],
    [
      'a rejected promise beside it',
      'Promise.reject(new Error("no such thing")); export default { name: "x" };',
    ],
    [
      'an error in a timer',
      'setTimeout(() => { throw new Error("no such thing"); }); await new Promise((r) => setTimeout(r, 500)); export default { name: "x" };',
    ],
  ])('names the plug-in: %s', async (_what, plugin) => {
    const { code, stderr } = await start(plugin).ended;
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/error\[bad-plugin\].*p\.mjs.*no such thing/),
    });
    expect(stderr).not.toContain('    at ');
  });

  it('Ctrl-C ends one that never gives control back while it is loaded', async () => {
    const { child, ended } = start('process.stderr.write("here"); for (;;) {} export default {};');
    child.stderr!.once('data', () => child.kill('SIGINT'));
    expect(await ended).toMatchObject({ code: null, signal: 'SIGINT' });
  });

  it.each([
    ['actions without end', 'for (;;) yield { kind: "wait", by, ms: 0 };', 'more than 10000 actions'],
    ['a wait of NaN', 'yield { kind: "wait", by, ms: NaN };', '`ms` must be a time'],
    ['an action like any object', 'yield { kind: "constructor", by };', 'which is not an action'],
  ])('is refused by name: %s', async (_what, act, sentence) => {
    const { code, stderr } = await cli([...RUN, 'odd-policy'], { cwd: folderOf(layer(act)) });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('plug-in "hostile": act of the layer "odd" requests'),
    });
    expect(stderr).toContain(sentence);
  });

  it('is an error after ten seconds, however it does not end', async () => {
    for (const { code, stdout, stderr } of await Promise.all(neverLoaded)) {
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining('p.mjs was not loaded within 10 seconds'),
      });
      expect(JSON.parse(stdout).error.code).toBe('bad-plugin');
    }
  });
});
