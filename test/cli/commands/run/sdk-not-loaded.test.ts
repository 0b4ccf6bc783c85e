import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { listenLocally } from '../../../../src/cli/commands/serve/local-server.js';
import { cli, tempFolder } from '../../cli.js';

const loaded = vi.hoisted(() => ({ times: 0 }));

vi.mock('@anthropic-ai/sdk', (original) => {
  loaded.times++;
  return original();
});

const SCENARIO = `name: real
transcript: { synthetic: { workload: bugfix, turns: 30 } }
policy: claude-code/2.0
window: 60000
`;

it('the client of the API is loaded for llm: live alone, and only where something is asked for', async () => {
  const cwd = tempFolder({ 'a.yaml': SCENARIO, 'real.cassette.jsonl': '' });
  const { url, close } = await listenLocally(() => Promise.resolve(new Response('{}', { status: 404 })), 0);
  onTestFinished(close);
  const env = { ANTHROPIC_API_KEY: 'any', ANTHROPIC_BASE_URL: url };
  const run = (...set: string[]) => cli(['run', 'a.yaml', '--no-files', ...set], { cwd, env });
  expect((await run()).code).toBe(0);
  expect((await run('--set', 'llm=live', '--set', 'policy=none')).code).toBe(0);
  expect((await run('--set', 'llm=cassette')).stderr).toContain('the cassette has no answer');
  expect(loaded.times).toBe(0);
  expect((await run('--set', 'llm=live')).stderr).toContain('the API did not count a summary request');
  expect(loaded.times).toBe(1);
  expect(readFileSync(join(cwd, 'real.cassette.jsonl'), 'utf8')).toBe('');
});
