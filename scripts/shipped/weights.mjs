// @ts-check
// How tokens weigh on the meters of a plan: src/analysis/limits/weights.yaml, checked.
import { z } from 'zod';

const known = { source: z.string().min(1), date: z.iso.date() };
const weight = z.number().positive();
const interval = z
  .strictObject({ low: z.number().min(0), high: weight })
  .refine(({ low, high }) => low < high);
const meter = z.strictObject({
  hours: z.number().int().positive(),
  tokensPerPercent: interval.optional(),
  read: z.strictObject({ factor: z.number().min(0), low: z.number().min(0), high: weight }).optional(),
  ...known,
});

const table = z.strictObject({
  unit: z.strictObject({ inputUsd: weight, ...known }),
  kinds: z.strictObject({
    input: z.literal(1),
    read: weight,
    write: weight,
    writeHour: weight,
    output: weight,
  }),
  kindsSource: known.source,
  kindsDate: known.date,
  families: z.array(z.string()),
  meters: z.strictObject({ fiveHour: meter, weekly: meter }),
});

/** The module of weights.yaml. */
export function weightsModule(/** @type {unknown} */ written) {
  return `/** How much tokens weigh on the meters of a plan: list prices and published fits, with their sources. */
export const WEIGHTS = ${JSON.stringify(table.parse(written), null, 2)} as const;
`;
}
