import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcbenchError } from '../base/errors.js';
import type { Transcript } from '../model/transcript.js';
import { recordedInput, type TranscriptInput } from '../study/transcript-input.js';
import type { SessionFile } from '../transcript/claude-code/read.js';
import { readTranscript } from '../transcript/read-transcript.js';
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

/** A recording or trace as it travels to whoever replays it; it is read once, so that a broken one is found here. */
export function loadTranscriptInput(
  path: string,
  options: InputOptions,
): LoadedTranscript & { readonly input: TranscriptInput } {
  const bytes = readInput(path, options);
  const id = inputId(path);
  try {
    const agents = agentFiles(path, options);
    return {
      path,
      ...readTranscript(bytes, { id, agents }),
      input: recordedInput(id, bytes, agents),
    };
  } catch (error) {
    throw placeError(error, path, options);
  }
}

/** Loads a recording or trace in any known format, a session together with the subagents beside it. */
export function loadTranscript(path: string, options: InputOptions): LoadedTranscript {
  const bytes = readInput(path, options);
  const id = inputId(path);
  try {
    return { path, ...readTranscript(bytes, { id, agents: agentFiles(path, options) }) };
  } catch (error) {
    throw placeError(error, path, options);
  }
}
