import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { cli, tempFolder } from '../../cli.js';
import { serving } from './serving.js';

const KEY = 'sk-ant-very-secret';
const MODEL = 'claude-sonnet-4-5';

hideWarnings();

/** 3,000 tokens of system prompt with a marker: four characters a token. */
function body(...words: string[]) {
  const cache_control = { type: 'ephemeral' } as const;
  return {
    model: MODEL,
    max_tokens: 500,
    system: [{ type: 'text' as const, text: 's'.repeat(12_000), cache_control }],
    messages: words.map((content, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content,
    })),
  };
}

const PROMPTS = [['hello'], ['hello', 'Read 1 turn.', 'go on'], ['something else']] as const;

const clientOf = (baseURL: string) => new Anthropic({ apiKey: KEY, baseURL, maxRetries: 0 });

interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server that answers as a test says, and keeps what it got. */
async function answering(answer: (response: ServerResponse, got: Got) => void) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      got.push({ method, url, headers, body: Buffer.concat(parts) });
      answer(response, got.at(-1)!);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got };
}

const JSON_TYPE = { 'content-type': 'application/json' };

describe('ccbench serve --upstream', () => {
  it('passes answers on unchanged; billed is what the API said, and agrees with what is predicted', async () => {
    const cwd = tempFolder();
    const direct = clientOf((await serving(tempFolder())).url);
    const upstream = await serving(tempFolder(), ['--json']);
    const between = await serving(cwd, ['--upstream', upstream.url, '--record', 'out.jsonl']);
    const through = clientOf(between.url);
    for (const words of PROMPTS) {
      const expected = await direct.messages.create(body(...words));
      expect(await through.messages.create(body(...words))).toEqual(expected);
    }
    const said = JSON.parse((await upstream.stop()).stdout).calls.map(
      ({ usage }: { usage: unknown }) => usage,
    );
    const ended = await between.stop();
    const text = readFileSync(join(cwd, 'out.jsonl'), 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(lines.map(({ billed }) => billed)).toEqual(said);
    expect(lines.map(({ usage }) => usage)).toEqual(said);
    expect(text + ended.stdout + ended.stderr + between.printed()).not.toContain(KEY);
    expect(ended.stdout).toContain('read 3,000 (predicted 3,000)');
    // $3 in, $15 out, $0.30 read, $3.75 written per million: 10 × 3 + 9 × 15 + 6,000 × 0.3 + 3,000 × 3.75 = 13,215
    expect(ended.stdout).toContain(
      'upstream billed 3 requests: 3 read what was predicted; billed $0.0132, as predicted',
    );
    const inspected = JSON.parse((await cli(['inspect', 'out.jsonl', '--json'], { cwd })).stdout);
    expect(inspected.total).toMatchObject({ calls: 3, cachedTokens: 6_000, writtenTokens: 3_000 });
  });

  it('streams come through as they are, event by event', async () => {
    const upstream = await serving(tempFolder());
    const direct = await serving(tempFolder());
    const between = await serving(tempFolder(), ['--json', '--upstream', upstream.url]);
    const ask = async (url: string) => {
      const headers = {
        'x-api-key': KEY,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      };
      const init = { method: 'POST', headers, body: JSON.stringify({ ...body('hello'), stream: true }) };
      const response = await fetch(`${url}/v1/messages?beta=true`, init);
      return [response.status, response.headers.get('content-type'), await response.text()];
    };
    expect(await ask(between.url)).toEqual(await ask(direct.url));
    const { calls } = JSON.parse((await between.stop()).stdout);
    expect(calls[0]).toMatchObject({
      path: '/v1/messages',
      billed: { input: 1, cacheRead: 0, cacheWrite5m: 3_000, cacheWrite1h: 0, output: 3 },
      missReason: 'first',
    });
  });

  it.each([204, 205, 304])('answers without a body where the upstream has none: %i', async (status) => {
    const { url } = await answering((response) => void response.writeHead(status).end());
    const between = await serving(tempFolder(), ['--upstream', url]);
    const response = await fetch(`${between.url}/v1/other`);
    expect([response.status, await response.text()]).toEqual([status, '']);
  });

  it('does not wait for the end of a stream', async () => {
    let finish = (): void => {};
    const { url } = await answering((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"one":1}\n\n');
      finish = () => response.end('data: {"two":2}\n\n');
    });
    const between = await serving(tempFolder(), ['--upstream', url]);
    const response = await fetch(`${between.url}/v1/other`);
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(Buffer.from(first.value!).toString()).toBe('data: {"one":1}\n\n');
    finish();
    const second = await reader.read();
    expect(Buffer.from(second.value!).toString()).toBe('data: {"two":2}\n\n');
  });

  it('a client that goes away leaves no request behind it', async () => {
    let gone = (): void => {};
    const left = new Promise<void>((done) => {
      gone = done;
    });
    const stop = new AbortController();
    const { url } = await answering((response) => {
      response.once('close', gone);
      stop.abort();
    });
    const between = await serving(tempFolder(), ['--upstream', url]);
    await expect(fetch(`${between.url}/v1/other`, { signal: stop.signal })).rejects.toThrow();
    await left;
  });

  it('passes path, query, headers and bytes on, but what is about the connection', async () => {
    const { url, got } = await answering((response) => {
      response.writeHead(
        201,
        [
          ['set-cookie', 'a=1'],
          ['set-cookie', 'b=2'],
          ['x-id', '7'],
        ].flat(),
      );
      response.end(Buffer.from([0xff, 0x00, 0xfe]));
    });
    const between = await serving(tempFolder(), ['--upstream', `${url}/base/`]);
    const bytes = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]);
    const response = await fetch(`${between.url}/v1/Odd%20path//x?key=${KEY}&b=%2F`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${KEY}`, 'x-own': 'ä', 'accept-encoding': 'gzip, br' },
      body: bytes,
    });
    expect(got[0]).toMatchObject({ method: 'PUT', url: `/base/v1/Odd%20path//x?key=${KEY}&b=%2F` });
    expect(got[0]!.body.equals(bytes)).toBe(true);
    expect(got[0]!.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'x-own': 'ä',
      'accept-encoding': 'identity',
      'content-length': '5',
    });
    expect(got[0]!.headers.host).toBe(new URL(url).host);
    expect(response.status).toBe(201);
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.get('x-id')).toBe('7');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([0xff, 0x00, 0xfe]);
    expect(between.printed()).not.toContain(KEY);
  });

  it('passes refusals on; the line names their kind, never their words', async () => {
    const cwd = tempFolder();
    const { url } = await answering((response) => {
      response.writeHead(401, { ...JSON_TYPE, 'retry-after': '3' });
      const message = `invalid x-api-key: ${KEY}`;
      response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message } }));
    });
    const between = await serving(cwd, ['--upstream', url, '--record', 'out.jsonl']);
    const error = await clientOf(between.url)
      .messages.create(body('hello'))
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Anthropic.AuthenticationError);
    expect((error as Error).message).toContain(KEY); // as the API said it
    const { stdout, stderr } = await between.stop();
    expect(stdout).toContain('401 POST /v1/messages: authentication_error');
    expect(stdout + stderr).not.toContain(KEY);
    expect(stderr).toContain('nothing was recorded');
  });

  it('what cannot be read passes all the same, and is named', async () => {
    const cwd = tempFolder();
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 0,
      output_tokens: 2,
    };
    const { url } = await answering((response) => {
      response.writeHead(200, JSON_TYPE);
      response.end(JSON.stringify({ type: 'message', content: [], stop_reason: 'end_turn', usage }));
    });
    const between = await serving(cwd, ['--upstream', url, '--record', 'out.jsonl']);
    const client = clientOf(between.url);
    const answer = await client.messages.create({ ...body('hello'), model: 'claude-of-tomorrow' });
    expect(answer.usage).toEqual(usage);
    await client.messages.create(body('hello'));
    const { stdout } = await between.stop();
    expect(stdout).toContain('200 POST /v1/messages: passed on, not simulated: model: claude-of-tomorrow');
    // 15 tokens were billed for a prompt that is predicted to write nearly everything
    expect(stdout).toContain('prompt 15  read 5 (predicted 0)');
    expect(stdout).toContain('reads not as predicted');
    const inspected = await cli(['inspect', 'out.jsonl', '--json'], { cwd });
    const { total, files } = JSON.parse(inspected.stdout);
    expect(total).toMatchObject({ calls: 1, promptTokens: 15, cachedTokens: 5, outputTokens: 2 });
    expect(files[0].warnings.map(({ code }: { code: string }) => code)).toEqual(['unread-requests']);
  });

  it('an answer that breaks off is recorded with what was billed by then', async () => {
    const cwd = tempFolder();
    const { url } = await answering((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const usage = {
        input_tokens: 7,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 3_000,
        output_tokens: 1,
      };
      response.write(
        `event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message: { usage } })}\n\n`,
      );
      setTimeout(() => response.destroy(), 20);
    });
    const between = await serving(cwd, ['--upstream', url, '--record', 'out.jsonl']);
    await expect(clientOf(between.url).messages.stream(body('hello')).finalMessage()).rejects.toThrow();
    await vi.waitFor(() => expect(between.printed()).toContain('the answer was cut half-way'));
    const [, line] = readFileSync(join(cwd, 'out.jsonl'), 'utf8').split('\n');
    expect(JSON.parse(line!)).toMatchObject({
      billed: { input: 7, cacheWrite5m: 3_000 },
      error: 'the answer was cut',
    });
  });

  it('an upstream that is not there is a bad gateway', async () => {
    const between = await serving(tempFolder(), ['--upstream', 'http://127.0.0.1:1']);
    const response = await fetch(`${between.url}/v1/messages`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({
      error: { message: 'ccbench serve: http://127.0.0.1:1 cannot be reached (ECONNREFUSED)' },
    });
  });
});
