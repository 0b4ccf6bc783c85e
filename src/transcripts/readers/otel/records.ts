import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../lines/narrow.js';

/** A span or a log record, whichever exporter wrote it. */
export interface OtelRecord {
  readonly kind: 'span' | 'log';
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string | null;
  readonly parentId: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly attributes: JsonObject;
}

const NANOS_PER_MS = 1_000_000;
/** Numbers from here on are nanoseconds since 1970, smaller ones milliseconds. */
const FIRST_NANOS = 1e16;

/** The value of an attribute as OTLP wraps it. */
function plainValue(wrapped: unknown): unknown {
  if (!isObject(wrapped)) return wrapped;
  if ('stringValue' in wrapped) return wrapped.stringValue;
  if ('intValue' in wrapped)
    return typeof wrapped.intValue === 'string' ? Number(wrapped.intValue) : wrapped.intValue;
  if ('doubleValue' in wrapped) return wrapped.doubleValue;
  if ('boolValue' in wrapped) return wrapped.boolValue;
  if ('arrayValue' in wrapped) return listOf(objectOf(wrapped.arrayValue).values).map(plainValue);
  if ('kvlistValue' in wrapped) return attributesOf(objectOf(wrapped.kvlistValue).values);
  return null;
}

function attributesOf(value: unknown): JsonObject {
  if (isObject(value)) return value;
  return Object.fromEntries(
    listOf(value).flatMap((pair) =>
      isObject(pair) && typeof pair.key === 'string' ? [[pair.key, plainValue(pair.value)]] : [],
    ),
  );
}

/** A time as exporters write it: nanoseconds, milliseconds, seconds with nanoseconds, or words. */
function timeOf(...values: readonly unknown[]): number | null {
  for (const value of values) {
    if (Array.isArray(value)) {
      const [seconds, nanos] = value.map(Number);
      if (seconds !== undefined && Number.isFinite(seconds))
        return seconds * 1_000 + (nanos ?? 0) / NANOS_PER_MS;
    }
    const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : numberOf(value);
    if (number !== null && number > 0) return number >= FIRST_NANOS ? number / NANOS_PER_MS : number;
    const words = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (!Number.isNaN(words)) return words;
  }
  return null;
}

function recordOf(value: unknown, kind: 'span' | 'log', shared: JsonObject): readonly OtelRecord[] {
  if (!isObject(value)) return [];
  const context = objectOf(value.spanContext ?? value.context);
  const endMs = timeOf(value.endTimeUnixNano, value.endTime, value.end_time);
  const startMs = timeOf(
    value.startTimeUnixNano,
    value.startTime,
    value.start_time,
    value.timeUnixNano,
    value.hrTime,
    value.timestamp,
  );
  const own = attributesOf(value.attributes);
  const names = [value.eventName, own['event.name'], value.name].map(textOf);
  return [
    {
      kind,
      name: names.find((name) => name !== null) ?? '',
      traceId: textOf(value.traceId) ?? textOf(context.traceId) ?? textOf(context.trace_id) ?? '',
      spanId: textOf(value.spanId) ?? textOf(context.spanId) ?? textOf(context.span_id),
      parentId: textOf(value.parentSpanId) ?? textOf(value.parent_id),
      startMs: startMs === null ? endMs : Math.round(startMs),
      endMs: endMs === null ? null : Math.round(endMs),
      attributes: { ...shared, ...own },
    },
  ];
}

/** Resource attributes that tell which conversation a record is of. */
const SHARED = ['session.id', 'gen_ai.conversation.id'] as const;

function sharedOf(resource: unknown): JsonObject {
  const all = attributesOf(objectOf(resource).attributes);
  return Object.fromEntries(SHARED.flatMap((key) => (key in all ? [[key, all[key]]] : [])));
}

/** The records of a value: OTLP documents, lists, or one record as file exporters write it a line. */
export function recordsOf(value: unknown): readonly OtelRecord[] {
  if (Array.isArray(value)) return value.flatMap(recordsOf);
  if (!isObject(value)) return [];
  const documents = [
    ['span', value.resourceSpans, ['scopeSpans', 'instrumentationLibrarySpans'], 'spans'],
    ['log', value.resourceLogs, ['scopeLogs', 'instrumentationLibraryLogs'], 'logRecords'],
  ] as const;
  if (documents.some(([, resources]) => Array.isArray(resources)))
    return documents.flatMap(([kind, resources, scopes, members]) =>
      listOf(resources).flatMap((each) => {
        const resource = objectOf(each);
        const shared = sharedOf(resource.resource);
        const lists = scopes.flatMap((name) => listOf(resource[name]));
        return lists.flatMap((scope) =>
          listOf(objectOf(scope)[members]).flatMap((record) => recordOf(record, kind, shared)),
        );
      }),
    );
  if (!('attributes' in value)) return [];
  const isLog = value.type === 'log' || 'hrTime' in value || 'timeUnixNano' in value;
  return recordOf(value, isLog ? 'log' : 'span', sharedOf(value.resource));
}
