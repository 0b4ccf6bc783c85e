import { z } from 'zod';
import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/base/clock.js';
import { valueAt } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { number, refuse, text, whole } from '../../core/base/schema.js';
import { SESSION_ENDINGS } from '../../core/model/transcript.js';

/** Scenario names: safe as folder names everywhere. */
export const NAME_PATTERN = /^(?=.{1,64}$)[a-z0-9]+(?:[-._][a-z0-9]+)*$/;

/** What that asks for, in words. */
export const NAME_WORDS = 'lower-case letters and digits, joined by single "-", "." or "_" (at most 64)';

/** A name that is safe as a folder name. */
export function safeName(description: string) {
  return z.string().regex(NAME_PATTERN).meta({ title: NAME_WORDS, description });
}

/** One or more amounts with a unit, such as `18h` or `2d 4h`. */
const DURATION = /^[0-9]+(?:\.[0-9]+)?[smhd](?: ?[0-9]+(?:\.[0-9]+)?[smhd])*$/;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  h: MS_PER_HOUR,
  d: 24 * MS_PER_HOUR,
};

/** Milliseconds of a duration: a number of minutes, or a text such as `18h`. @internal */
export function durationMs(written: number | string): number {
  if (typeof written === 'number') return Math.round(written * MS_PER_MINUTE);
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/([0-9.]+)([smhd])/g))
    total += Number(amount) * ownValue(UNIT_MS, unit!)!;
  return Math.round(total);
}

const duration = (what: string) =>
  z
    .union([
      z.number().min(0).max(10_000_000),
      z.string().regex(DURATION).meta({ title: 'a duration such as 18h, 90m or 2d 4h' }),
    ])
    .transform(durationMs)
    .describe(`${what}: minutes, or a text such as 18h or 2d 4h.`)
    .optional();

/** Several sessions; the transcript's own schema is handed in. */
export function sessionsSchema<T extends z.ZodType>(transcript: T) {
  const session = z
    .strictObject({
      name: safeName('Name of the session, before the names of its threads.'),
      transcript,
      startsAfter: duration('Time from the end of the previous session to its start'),
      at: duration('Start, counted from that of the first session'),
      resume: text('Name of the earlier session that it resumes.').optional(),
      project: safeName('Project it works in; the same for all by default.').optional(),
      checkout: safeName('Which checkout of the project it works in, if there are several.').optional(),
      end: z
        .enum(SESSION_ENDINGS)
        .describe(
          'How its process ends: with all work done, killed, or by a crash that leaves its lock behind.',
        )
        .default('clean'),
    })
    .check((ctx) => {
      const { at, startsAfter } = ctx.value;
      if (Array.isArray(valueAt(ctx.value, ['transcript', 'file'])))
        refuse(ctx, 'a session has one transcript, not a list of them', { path: ['transcript', 'file'] });
      if (at !== undefined && startsAfter !== undefined)
        refuse(ctx, 'a session starts `at` a time or `startsAfter` another, not both', { path: ['at'] });
    })
    .describe('A session that shares home, cache and clock with the others.');
  return z
    .array(session)
    .min(1)
    .check((ctx) => {
      const starts = new Map<string, number | undefined>();
      ctx.value.forEach(({ name, resume, at }, i) => {
        const no = (key: string, message: string, hint: string | null = null) =>
          refuse(ctx, message, { path: [i, key], hint });
        const known = [...starts.keys()].join(', ');
        if (resume !== undefined && !starts.has(resume))
          no(
            'resume',
            `no earlier session is called "${resume}"`,
            known === '' ? 'there is no earlier session' : `earlier sessions: ${known}`,
          );
        if (starts.has(name))
          no(
            'name',
            `two sessions are called "${name}": they would overlap`,
            'a session that continues another one has its own name and `resume: …`',
          );
        const origin = resume === undefined ? undefined : starts.get(resume);
        if (at !== undefined && origin !== undefined && at <= origin)
          no('at', '`at` is not after the session it resumes');
        starts.set(name, at);
      });
    })
    .describe('Sessions on one clock that share home and cache, in the order of their starts.');
}

const hoursAgo = (what: string) => number(0, 1_000_000, what);

/** What the home holds before the first session. */
export const homeSchema = z
  .strictObject({
    memories: whole(0, 10_000, 'Memories in the memory directory, with their index.').default(0),
    files: z
      .array(
        z.strictObject({
          path: z.string().regex(/^\//).describe('Absolute path in the simulated home.'),
          text: z.string().describe('Content of the file.'),
          hoursAgo: hoursAgo('When it was written.').default(1),
        }),
      )
      .describe('Further files.')
      .default([]),
    lock: z
      .strictObject({
        body: z.string().describe('Content of the lock file, usually a process id.'),
        hoursAgo: hoursAgo('Time of the last consolidation.'),
        process: z.enum(['alive', 'dead']).describe('Whether that process is still running.').default('dead'),
      })
      .nullable()
      .describe('The lock of an earlier dream; null for none.')
      .default(null),
  })
  .nullable()
  .meta({ id: 'Home' })
  .describe('Content of the home before the first session; null for none.');
