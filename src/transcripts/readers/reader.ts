import type { Transcript } from '../../core/model/transcript.js';
import type { Capability } from '../../core/run/capability.js';
import type { SessionStream } from './claude-code/read.js';

/** What a reader is given beside the bytes of a file. */
export interface ReadOptions {
  /** Name of the file in problems, and of the transcript. */
  readonly id: string;
  /** The bytes of a file beside it, by its name relative to the folder; null when there is none. */
  readonly beside?: (name: string) => Uint8Array | null;
}

/** A transcript format that can be replayed. */
export interface TranscriptReader {
  readonly label: string;
  /** What transcripts of this format can tell at their best. */
  readonly carries: readonly Capability[];
  /** Where the agent keeps its sessions: patterns below the home folder. */
  readonly places?: readonly string[];
  /** Whether a file that begins like this is of the format. */
  detect?(head: string): boolean;
  read(bytes: Uint8Array, options: ReadOptions): Transcript;
  /** The same in chunks, with texts that stay in the file; absent where a file is read whole. */
  stream?(file: SessionStream, options: Pick<ReadOptions, 'id'>): Transcript;
}
