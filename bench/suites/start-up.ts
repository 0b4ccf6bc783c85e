import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BenchResult } from '../../src/cli/commands/bench/result.js';
import { builtModule } from '../../src/core/base/built.js';
import { interleave } from '../measure.js';

/** Nothing to run: the start of the process itself. */
const BARE = ['--eval', '0'];

function start(args: readonly string[]): void {
  spawnSync(process.execPath, args, { stdio: 'ignore' });
}

/** How fast a process of bare node starts against `ccbench --help`. */
export function startUp(options: { readonly quick: boolean }): Partial<BenchResult> {
  const built = builtModule('cli/main');
  if (built === null) return { notes: ['start-up: needs the built program'] };
  const main = fileURLToPath(built);
  const [bare, help] = interleave([() => start(BARE), () => start([main, '--help'])], {
    untimed: 2,
    timed: options.quick ? 3 : 21,
  });
  return {
    ratios: [
      {
        name: 'start-up',
        ratio: bare!.median / help!.median,
        promised: 0.8,
        detail: `bare node ${bare!.median.toFixed(0)} ms, ccbench --help ${help!.median.toFixed(0)} ms`,
      },
    ],
  };
}
