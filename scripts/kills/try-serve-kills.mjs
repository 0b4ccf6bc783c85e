import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRandom } from '../damage/random.mjs';
import { freePort } from './start-redis.mjs';

/** Requests of a whole trace. */
const REQUESTS = 3;

function ended(child) {
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal })));
}

async function ask(url, n) {
  const messages = [{ role: 'user', content: `Fix it. ${'x'.repeat(400 * (n + 1))}` }];
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 100, messages }),
  });
  return response.text();
}

/** Waits until the server answers. */
async function ready(url) {
  for (let tries = 0; tries < 4_000; tries++) {
    try {
      return await (await fetch(`${url}/v1/models`, { headers: { 'x-api-key': 'any' } })).text();
    } catch {
      await setTimeout(25);
    }
  }
  throw new Error(`nothing listens at ${url}`);
}

/** What a trace holds besides times; null for what is no trace. */
function content(path) {
  try {
    const { requests } = JSON.parse(readFileSync(path, 'utf8'));
    const plain = (list) =>
      list.map((item) => [item.in, item.out, ...(item.requests ? [plain(item.requests)] : [])]);
    return JSON.stringify(plain(requests));
  } catch {
    return null;
  }
}

/**
 * Kills servers that record a trace: while they answer, and while they write it after Ctrl-C. The earlier trace or the whole new one
 * must be there, and the next server must record what an undisturbed one does.
 */
export async function tryServeKills({ kills, seed, start, say }) {
  const cwd = mkdtempSync(join(tmpdir(), 'ccbench-serve-kills-'));
  const path = join(cwd, 'trace.json');
  const problems = [];
  const serve = async (requests, end) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const argv = ['serve', '--port', String(port), '--latency-scale', '0', '--trace', 'trace.json'];
    const child = start([...argv, '--count-with', 'heuristic'], cwd);
    const over = ended(child);
    try {
      await ready(url);
      for (let n = 0; n < requests; n++) await ask(url, n);
      await end(child);
      return await over;
    } finally {
      child.kill('SIGKILL'); // none is left behind where one of these fails
    }
  };
  const whole = () => serve(REQUESTS, async (child) => child.kill('SIGINT'));
  try {
    await whole();
    const wanted = content(path);
    if (wanted === null) throw new Error('the undisturbed server wrote no trace');
    for (let n = 0; n < kills; n++) {
      const random = createRandom(seed, n);
      const before = readFileSync(path, 'utf8');
      await serve(random.below(REQUESTS + 1), async (child) => {
        if (n % 2 === 0) child.kill('SIGINT');
        await setTimeout(30 * random.next());
        child.kill('SIGKILL');
      });
      if (!existsSync(path)) problems.push(`kill ${n}: the earlier trace is gone`);
      else if (readFileSync(path, 'utf8') !== before && content(path) === null)
        problems.push(`kill ${n}: the trace is damaged`);
      const { code } = await whole();
      if (code !== 0) problems.push(`kill ${n}: the next server ended with ${code}`);
      if (content(path) !== wanted) problems.push(`kill ${n}: the next trace differs`);
      const left = readdirSync(cwd).filter((name) => name !== 'trace.json' && name !== '.ccbench');
      if (left.length > 0) problems.push(`kill ${n}: left over: ${left.join(', ')}`);
    }
    for (const problem of problems) say(problem);
    return { kills, problems };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
