// @ts-check
// The clients: src/agent/client/clients.yaml, checked, each with everything it inherits.
import { z } from 'zod';

const table = z.strictObject({
  behaviours: z.record(
    z.string(),
    z.strictObject({ values: z.array(z.string()).min(2), help: z.string().regex(/[.]$/) }),
  ),
  clients: z.array(
    z.strictObject({
      name: z.string(),
      from: z.string().nullable().default(null),
      like: z.string().optional(),
      summary: z.string().optional(),
      behaviours: z.record(z.string(), z.string()).default({}),
      sources: z.record(z.string(), z.string().min(1)).default({}),
    }),
  ),
  headless: z.strictObject({
    behaviours: z.record(z.string(), z.string()),
    source: z.string().min(1),
  }),
  breaks: z.array(
    z.strictObject({
      from: z.string().nullable().default(null),
      entrypoint: z.string().nullable().default(null),
      silent: z.number().min(0).max(1),
      prompt: z.number().min(0).max(1),
      latePrompt: z.number().min(0).max(1),
      source: z.string().min(1),
    }),
  ),
  windows: z.array(
    z.strictObject({
      model: z.string(),
      account: z.string().nullable(),
      key: z.string().nullable(),
      source: z.string().min(1),
    }),
  ),
});

/** The module of clients.yaml: the type of a client's behaviours, what they may be, those of the bare API, and the clients by name. */
export function clientsModule(/** @type {unknown} */ written) {
  const { behaviours, clients, headless, breaks, windows } = table.parse(written);
  const entries = Object.entries(behaviours);
  const made = new Map();
  for (const { like, ...own } of clients) {
    if (made.has(own.name)) throw new Error(`two clients are called ${own.name}`);
    const base = like === undefined ? { behaviours: {}, sources: {} } : made.get(like);
    if (base === undefined) throw new Error(`${own.name} is like ${like}, which does not come before it`);
    const client = {
      name: own.name,
      from: own.from,
      summary: own.summary ?? base.summary,
      behaviours: { ...base.behaviours, ...own.behaviours },
      sources: { ...base.sources, ...own.sources },
    };
    if (client.summary === undefined) throw new Error(`${own.name} has no summary`);
    for (const [behaviour, value] of Object.entries(client.behaviours)) {
      if (behaviours[behaviour]?.values.includes(value) !== true)
        throw new Error(`${own.name} has no ${behaviour}: ${value}`);
      if (client.sources[behaviour] === undefined)
        throw new Error(`${own.name} has no source for ${behaviour}`);
    }
    made.set(own.name, client);
  }
  for (const [behaviour, value] of Object.entries(headless.behaviours))
    if (behaviours[behaviour]?.values.includes(value) !== true)
      throw new Error(`headless sessions have no ${behaviour}: ${value}`);
  const bare = Object.fromEntries(entries.map(([behaviour, { values }]) => [behaviour, values[0]]));
  return `/** What a client does to its own requests towards the cache, beside what its policy decides: one value per behaviour. */
export interface ClientBehaviour {
${entries
  .map(
    ([behaviour, { values, help }]) =>
      `  /** ${help} */\n  readonly ${behaviour}: ${values.map((value) => `'${value}'`).join(' | ')};`,
  )
  .join('\n')}
}

/** The values of each behaviour, and what it decides. */
export const BEHAVIOURS: Readonly<Record<keyof ClientBehaviour, { readonly values: readonly string[]; readonly help: string }>> =
  ${JSON.stringify(behaviours, null, 2)};

/** The bare API: what is documented, and nothing else. */
export const BARE_API: ClientBehaviour = ${JSON.stringify(bare, null, 2)};

/** The clients by name, each as JSON, from the oldest generation on. */
export const SHIPPED_CLIENTS: readonly (readonly [string, string])[] = [
${[...made].map(([name, client]) => `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(client))}],`).join('\n')}
];

/** What sessions do otherwise that a program drives. */
export const HEADLESS: Partial<ClientBehaviour> = ${JSON.stringify(headless.behaviours)};

/** Chances of a break for no reason in the recording, by version and entrypoint; the last row that fits holds. */
export const CHANCE_BREAKS: readonly {
  readonly from: string | null;
  readonly entrypoint: string | null;
  readonly silent: number;
  readonly prompt: number;
  readonly latePrompt: number;
}[] = ${JSON.stringify(
    breaks.map(({ source: _, ...row }) => row),
    null,
    2,
  )};

/** From which version on a client uses the long window of a model, by login; null is never. */
export const LONG_SINCE: Readonly<Record<string, { readonly account: string | null; readonly key: string | null }>> =
  ${JSON.stringify(Object.fromEntries(windows.map(({ model, account, key }) => [model, { account, key }])), null, 2)};
`;
}
