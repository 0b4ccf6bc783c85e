import { z } from 'zod';
import { text, whole } from '../../core/base/schema.js';
import { SESSION_ENDINGS } from '../../core/model/transcript.js';
import { safeName } from './schema-words.js';

/** One or more amounts with a unit, such as `18h` or `2d 4h`. */
const DURATION = /^[0-9]+(?:\.[0-9]+)?[smhd](?: ?[0-9]+(?:\.[0-9]+)?[smhd])*$/;

const duration = (what: string) =>
  z
    .union([
      z.number().min(0).max(10_000_000),
      z.string().regex(DURATION).meta({ title: 'a duration such as 18h, 90m or 2d 4h' }),
    ])
    .optional()
    .describe(`${what}: minutes, or a text such as 18h or 2d 4h.`);

/** One session of several; the transcript's own schema is handed in. */
export function sessionSchema<T extends z.ZodType>(transcript: T) {
  return z
    .strictObject({
      name: safeName('Name of the session, in front of its threads’ names.'),
      transcript,
      startsAfter: duration('Time between the end of the session before it and its start'),
      at: duration('Start, counted from that of the first session'),
      resume: text('Name of an earlier session whose record it takes up.').optional(),
      project: safeName('Project it works in; all work in the same one unless they say.').optional(),
      checkout: safeName('Which checkout of the project it works in, where there are several.').optional(),
      end: z
        .enum(SESSION_ENDINGS)
        .optional()
        .describe(
          'How its process ends: with all work done, killed, or by a crash that leaves its lock behind.',
        ),
    })
    .describe('A session that shares home, cache and clock with the others.');
}

/** What the home holds before the first session. */
export const homeSchema = z
  .strictObject({
    memories: whole(0, 10_000, 'Memories in the memory directory, with their index.').optional(),
    files: z
      .array(
        z.strictObject({
          path: z.string().regex(/^\//).describe('Absolute path in the simulated home.'),
          text: z.string().describe('What the file holds.'),
          hoursAgo: z.number().min(0).max(1_000_000).optional().describe('When it was written.'),
        }),
      )
      .optional()
      .describe('Further files.'),
    lock: z
      .strictObject({
        body: z.string().describe('What the lock file holds, usually a process id.'),
        hoursAgo: z.number().min(0).max(1_000_000).describe('Time of the last consolidation.'),
        process: z.enum(['alive', 'dead']).optional().describe('Whether that process is still running.'),
      })
      .nullable()
      .optional()
      .describe('The lock of an earlier dream; null for none.'),
  })
  .nullable()
  .meta({ id: 'Home' })
  .describe('What the home holds before the first session; null for nothing.');

/** The home as written. */
export type ScenarioHome = z.infer<typeof homeSchema>;
