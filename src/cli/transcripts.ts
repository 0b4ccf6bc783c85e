import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcbenchError } from '../base/errors.js';
import type { Transcript } from '../model/transcript.js';
import { readClaudeCode, readClaudeCodeFiles, type SessionFile } from '../transcript/claude-code/read.js';
import { detectReader, transcriptReaders } from '../transcript/readers.js';
import { type InputOptions, inputId, readInput } from './read-input.js';

const AGENT_FILE = /\.jsonl(?:\.gz)?$/;

/** A transcript with how its format is called. */
export interface LoadedTranscript {
  readonly path: string;
  readonly format: string;
  readonly transcript: Transcript;
}

/** Puts the path as the user wrote it in the place of the id that readers know. */
export function placeError(error: unknown, path: string, options: InputOptions): unknown {
  if (!(error instanceof CcbenchError)) return error;
  const id = inputId(path);
  const sentence = error.message.replace(`${id}: `, '').replace(`${id} is `, 'the file is ');
  return new CcbenchError(error.code, options.place === undefined ? sentence : `${path}: ${sentence}`, {
    place: options.place ?? { ...error.place, file: path },
    ...(error.hint === null ? {} : { hint: error.hint }),
    cause: error,
  });
}

/** Subagents lie beside a session in a folder of its name. */
function agentFiles(path: string, options: InputOptions): readonly SessionFile[] {
  const folder = resolve(options.cwd, dirname(path), inputId(path), 'subagents');
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => AGENT_FILE.test(name));
  } catch {
    return [];
  }
  return names.sort().map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

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

/** Loads a recording or trace in any known format, a session together with the subagents beside it. */
export function loadTranscript(path: string, options: InputOptions): LoadedTranscript {
  const bytes = readInput(path, options);
  const id = inputId(path);
  try {
    const format = detectReader(bytes, { id });
    const transcript =
      format === 'claude-code'
        ? readSession(bytes, id, agentFiles(path, options))
        : transcriptReaders.get(format).read(bytes, { id });
    return { path, format, transcript };
  } catch (error) {
    throw placeError(error, path, options);
  }
}
