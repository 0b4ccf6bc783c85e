import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { canonicalJson, sha256Hex } from '../../core/base/digest.js';
import { attempt, CcbenchError } from '../../core/base/errors.js';
import type { Transcript } from '../../core/model/transcript.js';
import { createWarnings } from '../../core/run/warning.js';
import { compileTranscript } from '../compiled/compile-transcript.js';
import { loadCompiled } from '../compiled/load-compiled.js';
import { unpackBytes } from '../lines/json-lines.js';
import { readTranscript } from '../read-transcript.js';
import type { SessionFile } from '../readers/claude-code/read.js';
import { memorySource, type TextSource } from '../readers/claude-code/recorded-text.js';
import { mergeSessions, type SessionPart } from '../sessions/merge-sessions.js';
import { generateTranscript } from '../synthetic/generate-transcript.js';
import type { SyntheticSpec } from '../synthetic/spec.js';
import { readPart } from './disk-file.js';
import type { WaitingFile } from './waiting-file.js';

/** A file whose texts a compiled transcript refers to: unpacked in memory, or where it lies on disk. */
export type SharedFile =
  | { readonly name: string; readonly bytes: Uint8Array<SharedArrayBuffer> }
  | { readonly name: string; readonly path: string };

/** A file whose texts are read where it lies on disk. */
type FileOnDisk = SharedFile & { readonly path: string };

/** A compiled transcript with its files, whose bytes are compressed, or wherever they can be had. */
interface Packed<Bytes> {
  readonly key: string;
  readonly id: string;
  /** Bytes of the compiled form before it was compressed. */
  readonly length: number;
  readonly compiled: Bytes;
  readonly files: readonly (FileOnDisk | { readonly name: string; readonly packed: Bytes })[];
}

/** A transcript as it travels to whoever replays it: a recipe or bytes, addressed by content. */
export type TranscriptInput =
  | { readonly kind: 'synthetic'; readonly key: string; readonly spec: SyntheticSpec }
  | {
      readonly kind: 'recorded';
      readonly key: string;
      readonly id: string;
      readonly bytes: Uint8Array;
      readonly agents: readonly SessionFile[];
    }
  | {
      /** Compiled once; threads read the same bytes. */
      readonly kind: 'shared';
      readonly key: string;
      readonly id: string;
      readonly compiled: Uint8Array<SharedArrayBuffer>;
      readonly files: readonly SharedFile[];
    }
  | (Packed<Uint8Array> & {
      /** The same in a third of the memory: each thread has its own. */
      readonly kind: 'packed';
    })
  | (Packed<() => Uint8Array> & {
      /** The same on disk, until its turn comes in the thread that read it. */
      readonly kind: 'waiting';
    })
  | {
      readonly kind: 'sessions';
      readonly key: string;
      readonly sessions: readonly (SessionPart & { readonly input: TranscriptInput })[];
    };

/** A recording as it was read from disk. */
export type RecordedInput = TranscriptInput & { readonly kind: 'recorded' };

const KEY_CHARS = 16;

/** A generated session. */
export function syntheticInput(spec: SyntheticSpec): TranscriptInput {
  return { kind: 'synthetic', key: sha256Hex(canonicalJson(spec)).slice(0, KEY_CHARS), spec };
}

/** A recording with the files of its subagents. */
export function recordedInput(id: string, bytes: Uint8Array, agents: readonly SessionFile[]): RecordedInput {
  const hashes = agents.map((agent) => ({ name: agent.name, sha256: sha256Hex(agent.bytes) }));
  return { kind: 'recorded', key: recordingKey(id, sha256Hex(bytes), hashes), id, bytes, agents };
}

/** The address of a recording: its id and the content of its files. */
export function recordingKey(
  id: string,
  sha256: string,
  agents: readonly { readonly name: string; readonly sha256: string }[],
): string {
  const parts = [id, sha256, ...agents.flatMap((agent) => [agent.name, agent.sha256])];
  return sha256Hex(parts.join('\n')).slice(0, KEY_CHARS);
}

/** Several sessions on one clock. */
export function sessionsInput(
  sessions: readonly (SessionPart & { readonly input: TranscriptInput })[],
): TranscriptInput {
  const parts = sessions.map(({ input, place: _place, ...part }) => ({ ...part, key: input.key }));
  return { kind: 'sessions', key: sha256Hex(canonicalJson(parts)).slice(0, KEY_CHARS), sessions };
}

/** Generates, reads or loads the transcript. */
export function openTranscript(input: TranscriptInput): Transcript {
  if (input.kind === 'sessions')
    return mergeSessions(
      input.sessions.map(({ input: own, ...part }) => ({ ...part, transcript: openTranscript(own) })),
    );
  if (input.kind === 'synthetic') return generateTranscript(input.spec);
  if (input.kind === 'shared') return loadShared(input);
  if (input.kind === 'packed') return loadShared(unpackInput(input));
  if (input.kind === 'waiting') return loadShared(unpackInput(fetchInput(input)));
  return readTranscript(input.bytes, { id: input.id, agents: input.agents }).transcript;
}

/** What a transcript is loaded from. */
interface Loaded {
  readonly id: string;
  readonly compiled: Uint8Array;
  readonly files: readonly (FileOnDisk | { readonly name: string; readonly bytes: Uint8Array })[];
}

function loadShared(input: Loaded): Transcript {
  const files = new Map(input.files.map((file) => [file.name, file] as const));
  const transcript = loadCompiled(input.compiled, {
    id: input.id,
    source: (name) => sourceOf(files.get(name)!),
  });
  if (transcript === null) throw new CcbenchError('internal', `the compiled form of ${input.id} is damaged`);
  return transcript;
}

/** Where texts are read: a file on disk is read at their place each time, so that whoever replays it holds none of its bytes. */
function sourceOf(file: Loaded['files'][number]): TextSource {
  if ('bytes' in file) return memorySource(file.bytes);
  const { name, path } = file;
  return {
    read(offset, length) {
      try {
        return readPart(path, offset, length);
      } catch (cause) {
        throw new CcbenchError('file-unreadable', `${name} cannot be read again`, {
          place: { file: name },
          cause,
        });
      }
    },
  };
}

/** A recording together with its compiled form, in memory that threads share. */
export function sharedRecording(
  input: RecordedInput,
  compiled: Uint8Array<SharedArrayBuffer>,
): TranscriptInput {
  const { key, id } = input;
  const files = [{ name: id, bytes: input.bytes }, ...input.agents].flatMap(sharedFile);
  return { kind: 'shared', key, id, compiled, files };
}

/** Compiles a transcript into memory that threads share; what cannot be opened stays as it is, and fails where it is used. */
export function shareInput(input: TranscriptInput): TranscriptInput {
  if (input.kind === 'shared') return input;
  if (input.kind === 'waiting') return fetchInput(input);
  if (input.kind === 'packed') return input;
  if (input.kind === 'sessions') {
    return {
      ...input,
      sessions: input.sessions.map((session) => ({ ...session, input: shareInput(session.input) })),
    };
  }
  const transcript = attempt(() => openTranscript(input), null);
  if (transcript === null) return input;
  const compiled = compileTranscript(transcript);
  if (input.kind === 'recorded') return sharedRecording(input, compiled);
  return { kind: 'shared', key: input.key, id: transcript.id, compiled, files: [] };
}

/** Speed counts: what is packed waits for minutes at most. */
const PACKING = { level: 1 };

/** Puts away, compressed, what is shared of a recording: a study over thousands keeps them all until their turn comes. */
export function packInput(input: TranscriptInput, waiting: Pick<WaitingFile, 'put'>): TranscriptInput {
  if (input.kind !== 'shared') return input;
  const { key, id, compiled } = input;
  const pack = (bytes: Uint8Array): (() => Uint8Array) => waiting.put(deflateRawSync(bytes, PACKING));
  const files = input.files.map((file) =>
    'bytes' in file ? { name: file.name, packed: pack(file.bytes) } : file,
  );
  return { kind: 'waiting', key, id, length: compiled.length, compiled: pack(compiled), files };
}

/** What waits, in memory: shared memory that is no longer used would stay until every thread has noticed. */
function fetchInput(input: Packed<() => Uint8Array>): TranscriptInput & { readonly kind: 'packed' } {
  const { key, id, length, compiled } = input;
  const files = input.files.map((file) =>
    'packed' in file ? { name: file.name, packed: file.packed() } : file,
  );
  return { kind: 'packed', key, id, length, compiled: compiled(), files };
}

function unpackInput({ id, compiled, files }: Packed<Uint8Array>): Loaded {
  const unpacked = files.map((file) =>
    'packed' in file ? { name: file.name, bytes: inflateRawSync(file.packed) } : file,
  );
  return { id, compiled: inflateRawSync(compiled), files: unpacked };
}

/** A file that cannot be unpacked was left out of the transcript, so no text is read from it. */
function sharedFile({ name, bytes }: SessionFile): readonly SharedFile[] {
  try {
    const plain = unpackBytes(bytes, { name, warnings: createWarnings() });
    const shared = new Uint8Array(new SharedArrayBuffer(plain.length));
    shared.set(plain);
    return [{ name, bytes: shared }];
  } catch {
    return [];
  }
}
