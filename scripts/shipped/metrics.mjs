// @ts-check
// The metrics of a run: src/metrics/metrics.yaml, checked.
import { z } from 'zod';

const UNITS = ['count', 'tokens', 'usd', 'share', 'ms', 'hours', 'ratio'];

const fact = z
  .string()
  .regex(/^\w+(?:\??\.\w+)*$/)
  .nullable();
const row = z.strictObject({
  of: z.literal('requests').optional(),
  better: z.enum(['lower', 'higher']).nullable().default(null),
  help: z.string().min(1),
});
const table = z.record(z.string(), z.record(z.string(), z.unknown()));

/** @param {string} name @param {Record<string, unknown>} written */
function rowOf(name, written) {
  const [unit = ''] = Object.keys(written);
  if (!UNITS.includes(unit)) throw new Error(`${name} needs its unit first (${UNITS.join(', ')})`);
  const { [unit]: of, ...rest } = written;
  const { of: over = unit === 'usd' ? 'money' : null, better, help } = row.parse(rest);
  const path = fact.parse(of);
  const head = JSON.stringify({ name, unit, better, over, help }).slice(1, -1);
  const value = path === null ? 'null' : `(f: RunFacts) => f.${path}${path.includes('?') ? ' ?? null' : ''}`;
  return `  { ${head}, "fact": ${value} },`;
}

/** The module of metrics.yaml. */
export function metricsModule(/** @type {unknown} */ written) {
  const rows = Object.entries(table.parse(written)).map(([name, metric]) => rowOf(name, metric));
  return `import type { RunFacts } from './facts.js';

/** Metrics in the order reports show them; those without a fact are computed. */
export const METRIC_ROWS = [
${rows.join('\n')}
] as const;
`;
}
