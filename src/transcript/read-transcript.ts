import type { Transcript } from '../model/transcript.js';
import { readClaudeCode, readClaudeCodeFiles, type SessionFile } from './claude-code/read.js';
import { detectReader, transcriptReaders } from './readers.js';

/** What stands beside a recording: its name and the files of its subagents. */
export interface ReadTranscriptOptions {
  readonly id: string;
  readonly agents: readonly SessionFile[];
}

/** Reads a recording or trace in any known format, a session together with the subagents that belong to it. */
export function readTranscript(
  bytes: Uint8Array,
  { id, agents }: ReadTranscriptOptions,
): { readonly format: string; readonly transcript: Transcript } {
  const format = detectReader(bytes, { id });
  const transcript =
    format === 'claude-code'
      ? readSession(bytes, id, agents)
      : transcriptReaders.get(format).read(bytes, { id });
  return { format, transcript };
}

/** A session with its subagents; those whose files cannot be read are left out and said so. */
function readSession(bytes: Uint8Array, id: string, agents: readonly SessionFile[]): Transcript {
  if (agents.length === 0) return readClaudeCode(bytes, { id });
  const main: SessionFile = { name: id, bytes };
  try {
    return readClaudeCodeFiles([main, ...agents], { id });
  } catch (error) {
    const usable = agents.filter(isReadable);
    if (usable.length === agents.length) throw error;
    const transcript = readClaudeCodeFiles([main, ...usable], { id });
    const left = agents.filter((agent) => !usable.includes(agent)).map((agent) => agent.name);
    const warning = {
      code: 'agent-file-left-out',
      message: `subagent files that cannot be read were left out: ${left.join(', ')}`,
      remedy: 'the calls of those subagents are missing from the replay',
      count: left.length,
    };
    return { ...transcript, warnings: [...transcript.warnings, warning] };
  }
}

function isReadable(agent: SessionFile): boolean {
  try {
    readClaudeCode(agent.bytes, { id: agent.name });
    return true;
  } catch {
    return false;
  }
}
