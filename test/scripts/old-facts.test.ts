import { expect, it } from 'vitest';
import { oldFacts } from '../../scripts/old-facts.mjs';
import { cli, tempFolder } from '../cli/cli.js';

it('names what was not compared with its source for more than 90 days, and nothing else', () => {
  const models = {
    models: [
      { id: 'new', daysSinceChecked: 90 },
      { id: 'old', daysSinceChecked: 91 },
      { id: 'older', daysSinceChecked: 200 },
    ],
  };
  const policies = {
    policies: [
      { name: 'none', daysSinceChecked: null },
      { name: 'peers/a', daysSinceChecked: 12 },
    ],
  };
  expect(oldFacts(models, policies)).toEqual([
    'models not compared with their sources for more than 90 days: old (91 days), older (200 days)',
  ]);
});

it('takes what the commands print, by the day it is', async () => {
  const cwd = tempFolder();
  const warned = async (today: string) => {
    const json = async (command: string) =>
      JSON.parse((await cli([command, '--json'], { cwd, today })).stdout);
    return oldFacts(await json('models'), await json('policies'));
  };
  expect(await warned('2026-11-17')).toEqual([]);
  const [models, policies] = await warned('2027-06-01');
  expect(models).toContain('claude-opus-5 (198 days)');
  expect(policies).toContain('peers/aider (198 days)');
});
