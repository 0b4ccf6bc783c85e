import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPromptCache } from '../../../../provider/cache/prompt-cache.js';
import { createFakeApi } from '../../../../provider/fake-api/fake-api.js';
import { listenLocally } from '../../serve/local-server.js';
import type { BenchResult } from '../result.js';
import { serveMemory } from '../serve-memory.js';

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

const HEADERS = { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };

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
