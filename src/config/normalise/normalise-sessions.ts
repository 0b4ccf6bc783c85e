import { MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/base/clock.js';
import type { Path } from '../../core/base/problem.js';
import type { HomePlan } from '../../core/run/run-plan.js';
import type { SessionPart, SessionStart } from '../../transcripts/sessions/merge-sessions.js';
import type { ScenarioDocument } from '../files/document.js';
import type { FileRef, SyntheticRef } from '../files/transcript-ref.js';
import type { ScenarioSession } from '../schema/schema.js';
import type { ScenarioHome } from '../schema/schema-sessions.js';

/** A session of a scenario: when it takes place, and where its transcript is. */
export interface SessionRef extends SessionPart {
  readonly transcript: FileRef | SyntheticRef;
}

/** Tools and system prompt that sessions have in common unless they say otherwise: the median first prompt (E6). */
export const SHARED_PREFIX_TOKENS = 34_700;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  h: MS_PER_HOUR,
  d: 24 * MS_PER_HOUR,
};

/** Milliseconds of a duration: a number of minutes, or a text such as `18h`. */
export function durationMs(written: number | string): number {
  if (typeof written === 'number') return Math.round(written * MS_PER_MINUTE);
  let total = 0;
  for (const [, amount, unit] of written.matchAll(/([0-9.]+)([smhd])/g))
    total += Number(amount) * UNIT_MS[unit!]!;
  return Math.round(total);
}

/** When a session starts; without a word it follows the one before it at once. */
function startOf(written: ScenarioSession): SessionStart {
  if (written.at !== undefined) return { atMs: durationMs(written.at) };
  return { afterMs: durationMs(written.startsAfter ?? 0) };
}

/** A session with nothing left open. */
export function normaliseSession(
  written: ScenarioSession,
  at: Path,
  document: ScenarioDocument,
  transcript: FileRef | SyntheticRef,
): SessionRef {
  return {
    name: written.name,
    start: startOf(written),
    resumes: written.resume ?? null,
    ending: written.end ?? 'clean',
    ...(written.project === undefined ? {} : { project: written.project }),
    ...(written.checkout === undefined ? {} : { checkout: written.checkout }),
    place: document.placeOf([...at, written.resume === undefined ? 'name' : 'resume']),
    transcript,
  };
}

/** The home with nothing left open; undefined when it is empty. */
export function normaliseHome(written: ScenarioHome | undefined): HomePlan | undefined {
  if (written === undefined || written === null) return undefined;
  return {
    memories: written.memories ?? 0,
    files: (written.files ?? []).map(({ path, text, hoursAgo }) => ({ path, text, hoursAgo: hoursAgo ?? 1 })),
    lock:
      written.lock == null
        ? null
        : {
            body: written.lock.body,
            hoursAgo: written.lock.hoursAgo,
            process: written.lock.process ?? 'dead',
          },
  };
}
