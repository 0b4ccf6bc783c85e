import { z } from 'zod';
import { whole } from '../../core/base/schema.js';
import { HOOK_EVENTS } from '../../core/run/run-plan.js';

/** Hooks of the user that run around compactions. */
export const hooksSchema = z
  .array(
    z
      .strictObject({
        event: z
          .enum(HOOK_EVENTS)
          .describe('Before a compaction, when the session starts anew behind it, or when it is done.'),
        on: z
          .enum(['auto', 'manual', 'both'])
          .optional()
          .describe('Compactions it runs at, by who asked for them; both unless told.'),
        tokens: whole(0, 1_000_000, 'Tokens it prints.').optional(),
        prints: z
          .enum(['context', 'screen'])
          .optional()
          .describe(
            'Where they go: into the summary instruction (PreCompact) or the new context, or to the user alone.',
          ),
        seconds: z.number().min(0).max(86_400).optional().describe('Time it takes.'),
        fails: z
          .union([z.boolean(), z.number().min(0).max(1)])
          .optional()
          .describe('Whether it fails, or in which share of its runs; the compaction goes on all the same.'),
      })
      .describe('A hook that runs at compactions.'),
  )
  .describe('Hooks of the user at compactions, in the order they run.');

/** The hooks as written. */
export type ScenarioHooks = z.infer<typeof hooksSchema>;
