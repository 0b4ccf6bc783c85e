// Runs one client through one workload under one setting, and writes what happened.

import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { startStandIn } from './stand-in.mjs';
import { simulatedTimes, truthOf } from './truth.mjs';
import { agentAnswerTo, answerTo, promptsOf, summaryText, writeFiles } from './workloads.mjs';

const SESSION = '0c0ffee0-0000-4000-8000-000000000001';
const MOST_MS = 180_000;

/** The environment of a client: nothing of the user's, nothing but loopback. */
function environment(url, home, extra) {
  const nowhere = 'http://127.0.0.1:9';
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    CLAUDE_CONFIG_DIR: join(home, 'config'),
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    IS_SANDBOX: '1',
    ...extra,
  };
}

/** Starts a client and resolves when it ends. `onLine` gets each line that it prints. */
function start(command, args, { cwd, env, log, onLine = () => {} }) {
  const [program, ...first] = command;
  const child = spawn(program, [...first, ...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), MOST_MS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    log(line);
    onLine(line);
  });
  createInterface({ input: child.stderr }).on('line', log);
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
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

async function runPrompts({ command, workload, args, where, standIn }) {
  const prompts = promptsOf(workload);
  const format = ['--output-format', 'stream-json', '--verbose'];
  if (workload.prompts === 'new-process') {
    for (const [i, prompt] of prompts.entries()) {
      if (i > 0) standIn.wait(workload.gaps[i - 1]);
      const session = i === 0 ? ['--session-id', SESSION] : ['--continue'];
      const { child, ended } = start(command, ['-p', ...args, ...format, ...session], where);
      child.stdin.end(prompt);
      await ended;
    }
    return;
  }
  let next = 0;
  const send = (child) => {
    if (next === prompts.length) return child.stdin.end();
    if (next > 0) standIn.wait(workload.gaps[next - 1]);
    const message = { role: 'user', content: [{ type: 'text', text: prompts[next++] }] };
    child.stdin.write(
      `${JSON.stringify({ type: 'user', message, parent_tool_use_id: null, session_id: SESSION })}\n`,
    );
  };
  const input = ['--input-format', 'stream-json', '--session-id', SESSION];
  const { child, ended } = start(command, ['-p', ...args, ...format, ...input], {
    ...where,
    onLine(line) {
      if (endsTurn(line)) send(child);
    },
  });
  send(child);
  await ended;
}

/** Copies the transcript of a session with simulated times, and those of its subagents to where newer clients put them. */
function copyTranscripts(config, out, clock) {
  const projects = join(config, 'projects');
  const copies = [];
  for (const project of readdirSync(projects)) {
    for (const name of readdirSync(join(projects, project), { recursive: true })) {
      if (!name.endsWith('.jsonl')) continue;
      const copy = name.replace(SESSION, 'session').replace(/^agent-/, 'session/subagents/agent-');
      const text = readFileSync(join(projects, project, name), 'utf8');
      mkdirSync(dirname(join(out, copy)), { recursive: true });
      writeFileSync(join(out, copy), simulatedTimes(text, clock.toSimulated));
      copies.push(copy);
    }
  }
  return copies;
}

/** One run; the answer is its truth. */
export async function runClient({
  command,
  version,
  model,
  workload,
  setting,
  scratch,
  out,
  keepBodies = false,
}) {
  const home = join(scratch, 'home');
  const folder = join(scratch, 'project');
  rmSync(home, { recursive: true, force: true });
  rmSync(out, { recursive: true, force: true });
  mkdirSync(join(home, 'config'), { recursive: true });
  mkdirSync(out, { recursive: true });
  writeFiles(workload, folder);
  // Older clients keep such settings in the second file.
  if (setting.settings !== undefined)
    for (const name of ['settings.json', '.claude.json'])
      writeFileSync(join(home, 'config', name), JSON.stringify(setting.settings));
  const rows = [];
  const lines = [];
  let bodies = 0;
  const standIn = await startStandIn({
    mainModel: model.replace(/\[.*\]$/, ''),
    rows,
    summary: summaryText(),
    answerMain: (position, context) => answerTo(workload, position, { ...context, folder }),
    answerAgent: (n, position, context) => agentAnswerTo(n, position, { ...context, folder }),
    keepBodies: keepBodies
      ? (text, kind) => writeFileSync(join(out, `body-${++bodies}-${kind}.json`), text)
      : null,
  });
  try {
    await runPrompts({
      command,
      workload,
      standIn,
      args: ['--model', model, '--dangerously-skip-permissions', ...(setting.args ?? [])],
      where: {
        cwd: folder,
        env: environment(standIn.url, home, setting.env),
        log: (line) => lines.push(line),
      },
    });
  } finally {
    await standIn.close();
  }
  writeFileSync(join(scratch, 'last-output.log'), `${lines.join('\n')}\n`);
  const files = copyTranscripts(join(home, 'config'), out, standIn.clock);
  writeFileSync(join(out, 'requests.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const truth = {
    version,
    model,
    setting,
    files,
    ...truthOf(rows),
    scripted: workload.steps.length,
  };
  writeFileSync(join(out, 'truth.json'), `${JSON.stringify(truth, null, 2)}\n`);
  return truth;
}
