// Runs one client through one workload under one setting, and writes what happened.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { claudeEnv, execScripted, SCRATCH } from './confine.mjs';
import { rowsOf, simulatedTimes, truthOf } from './truth.mjs';
import { promptsOf, scriptOf, writeFiles } from './workloads.mjs';

const SESSION = '0c0ffee0-0000-4000-8000-000000000001';

/** Copies the transcript of a session with simulated times, and those of its subagents to where newer clients put them. */
function copyTranscripts(config, out, toSimulated) {
  const projects = join(config, 'projects');
  const copies = [];
  for (const project of readdirSync(projects)) {
    for (const name of readdirSync(join(projects, project), { recursive: true })) {
      if (!name.endsWith('.jsonl')) continue;
      const copy = name.replace(SESSION, 'session').replace(/^agent-/, 'session/subagents/agent-');
      const text = readFileSync(join(projects, project, name), 'utf8');
      mkdirSync(dirname(join(out, copy)), { recursive: true });
      writeFileSync(join(out, copy), simulatedTimes(text, toSimulated));
      copies.push(copy);
    }
  }
  return copies;
}

/** One run; the answer is its truth. */
export async function runClient({ command, version, model, workload, setting, out }) {
  const home = join(SCRATCH, 'home');
  const folder = join(SCRATCH, 'project');
  for (const place of [home, out]) rmSync(place, { recursive: true, force: true });
  mkdirSync(join(home, 'config'), { recursive: true });
  mkdirSync(out, { recursive: true });
  writeFiles(workload, folder);
  // Older clients keep such settings in the second file.
  if (setting.settings !== undefined)
    for (const name of ['settings.json', '.claude.json'])
      writeFileSync(join(home, 'config', name), JSON.stringify(setting.settings));
  const file = (name) => join(home, name);
  const args = ['--model', model, '--dangerously-skip-permissions', ...(setting.args ?? [])];
  const job = {
    command: [...command, ...args],
    prompts: promptsOf(workload),
    how: workload.prompts,
    session: SESSION,
    sentTo: file('sent.json'),
  };
  writeFileSync(file('job.json'), JSON.stringify(job));
  writeFileSync(file('script.yaml'), JSON.stringify(scriptOf(workload, folder)));
  const client = [process.execPath, join(import.meta.dirname, 'send-prompts.mjs'), file('job.json')];
  const env = { ...claudeEnv(home), ...setting.env };
  const { made, stderr } = execScripted(file('script.yaml'), file('recording.jsonl'), client, {
    cwd: folder,
    home,
    env,
  });
  writeFileSync(join(SCRATCH, 'last-output.log'), stderr);
  if (made === null) throw new Error(`${version} did not run: see last-output.log`);
  const rows = await rowsOf(file('recording.jsonl'), made.calls);
  const sent = JSON.parse(readFileSync(file('sent.json'), 'utf8'));
  const files = copyTranscripts(join(home, 'config'), out, simulatedClock(sent, workload.gaps));
  writeFileSync(join(out, 'requests.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const truth = { version, model, setting, files, ...truthOf(rows), scripted: workload.steps.length };
  writeFileSync(join(out, 'truth.json'), `${JSON.stringify(truth, null, 2)}\n`);
  return truth;
}

/** What the server's clock shows at a time: each prompt but the first comes behind a pause. */
export function simulatedClock(sent, gaps) {
  return (realMs) => {
    const paused = sent.slice(1).filter((at) => at <= realMs);
    return realMs + paused.reduce((sum, _, i) => sum + gaps[i] * 1_000, 0);
  };
}
