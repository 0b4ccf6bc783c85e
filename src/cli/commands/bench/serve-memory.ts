import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtModule } from '../../../core/base/built.js';
import { canProbe } from './peak-memory.js';
import type { RatioResult } from './result.js';

/** Requests under way at once, and requests of one conversation. */
const AT_ONCE = 8;
const TURNS = 8;

/** An hour passes in a second, so that entries expire as they do in a server that runs for days. */
const CLOCK = '3600x';

/** Garbage is collected when it is a third of what is held: otherwise it would be most of what is measured. */
const COLLECT_EARLY = '--heap-growing-percent=30';

/** How much more memory a server may hold behind ten times as many requests. */
const MOST_GROWTH = 1.25;

const HEADERS = {
  'content-type': 'application/json',
  authorization: 'Bearer any',
  'anthropic-version': '2023-06-01',
};

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

/** The memory of a server behind some requests and behind ten times as many; null where it cannot be measured. */
export async function serveMemory(requests: number): Promise<RatioResult | null> {
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
