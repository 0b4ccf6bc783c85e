import type { BlockFacts, ToolEffect } from '../../core/model/block.js';
import type { MessageOrigin } from '../../core/model/message.js';
import type { Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import type { FillerInit } from '../synthetic/tools/filler-text.js';

/** Version of the compiled form: it goes up whenever a reader makes something else of the same file. */
export const COMPILED_VERSION = 23;

/** First bytes of a compiled transcript; the version, a checksum and the document as JSON follow. */
export const MAGIC = 'ccbench\0';
export const VERSION_OFFSET = 8;
export const CHECKSUM_OFFSET = 12;
export const DOCUMENT_OFFSET = 44;

export const ORIGINS: readonly MessageOrigin[] = [
  'human',
  'model',
  'tool',
  'meta',
  'command',
  'attachment',
  'summary',
  'boundary',
  'context',
  'directive',
  'marker',
];

/** A text that is not known, is kept here, lies in a file, or is filler. */
export type TextRow =
  | 0
  | string
  | readonly [file: number, offset: number, length: number, part: number, chars: number]
  | Required<FillerInit>;

/** Names, effects and usages are numbered from 1, and 0 is none; facts are numbered from 0. */
export type BlockRow = readonly [
  kind: number,
  role: number,
  tokens: number,
  chars: number,
  rough: number,
  digest: number,
  toolUseId: string | 0,
  tool: number,
  facts: number,
  effect: number,
  text: TextRow,
];

/** `at` counts from the time before it, as all times do; a `responseId` of 1 is the id of the message. */
export type MessageRow = readonly [
  id: string,
  role: 0 | 1,
  origin: number,
  at: number,
  responseId: string | 0 | 1,
  usage: number,
  attachedTo: string | 0,
  blocks: readonly BlockRow[],
];

/** `output` is null if none is recorded without usage. */
export type CallRow = readonly [
  id: string,
  startMs: number,
  endMs: number,
  model: number,
  usage: number,
  output: number | null,
  placeholder: 0 | 1,
  stopReason: number,
  missReason: number,
  effort: number,
  response: MessageRow,
];

/** An event with the row of its summary. */
export type EventRow = Omit<ThreadEvent, 'summary'> & { readonly summary?: MessageRow | null };

/** Messages are in a list of their own, calls in one of two, and events are objects. */
export type StepRow = MessageRow | readonly [1, ...CallRow] | EventRow;

/** A transcript as JSON: what repeats is listed once and numbered. */
export interface CompiledDocument {
  readonly transcript: Omit<Transcript, 'threads' | 'uses'>;
  /** What calls need of what came before them, as JSON of its own: few who load it ask. Absent where nothing was compacted. */
  readonly uses?: string;
  readonly threads: readonly {
    readonly thread: Omit<Thread, 'prefix' | 'steps'>;
    readonly prefix: readonly BlockRow[];
    readonly steps: readonly StepRow[];
  }[];
  readonly usages: readonly Usage[];
  /** Facts of blocks without their effects: a path is written once, however often its file is edited. */
  readonly facts: readonly Omit<BlockFacts, 'effect'>[];
  readonly effects: readonly ToolEffect[];
  /** Tools, models, and reasons. */
  readonly names: readonly string[];
  /** Names of the files that texts are read from. */
  readonly files: readonly string[];
}
