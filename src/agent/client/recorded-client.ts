import type { Transcript } from '../../core/model/transcript.js';

/** What a recording tells of the client that made it. */
export interface RecordedClient {
  /** Version of Claude Code, first seen; null for other agents and for generated sessions: its behaviours are not theirs. */
  readonly version: string | null;
  /** Window that the client worked with, where the record tells it. */
  readonly window: number | null;
}

/** The version of Claude Code that a recording is of; null for every other agent. */
export function claudeCodeVersion({
  source,
  agentVersion,
}: Pick<Transcript, 'source' | 'agentVersion'>): string | null {
  return source === 'claude-code' ? agentVersion : null;
}

/** What a recording tells of its client. */
export function recordedClient(
  transcript: Pick<Transcript, 'source' | 'agentVersion' | 'window'>,
): RecordedClient {
  return { version: claudeCodeVersion(transcript), window: transcript.window ?? null };
}
