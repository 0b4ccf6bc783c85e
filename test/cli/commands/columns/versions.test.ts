import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import * as programVersion from '../../../../src/cli/program-version.js';
import { cli, scenario, tempFolder } from '../../cli.js';

it('two versions that share a folder never use or mix each other’s results', async () => {
  const program = { version: '1.0.0+aaaa' };
  const spy = vi.spyOn(programVersion, 'programVersion').mockImplementation(() => program.version);
  onTestFinished(() => spy.mockRestore());
  const cwd = tempFolder({ 'a.yaml': scenario('tiny').replace('turns: 40', 'turns: 5') });
  const sweep = async (...more: string[]) => {
    const args = ['sweep', 'a.yaml', '--vary', 'seed=1..4:4', '--results', 'out', '--workers', '0', '--json'];
    return JSON.parse((await cli([...args, ...more], { cwd })).stdout);
  };
  await sweep('--shard', '1/2');
  program.version = '1.0.0+bbbb';
  const other = await sweep('--shard', '2/2');
  expect(other).toMatchObject({ version: '1.0.0+bbbb', ran: 2, finished: 2 });
  expect(readdirSync(join(cwd, 'out/parts'))).toEqual([]);
  expect((await sweep()).ran).toBe(2);
  program.version = '1.0.0+aaaa';
  expect(await sweep()).toMatchObject({ version: '1.0.0+aaaa', ran: 2, finished: 4 });
  expect(readdirSync(join(cwd, 'out/parts'))).toHaveLength(2);
  const versions = async (study: string) =>
    JSON.parse(
      (await cli(['results', 'out', '--study', study, '--group', 'version', '--json'], { cwd })).stdout,
    ).groups;
  for (const name of readdirSync(join(cwd, 'out/studies')))
    expect(await versions(name.slice(0, 8))).toHaveLength(1);
});
