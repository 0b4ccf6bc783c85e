import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { expectKept } from '../../../helpers/golden/outputs.js';
import { tempFolder } from '../../cli.js';
import { serving } from './serving.js';

const MODEL = 'claude-sonnet-4-5';
const HEADERS = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const marked = (text: string, ttl: '5m' | '1h' = '5m') => [
  { type: 'text', text, cache_control: { type: 'ephemeral', ttl } },
];
const talk = (count: number, system: unknown = marked('s'.repeat(12_000)), rest: object = {}) => ({
  model: MODEL,
  max_tokens: 1_000,
  system,
  messages: Array.from({ length: 2 * count - 1 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: i % 2 === 0 ? `question ${i}` : `answer ${i}`,
  })),
  ...rest,
});

/** Requests in their order: seconds before, path, body. */
const REQUESTS: readonly (readonly [number, string, unknown])[] = [
  [0, 'messages', talk(1)],
  [20, 'messages', talk(2)],
  [30, 'messages', talk(3, marked(`S${'s'.repeat(11_999)}`))],
  [400, 'messages', talk(4, marked(`S${'s'.repeat(11_999)}`), { stream: true })],
  [1, 'messages/count_tokens', { model: MODEL, messages: talk(1).messages }],
  [1, 'messages', { ...talk(5), model: 'claude-opus-4-5' }],
  [1, 'messages', { ...talk(5), model: 'nobody' }],
  [1, 'messages', { model: MODEL, messages: 'none' }],
  [1, 'messages', talk(1, marked('t'.repeat(8_000), '1h'))],
  [3_000, 'messages', talk(2, marked('t'.repeat(8_000), '1h'))],
  [1, 'nothing', {}],
];

/** What a server prints, answers and records, without what differs from run to run. */
async function served(argv: readonly string[]): Promise<string> {
  const cwd = tempFolder();
  const { url, pass, stop } = await serving(cwd, [...argv, '--record', 'session.jsonl']);
  const answers: string[] = [];
  for (const [seconds, path, body] of REQUESTS) {
    pass(seconds);
    const response = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: HEADERS,
      body: JSON.stringify(body),
    });
    answers.push(`${response.status} ${(await response.text()).trimEnd()}`);
  }
  const { code, stdout, stderr } = await stop();
  const record = readFileSync(join(cwd, 'session.jsonl'), 'utf8');
  const title = `$ serve ${argv.join(' ')}`.trimEnd();
  return [title, stdout, `stderr:\n${stderr}`, `exit code ${code}`, 'answers:', ...answers, 'record:', record]
    .join('\n')
    .replaceAll(url, 'http://127.0.0.1')
    .replaceAll(cwd, '<folder>');
}

it('serve prints, answers and records what is kept', async () => {
  const runs = [await served([]), await served(['--ttl', '1h', '--fault', 'overloaded:every=3'])];
  expectKept('commands/serve', runs.join('\n'));
});
