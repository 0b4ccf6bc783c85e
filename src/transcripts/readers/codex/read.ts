import type { Transcript } from '../../../core/model/transcript.js';
import { allBut, less } from '../../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { ThreadDraft } from '../../drafts/thread-draft.js';
import { headLines } from '../../lines/head-lines.js';
import { streamJsonLines, unpackBytes } from '../../lines/json-lines.js';
import { isObject } from '../../lines/narrow.js';
import { TimeReader } from '../claude-code/lines/time-reader.js';
import type { SessionStream } from '../claude-code/read.js';
import { FileTexts, memorySource, RecordedText } from '../claude-code/recorded-text.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { Rollout } from './rollout.js';
import { readRolloutLine } from './rollout-lines.js';

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

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const plain = unpackBytes(bytes, { name: id, warnings });
  return readChunks({ name: id, chunks: [plain], source: memorySource(plain) }, id, warnings);
}

function readChunks({ name, chunks, source }: SessionStream, id: string, warnings: WarningList): Transcript {
  const texts = source === null ? null : new FileTexts(name, source);
  const draft = new ThreadDraft('main');
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
  return finishRecording({
    id,
    source: 'codex',
    label: 'a Codex rollout',
    carries: rollout.tellsWrites ? CARRIES : less(CARRIES, ['cache-writes']),
    agentVersion: rollout.version,
    provider: rollout.provider ?? USUAL_PROVIDER,
    window: rollout.window,
    threads: [draft],
    warnings,
  });
}

/** Reads rollouts of the Codex CLI, its desktop application and its extension. */
export const codexReader: TranscriptReader = {
  label: 'Codex rollout',
  carries: CARRIES,
  places: ['.codex/sessions/**/rollout-*.jsonl*', '.codex/archived_sessions/**/rollout-*.jsonl*'],
  detect,
  read,
  stream: (file, { id }) => readChunks(file, id, createWarnings()),
};
