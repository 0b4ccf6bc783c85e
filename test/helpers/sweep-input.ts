import type { SweepPageInput } from '../../src/cli/commands/study/sweep-page.js';
import { completenessOf } from '../../src/study/completeness.js';
import { sweptPoints } from '../../src/study/run-rows.js';
import type { Axis } from '../../src/study/vary.js';
import { type Runs, variantOf } from './variant-runs.js';

/** An axis of a sweep. */
export const sweepAxis = (
  path: string,
  values: readonly string[],
  scale: Axis['scale'] = 'linear',
): Axis => ({ path, values, scale, range: null });

/** A sweep whose points have these runs; names are the values of the axes with commas. */
export function sweepInput(
  axes: readonly Axis[],
  rows: Readonly<Record<string, Runs>>,
  change: Partial<SweepPageInput> = {},
): SweepPageInput {
  const runs = Object.entries(rows).map(([name, own]) => variantOf(name, own));
  const completeness = completenessOf(runs);
  const points = runs.map(({ name }) => {
    const values = name.split(',');
    const set = values.map((value, at) => `${axes[at]!.path}=${value}`);
    return { name: set.join(', '), values, set, settings: {}, runs: [] };
  });
  const swept = sweptPoints(points, runs, completeness);
  return {
    name: 'n',
    title: 't',
    columns: ['costUsd', 'contentRetention'],
    discarded: [],
    asItIs: null,
    conclusion: { result: 'r', advice: 'a' },
    axes,
    names: ['costUsd'],
    swept,
    table: {
      caption: 'c',
      columns: ['costUsd', 'contentRetention', 'unheard'],
      rows: swept.map(({ point }, i) => ({
        name: point.set.join(', '),
        cells: [{ text: 't', ...(i === 1 ? { mark: 'best' as const } : {}) }, { text: 'k' }, { text: 'u' }],
      })),
      notes: [],
    },
    compared: completeness.compared,
    recorded: null,
    repeat: (point) => `ccbench run --set ${point.set.join(' --set ')}`,
    ...change,
  };
}
