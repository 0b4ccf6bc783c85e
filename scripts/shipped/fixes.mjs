// @ts-check
// Which settings make the changes of `ccbench why`: src/analysis/why/fixes.yaml, checked.
import { z } from 'zod';

const version = z.string().regex(/^\d+\.\d+\.\d+$/);
const value = z.union([z.string().min(1), z.record(z.string(), z.string().min(1))]);
const known = { change: z.string(), agent: z.string(), from: version, source: z.string().min(1) };
const count = z.number().int().min(0);

const table = z
  .strictObject({
    agents: z.record(
      z.string(),
      z.strictObject({ title: z.string(), file: z.string(), form: z.enum(['json', 'toml']) }),
    ),
    settings: z.array(
      z.strictObject({
        ...known,
        set: z.record(z.string(), value),
        tokens: z
          .strictObject({
            share: z.number().gt(0).lt(1),
            reserve: count,
            plus: count,
            least: count,
            most: count,
          })
          .optional(),
        note: z.string().optional(),
      }),
    ),
    automatic: z.array(z.strictObject({ ...known, what: z.string() })),
  })
  .refine(
    ({ agents, settings, automatic }) =>
      [...settings, ...automatic].every(({ agent }) => Object.hasOwn(agents, agent)),
    'an agent is not among the agents',
  );

/** The module of fixes.yaml. */
export function fixesModule(/** @type {unknown} */ written) {
  return `import type { ChangeName } from './changes.js';

/** A setting as it is shipped. */
interface ShippedSetting {
  readonly change: ChangeName;
  readonly agent: string;
  readonly from: string;
  readonly set: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly tokens?: Readonly<Record<'share' | 'reserve' | 'plus' | 'least' | 'most', number>>;
  readonly note?: string;
  readonly source: string;
}

/** Settings that make changes, by agent and version, with their sources. */
export const FIXES: {
  readonly agents: Readonly<
    Record<string, { readonly title: string; readonly file: string; readonly form: 'json' | 'toml' }>
  >;
  readonly settings: readonly ShippedSetting[];
  readonly automatic: readonly {
    readonly change: ChangeName;
    readonly agent: string;
    readonly from: string;
    readonly what: string;
    readonly source: string;
  }[];
} = ${JSON.stringify(table.parse(written), null, 2)};
`;
}
