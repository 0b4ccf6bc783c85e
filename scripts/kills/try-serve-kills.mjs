import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRandom } from '../damage/random.mjs';
import { freePort } from './start-redis.mjs';

/** Requests of a whole recording. */
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

/** What a recording holds besides times, by request; null for what is no recording. A cut last line is left out. */
function content(path) {
  const text = readFileSync(path, 'utf8');
  const lines = text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .slice(0, -1);
  try {
    const [head, ...requests] = lines.map((line) => JSON.parse(line));
    if (head.format !== 'ccbench-serve') return null;
    return requests.map(({ n, parts, usage }) => JSON.stringify([n, parts, usage]));
  } catch {
    return null;
  }
}

/**
 * Kills servers that record, while they answer and after Ctrl-C. Every request that was answered must be in the recording, or the
 * earlier one must be there where none was; the next server must record what an undisturbed one does.
 */
export async function tryServeKills({ kills, seed, start, say }) {
  const cwd = mkdtempSync(join(tmpdir(), 'ccbench-serve-kills-'));
  const path = join(cwd, 'r.jsonl');
  const problems = [];
  /** Serves until `end` has ended it; while it does, one more request is under way. */
  const serve = async (requests, end) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const argv = ['serve', '--port', String(port), '--latency-scale', '0', '--record', 'r.jsonl'];
    const child = start([...argv, '--count-with', 'heuristic'], cwd);
    const over = ended(child);
    try {
      await ready(url);
      for (let n = 0; n < requests; n++) await ask(url, n);
      await end(child, () => ask(url, requests).catch(() => null));
      return await over;
    } finally {
      child.kill('SIGKILL'); // none is left behind where one of these fails
    }
  };
  const whole = () => serve(REQUESTS, async (child) => child.kill('SIGINT'));
  try {
    await whole();
    const wanted = content(path);
    if (wanted?.length !== REQUESTS) throw new Error('the undisturbed server recorded something else');
    for (let n = 0; n < kills; n++) {
      const random = createRandom(seed, n);
      const before = readFileSync(path, 'utf8');
      const answered = random.below(REQUESTS);
      let last;
      await serve(answered, async (child, askOnce) => {
        if (n % 3 === 0) child.kill('SIGINT');
        else last = askOnce();
        await setTimeout(30 * random.next());
        child.kill('SIGKILL');
      });
      await last;
      const left = content(path);
      if (left === null) problems.push(`kill ${n}: the recording is damaged`);
      else if (answered === 0 && readFileSync(path, 'utf8') === before) continue;
      else if (left.length < answered)
        problems.push(`kill ${n}: ${answered - left.length} requests are lost`);
      else if (left.some((line, i) => line !== wanted[i])) problems.push(`kill ${n}: the recording differs`);
      const { code } = await whole();
      if (code !== 0) problems.push(`kill ${n}: the next server ended with ${code}`);
      if (content(path)?.join() !== wanted.join()) problems.push(`kill ${n}: the next recording differs`);
      const litter = readdirSync(cwd).filter((name) => name !== 'r.jsonl' && name !== '.ccbench');
      if (litter.length > 0) problems.push(`kill ${n}: left over: ${litter.join(', ')}`);
    }
    for (const problem of problems) say(problem);
    return { kills, problems };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
