import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { BenchResult, RatioResult } from '../../src/cli/commands/bench/result.js';
import { listenLocally } from '../../src/cli/commands/serve/local-server.js';
import { builtModule } from '../../src/core/base/built.js';
import { createPromptCache } from '../../src/provider/cache/prompt-cache.js';
import { createFakeApi } from '../../src/provider/fake-api/fake-api.js';
import { canProbe } from '../recording-file.js';

/** Requests under way at once, and requests of one conversation. */
const AT_ONCE = 8;
const TURNS = 8;

/** An hour passes in a second, so that entries expire as they do in a server that runs for days. */
const CLOCK = '3600x';

/** Garbage is collected when it is a third of what is held: otherwise it would be most of what is measured. */
const COLLECT_EARLY = '--heap-growing-percent=30';

/** How much more memory a server may hold after ten times as many requests. */
const MOST_GROWTH = 1.25;

/** A turn of a short conversation, through one API after the other, with what each of them keeps between requests. */
function requestOf(n: number): readonly [path: string, body: object] {
  const conversation = Math.floor(n / AT_ONCE / TURNS) * AT_ONCE + (n % AT_ONCE);
  const turns = 1 + (Math.floor(n / AT_ONCE) % TURNS);
  const messages = Array.from({ length: 2 * turns - 1 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `${conversation} says ${i}`,
  }));
  switch (n % 4) {
    case 0:
      return ['/v1/responses', { model: 'gpt-5.5', input: messages, reasoning: { effort: 'low' } }];
    case 1:
      return ['/v1/chat/completions', { model: 'gpt-5.5', messages }];
    default: {
      const system = [{ type: 'text', text: 's'.repeat(5_000), cache_control: { type: 'ephemeral' } }];
      const asked = { max_tokens: 2_000, thinking: { type: 'enabled', budget_tokens: 1_024 } };
      const diagnostics = { previous_message_id: null };
      return ['/v1/messages', { model: 'claude-sonnet-4-5', ...asked, system, messages, diagnostics }];
    }
  }
}

async function send(url: string, from: number, to: number): Promise<void> {
  let next = from;
  const worker = async (): Promise<void> => {
    while (next < to) {
      const [path, body] = requestOf(next++);
      const init = { method: 'POST', headers: HEADERS, body: JSON.stringify(body) };
      const answer = await fetch(`${url}${path}`, init);
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`status ${answer.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function heldBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1_024;
}

/** The memory of a server after some requests and after ten times as many; null where it cannot be measured. */
async function serveMemory(requests: number): Promise<RatioResult | null> {
  if (!canProbe()) return null;
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-serve-'));
  const main = fileURLToPath(builtModule('cli/main')!);
  const options = ['--port', '0', '--latency-scale', '0', '--count-with', 'heuristic', '--clock', CLOCK];
  const server = spawn(
    process.execPath,
    [COLLECT_EARLY, main, 'serve', ...options, '--record', 'all.jsonl', '--page'],
    { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    const url = await new Promise<string>((found, failed) => {
      server.once('exit', (code) => failed(new Error(`the server ended with exit code ${code}`)));
      server.stdout.on('data', (text: Buffer) => {
        const listening = /listening at (\S+)/.exec(text.toString())?.[1];
        if (listening !== undefined) found(listening);
      });
    });
    await send(url, 0, requests);
    const few = heldBytes(server.pid!);
    await send(url, requests, requests * 10);
    const many = heldBytes(server.pid!);
    const said = (bytes: number, count: number): string =>
      `${Math.round(bytes / 1_048_576)} MB after ${count.toLocaleString('en')} requests`;
    return {
      name: 'serve-memory',
      ratio: (few / many) * MOST_GROWTH,
      promised: 1,
      detail: `${said(few, requests)}, ${said(many, requests * 10)}; ${MOST_GROWTH} times as much may be held, garbage collected early`,
    };
  } finally {
    server.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Requests a second while latencies are taken, and for how long. */
const RATE = 50;
const SECONDS = 6;
const STREAMS = 1_000;

/** The latency that the server may add to a request, at 99 of 100. */
const MOST_ADDED_MS = 5;

/** A request with a prompt of some thousand tokens. */
function body(n: number, stream: boolean): string {
  return JSON.stringify({
    model: 'claude-sonnet-4-5',
    max_tokens: 100,
    stream,
    system: [{ type: 'text', text: 's'.repeat(12_000), cache_control: { type: 'ephemeral' } }],
    messages: [{ role: 'user', content: `request ${n} ${'m'.repeat(2_000)}` }],
  });
}

const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer any',
  'anthropic-version': '2023-06-01',
};

async function ask(url: string, n: number, stream: boolean): Promise<number> {
  const from = performance.now();
  const answer = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: HEADERS,
    body: body(n, stream),
  });
  const text = await answer.text();
  if (answer.status !== 200 || text === '') throw new Error(`status ${answer.status}`);
  return performance.now() - from;
}

/** The latency of 99 of 100 requests at a steady rate, both servers in turn. */
async function latencies(urls: readonly string[], requests: number): Promise<readonly number[]> {
  const taken: number[][] = urls.map(() => []);
  const all: Promise<unknown>[] = [];
  for (let n = 0; n < requests; n++) {
    const at = n % urls.length;
    all.push(ask(urls[at]!, n, false).then((ms) => taken[at]!.push(ms)));
    await sleep(1_000 / RATE / urls.length);
  }
  await Promise.all(all);
  return taken.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length * 0.99)]!);
}

/** A server that reads a request and answers with as much as the other one does. */
async function bareServer(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => response.end('x'.repeat(600)));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Requests after which a server's memory is taken; it is taken again after ten times as many. */
const REQUESTS = 10_000;

/** What the server of `serve` adds to a request against one that does nothing, how many streams it holds at once, and its memory. */
export async function serveSuite({ quick }: { readonly quick: boolean }): Promise<Partial<BenchResult>> {
  const zero = performance.now();
  const api = createFakeApi({
    clock: {
      get now() {
        return Math.round(performance.now() - zero);
      },
      advanceTo() {},
    },
    counter: { count: (text) => Math.ceil(text.length / 4) },
    cache: createPromptCache(),
    latencyScale: 0,
  });
  const bare = await bareServer();
  const server = await listenLocally(api.fetch, 0);
  try {
    await latencies([bare.url, server.url], 40);
    const [plain, served] = await latencies([bare.url, server.url], quick ? 40 : RATE * SECONDS * 2);
    const wanted = quick ? 50 : STREAMS;
    const streams = await Promise.allSettled(
      Array.from({ length: wanted }, (_, n) => ask(server.url, n, true)),
    );
    const done = streams.filter(({ status }) => status === 'fulfilled').length;
    const added = Math.max(0.01, served! - plain!);
    const memory = await serveMemory(quick ? REQUESTS / 100 : REQUESTS);
    return {
      ratios: [
        {
          name: 'serve-latency',
          ratio: MOST_ADDED_MS / added,
          promised: 1,
          detail: `p99 at ${RATE} requests/s: ${served!.toFixed(1)} ms, a server that does nothing ${plain!.toFixed(1)} ms; ${MOST_ADDED_MS} ms may be added`,
        },
        {
          name: 'serve-streams',
          ratio: done / wanted,
          promised: 1,
          detail: `${done} of ${wanted} concurrent streams answered without an error`,
        },
        // So few requests say little: the memory of a program that has just begun grows in any case.
        ...(memory === null ? [] : [quick ? { ...memory, promised: null } : memory]),
      ],
    };
  } finally {
    bare.close();
    await server.close();
  }
}
