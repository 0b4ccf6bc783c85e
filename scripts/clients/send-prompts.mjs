// Gives the prompts of a job to a client, one after the other: node send-prompts.mjs job.json. Writes when it sent each.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const { command, prompts, how, session, sentTo } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const MOST_MS = 180_000;
const FORMAT = ['--output-format', 'stream-json', '--verbose'];
const sent = [];

/** Starts the client and resolves when it ends. `onLine` gets each line that it prints. */
function start(args, onLine = () => {}) {
  const [program, ...first] = command;
  const child = spawn(program, [...first, '-p', ...FORMAT, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    console.log(line);
    onLine(line);
  });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve(clearTimeout(timer)));
  });
  return { child, ended };
}

/** Whether a line that the client prints is the result of a turn. */
function endsTurn(line) {
  try {
    return JSON.parse(line).type === 'result';
  } catch {
    return false;
  }
}

if (how === 'new-process') {
  for (const [i, prompt] of prompts.entries()) {
    sent.push(Date.now());
    const { child, ended } = start(i === 0 ? ['--session-id', session] : ['--continue']);
    child.stdin.end(prompt);
    await ended;
  }
} else {
  const send = (child) => {
    if (sent.length === prompts.length) return child.stdin.end();
    const message = { role: 'user', content: [{ type: 'text', text: prompts[sent.length] }] };
    sent.push(Date.now());
    const line = { type: 'user', message, parent_tool_use_id: null, session_id: session };
    child.stdin.write(`${JSON.stringify(line)}\n`);
  };
  const { child, ended } = start(['--input-format', 'stream-json', '--session-id', session], (line) => {
    if (endsTurn(line)) send(child);
  });
  send(child);
  await ended;
}
writeFileSync(sentTo, JSON.stringify(sent));
