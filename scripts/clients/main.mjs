// Drives published clients twice with different settings: npm run clients -- [--out folder] [--only text] [--list]

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { confine, SCRATCH } from './confine.mjs';
import { commandOf, fetchClient } from './fetch-clients.mjs';
import { CLIENTS, RUNS, runName, SETTINGS } from './plan.mjs';
import { runClient } from './run-client.mjs';
import { WORKLOADS } from './workloads.mjs';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    again: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
});
const out = resolve(values.out ?? join(SCRATCH, 'pairs'));
const wanted = RUNS.filter((run) => runName(run).includes(values.only));
if (values.list) {
  for (const run of wanted) console.log(runName(run));
  process.exit(0);
}

const versions = [...new Set(wanted.map((run) => run.version))];
confine(() => {
  for (const version of versions) fetchClient(version, SCRATCH);
});

const commands = {};
for (const version of versions) {
  commands[version] = commandOf(version, SCRATCH);
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
    out: join(out, name),
  });
  const whole = truth.mainRequests === truth.scripted ? '' : ` (script has ${truth.scripted})`;
  console.log(
    `${name}: ${truth.mainRequests} main requests${whole}, $${truth.costUsd.toFixed(3)}, compaction ${places(truth.compactions)}, microcompaction ${places(truth.microcompactions)}`,
  );
  writePairs();
}
writePairs();
