import { CcbenchError } from '../../../core/base/errors.js';
import { getOrMake } from '../../../core/base/once.js';
import type { RequestTrace, TraceRequest, TraceThread } from '../../../core/model/request-trace.js';
import { createWarnings, type WarningList } from '../../../core/run/warning.js';
import { parseDocument } from '../../lines/json-lines.js';
import { isObject, type JsonObject, textOf, textsOf } from '../../lines/narrow.js';
import { MOST_TOKENS } from '../../lines/plausible.js';

/** Numbers beyond these cannot come from a recording. */
const MAX_SECONDS = 1_000_000_000;
const MAX_BLOCK_SIZE = 1_048_576;
/** Subagents inside subagents deeper than this are left out. */
const MAX_DEPTH = 32;

const SHAPE_HINT =
  'a request trace is a JSON object with "block_size" and "requests" (each with t, in, out, hash_ids)';

interface Reading {
  readonly threads: TraceThread[];
  readonly warnings: WarningList;
  readonly ids: IdTable;
}

/** True when the first couple of kilobytes of a text look like a request trace. */
export function looksLikeRequestTrace(head: string): boolean {
  return /^\uFEFF?\s*\{/.test(head) && /"(?:hash_ids|block_size|hash_id_scope)"\s*:/.test(head);
}

/** Parses a request trace (E1): plain or gzip JSON in, checked typed arrays out. */
export function parseRequestTrace(bytes: Uint8Array, options: { readonly id: string }): RequestTrace {
  const warnings = createWarnings();
  const data = parseDocument(bytes, { name: options.id, warnings });
  if (!isObject(data)) throw wrongShape(options.id, 'the file is JSON, but not one object');
  if (!Array.isArray(data.requests)) throw wrongShape(options.id, 'the object has no list "requests"');
  const blockSize = data.block_size;
  if (!isWhole(blockSize, 1, MAX_BLOCK_SIZE))
    throw wrongShape(options.id, '"block_size" is not a positive whole number');
  const reading: Reading = { threads: [], warnings, ids: new IdTable() };
  readThread(reading, data, { id: 'main', parentId: null, label: 'main', offsetMs: 0, depth: 0 });
  const { threads } = reading;
  if (threads.length === 0) throw wrongShape(options.id, 'the trace holds no usable request');
  return {
    id: options.id,
    models: [...new Set(threads.flatMap((thread) => thread.requests.map((request) => request.model)))],
    blockSize,
    hashScope: textOf(data.hash_id_scope),
    threads,
    warnings: reading.warnings.list(),
  };
}

interface ThreadPlace extends Pick<TraceThread, 'id' | 'parentId' | 'label'> {
  readonly offsetMs: number;
  readonly depth: number;
}

function readThread(reading: Reading, data: JsonObject, place: ThreadPlace): void {
  const requests: TraceRequest[] = [];
  const nested: { readonly data: JsonObject; readonly offsetMs: number }[] = [];
  let lastMs = place.offsetMs;
  for (const item of data.requests as readonly unknown[]) {
    if (isObject(item) && item.type === 'subagent') {
      if (Array.isArray(item.requests) && isSeconds(item.t)) {
        nested.push({ data: item, offsetMs: place.offsetMs + Math.round(item.t * 1_000) });
      } else leaveOut(reading, 'a subagent has no list of requests or no time');
      continue;
    }
    const request = readRequest(reading, item, place.offsetMs);
    if (request === null) continue;
    if (request.startMs < lastMs) {
      reading.warnings.add(
        'trace-time-backwards',
        'a request starts before the one above it',
        'its gap counts as zero',
      );
      requests.push({ ...request, startMs: lastMs });
    } else requests.push(request);
    lastMs = Math.max(lastMs, request.startMs);
  }
  if (requests.length > 0) {
    reading.threads.push({
      id: place.id,
      parentId: place.parentId,
      label: place.label,
      toolTokens: isWhole(data.tool_tokens, 0, MOST_TOKENS) ? data.tool_tokens : null,
      systemTokens: isWhole(data.system_tokens, 0, MOST_TOKENS) ? data.system_tokens : null,
      requests,
    });
  }
  for (const child of nested) {
    if (place.depth >= MAX_DEPTH) {
      leaveOut(reading, `subagents are nested more than ${MAX_DEPTH} deep`);
      continue;
    }
    readThread(reading, child.data, {
      id: uniqueId(reading, child.data.agent_id),
      parentId: place.id,
      label: textOf(child.data.subagent_type) ?? 'subagent',
      offsetMs: child.offsetMs,
      depth: place.depth + 1,
    });
  }
}

function readRequest(reading: Reading, item: unknown, offsetMs: number): TraceRequest | null {
  if (!isObject(item)) return leaveOut(reading, 'an entry of "requests" is not an object');
  if (!isSeconds(item.t)) return leaveOut(reading, '"t" is missing, negative or implausibly large');
  if (!isWhole(item.in, 1, MOST_TOKENS))
    return leaveOut(reading, '"in" is missing, not positive or implausibly large');
  if (!isWhole(item.out, 0, MOST_TOKENS))
    return leaveOut(reading, '"out" is missing, negative or implausibly large');
  const hashIds = Array.isArray(item.hash_ids) ? reading.ids.pack(item.hash_ids) : null;
  if (hashIds === null) return leaveOut(reading, '"hash_ids" is not a list of whole numbers from zero up');
  return {
    startMs: offsetMs + Math.round(item.t * 1_000),
    model: textOf(item.model) ?? 'unknown',
    promptTokens: item.in,
    outputTokens: item.out,
    hashIds,
    inputTypes: textsOf(item.input_types),
    outputTypes: textsOf(item.output_types),
    stop: textOf(item.stop),
    apiMs: isSeconds(item.api_time) ? Math.round(item.api_time * 1_000) : null,
  };
}

/** Block ids as 32-bit numbers; larger ones get a number of their own from the top down. */
class IdTable {
  readonly #large = new Map<number, number>();

  pack(ids: readonly unknown[]): Uint32Array | null {
    const packed = new Uint32Array(ids.length);
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i];
      if (typeof id !== 'number' || !Number.isSafeInteger(id) || id < 0) return null;
      packed[i] = id < 0x8000_0000 ? id : this.#number(id);
    }
    return packed;
  }

  #number(id: number): number {
    return getOrMake(this.#large, id, () => 0xffff_ffff - this.#large.size);
  }
}

function leaveOut(reading: Reading, why: string): null {
  reading.warnings.add('trace-request-left-out', why, 'the request is left out of the trace');
  return null;
}

function uniqueId(reading: Reading, wanted: unknown): string {
  const base = textOf(wanted) ?? 'subagent';
  let id = base;
  for (let n = 2; reading.threads.some((thread) => thread.id === id); n++) id = `${base}-${n}`;
  return id;
}

function isWhole(value: unknown, low: number, high: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= low && value <= high;
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_SECONDS;
}

function wrongShape(file: string, sentence: string): CcbenchError {
  return new CcbenchError('bad-transcript', sentence, { hint: SHAPE_HINT, place: { file } });
}
