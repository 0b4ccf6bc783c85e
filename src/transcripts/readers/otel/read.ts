import type { Transcript } from '../../../core/model/transcript.js';
import { allBut } from '../../../core/run/capability.js';
import { createWarnings, type WarningList } from '../../../core/run/warning.js';
import { finishRows } from '../../drafts/finish-rows.js';
import { decodeBytes, decodeUtf8, streamJsonLines } from '../../lines/json-lines.js';
import type { ReadOptions, TranscriptReader } from '../reader.js';
import { rowsOf } from './calls.js';
import { type OtelRecord, recordsOf } from './records.js';

const CARRIES = allBut('lifetimes', 'boundaries');

const CONVENTION = /"(?:gen_ai\.|llm\.token_count\.|openinference\.)/;
const EXPORT = /"(?:resourceSpans|resourceLogs|traceId|trace_id|spanContext|attributes)"\s*:/;

function wholeDocument(plain: Buffer): unknown {
  try {
    return JSON.parse(decodeUtf8(plain, 0, plain.length)) as unknown;
  } catch {
    return null;
  }
}

/** One document, or one document or record a line. */
function readRecords(plain: Buffer, name: string, warnings: WarningList): readonly OtelRecord[] {
  const document = wholeDocument(plain);
  if (document !== null) return recordsOf(document);
  const records: OtelRecord[] = [];
  for (const { value } of streamJsonLines([plain], { name, warnings })) records.push(...recordsOf(value));
  return records;
}

function read(bytes: Uint8Array, { id }: ReadOptions): Transcript {
  const warnings = createWarnings();
  const records = readRecords(decodeBytes(bytes, { name: id, warnings }), id, warnings);
  const label = 'telemetry of generative AI';
  return finishRows(rowsOf(records), { id, source: 'otel', label, carries: CARRIES, warnings });
}

/** Reads OpenTelemetry spans and logs about calls of models: OTLP JSON, files of exporters, OpenInference attributes. */
export const otelReader: TranscriptReader = {
  label: 'OpenTelemetry export',
  carries: CARRIES,
  places: ['.copilot/otel/*.jsonl*'],
  detect: (head) => CONVENTION.test(head) && EXPORT.test(head),
  read,
};
