import { z } from 'zod';
import { text, whole } from '../../core/base/schema.js';
import { providerRegistry } from '../../provider/providers/providers.js';

const dollars = (what: string) =>
  z.number().min(0).max(10_000).describe(`${what}, dollars per million tokens.`);

const prices = {
  input: dollars('Prompt that is neither read from the cache nor written to it'),
  output: dollars('Output'),
  read: dollars('Prompt read from the cache').optional(),
  write: dollars('Prompt written to the cache').optional(),
  writeLong: dollars('Prompt written to the cache for an hour').optional(),
};

const modelSchema = z
  .strictObject({
    provider: z
      .union([z.enum(providerRegistry.names as [string, ...string[]]), text('A provider from its own file.')])
      .optional()
      .describe('Whose cache serves the model.'),
    aliases: z.array(text('A name.')).optional().describe('Other names of the model.'),
    window: whole(1_000, 100_000_000, 'Context window in tokens.').optional(),
    maxOutput: whole(1, 100_000_000, 'Longest output in tokens.').optional(),
    prices: z.strictObject(prices).optional().describe('List prices.'),
    steps: z
      .array(z.strictObject({ above: whole(1, 100_000_000, 'Prompt tokens.'), ...prices }))
      .optional()
      .describe('Prices of the whole request above this many prompt tokens, ascending.'),
    minimum: whole(0, 10_000_000, 'Shortest prefix in tokens that is cached.').optional(),
  })
  .meta({ id: 'Model' })
  .describe('A model that is added, or what is changed in one of the table.');

/** Models by id, as a scenario or a file of prices writes them. */
export const modelTableSchema = z
  .record(z.string().min(1), modelSchema)
  .describe('Models by id: added to the table, or in place of what it says.');

/** What a scenario may write under `models`. */
export const modelsSchema = z
  .union([text('A file with such a table, relative to this file.'), modelTableSchema])
  .describe('Prices and sizes of models, or a file with them.');

/** A model as written. */
export type WrittenModel = z.infer<typeof modelSchema>;
