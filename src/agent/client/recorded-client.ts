import type { Transcript } from '../../core/model/transcript.js';

/** How the user of a client is known to the API. */
export type Login = 'account' | 'key';

/** What a recording tells of the client that made it. */
export interface RecordedClient {
  /** Version of Claude Code, first seen; null for other agents and for generated sessions: its behaviours are not theirs. */
  readonly version: string | null;
  /** Window that the client worked with, where the record tells it. */
  readonly window: number | null;
  /** Sessions that a program drives use a key, others an account: no record says it. */
  readonly login: Login;
}

/** The version of Claude Code that a recording is of; null for every other agent. */
export function claudeCodeVersion({
  source,
  agentVersion,
}: Pick<Transcript, 'source' | 'agentVersion'>): string | null {
  return source === 'claude-code' ? agentVersion : null;
}

/** Whether a program drove the client, not a person at a terminal (R20). */
export function isHeadless({ entrypoint }: Pick<Transcript, 'entrypoint'>): boolean {
  return entrypoint?.startsWith('sdk') === true;
}

/** What a recording tells of its client. */
export function recordedClient(
  transcript: Pick<Transcript, 'source' | 'agentVersion' | 'window' | 'entrypoint'>,
): RecordedClient {
  return {
    version: claudeCodeVersion(transcript),
    window: transcript.window ?? null,
    login: isHeadless(transcript) ? 'key' : 'account',
  };
}
