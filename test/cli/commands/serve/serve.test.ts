import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import Anthropic, { APIConnectionError, OverloadedError, RateLimitError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { cli, refused, tempFolder } from '../../cli.js';
import { serving } from './serving.js';

const MODEL = 'claude-sonnet-4-5';

hideWarnings();

const clientOf = (baseURL: string, maxRetries = 0) => new Anthropic({ apiKey: 'any', baseURL, maxRetries });

/** 3,000 tokens of system prompt with a marker, then the messages: four characters a token. */
function body(messages: readonly string[], given: Partial<MessageCreateParamsNonStreaming> = {}) {
  return {
    model: MODEL,
    max_tokens: 1_000,
    system: [{ type: 'text', text: 's'.repeat(12_000), cache_control: { type: 'ephemeral' } }],
    messages: messages.map(
      (content, i): MessageParam => ({ role: i % 2 === 0 ? 'user' : 'assistant', content }),
    ),
    ...given,
  } satisfies MessageCreateParamsNonStreaming;
}

const HELLO = 'hello, how are you?!'; // 20 characters, 5 tokens
const ANSWER = 'Read 1 turn.'; // 12 characters, 3 tokens

describe('ccbench serve', () => {
  it('C39 the SDK gets read, written and input tokens over loopback; Ctrl-C prints what they cost', async () => {
    const { url, printed, stop } = await serving(tempFolder());
    const client = clientOf(url);
    const first = await client.messages.create(body([HELLO]));
    expect(first.content).toEqual([{ type: 'text', text: ANSWER }]);
    expect(first.usage).toMatchObject({
      input_tokens: 5,
      cache_creation_input_tokens: 3_000,
      cache_read_input_tokens: 0,
      output_tokens: 3,
    });
    const second = await client.messages.create(body([HELLO, ANSWER, HELLO]));
    expect(second.usage).toMatchObject({
      input_tokens: 13, // 5 + 3 + 5
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 3_000,
      output_tokens: 3,
    });
    expect(printed()).toContain('prompt 3,005  read 0  wrote 3,000 (5 min)  input 5  out 3');
    expect(printed()).toContain('new conversation');
    expect(printed()).toContain('prompt 3,013  read 3,000  wrote 0  input 13  out 3');
    const { code, stdout, stderr } = await stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('2 calls: 2 answered, 0 refused; 1 conversation');
    expect(stdout).toContain(
      'prompt 6,018 tokens: read 3,000 (49.9%), written 5 min 3,000, written 1 h 0, uncached 18; output 6',
    );
    // $3 in, $15 out, $0.30 read, $3.75 written per million: 18 × 3 + 6 × 15 + 3,000 × 0.3 + 3,000 × 3.75 = 12,294
    // without a cache 6,018 × 3 + 6 × 15 = 18,144
    expect(stdout).toContain('cost $0.0123; without a cache $0.0181');
  });

  it('C39 streams and counts as the plain call does', async () => {
    const { url, stop } = await serving(tempFolder());
    const client = clientOf(url);
    const streamed = await client.messages.stream(body([HELLO])).finalMessage();
    expect(streamed.content).toEqual([{ type: 'text', text: ANSWER }]);
    expect(streamed.usage).toMatchObject({ input_tokens: 5, cache_creation_input_tokens: 3_000 });
    const { max_tokens: _max, ...counted } = body([HELLO]);
    expect(await client.messages.countTokens(counted)).toEqual({ input_tokens: 3_005 });
    const { stdout } = await stop();
    expect(stdout).toContain('200 POST /v1/messages/count_tokens');
    expect(stdout).toContain('2 calls: 1 answered, 0 refused, 1 that cost nothing');
  });

  it('CCH-4 fast mode has its own price, and is refused where a model has none', async () => {
    const { url, stop } = await serving(tempFolder(), ['--json']);
    const client = clientOf(url);
    const fast = { speed: 'fast' } as Partial<MessageCreateParamsNonStreaming>;
    const { usage } = await client.messages.create(body([HELLO], { model: 'claude-opus-5', ...fast }));
    expect(usage).toMatchObject({ speed: 'fast', cache_read_input_tokens: 0 });
    await expect(client.messages.create(body([HELLO], fast))).rejects.toThrow('has no fast mode');
    const { totals } = JSON.parse((await stop()).stdout);
    // $10 in, $12.50 written, $50 out per million: twice the usual price.
    const dollars =
      usage.input_tokens * 10 + usage.cache_creation_input_tokens! * 12.5 + usage.output_tokens * 50;
    expect(totals.costUsd).toBeCloseTo(dollars / 1e6, 9);
  });

  it('CCH-2 tells why the cache broke: time, the system prompt, no marker, too short', async () => {
    const { url, pass, stop } = await serving(tempFolder(), ['--json']);
    const client = clientOf(url);
    await client.messages.create(body([HELLO]));
    pass(299);
    await client.messages.create(body([HELLO]));
    pass(300);
    await client.messages.create(body([HELLO]));
    await client.messages.create(
      body([HELLO], {
        system: [{ type: 'text', text: 't'.repeat(12_000), cache_control: { type: 'ephemeral' } }],
      }),
    );
    await client.messages.create(body([HELLO], { system: 't'.repeat(12_000) }));
    await client.messages.create(
      body(['short'], {
        system: [{ type: 'text', text: 't'.repeat(400), cache_control: { type: 'ephemeral' } }],
      }),
    );
    const { calls, totals } = JSON.parse((await stop()).stdout);
    const seen = calls.map(({ missReason, missedTokens }: Record<string, unknown>) => [
      missReason,
      missedTokens,
    ]);
    expect(seen).toEqual([
      ['first', 0],
      [null, 0],
      ['ttl-5m', 3_000],
      ['system', 3_000],
      ['no-marker', 3_000],
      ['too-short', 0],
    ]);
    expect(totals.breaks).toEqual({ 'no-marker': 1, system: 1, 'ttl-5m': 1 });
    expect(totals.conversations).toBe(2);
  });

  it('--ttl makes every marker live an hour', async () => {
    const { url, pass, stop } = await serving(tempFolder(), ['--ttl', '1h']);
    const client = clientOf(url);
    const { usage } = await client.messages.create(body([HELLO]));
    expect(usage.cache_creation).toEqual({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 3_000 });
    pass(3_599);
    expect((await client.messages.create(body([HELLO]))).usage.cache_read_input_tokens).toBe(3_000);
    pass(3_600);
    expect((await client.messages.create(body([HELLO]))).usage.cache_read_input_tokens).toBe(0);
    expect((await stop()).stdout).toContain('3,000 cached tokens missed: an hour had passed');
  });

  it('--fault strikes as its conditions say, and costs nothing', async () => {
    const { url, stop } = await serving(tempFolder(), [
      ...['--fault', 'overloaded:nth=1'],
      ...['--fault', 'rate_limited:nth=2,retryAfterSeconds=7'],
      ...['--fault', 'connection_cut:nth=3'],
    ]);
    const client = clientOf(url);
    await expect(client.messages.create(body([HELLO]))).rejects.toBeInstanceOf(OverloadedError);
    const limited = await client.messages.create(body([HELLO])).catch((error: unknown) => error);
    expect(limited).toBeInstanceOf(RateLimitError);
    expect((limited as RateLimitError).headers?.get('retry-after')).toBe('7');
    await expect(client.messages.create(body([HELLO]))).rejects.toBeInstanceOf(APIConnectionError);
    expect((await client.messages.create(body([HELLO]))).usage.cache_creation_input_tokens).toBe(3_000);
    const { stdout } = await stop();
    expect(stdout).toContain('529 POST /v1/messages: Overloaded');
    expect(stdout).toContain('cut POST /v1/messages: Connection error.');
    expect(stdout).toContain('4 calls: 1 answered, 3 refused');
  });

  it('--mid-stream breaks off a streamed answer', async () => {
    const { url } = await serving(tempFolder(), ['--mid-stream', '--fault', 'overloaded:nth=1']);
    const broken = clientOf(url)
      .messages.stream(body([HELLO]))
      .finalMessage();
    await expect(broken).rejects.toMatchObject({ type: 'overloaded_error' });
  });

  it('--scenario takes the faults of a scenario; a summary is asked for as the clients ask', async () => {
    const file = `name: f\ntranscript: { synthetic: { workload: bugfix, turns: 1 } }\npolicy: none\nllm: { faults: [{ call: compact, error: empty_summary }] }\n`;
    const { url } = await serving(tempFolder({ 'f.yaml': file }), ['--scenario', 'f.yaml']);
    const client = clientOf(url);
    expect((await client.messages.create(body([HELLO]))).content).toHaveLength(1);
    const asked = 'Your task is to create a detailed summary of the conversation so far.';
    expect((await client.messages.create(body([HELLO, ANSWER, asked]))).content).toEqual([]);
  });

  it('a conversation goes on after its summary: the compaction broke the cache', async () => {
    const { url, stop } = await serving(tempFolder(), ['--json']);
    const client = clientOf(url);
    const marked = (text: string) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }] as const;
    const long = 'm'.repeat(20_000); // 5,000 tokens
    await client.messages.create({ ...body([]), messages: [{ role: 'user', content: [...marked(long)] }] });
    await client.messages.create({
      ...body([]),
      messages: [
        { role: 'user', content: [...marked(long)] },
        { role: 'assistant', content: ANSWER },
        { role: 'user', content: [...marked('Write a summary of this conversation.')] },
      ],
    });
    await client.messages.create({
      ...body([]),
      messages: [{ role: 'user', content: [...marked('Summary: m')] }],
    });
    const { calls } = JSON.parse((await stop()).stdout);
    expect(calls.map(({ conversation }: { conversation: number }) => conversation)).toEqual([1, 1, 1]);
    // 8,000 + 3 + round(37 / 4) were cached, the system prompt is read again
    expect(calls[2]).toMatchObject({ missReason: 'compaction', missedTokens: 8_012 - 3_000 });
  });

  it('a compaction by the API is a summary and a compaction of the recording', async () => {
    const folder = tempFolder();
    const { url, stop } = await serving(folder, ['--record', 'session.jsonl']);
    const create = (messages: readonly object[]) =>
      clientOf(url).beta.messages.create({
        ...body([]),
        model: 'claude-sonnet-4-6',
        messages,
        betas: ['compact-2026-01-12'],
        context_management: {
          edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 } }],
        },
      } as never);
    const long = { role: 'user', content: 'm'.repeat(200_000) }; // 50,000 tokens
    const hello = { role: 'user', content: HELLO };
    const first = [hello, { role: 'assistant', content: (await create([hello])).content }, long];
    const { content } = await create(first);
    await create([...first, { role: 'assistant', content }, hello]);
    const { stdout } = await stop();
    expect(stdout).toContain('4 calls: 4 answered, 0 refused; 1 conversation');
    const inspected = await cli(['inspect', 'session.jsonl', '--json'], { cwd: folder });
    expect(JSON.parse(inspected.stdout).total).toMatchObject({ calls: 4, compactions: 1 });
    expect(inspected.stderr).not.toContain('lost');
  });
});

describe('misuse of ccbench serve', () => {
  it('a body that is not JSON and one over the limit are refused in the words of the API', async () => {
    const { url, stop } = await serving(tempFolder());
    const headers = { 'x-api-key': 'any', 'anthropic-version': '2026-10-21' };
    const bad = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body: '{"model":' });
    expect(bad.status).toBe(400);
    expect(await bad.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'The request body is not valid JSON.' },
    });
    const large = await new Promise<[number | undefined, string]>((done, fail) => {
      const call = request(`${url}/v1/messages`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 33 * 1024 * 1024 },
      });
      call.on('error', fail);
      call.on('response', (answer) => {
        let text = '';
        answer.on('data', (part) => (text += part));
        answer.on('end', () => done([answer.statusCode, text]));
      });
      call.flushHeaders();
    });
    expect(large[0]).toBe(413);
    expect(JSON.parse(large[1])).toMatchObject({ error: { type: 'request_too_large' } });
    const keyless = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(keyless.status).toBe(401);
    expect((await fetch(`${url}/v1/models/%E0%A4%A`, { headers })).status).toBe(404);
    expect((await stop()).stdout).toContain('4 calls: 0 answered, 4 refused; 0 conversations');
  });

  it('sampling settings are refused from version 2026-10-21 on alone', async () => {
    const { url } = await serving(tempFolder());
    const send = (version: string) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'x-api-key': 'any', 'anthropic-version': version },
        body: JSON.stringify({ ...body([HELLO]), temperature: 1 }),
      });
    expect((await send('2023-06-01')).status).toBe(200);
    expect((await send('2026-10-21')).status).toBe(400);
  });

  it('a port in use is an error with a way out, and leaves no recording behind', async () => {
    const taken = createServer();
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done));
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as { port: number };
    const cwd = tempFolder();
    const stderr = await refused(['serve', '--port', String(port), '--record', 'out.jsonl'], { cwd });
    expect(stderr).toContain(`port ${port} cannot be opened: it is in use`);
    expect(stderr).toContain('--port 0');
    expect(readdirSync(cwd)).toEqual([]);
  });

  it.each([
    [['--port', '65536'], 'from 0 to 65535'],
    [['--ttl', '2h'], 'It must be 5m or 1h'],
    [['--count-with', 'guess'], 'heuristic, gpt-tokenizer or js-tiktoken'],
    [['--latency-scale', '-1'], 'of 0 or more'],
    [['--fault', 'overloded'], '--fault overloded: `error`: expected prompt_too_long, '],
    [['--fault', 'overloded'], 'got "overloded"\n  hint: did you mean `overloaded`?'],
    [['--fault', 'slow:evry=5'], '--fault slow:evry=5: unknown key `evry`\n  hint: did you mean `every`?'],
    [['--fault', 'slow:from=5,to=4'], '--fault slow:from=5,to=4: `to` comes before `from` (4 < 5)'],
    [['--fault', 'overloaded:often'], '"often" is not a condition of a fault'],
    [['--scenario', 'missing.yaml'], 'missing.yaml'],
    [['--trace', 'out.json'], '"--trace" is now called "--record"'],
    [['--keep-text'], '--keep-text has no effect without --record'],
    [['--upstream', 'api.example'], '--upstream is not the address of an API'],
    [['--upstream', 'https://user:secret@api.example'], '--upstream is not the address of an API'],
    [['--upstream', 'ftp://api.example'], '--upstream is not the address of an API'],
    [['--upstream', 'http://a.example', '--clock', '60x'], '--clock has no effect with --upstream'],
    [
      ['--upstream', 'http://a.example', '--latency-scale', '0'],
      '--latency-scale has no effect with --upstream',
    ],
  ])('%j is refused', async (argv, said) => {
    const stderr = await refused(['serve', ...argv], { cwd: tempFolder() });
    expect(stderr).toContain(said);
  });
});
