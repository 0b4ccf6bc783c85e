import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { carriesKnownWrites } from '../../drafts/known-writes.js';
import { parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, objectOf, textOf } from '../../lines/narrow.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { partsOf } from './parts.js';
import { SessionReading } from './session-reading.js';

const CARRIES = allBut('lifetimes');

/** A message as exports wrap it; one that stands alone has its parts inside, or none. */
function wrapped(record: JsonObject): JsonObject {
  return isObject(record.info) ? record : { info: record, parts: record.parts ?? [] };
}

/** The sessions of a file: exports with their messages, or messages alone. */
function sessionsOf(records: readonly JsonObject[]): readonly JsonObject[] {
  const exports = records.filter(({ messages }) => Array.isArray(messages));
  if (exports.length > 0) return exports;
  return [
    { info: {}, messages: records.filter((record) => textOf(objectOf(wrapped(record).info).role) !== null) },
  ];
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const sessions = sessionsOf(parseRecords(bytes, { name: id, warnings }));
  const names = new Map(
    sessions.map(({ info }, i) => [textOf(objectOf(info).id), i === 0 ? id : null] as const),
  );
  const readings = sessions.map(({ info, messages }, i) => {
    const { id: own, parentID, title } = objectOf(info);
    const parent = textOf(parentID);
    const name = i === 0 ? id : (textOf(own) ?? `${id}-${i + 1}`);
    const parentId = parent === null || !names.has(parent) ? null : (names.get(parent) ?? parent);
    const reading = new SessionReading(name, parentId, textOf(title) ?? name);
    reading.read(partsOf(messages).map(wrapped));
    return reading;
  });
  const threads = readings.flatMap(({ main, summaries }) => [main, ...summaries]);
  return finishRecording({
    id,
    source: 'opencode',
    label: 'an opencode session',
    carries: carriesKnownWrites(CARRIES, threads),
    agentVersion: textOf(objectOf(sessions[0]?.info).version),
    threads,
    warnings,
  });
}

/** Sessions of opencode as `opencode export` writes them; a database and a storage folder are brought into that form. */
export const opencodeReader: TranscriptReader = {
  label: 'opencode session',
  carries: CARRIES,
  places: ['.local/share/opencode/opencode*.db', '.local/share/opencode/storage/session/*/ses_*.json'],
  detect: (head) => /"(?:id|sessionID)"\s*:\s*"ses_/.test(head),
  read,
};
