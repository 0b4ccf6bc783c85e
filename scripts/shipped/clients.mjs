// @ts-check
// The clients: src/agent/client/clients.yaml, checked, each with everything it inherits.
import { z } from 'zod';

const table = z.strictObject({
  habits: z.record(
    z.string(),
    z.strictObject({ values: z.array(z.string()).min(2), help: z.string().regex(/[.]$/) }),
  ),
  clients: z.array(
    z.strictObject({
      name: z.string(),
      from: z.string().nullable().default(null),
      like: z.string().optional(),
      summary: z.string().optional(),
      habits: z.record(z.string(), z.string()).default({}),
      sources: z.record(z.string(), z.string().min(1)).default({}),
    }),
  ),
});

/** The module of clients.yaml: the type of a client's habits, what they may be, those of the bare API, and the clients by name. */
export function clientsModule(/** @type {unknown} */ written) {
  const { habits, clients } = table.parse(written);
  const entries = Object.entries(habits);
  const made = new Map();
  for (const { like, ...own } of clients) {
    if (made.has(own.name)) throw new Error(`two clients are called ${own.name}`);
    const base = like === undefined ? { habits: {}, sources: {} } : made.get(like);
    if (base === undefined) throw new Error(`${own.name} is like ${like}, which does not come before it`);
    const client = {
      name: own.name,
      from: own.from,
      summary: own.summary ?? base.summary,
      habits: { ...base.habits, ...own.habits },
      sources: { ...base.sources, ...own.sources },
    };
    if (client.summary === undefined) throw new Error(`${own.name} has no summary`);
    for (const [habit, value] of Object.entries(client.habits)) {
      if (habits[habit]?.values.includes(value) !== true)
        throw new Error(`${own.name} has no ${habit}: ${value}`);
      if (client.sources[habit] === undefined) throw new Error(`${own.name} has no source for ${habit}`);
    }
    made.set(own.name, client);
  }
  const bare = Object.fromEntries(entries.map(([habit, { values }]) => [habit, values[0]]));
  return `/** What a client does to its own requests towards the cache, beside what its policy decides: one value per habit. */
export interface ClientHabits {
${entries
  .map(
    ([habit, { values, help }]) =>
      `  /** ${help} */\n  readonly ${habit}: ${values.map((value) => `'${value}'`).join(' | ')};`,
  )
  .join('\n')}
}

/** The values of each habit, and what it decides. */
export const HABITS: Readonly<Record<keyof ClientHabits, { readonly values: readonly string[]; readonly help: string }>> =
  ${JSON.stringify(habits, null, 2)};

/** The bare API: what is documented, and nothing else. */
export const BARE_API: ClientHabits = ${JSON.stringify(bare, null, 2)};

/** The clients by name, each as JSON, from the oldest generation on. */
export const SHIPPED_CLIENTS: readonly (readonly [string, string])[] = [
${[...made].map(([name, client]) => `  [${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(client))}],`).join('\n')}
];
`;
}
