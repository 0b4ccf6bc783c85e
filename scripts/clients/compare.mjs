// Predicts the second run of each pair from the first one's transcript and holds it against the truth:
// node scripts/clients/compare.mjs [--pairs folder] [--cli file] [--only text] [--json]

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SCRATCH } from './confine.mjs';
import { SETTINGS } from './plan.mjs';
import { placesOf, predictionOf, scorePair, summaryOf, tableOf } from './score.mjs';

const { values } = parseArgs({
  options: {
    pairs: { type: 'string' },
    cli: { type: 'string', default: join(import.meta.dirname, '../../dist/cli/main.js') },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const folder = resolve(values.pairs ?? join(SCRATCH, 'pairs'));
const readJson = (...path) => JSON.parse(readFileSync(join(folder, ...path), 'utf8'));

function ccbench(args, cwd) {
  const options = { cwd, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(values.cli), ...args], options);
  if (status === 0) return JSON.parse(stdout);
  console.error(`ccbench ${args.join(' ')}: ${stderr.trim()}`);
  return null;
}

/** The places of the changed run: its events stand in its report folder. */
function simulatedPlaces(session, { key, to }, cwd) {
  const out = mkdtempSync(join(cwd, 'run-'));
  ccbench(['run', session, '--set', `${key}=${to}`, '--json', '--no-charts', '--out', out], cwd);
  const file = readdirSync(out, { recursive: true }).find((name) => name.endsWith('events.csv'));
  return placesOf(file === undefined ? '' : readFileSync(join(out, file), 'utf8'));
}

const work = mkdtempSync(join(tmpdir(), 'ccbench-compare-'));
const rows = [];
try {
  for (const { base, variant, setting } of readJson('pairs.json')) {
    if (!variant.includes(values.only)) continue;
    const { ccbench: change } = SETTINGS[setting];
    const session = join(folder, base, 'session.jsonl');
    const truths = {
      name: variant,
      base: readJson(base, 'truth.json'),
      variant: readJson(variant, 'truth.json'),
    };
    if (change === null) {
      rows.push(scorePair({ ...truths, prediction: null }));
      continue;
    }
    const set = `${change.key}=${change.from},${change.to}`;
    const answer = ccbench(['compare', session, '--set', set, '--json', '--no-files'], work);
    const prediction = answer === null ? null : predictionOf(answer, change);
    rows.push(scorePair({ ...truths, prediction, places: simulatedPlaces(session, change, work) }));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify({ rows, summary: summaryOf(rows) }, null, 2));
else console.log(`${tableOf(rows)}\n\n${summaryOf(rows)}`);
