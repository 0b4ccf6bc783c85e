// Drives published clients twice with different settings: npm run clients -- [--out folder] [--only text] [--list]

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { commandOf, fetchClient } from './fetch-clients.mjs';
import { CLIENTS, RUNS, runName, SETTINGS } from './plan.mjs';
import { runClient } from './run-client.mjs';
import { WORKLOADS } from './workloads.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    bodies: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const scratch = resolve(process.env.CCBENCH_CLIENTS ?? join(tmpdir(), 'ccbench-clients'));
const out = resolve(values.out ?? join(scratch, 'pairs'));
const wanted = RUNS.filter((run) => runName(run).includes(values.only));
if (values.list) {
  for (const run of wanted) console.log(runName(run));
  process.exit(0);
}

/** Where the system allows it, everything goes on in a network of its own that has loopback alone. */
const CONFINED = 'CCBENCH_CLIENTS_CONFINED';
const versions = [...new Set(wanted.map((run) => run.version))];
if (process.env[CONFINED] === undefined) {
  for (const version of versions) fetchClient(version, scratch);
  const probe = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']);
  const inside = probe.status === 0;
  if (!inside) console.log('no network of its own can be made here: clients get a proxy that leads nowhere');
  const self = [process.execPath, ...process.argv.slice(1)];
  const [program, ...args] = inside
    ? ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...self]
    : self;
  const { status } = spawnSync(program, args, {
    stdio: 'inherit',
    env: { ...process.env, [CONFINED]: inside ? 'network' : 'proxy' },
  });
  process.exit(status ?? 1);
}

const commands = {};
for (const version of versions) {
  commands[version] = commandOf(version, scratch);
  if (commands[version] === null) console.log(`skipped: Claude Code ${version} cannot be had from npm here`);
}

const readTruth = (name) => JSON.parse(readFileSync(join(out, name, 'truth.json'), 'utf8'));
const isRun = (name) => existsSync(join(out, name, 'truth.json'));

/** Writes the list of pairs whose two runs are there. */
function writePairs() {
  const pairs = [];
  for (const run of RUNS) {
    const base = runName({ ...run, setting: 'base' });
    const variant = runName(run);
    if (run.setting === 'base' || !isRun(base) || !isRun(variant)) continue;
    const deltaPercent = Number(
      ((readTruth(variant).costUsd / readTruth(base).costUsd - 1) * 100).toFixed(2),
    );
    const { setting } = run;
    pairs.push({ base, variant, setting, ccbench: SETTINGS[setting].ccbench, deltaPercent });
  }
  writeFileSync(join(out, 'pairs.json'), `${JSON.stringify(pairs, null, 2)}\n`);
  const lines = pairs.map(
    ({ base, variant, deltaPercent }) => `- ${variant} against ${base}: ${deltaPercent} %\n`,
  );
  writeFileSync(join(out, 'STATUS.md'), lines.join(''));
}

mkdirSync(out, { recursive: true });
const places = (events) => events.map(({ main }) => main).join(', ') || '-';
for (const run of wanted) {
  const name = runName(run);
  const command = commands[run.version];
  if (command === null || (isRun(name) && !values.again)) continue;
  const truth = await runClient({
    command,
    version: run.version,
    model: run.model ?? CLIENTS[run.version],
    workload: WORKLOADS[run.workload],
    setting: SETTINGS[run.setting],
    scratch,
    out: join(out, name),
    keepBodies: values.bodies,
  });
  const whole = truth.mainRequests === truth.scripted ? '' : ` (script has ${truth.scripted})`;
  console.log(
    `${name}: ${truth.mainRequests} main requests${whole}, $${truth.costUsd.toFixed(3)}, compaction ${places(truth.compactions)}, microcompaction ${places(truth.microcompactions)}`,
  );
  writePairs();
}
writePairs();
