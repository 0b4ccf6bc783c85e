// Kills runs, comparisons, sweeps, searches and `why` at random moments: npm run kills -- [--kills n] [--seed n] [--only run]
// With --study or --fleet it kills in the middle of a study in columns, on one machine or on a fleet with a Redis of its own; with
// --serve servers that record.

import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedis } from './kills/start-redis.mjs';
import { CACHE, tryKills } from './kills/try-kills.mjs';
import { tryServeKills } from './kills/try-serve-kills.mjs';
import { tryStudyKills } from './kills/try-study-kills.mjs';

const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '64' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    study: { type: 'boolean', default: false },
    fleet: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
    points: { type: 'string', default: '2500' },
    'mean-ms': { type: 'string', default: '3000' },
  },
});

const common = {
  kills: Number(values.kills),
  seed: Number(values.seed),
  only: values.only,
  start: (argv, cwd) =>
    spawn(process.execPath, [main, ...argv], {
      cwd,
      stdio: 'ignore',
      env: { ...process.env, CCBENCH_CACHE: join(cwd, CACHE) },
    }),
  say: (text) => console.log(text),
};
const study = { ...common, points: Number(values.points), meanMs: Number(values['mean-ms']) };
let result;
if (values.fleet) {
  const redis = await startRedis();
  try {
    result = await tryStudyKills({ ...study, redis: redis.url });
  } finally {
    await redis.stop();
  }
} else if (values.serve) result = await tryServeKills(common);
else result = values.study ? await tryStudyKills(study) : await tryKills(common);
const early = result.early === undefined ? '' : `, ${result.early} commands were over before`;
console.log(`${result.kills} kills${early}: ${result.problems.length} problems`);
process.exit(result.problems.length > 0 ? 1 : 0);
