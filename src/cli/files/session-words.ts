import { basename } from 'node:path';
import { formatCounted, printable } from '../../core/base/format.js';
import { textStart } from '../../core/model/text.js';
import type { Transcript } from '../../core/model/transcript.js';
import { pathOnDisk } from '../../transcripts/files/read-input.js';
import { projectOfSession } from '../../transcripts/files/usual-places.js';

/** A recording that a page is about. */
export interface NamedSession {
  readonly path: string;
  /** Day of its first step; null if it does not say. */
  readonly day: string | null;
  /** The first words of its user; null if it holds none. */
  readonly prompt?: string | null;
}

/** Characters of a prompt that a title has room for. */
const PROMPT_CHARS = 60;

/** The first words of the user, cut at a word; null if the recording holds none. What a client puts into tags is not the user's. */
export function firstWords({ threads }: Pick<Transcript, 'threads'>): string | null {
  for (const step of threads[0]?.steps ?? []) {
    if (step.kind !== 'message' || step.message.origin !== 'human') continue;
    for (const { text } of step.message.blocks) {
      const words =
        text === null
          ? []
          : printable(textStart(text, 4 * PROMPT_CHARS))
              .split(/\s+/)
              .filter(Boolean);
      if (words.length === 0 || words[0]!.startsWith('<')) continue;
      const whole = words.join(' ');
      if (whole.length <= PROMPT_CHARS) return whole;
      return `${whole.slice(0, PROMPT_CHARS).replace(/ [^ ]*$/, '')}…`;
    }
  }
  return null;
}

/** The day on which a recording began; null if it does not say. */
export function dayOf({ carries, startedAtMs }: Pick<Transcript, 'carries' | 'startedAtMs'>): string | null {
  if (startedAtMs === null || !carries.includes('timestamps')) return null;
  return new Date(startedAtMs).toISOString().slice(0, 10);
}

/** The name of the folder that the agent of a recording worked in. */
export function projectName(path: string, cwd: string): string {
  return printable(basename(projectOfSession(pathOnDisk(cwd, path)).replaceAll('\\', '/')));
}

/** Recordings in words, by the project and the day of each: the project, how many there are, from which day to which. */
export function countedWords(projects: readonly string[], days: readonly string[]): string {
  const different = [...new Set(projects)];
  const sorted = [...days].sort();
  const ends = [...new Set([sorted[0], sorted.at(-1)])].filter((day) => day !== undefined);
  return [
    ...(different.length === 1 && different[0] !== '' ? different : []),
    ...(projects.length === 1 ? [] : [formatCounted(projects.length, 'session')]),
    ...(different.length < 2 ? [] : [formatCounted(different.length, 'project')]),
    ...(ends.length === 0 ? [] : [ends.join(' to ')]),
  ].join(', ');
}

/** Recordings in words; a single one with its first prompt. */
export function sessionWords(sessions: readonly NamedSession[], cwd: string): string {
  const words = countedWords(
    sessions.map(({ path }) => projectName(path, cwd)),
    sessions.flatMap(({ day }) => day ?? []),
  );
  const prompt = sessions.length === 1 ? sessions[0]!.prompt : null;
  return prompt == null ? words : `${words}: ${prompt}`;
}
