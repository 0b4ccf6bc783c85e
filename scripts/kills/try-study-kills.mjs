import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createRandom } from '../damage/random.mjs';

const SCENARIO = `name: killed
transcript: { synthetic: { workload: bugfix, turns: 40, text: none } }
policy: baselines/prune
`;

function sweepArgs(points) {
  const vary = ['--vary', `rules.prune.when.piled=2000..200000:${points}`, '--vary', 'cache.ttl=5m,1h'];
  return ['a.yaml', ...vary, '--set', 'rules.prune.select.keep.tokens=1000'];
}

function ended(child) {
  return new Promise((done) => child.on('close', (code, signal) => done({ code, signal })));
}

/** The parts of a results folder by their digests, and whatever else should not be there. */
function contents(folder) {
  const parts = {};
  for (const name of readdirSync(join(folder, 'parts')).sort())
    parts[name] = createHash('sha256')
      .update(readFileSync(join(folder, 'parts', name)))
      .digest('hex');
  return { parts, batches: readdirSync(join(folder, 'batches')) };
}

/** Kills one process after the other in the middle of a study, and lets the last one finish. */
async function killSweeps({ cwd, args, kills, random, start, meanMs }) {
  let done = 0;
  for (let n = 0; done < kills && n < 20 * kills; n++) {
    const child = start(['sweep', ...args, '--results', 'killed', '--workers', '2'], cwd);
    const end = ended(child);
    const stop = new AbortController();
    const timer = setTimeout(meanMs * (0.5 + random.next()), undefined, { signal: stop.signal }).then(
      () => child.kill('SIGKILL'),
      () => {},
    );
    const { signal, code } = await end;
    stop.abort();
    await timer;
    if (signal === 'SIGKILL') done++;
    else if (code !== 0) return { kills: done, code };
    else rmSync(join(cwd, 'killed'), { recursive: true, force: true }); // over too early: from the beginning again
  }
  const { code } = await ended(start(['sweep', ...args, '--results', 'killed', '--workers', '2'], cwd));
  return { kills: done, code };
}

/** Kills workers of a fleet while one command waits for the study; a new worker comes for each that goes. */
async function killWorkers({ cwd, args, kills, random, start, meanMs, redis }) {
  let done = 0;
  let rounds = 0;
  let code = 0;
  while (done < kills && rounds++ < 20 * kills) {
    rmSync(join(cwd, 'killed'), { recursive: true, force: true });
    const run = start(['fleet', 'run', ...args, '--results', 'killed', '--redis', redis], cwd);
    let isOver = false;
    const end = ended(run).then((result) => {
      isOver = true;
      return result;
    });
    const worker = () => start(['fleet', 'worker', '--redis', redis, '--lease', '2', '--workers', '1'], cwd);
    const slots = await Promise.all(
      [0, 1].map(async () => {
        let killed = 0;
        while (!isOver) {
          const child = worker();
          const gone = ended(child);
          const stop = new AbortController();
          const isLast = done + killed >= kills;
          const lives = setTimeout(isLast ? 600_000 : meanMs * (0.5 + random.next()), 'time', {
            signal: stop.signal,
          });
          const why = await Promise.race([
            lives.catch(() => 'over'),
            end.then(() => 'over'),
            gone.then(() => 'gone'),
          ]);
          stop.abort();
          child.kill('SIGKILL');
          await gone;
          if (why === 'time') {
            killed++;
            done++;
          }
        }
        return killed;
      }),
    );
    ({ code } = await end);
    if (code !== 0 || slots.length === 0) break;
  }
  return { kills: done, code };
}

/**
 * Kills in the middle of a study, on one machine or on a fleet, and compares with an undisturbed run: the parts must be the same
 * bytes, nothing may be left over, and another run must compute nothing.
 */
export async function tryStudyKills({ kills, seed, points, meanMs, start, redis, say }) {
  const cwd = mkdtempSync(join(tmpdir(), 'ccbench-study-kills-'));
  const problems = [];
  try {
    writeFileSync(join(cwd, 'a.yaml'), SCENARIO);
    const args = sweepArgs(points);
    const startMs = performance.now();
    const first = await ended(start(['sweep', ...args, '--results', 'whole', '--workers', '2'], cwd));
    if (first.code !== 0) throw new Error(`the undisturbed run ended with ${first.code}`);
    // A short study is killed while it runs: one that is over before has to begin again.
    const withinMs = 0.6 * (performance.now() - startMs);
    const random = createRandom(seed, 0);
    const trial = { cwd, args, kills, random, start, redis, meanMs: Math.min(meanMs, withinMs) };
    const result = await (redis === undefined ? killSweeps(trial) : killWorkers(trial));
    if (result.code !== 0) problems.push(`the last run ended with ${result.code}`);
    const [wanted, got] = [contents(join(cwd, 'whole')), contents(join(cwd, 'killed'))];
    if (JSON.stringify(got.parts) !== JSON.stringify(wanted.parts)) problems.push('the parts differ');
    if (got.batches.length > 0) problems.push(`left over: ${got.batches.join(', ')}`);
    const before = JSON.stringify(got);
    const again = await ended(start(['sweep', ...args, '--results', 'killed', '--workers', '2'], cwd));
    if (again.code !== 0 || JSON.stringify(contents(join(cwd, 'killed'))) !== before)
      problems.push('another run changed something');
    for (const problem of problems) say(problem);
    return { kills: result.kills, problems };
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
