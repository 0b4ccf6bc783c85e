import type { Transcript } from '../../core/model/transcript.js';
import type { Capability } from '../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../core/run/warning.js';
import { finishRecording, type Reading } from '../drafts/finish-recording.js';
import { parseRecords } from '../lines/json-lines.js';
import type { JsonObject } from '../lines/narrow.js';
import { implausibleLine } from '../lines/plausible.js';
import type { SessionStream } from './claude-code/read.js';

/** What a reader is given beside the bytes of a file. */
export interface ReadOptions {
  /** Name of the file in problems, and of the transcript. */
  readonly id: string;
  /** The bytes of a file beside it, by its name relative to the folder; null if there is none. */
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
  /** The session that a line belongs to, where a file holds many of them, one row a line. */
  sessionOf?(line: JsonObject): string | null;
  read(bytes: Uint8Array, options: ReadOptions): Transcript;
  /** The same in chunks, with texts that stay in the file; absent if a file is read whole. */
  stream?(file: SessionStream, options: Pick<ReadOptions, 'id'>): Transcript;
}

/** A file while it is read: its name in problems, and where warnings go. */
export interface ReaderFile extends ReadOptions {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly warnings: WarningList;
  /** The objects of a file that is one JSON object, a list of them, or has one a line. */
  records(): readonly JsonObject[];
}

/** A reader with its name; what follows the drafts of threads is the same for all. */
export type NamedReader = TranscriptReader & { readonly name: string };

/** Declares a reader by what it makes of a file. */
export function defineReader(
  init: Pick<NamedReader, 'name' | 'label' | 'carries' | 'places' | 'detect' | 'sessionOf'> & {
    read(file: ReaderFile): Reading;
    stream?(file: SessionStream, warnings: WarningList): Reading;
  },
): NamedReader {
  const { name: source, label, carries, places = [], detect, sessionOf, stream } = init;
  const article = /^[aeio]/i.test(label) ? 'an' : 'a';
  const finish = (id: string, make: (warnings: WarningList) => Reading, bytes?: Uint8Array): Transcript => {
    const warnings = createWarnings();
    const reading = make(warnings);
    const badLine = () => (bytes === undefined ? null : implausibleLine(bytes, { name: id }));
    return finishRecording(
      { id, source, label: `${article} ${label}`, carries, warnings, implausibleLine: badLine },
      reading,
    );
  };
  return {
    name: source,
    label,
    carries,
    places,
    ...(detect === undefined ? {} : { detect }),
    ...(sessionOf === undefined ? {} : { sessionOf }),
    read: (bytes, options) =>
      finish(
        options.id,
        (warnings) => {
          const file = { ...options, name: options.id, bytes, warnings };
          return init.read({ ...file, records: () => parseRecords(bytes, file) });
        },
        bytes,
      ),
    ...(stream && {
      stream: (file: SessionStream, { id }: Pick<ReadOptions, 'id'>) =>
        finish(id, (warnings) => stream(file, warnings)),
    }),
  };
}
