import { CcbenchError } from '../base/errors.js';
import { createRegistry } from '../base/registry.js';
import { createWarnings } from '../model/warning.js';
import { claudeCodeCarries, readClaudeCode } from './claude-code/read.js';
import { codexReader } from './codex/read.js';
import { decodeBytes } from './json-lines.js';
import { isObject, type JsonObject } from './narrow.js';
import { piReader } from './pi/read.js';
import type { TranscriptReader } from './reader.js';
import { looksLikeRequestTrace } from './request-trace/parse-request-trace.js';
import { readRequestTrace } from './request-trace/read-request-trace.js';

/** The readers by format. */
export const transcriptReaders = createRegistry<TranscriptReader>('transcript format', [
  [
    'claude-code',
    {
      label: 'Claude Code session',
      carries: claudeCodeCarries,
      places: ['.claude/projects/*/*.jsonl*', '.config/claude/projects/*/*.jsonl*'],
      read: readClaudeCode,
    },
  ],
  [
    'request-trace',
    {
      label: 'request trace',
      carries: ['timestamps', 'subagents', 'output-tokens', 'latency'],
      read: readRequestTrace,
    },
  ],
  ['codex', codexReader],
  ['pi', piReader],
]);

/** Formats that are recognised but cannot be replayed. */
const KNOWN_BUT_UNREAD: Readonly<Record<string, string>> = {
  'gemini-cli': 'a Gemini CLI chat',
};

/** Characters at the start of a file that are enough to tell its format. */
const HEAD_CHARS = 65_536;
/** Complete lines of the head that are looked at. */
const PROBED_LINES = 20;

const CLAUDE_CODE_TYPES = new Set(['user', 'assistant', 'system', 'attachment', 'progress', 'summary']);

function formatOfLine(value: JsonObject): string | null {
  const { type } = value;
  if (typeof type !== 'string') return null;
  if ('parentUuid' in value || 'leafUuid' in value) return 'claude-code';
  if ('sessionId' in value || 'snapshot' in value) return 'claude-code';
  return CLAUDE_CODE_TYPES.has(type) && isObject(value.message) && 'uuid' in value ? 'claude-code' : null;
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The format of a transcript by its beginning: a reader's name, a known format without a reader, or null. @internal */
export function detectFormat(head: string): string | null {
  const lines = head.split('\n', PROBED_LINES + 1);
  const complete = lines.length > 1 || head.length < HEAD_CHARS ? lines : [];
  for (const text of complete.slice(0, PROBED_LINES)) {
    const value = parseOrNull(text);
    const format = isObject(value) ? formatOfLine(value) : null;
    if (format !== null) return format;
  }
  if (looksLikeRequestTrace(head)) return 'request-trace';
  if (/"projectHash"\s*:/.test(head) && /"messages"\s*:/.test(head)) return 'gemini-cli';
  if (/"parentUuid"\s*:/.test(head) && /"sessionId"\s*:/.test(head)) return 'claude-code';
  return null;
}

/** The name of the reader for a file; a format without a reader is an error that names it. */
export function detectReader(source: Uint8Array | string, options: { readonly id: string }): string {
  const { id } = options;
  const head = typeof source === 'string' ? source : headOf(source, id);
  const format = detectFormat(head);
  if (format !== null && transcriptReaders.has(format)) return format;
  const foreign = transcriptReaders.names.find((name) => transcriptReaders.get(name).detect?.(head) === true);
  if (foreign !== undefined) return foreign;
  const readable = transcriptReaders.all().map((reader) => `${reader.label}s`);
  const hint = `ccbench replays ${readable.join(' and ')}`;
  const unread = format === null ? undefined : KNOWN_BUT_UNREAD[format];
  if (unread !== undefined) {
    throw new CcbenchError('not-supported', `${id} is ${unread}, which has no reader`, {
      hint,
      place: { file: id },
    });
  }
  throw new CcbenchError('bad-transcript', `${id} is not a transcript in a known format`, {
    hint,
    place: { file: id },
  });
}

function headOf(bytes: Uint8Array, id: string): string {
  const plain = decodeBytes(bytes, { name: id, warnings: createWarnings() });
  return plain.toString('utf8', 0, HEAD_CHARS);
}
