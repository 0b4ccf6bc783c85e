import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cli, scenario, tempFolder, testCache } from '../../cli.js';

/** The scenario of a study. */
export const PRUNE = scenario('tiny')
  .replace('policy: none', 'policy: baselines/prune')
  .replace('turns: 40', 'turns: 5');

/** What it varies: 70 runs. */
export const VARY: readonly string[] = [
  ...['--vary', 'rules.prune.when.piled=2000..6000:35', '--vary', 'cache.ttl=5m,1h'],
  ...['--set', 'rules.prune.select.keep.tokens=1000'],
];

/** The study, with its results in the folder `out`. */
export const SWEEP: readonly string[] = [
  ...['sweep', 'a.yaml', ...VARY],
  ...['--results', 'out', '--workers', '0', '--json'],
];

export type Part = 'whole' | '1/2';
const made = new Map<Part, Promise<string>>();

async function make(part: Part): Promise<string> {
  const cwd = mkdtempSync(join(testCache(), 'study-'));
  writeFileSync(join(cwd, 'a.yaml'), PRUNE);
  await cli([...SWEEP, ...(part === 'whole' ? [] : ['--shard', part])], { cwd });
  return cwd;
}

/** A folder of its own with the study after it was finished, or one shard of it was: made once, and copied. */
export async function finishedStudy(part: Part = 'whole'): Promise<string> {
  if (!made.has(part)) made.set(part, make(part));
  const cwd = tempFolder();
  cpSync(await made.get(part)!, cwd, { recursive: true });
  return cwd;
}
