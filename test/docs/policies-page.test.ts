import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cli, tempFolder } from '../cli/cli.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/policies.md'), 'utf8');

/** The commands of the first block, without comments and without what a shell does with their output. */
const COMMANDS = /```sh\n([\s\S]*?)```/
  .exec(PAGE)![1]!
  .trim()
  .split('\n')
  .map((line) => line.replace(/^ccbench /, '').replace(/ *[#>].*$/, ''));

it('docs/policies.md: its first commands work one after the other', async () => {
  const cwd = tempFolder();
  expect(COMMANDS.length).toBeGreaterThan(5);
  for (const command of COMMANDS) {
    const { code, stderr } = await cli(command.split(' '), { cwd });
    expect([command, code, stderr.includes('error[')]).toEqual([command, 0, false]);
  }
});
