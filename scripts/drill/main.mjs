// Drives published clients through one script and compares them with their policies: npm run drill -- [--only text] [--out folder]
// It fetches the clients from npm, without their install scripts, and runs each in an empty home with loopback alone.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ccbench, confine, execScripted, SCRATCH } from '../clients/confine.mjs';
import { fetchClient, fetchPackage } from '../clients/fetch-clients.mjs';
import { programText } from '../clients/workloads.mjs';
import { CLIENTS } from './clients.mjs';
import { compareDrill, drillTable, whatHappened, whatIsPredicted } from './compare.mjs';

const root = resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    script: { type: 'string', default: join(root, 'scenarios/serve/two-compactions.yaml') },
    out: { type: 'string' },
  },
});
const out = resolve(values.out ?? join(SCRATCH, 'drill'));
const wanted = CLIENTS.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
const folderOf = ({ package: spec }) =>
  join(SCRATCH, 'packages', (spec ?? 'claude').replace(/[^a-z0-9.]+/gi, '-'));
const HEAD = 600;

confine(() => {
  for (const client of wanted) {
    if (client.package === null) fetchClient(client.version, SCRATCH);
    else if (client.command(folderOf(client), SCRATCH, SCRATCH) === null)
      fetchPackage(client.package, folderOf(client));
  }
});

const scripts = new URL('../../dist/cli/commands/serve/start-server.js', import.meta.url);
const { readScriptFile } = await import(scripts.href);
const { files } = readScriptFile(readFileSync(values.script, 'utf8'), values.script);
const jsonLines = (path) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Runs one client in an empty home, and what its policy predicts. */
function drill(client, command, home) {
  const folder = join(SCRATCH, 'drill-project');
  const place = join(out, client.name.replaceAll(' ', '-').toLowerCase());
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mkdirSync(place, { recursive: true });
  for (const [i, { path, chars, begins }] of files.entries())
    writeFileSync(join(folder, path), begins + programText(chars - begins.length, i + 1));
  const where = { cwd: folder, home, env: client.env(home) };
  const record = join(place, 'recording.jsonl');
  const { made, stderr } = execScripted(values.script, record, command, where);
  writeFileSync(join(place, 'output.txt'), stderr);
  if (made === null) return { why: `it did not run: ${stderr.slice(-HEAD).replaceAll(/\s+/g, ' ')}` };
  if (made.totals.answered === 0) return { why: 'it sent no request that was answered' };
  const log = join(place, 'predicted.jsonl');
  const policy = ['--policy', client.policy, ...client.set.flatMap((setting) => ['--set', setting])];
  const run = ['run', record, ...policy, '--predict', '--no-files', '--log', log, '--json'];
  const predicted = ccbench(run, { ...where, cwd: place });
  if (predicted.status !== 0) return { why: `no prediction: ${predicted.stderr.slice(-HEAD)}` };
  const costs = {
    real: made.totals.costUsd,
    predicted: JSON.parse(predicted.stdout).runs[0].metrics.costUsd,
  };
  const [, ...lines] = jsonLines(record);
  return { row: compareDrill(client.name, whatHappened(lines), whatIsPredicted(jsonLines(log)), costs) };
}

mkdirSync(out, { recursive: true });
const rows = [];
const skipped = [];
for (const client of wanted) {
  const home = join(SCRATCH, 'drill-home');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'config'), { recursive: true });
  const command = client.command(folderOf(client), SCRATCH, home);
  const result = command === null ? { why: 'it cannot be had from npm here' } : drill(client, command, home);
  if (result.row === undefined) skipped.push({ client: client.name, why: result.why });
  else rows.push(result.row);
  console.log(`${client.name}: ${result.why ?? `${result.row.places}, ${result.row.costUsd}`}`);
}
const table = drillTable(rows, skipped);
writeFileSync(join(out, 'table.md'), `${table}\n`);
writeFileSync(join(out, 'drill.json'), `${JSON.stringify({ rows, skipped }, null, 2)}\n`);
console.log(`\nreal / predicted\n\n${table}`);
