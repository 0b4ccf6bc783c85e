import type { BlockFacts, BlockKind, BlockRole } from '../../core/model/block.js';
import type { MessageOrigin } from '../../core/model/message.js';
import type { ToolEffect } from '../../core/model/tool-effect.js';
import type { Step, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import type { FillerStyle } from '../synthetic/tools/filler-text.js';
import type { ColumnEntry } from './columns.js';
import type { StringEncoding } from './string-table.js';

/** Version of the compiled form: it goes up whenever a reader makes something else of the same file. */
export const COMPILED_VERSION = 10;

/** First bytes of a compiled transcript. */
export const MAGIC = 'ccbench\0';

/** Bytes in front of the header: magic, version, length of the header, checksum of everything behind. */
export const PREAMBLE_BYTES = 48;
export const VERSION_OFFSET = 8;
export const HEADER_LENGTH_OFFSET = 12;
export const CHECKSUM_OFFSET = 16;
export const CHECKSUM_BYTES = 32;

export const KINDS: readonly BlockKind[] = [
  'tools',
  'system',
  'text',
  'thinking',
  'tool_use',
  'tool_result',
  'image',
  'document',
  'other',
];

export const ROLES: readonly BlockRole[] = ['tools', 'system', 'user', 'assistant'];

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

export const STEP_KINDS: readonly Step['kind'][] = ['message', 'call', 'event'];

/** Where the text of a block is. */
export const TEXT_KINDS = ['none', 'recorded', 'embedded', 'filler'] as const;

export const FILLER_STYLES: readonly FillerStyle[] = ['code', 'output', 'prose', 'words'];

export const BLOCK_COLUMNS = [
  ...([
    'kind',
    'role',
    'tokens',
    'chars',
    'rough',
    'digest',
    'toolUseId',
    'tool',
    'facts',
    'effect',
  ] as const),
  // Recorded texts: file, place and part of the line. Embedded ones: `part` numbers the text itself.
  // Fillers: `file` is the style, `offset` the seed, `length` and `part` number the head and the tail.
  ...(['text', 'textChars', 'file', 'offset', 'length', 'part'] as const),
] as const;

export const USAGE_COLUMNS = ['input', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'output'] as const;

export const MESSAGE_COLUMNS = [
  ...(['id', 'role', 'origin', 'blocks', 'at', 'responseId', 'usage', 'attachedTo'] as const),
] as const;

/** `output` is one more than the output recorded without usage, and 0 where there is none. */
export const CALL_COLUMNS = [
  ...(['id', 'startMs', 'endMs', 'model', 'response', 'usage', 'output', 'placeholder'] as const),
  ...(['stopReason', 'missReason', 'effort'] as const),
] as const;

export const STEP_COLUMNS = ['kind', 'row'] as const;

/** What of a thread is not in columns; blocks and steps follow one another in the order of the threads. */
export interface ThreadEntry {
  readonly thread: Omit<Thread, 'prefix' | 'steps'>;
  readonly prefixBlocks: number;
  readonly steps: number;
}

/** An event with the number of its summary's message, from 1, in the summary's place. */
export type EventEntry = Omit<ThreadEvent, 'summary'> & { readonly summary?: number | null };

/** What is kept as JSON. */
export interface CompiledHeader {
  readonly transcript: Omit<Transcript, 'threads'>;
  readonly threads: readonly ThreadEntry[];
  readonly events: readonly EventEntry[];
  /** Facts of blocks, each once, without their effects: a path is written once, however often its file is edited. */
  readonly facts: readonly Omit<BlockFacts, 'effect'>[];
  /** Effects of blocks, each once; blocks number them from 1. */
  readonly effects: readonly ToolEffect[];
  /** Names of the files that texts are read from. */
  readonly files: readonly string[];
  readonly columns: readonly ColumnEntry[];
  readonly strings: { readonly encoding: StringEncoding; readonly bytes: number };
}
