import type { Transcript } from '../../core/model/transcript.js';

/** How the user of a client is known to the API. */
export type Login = 'account' | 'key';

/** Who drives a client: a person, or a program. */
export type Driver = 'person' | 'program';

/** What a recording tells of the client that made it. */
export interface RecordedClient {
  /** Version of Claude Code, first seen; null for other agents and for generated sessions: its behaviours are not theirs. */
  readonly version: string | null;
  /** Window that the client worked with, where the record tells it. */
  readonly window: number | null;
  /** Sessions that a program drives use a key, others an account: no record says it. */
  readonly login: Login;
  readonly driver: Driver;
  /** How the client was started: `cli`, `claude-desktop`; null where the record does not say. */
  readonly entrypoint: string | null;
}

/** The version of Claude Code that a recording is of; null for every other agent. */
export function claudeCodeVersion({
  source,
  agentVersion,
}: Pick<Transcript, 'source' | 'agentVersion'>): string | null {
  return source === 'claude-code' ? agentVersion : null;
}

/** Who drove the client of a recording (R20). */
export function driverOf({ entrypoint }: Pick<Transcript, 'entrypoint'>): Driver {
  return entrypoint?.startsWith('sdk') === true ? 'program' : 'person';
}

/** What a recording tells of its client. */
export function recordedClient(
  transcript: Pick<Transcript, 'source' | 'agentVersion' | 'window' | 'entrypoint'>,
): RecordedClient {
  const driver = driverOf(transcript);
  return {
    version: claudeCodeVersion(transcript),
    window: transcript.window ?? null,
    login: driver === 'program' ? 'key' : 'account',
    driver,
    entrypoint: transcript.entrypoint ?? null,
  };
}
