import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join, resolve } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listenLocally } from '../../../../src/cli/commands/serve/local-server.js';
import { loadTranscript } from '../../../../src/transcripts/files/transcripts.js';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { CLAUDE_TOOLS, goOn, SUMMARY_PROMPT, tool, wordsOf } from '../../../provider/script/agent.js';
import { cli, tempFolder } from '../../cli.js';
import { serving } from './serving.js';

const ROOT = resolve(import.meta.dirname, '../../../..');

hideWarnings();

/** An agent that reads what it is told and compacts above a number of tokens, until an answer calls no tool. */
async function work(url: string, tools: readonly Tool[], limit: number, result: string) {
  const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 3 });
  const send = (messages: readonly MessageParam[]) =>
    client.messages.create({
      model: 'claude-sonnet-4-5',
      max_tokens: 8_000,
      system: [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }],
      tools: [...tools],
      messages: [...messages],
    });
  let messages: MessageParam[] = [{ role: 'user', content: 'Read all parts.' }];
  let compactions = 0;
  const files: string[] = [];
  for (;;) {
    const answer = await send(messages);
    const call = answer.content.find((block) => block.type === 'tool_use');
    if (call === undefined) return { compactions, files, last: answer };
    const { file_path: file } = call.input as { file_path?: string };
    if (call.name === 'Read') files.push(file ?? '');
    messages = [...messages, ...goOn(answer, result)];
    if (answer.usage.input_tokens + answer.usage.output_tokens < limit) continue;
    const summary = await send([...messages, { role: 'user', content: SUMMARY_PROMPT }]);
    compactions += 1;
    messages = [{ role: 'user', content: `Continued (${compactions}): ${wordsOf(summary)}` }];
  }
}

describe('ccbench serve --script', () => {
  it('drives an agent through several compactions and failures over loopback, and loses no step', async () => {
    const script = join(ROOT, 'scenarios/serve/two-compactions.yaml');
    const { url, stop } = await serving(tempFolder(), ['--script', script, '--fault', 'overloaded:every=30']);
    // 4,000 tokens a read: the limit is passed after 30 of 110 reads, and twice again
    const { compactions, files } = await work(url, CLAUDE_TOOLS, 120_000, 'x'.repeat(16_000));
    expect(compactions).toBe(3);
    const groups = ['a', 'b', 'c', 'd', 'e'].map((group) =>
      Array.from({ length: 22 }, (_, i) => `${group}${i + 1}.ts`),
    );
    expect(files).toEqual(groups.flat());
    // 22 reads, an edit and a command five times, and the end
    expect((await stop()).stderr).toContain('121 of 121 steps of the script given');
  });

  it('gives the answers of a recorded session again, with the tools that the client has', async () => {
    const file = join(ROOT, 'fixtures/bugfix-20-turns.jsonl');
    const { transcript } = loadTranscript(file, { cwd: ROOT });
    const recorded = transcript.threads[0]!.steps.flatMap((step) =>
      step.kind === 'call' ? [step.call.response] : [],
    );
    const names = new Set(recorded.flatMap(({ blocks }) => blocks.flatMap(({ tool: name }) => name ?? [])));
    const { url, stop } = await serving(tempFolder(), ['--script', file]);
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
    const messages: MessageParam[] = [{ role: 'user', content: 'go' }];
    const said: string[] = [];
    for (const _ of recorded) {
      const answer = await client.messages.create({
        model: 'claude-sonnet-4-5',
        max_tokens: 20_000,
        tools: [...names].map((name) => tool(name)),
        messages,
      });
      said.push(...answer.content.map((block) => (block.type === 'tool_use' ? block.name : block.type)));
      messages.push(...goOn(answer));
    }
    const expected = recorded.flatMap(({ blocks }) =>
      blocks
        .filter(({ kind }) => kind !== 'thinking')
        .map(({ kind, tool: name }) => (kind === 'tool_use' ? name : kind)),
    );
    expect(said).toEqual(expected);
    expect((await stop()).stderr).toContain(`${recorded.length} of ${recorded.length} steps`);
  });

  it('what the client cannot do is said in its answer and on the terminal', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 's.yaml'), 'steps: [{ read: a.ts }]\n');
    const { url, stop } = await serving(folder, ['--script', 's.yaml']);
    const { last } = await work(url, [tool('Look', 'at')], 1e9, '');
    expect(wordsOf(last)).toContain(
      'Script problem: the script needs a tool that reads files, which the request does not define',
    );
    expect((await stop()).stderr).toContain('its tools: Look');
  });

  it('a wait makes the cache expire', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 's.yaml'), 'steps: [{ text: a, wait: 6min }, { text: b }, { text: c }]\n');
    const { url } = await serving(folder, ['--script', 's.yaml']);
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
    const messages: MessageParam[] = [{ role: 'user', content: 'x' }];
    const reads: number[] = [];
    for (let i = 0; i < 3; i++) {
      const answer = await client.messages.create({
        model: 'claude-sonnet-4-5',
        max_tokens: 100,
        system: [{ type: 'text', text: 's'.repeat(12_000), cache_control: { type: 'ephemeral' } }],
        messages,
      });
      reads.push(answer.usage.cache_read_input_tokens ?? 0);
      messages.push(...goOn(answer));
    }
    expect(reads).toEqual([0, 0, 3_000]);
  });

  it('a mistake has its place and a way out', async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, 's.yaml'), 'steps:\n  - text: a\n    lattency: 2s\n');
    const { stderr, code } = await cli(['serve', '--port', '0', '--script', 's.yaml'], { cwd: folder });
    expect(code).not.toBe(0);
    expect(stderr).toContain('s.yaml:3:5');
    expect(stderr).toContain('did you mean `latency`?');
  });

  it.each([
    ['scenarios/quickstart.yaml', 'this is a scenario, not a script'],
    ['fixtures/memory-sentences.jsonl', 'this is neither a script nor a recording in a known format'],
  ])('%s is no script', async (file, message) => {
    const { stderr, code } = await cli(['serve', '--port', '0', '--script', file], { cwd: ROOT });
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('the connection', () => {
  async function listening(fetch: () => Promise<Response>) {
    const server = await listenLocally(fetch, 0);
    onTestFinished(() => server.close());
    return server.url;
  }

  it('a body over the limit is answered with 413, however late the client reads', async () => {
    const { url } = await serving(tempFolder());
    const headers = {
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    };
    const sent = request(`${url}/v1/messages`, { method: 'POST', headers });
    const part = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 40; i++) if (!sent.write(part)) await once(sent, 'drain');
    sent.end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    expect(answer.statusCode).toBe(413);
  });

  it('the head of an answer goes when its body is due, so that clients can run out of time', async () => {
    let release = () => {};
    const due = new Promise<void>((done) => {
      release = done;
    });
    const body = new ReadableStream({
      async pull(controller) {
        await due;
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
      },
    });
    const url = await listening(() => Promise.resolve(new Response(body)));
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0, timeout: 50 });
    await expect(client.models.list()).rejects.toThrow('timed out');
    release();
  });
});
