import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { cli, tempFolder } from '../cli/cli.js';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/policies.md'), 'utf8');

it('docs/policies.md shows the starter as it is written', async () => {
  const cwd = tempFolder();
  await cli(['policies', 'new', 'my-agent'], { cwd });
  const shown = /```yaml\n([\s\S]*?)```/.exec(PAGE)![1];
  expect(shown).toBe(readFileSync(resolve(cwd, 'my-agent.yaml'), 'utf8'));
});

it('policies show ends with a command that works when it is copied', async () => {
  const cwd = tempFolder();
  await cli(['policies', 'new', 'my-agent'], { cwd });
  await cli(['init'], { cwd });
  const { stdout } = await cli(['policies', 'show', './my-agent.yaml'], { cwd });
  const [, line] = /ccbench (run <scenario> --policy \S+)/.exec(stdout)!;
  const argv = [...line!.replace('<scenario>', 'my-scenario.yaml').split(' '), '--no-files'];
  expect((await cli(argv, { cwd })).code).toBe(0);
});
