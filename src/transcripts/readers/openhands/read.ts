import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings } from '../../../core/run/warning.js';
import { finishRecording } from '../../drafts/finish-recording.js';
import { carriesKnownWrites } from '../../drafts/known-writes.js';
import { parseRecords } from '../../lines/json-document.js';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../lines/narrow.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { EventReading } from './event-reading.js';
import { Metrics } from './metrics.js';

const CARRIES = allBut('lifetimes');

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const records = parseRecords(bytes, { name: id, warnings });
  const metrics = new Metrics();
  const events: JsonObject[] = [];
  let version: string | null = null;
  for (const record of records) {
    metrics.take(record);
    version ??= textOf(record.sdk_version) ?? textOf(record.version);
    const held = listOf(record.events ?? record.history).filter(isObject);
    for (const event of held) metrics.take(event);
    events.push(...(held.length > 0 ? held : textOf(record.kind) === null ? [] : [record]));
  }
  const reading = new EventReading(id, metrics, textOf(objectOf(objectOf(records[0]?.agent).llm).model));
  reading.read(events);
  const unplaced = metrics.calls - reading.placed;
  if (unplaced > 0) {
    warnings.add(
      'calls-without-event',
      'requests were counted that no event belongs to',
      'they are missing from the replay and from the totals',
      unplaced,
    );
  }
  const threads = [reading.main, ...reading.summaries];
  return finishRecording({
    id,
    source: 'openhands',
    label: 'an OpenHands conversation',
    carries: carriesKnownWrites(CARRIES, threads),
    agentVersion: version,
    threads,
    warnings,
  });
}

/** Conversations of OpenHands: the state with its counts, and the events; or events that carry the counts. */
export const openhandsReader: TranscriptReader = {
  label: 'OpenHands conversation',
  carries: CARRIES,
  places: ['.openhands/conversations/*/base_state.json'],
  detect: (head) =>
    /"(?:usage_to_metrics|token_usages)"\s*:/.test(head) ||
    /"kind"\s*:\s*"(?:ActionEvent|MessageEvent|SystemPromptEvent|ObservationEvent|ConversationStateUpdateEvent)"/.test(
      head,
    ),
  read,
};
