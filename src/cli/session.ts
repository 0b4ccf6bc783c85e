import type { Host } from './host.js';
import type { ColorChoice } from './paint.js';
import type { CacheChoice, InputOptions } from './read-input.js';

/** What every command gets: the host and the options that all commands share. */
export interface CliSession {
  readonly host: Host;
  readonly debug: boolean;
  readonly colors: ColorChoice;
  /** One JSON object on stdout instead of text. */
  readonly json: boolean;
  /** Whether compiled transcripts are kept and used again. */
  readonly cache: CacheChoice;
}

/** How the files that a user names are read. */
export function inputOptions(session: CliSession): InputOptions {
  return { cwd: session.host.cwd, cache: session.cache };
}

/** Prints one JSON object: all that stdout holds with --json. */
export function printJson(session: CliSession, value: object): void {
  session.host.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** A note for the user beside the result. */
export function note(session: CliSession, text: string): void {
  session.host.stderr.write(`${text}\n`);
}
