import { succeeds } from '../core/base/errors.js';
import type { Transcript } from '../core/model/transcript.js';
import { readClaudeCodeFiles, type SessionFile, type SessionStream } from './readers/claude-code/read.js';
import { detectReader, transcriptReaders } from './readers/readers.js';

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
      ? readSession([{ name: id, bytes }, ...agents], { id })
      : transcriptReaders.get(format).read(bytes, { id });
  return { format, transcript };
}

/** Reads a session file and the subagents behind it; those whose files cannot be read are left out and said so. */
export function readSession(
  files: readonly (SessionFile | SessionStream)[],
  options: { readonly id: string },
): Transcript {
  try {
    return readClaudeCodeFiles(files, options);
  } catch (error) {
    const [main, ...agents] = files;
    const usable = agents.filter(isReadable);
    if (main === undefined || usable.length === agents.length) throw error;
    const transcript = readClaudeCodeFiles([main, ...usable], options);
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

function isReadable(agent: SessionFile | SessionStream): boolean {
  return succeeds(() => readClaudeCodeFiles([agent], { id: agent.name }));
}
