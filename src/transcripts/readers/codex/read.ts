import { allBut } from '../../../core/run/capability.js';
import type { WarningList } from '../../../core/run/warning.js';
import { carriesKnownWrites, type Reading } from '../../drafts/finish-recording.js';
import { ThreadDraft } from '../../drafts/thread-draft.js';
import { headLines, parseBytes, streamJsonLines, unpackBytes } from '../../lines/json-lines.js';
import { isObject, type JsonObject } from '../../lines/narrow.js';
import { TimeReader } from '../claude-code/lines/time-reader.js';
import type { SessionStream } from '../claude-code/read.js';
import { FileTexts, memorySource, RecordedText } from '../claude-code/recorded-text.js';
import { defineReader } from '../reader.js';
import { Rollout } from './rollout.js';

/** A line of which nothing is looked at. */
const IDLE_LINE: JsonObject = Object.freeze({});
/** Bytes of a line in which its type and that of its payload stand. */
const HEAD_BYTES = 160;
const HEAD = /^\{"timestamp":"[^"\\]*",(?:"ordinal":\d+,)?"type":"(\w+)","payload":\{(?:"type":"(\w+)")?/;
const NEXT_OBJECT = Buffer.from('}{"timestamp":');
const CLOSING = 0x7d;

/** Lines that tell of the conversation. */
const LINES: ReadonlySet<string> = new Set([
  'session_meta',
  'response_item',
  'turn_context',
  'compacted',
  'token_usage_record',
]);

/** Events that tell what no other line does: the others repeat content for the terminal. */
const EVENTS: ReadonlySet<string> = new Set([
  'token_count',
  'task_started',
  'turn_started',
  'task_complete',
  'turn_complete',
  'turn_aborted',
  'thread_rolled_back',
]);

/** True for a line that a reader need not parse: whole, alone, and only for the terminal. */
function isIdle(buffer: Buffer, start: number, end: number): boolean {
  if (buffer[end - 1] !== CLOSING) return false;
  const head = HEAD.exec(buffer.toString('latin1', start, Math.min(end, start + HEAD_BYTES)));
  if (head === null) return false;
  const [, type, event] = head;
  const isLookedAt = type === 'event_msg' ? event === undefined || EVENTS.has(event) : LINES.has(type!);
  return !isLookedAt && !buffer.subarray(start, end).includes(NEXT_OBJECT);
}

/** Reads a line of a rollout; what only the terminal shows, a third of the bytes, is not parsed. */
function readRolloutLine(buffer: Buffer, start: number, end: number): JsonObject | null {
  return isIdle(buffer, start, end) ? IDLE_LINE : parseBytes(buffer, start, end);
}

const CARRIES = allBut('lifetimes', 'subagents');

/** Whose cache a rollout shows unless it names another provider. */
const USUAL_PROVIDER = 'openai';
const LINE_TYPE = /"type"\s*:\s*"(?:session_meta|response_item|turn_context)"/;

function detect(head: string): boolean {
  const isLine = headLines(head).some(
    ({ type, timestamp, payload }) =>
      typeof type === 'string' && typeof timestamp === 'string' && isObject(payload),
  );
  return isLine || LINE_TYPE.test(head);
}

function readChunks({ name, chunks, source }: SessionStream, warnings: WarningList): Reading {
  const texts = source === null ? null : new FileTexts(name, source);
  const draft = new ThreadDraft('main', null, 'main', 'rewind');
  const rollout = new Rollout(draft, warnings);
  const times = new TimeReader();
  for (const { value, place } of streamJsonLines(chunks, { name, warnings, read: readRolloutLine })) {
    const sourceOf =
      texts === null || place === null
        ? undefined
        : (part: number, text: string) => new RecordedText(texts, place, part, text.length);
    rollout.take(value, times.read(value.timestamp), sourceOf);
  }
  rollout.finish();
  return {
    threads: [draft],
    carries: carriesKnownWrites(CARRIES, [draft]),
    agentVersion: rollout.version,
    provider: rollout.provider ?? USUAL_PROVIDER,
    window: rollout.window,
  };
}

/** Reads rollouts of the Codex CLI, its desktop application and its extension. */
export const codexReader = defineReader({
  name: 'codex',
  label: 'Codex rollout',
  carries: CARRIES,
  places: ['.codex/sessions/**/rollout-*.jsonl*', '.codex/archived_sessions/**/rollout-*.jsonl*'],
  detect,
  read(file) {
    const plain = unpackBytes(file.bytes, file);
    return readChunks({ name: file.id, chunks: [plain], source: memorySource(plain) }, file.warnings);
  },
  stream: readChunks,
});
