import { CcbenchError } from '../../core/base/errors.js';
import { wordList } from '../../core/base/format.js';
import { createRegistry } from '../../core/base/registry.js';
import { CAPABILITIES } from '../../core/run/capability.js';
import { LOG_HEAD } from '../../core/run/run-log.js';
import { createWarnings } from '../../core/run/warning.js';
import { decodeHead, decodeUtf8, parseObject, unpackBytes } from '../lines/json-lines.js';
import { isObject, type JsonObject } from '../lines/narrow.js';
import { readClaudeCode } from './claude-code/read.js';
import { clineReader } from './cline.js';
import { codexReader } from './codex/read.js';
import { copilotCliReader } from './copilot-cli.js';
import { geminiCliReader } from './gemini-cli.js';
import { miniSweAgentReader } from './mini-swe-agent.js';
import { opencodeReader } from './opencode.js';
import { openhandsReader } from './openhands.js';
import { otelReader } from './otel/read.js';
import { piReader } from './pi.js';
import { looksLikeQwenCode, qwenCodeReader } from './qwen-code.js';
import type { NamedReader, TranscriptReader } from './reader.js';
import { requestRowsReader } from './request-rows.js';
import { looksLikeRequestTrace } from './request-trace/parse-request-trace.js';
import { readRequestTrace, requestTraceCarries } from './request-trace/read-request-trace.js';
import { servedReader } from './served.js';
import { traceLabReader } from './tracelab.js';

/** Bytes of a condensed head. */
const MOST_BYTES = 65_536;
/** Bytes of a string that are kept. */
const STRING_BYTES = 256;
/** Containers inside containers that are kept; of deeper ones only the brackets are. */
const KEPT_DEPTH = 2;
/** Bytes that are looked at: a line may not be longer. */
const MOST_READ = 256 * 1024 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * The first lines of a file with long strings cut and deep parts left out. It is as valid as the lines are, and short,
 * however long they are: no more is read than that takes. @internal
 */
export function condenseHead(chunks: Iterable<Uint8Array>): string {
  const out = Buffer.alloc(MOST_BYTES);
  let length = 0;
  let read = 0;
  let depth = 0;
  let quoted = false;
  /** Bytes kept of the string at hand, and those of an escape that still belong together. */
  let kept = 0;
  let escaped = 0;
  for (const chunk of chunks) {
    for (const byte of chunk) {
      let isKept = depth <= KEPT_DEPTH;
      if (byte === NEWLINE) {
        isKept = true;
        escaped = 0;
        // A string that a line feed cuts was never closed: what follows is another line.
        if (quoted) depth = 0;
        quoted = false;
      } else if (quoted) {
        isKept &&= kept < STRING_BYTES;
        if (escaped > 0) escaped += byte === LETTER_U && escaped === 1 ? 3 : -1;
        else if (byte === BACKSLASH) escaped = 1;
        else if (byte === QUOTE) {
          quoted = false;
          isKept = depth <= KEPT_DEPTH;
        }
        if (isKept && escaped === 0) kept++;
      } else if (byte === QUOTE) {
        quoted = true;
        kept = 0;
      } else if (OPENING.has(byte)) depth++;
      else if (CLOSING.has(byte)) {
        depth = Math.max(0, depth - 1);
        isKept = depth <= KEPT_DEPTH;
      }
      if (!isKept) continue;
      out[length++] = byte;
      if (length === MOST_BYTES) return out.toString('utf8');
    }
    read += chunk.length;
    if (read > MOST_READ) break;
  }
  return out.toString('utf8', 0, length);
}

const READERS: readonly NamedReader[] = [
  {
    name: 'claude-code',
    label: 'Claude Code session',
    carries: CAPABILITIES,
    places: ['.claude/projects/*/*.jsonl*', '.config/claude/projects/*/*.jsonl*'],
    read: readClaudeCode,
  },
  { name: 'request-trace', label: 'request trace', carries: requestTraceCarries, read: readRequestTrace },
  servedReader,
  codexReader,
  piReader,
  requestRowsReader,
  traceLabReader,
  geminiCliReader,
  qwenCodeReader,
  opencodeReader,
  clineReader,
  otelReader,
  miniSweAgentReader,
  openhandsReader,
  copilotCliReader,
];

/** The readers by format. */
export const transcriptReaders = createRegistry<TranscriptReader>(
  'transcript format',
  READERS.map((reader) => [reader.name, reader] as const),
);

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

/** The format of a transcript by its beginning: a reader's name, or null. @internal */
export function detectFormat(head: string): string | null {
  if (looksLikeQwenCode(head)) return 'qwen-code';
  const lines = head.split('\n', PROBED_LINES + 1);
  const complete = lines.length > 1 || head.length < HEAD_CHARS ? lines : [];
  for (const text of complete.slice(0, PROBED_LINES)) {
    const value = parseObject(text);
    const format = value === null ? null : formatOfLine(value);
    if (format !== null) return format;
  }
  if (looksLikeRequestTrace(head)) return 'request-trace';
  const own = transcriptReaders.names.find((name) => transcriptReaders.get(name).detect?.(head) === true);
  if (own !== undefined) return own;
  return /"parentUuid"\s*:/.test(head) && /"sessionId"\s*:/.test(head) ? 'claude-code' : null;
}

/** What a file is called in problems, and the whole of it, unpacked, where only its beginning is given. */
interface DetectOptions {
  readonly id: string;
  readonly whole?: () => Iterable<Uint8Array>;
}

/** The name of the reader for a file; a file that no reader knows is an error that says what can be read. */
export function detectReader(source: Uint8Array | string, options: DetectOptions): string {
  const { id, whole = () => [plainOf(source, id)] } = options;
  const head = typeof source === 'string' ? source : startOf(decodeHead(source, id));
  const format = detectFormat(head) ?? detectFormat(condenseHead(whole()));
  if (format !== null) return format;
  const readable = transcriptReaders.all().map(({ label }) => plural(label));
  throw new CcbenchError('bad-transcript', `${id} is not a transcript in a known format`, {
    hint: /\.ya?ml$/.test(id)
      ? 'ccbench run, compare, sweep and tune take scenarios; here a recording is needed'
      : head.startsWith(LOG_HEAD)
        ? 'ccbench report and diff take logs of runs; here a recording is needed'
        : `ccbench replays ${wordList(readable, 'and')}`,
    place: { file: id },
  });
}

/** The characters of a beginning that tell the format. */
function startOf(head: Buffer): string {
  return decodeUtf8(head, 0, Math.min(head.length, HEAD_CHARS));
}

/** Several of a thing: Codex rollouts, tables of requests, trajectories. */
function plural(label: string): string {
  const [, thing, rest = ''] = /^(.*?)( of .*)?$/s.exec(label)!;
  return `${thing!.endsWith('y') ? `${thing!.slice(0, -1)}ie` : thing}s${rest}`;
}

function plainOf(source: Uint8Array | string, id: string): Uint8Array {
  return typeof source === 'string'
    ? Buffer.from(source)
    : unpackBytes(source, { name: id, warnings: createWarnings() });
}
