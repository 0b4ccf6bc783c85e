// Kills runs, comparisons, sweeps and searches at random moments: npm run kills -- [--kills n] [--seed n]

import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { tryKills } from './kills/try-kills.mjs';

const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '64' }, seed: { type: 'string', default: '1' } },
});

const result = await tryKills({
  kills: Number(values.kills),
  seed: Number(values.seed),
  start: (argv, cwd) => spawn(process.execPath, [main, ...argv], { cwd, stdio: 'ignore' }),
  say: (text) => console.log(text),
});
console.log(
  `${result.kills} kills, ${result.early} commands were over before: ${result.problems.length} problems`,
);
process.exit(result.problems.length > 0 ? 1 : 0);
