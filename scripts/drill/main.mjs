// Drives published clients through one script and compares them with their policies: npm run drill -- [--only text] [--out folder]
// It fetches the clients from npm, without their install scripts, and runs each in an empty home with loopback alone.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
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
const scratch = resolve(process.env.CCBENCH_CLIENTS ?? join(tmpdir(), 'ccbench-clients'));
const out = resolve(values.out ?? join(scratch, 'drill'));
const wanted = CLIENTS.filter(({ name }) => name.toLowerCase().includes(values.only.toLowerCase()));
const folderOf = ({ package: spec }) =>
  join(scratch, 'packages', (spec ?? 'claude').replace(/[^a-z0-9.]+/gi, '-'));
const MOST_MS = 300_000;
const HEAD = 600;

const CONFINED = 'CCBENCH_CLIENTS_CONFINED';
if (process.env[CONFINED] === undefined) {
  for (const client of wanted) {
    if (client.package === null) fetchClient(client.version, scratch);
    else if (client.command(folderOf(client), scratch, scratch) === null)
      fetchPackage(client.package, folderOf(client));
  }
  const inside = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;
  if (!inside) console.log('no network of its own can be made here: clients get a proxy that leads nowhere');
  const self = [process.execPath, ...process.argv.slice(1)];
  const [program, ...args] = inside
    ? ['unshare', '-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...self]
    : self;
  const env = { ...process.env, [CONFINED]: inside ? 'network' : 'proxy' };
  process.exit(spawnSync(program, args, { stdio: 'inherit', env }).status ?? 1);
}

const { readScriptFile } = await import('../../dist/config/files/script-file.js');
const { files } = readScriptFile(readFileSync(values.script, 'utf8'), values.script);
const main = join(root, 'dist/cli/main.js');

function ccbench(args, options) {
  return spawnSync(process.execPath, [main, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    timeout: MOST_MS,
    ...options,
  });
}

const jsonLines = (path) =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Runs one client in an empty home, and what its policy predicts. */
function drill(client, command, home) {
  const folder = join(scratch, 'drill-project');
  const place = join(out, client.name.replaceAll(' ', '-').toLowerCase());
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  mkdirSync(place, { recursive: true });
  for (const [i, { path, chars, begins }] of files.entries())
    writeFileSync(join(folder, path), begins + programText(chars - begins.length, i + 1));
  const nowhere = 'http://127.0.0.1:9';
  const env = {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    HOME: home,
    HTTP_PROXY: nowhere,
    HTTPS_PROXY: nowhere,
    NO_PROXY: '127.0.0.1,localhost',
    CCBENCH_CACHE: join(scratch, 'cache'),
    ...client.env(home),
  };
  const record = join(place, 'recording.jsonl');
  const server = [
    '--script',
    values.script,
    '--latency-scale',
    '0',
    '--record',
    record,
    '--keep-text',
    '--json',
  ];
  const real = ccbench(['exec', ...server, '--', ...command], { cwd: folder, env });
  writeFileSync(join(place, 'output.txt'), real.stderr ?? '');
  let made;
  try {
    made = JSON.parse(real.stdout);
  } catch {
    return { why: `it did not run: ${(real.stderr ?? '').slice(-HEAD).replaceAll(/\s+/g, ' ')}` };
  }
  if (made.totals.answered === 0) return { why: 'it sent no request that was answered' };
  const log = join(place, 'predicted.jsonl');
  const policy = ['--policy', client.policy, ...client.set.flatMap((setting) => ['--set', setting])];
  const predicted = ccbench(['run', record, ...policy, '--predict', '--no-files', '--log', log, '--json'], {
    cwd: place,
    env,
  });
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
  const home = join(scratch, 'drill-home');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'config'), { recursive: true });
  const command = client.command(folderOf(client), scratch, home);
  const result = command === null ? { why: 'it cannot be had from npm here' } : drill(client, command, home);
  if (result.row === undefined) skipped.push({ client: client.name, why: result.why });
  else rows.push(result.row);
  console.log(`${client.name}: ${result.why ?? `${result.row.places}, ${result.row.costUsd}`}`);
}
const table = drillTable(rows, skipped);
writeFileSync(join(out, 'table.md'), `${table}\n`);
writeFileSync(join(out, 'drill.json'), `${JSON.stringify({ rows, skipped }, null, 2)}\n`);
console.log(`\nreal / predicted\n\n${table}`);
