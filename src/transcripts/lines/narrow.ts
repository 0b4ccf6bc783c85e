import { sha256Hex } from '../../core/base/digest.js';
import { attempt, isGroup } from '../../core/base/errors.js';

/** A JSON object whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object (not null, not an array). */
export const isObject: (value: unknown) => value is JsonObject = isGroup;

/** The value as an object; an empty one when it is anything else. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one when it is anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The objects of a list; other items are left out. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}

/** The value as a text that is not empty, or null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** Longer than any id that a client makes. */
const MOST_ID_CHARS = 500;

/** The value as an id: one that is far too long is known by its beginning and its digest, and the rest of it is let go. */
export function idOf(value: unknown): string | null {
  const id = textOf(value);
  if (id === null || id.length <= MOST_ID_CHARS) return id;
  return `${Buffer.from(id.slice(0, 50)).toString()}…${sha256Hex(Buffer.from(id)).slice(0, 16)}`;
}

/** The value as a finite number, or null. */
export function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The value as a count: 0 for what is none. */
export function countOf(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}

/** The texts of a list; other items are left out. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).filter((item): item is string => typeof item === 'string');
}

/** JSON text of a value; an empty text for what JSON cannot hold or what is nested beyond reason. */
export function jsonOf(value: unknown): string {
  return attempt(() => JSON.stringify(value) ?? '', '');
}

/** Times below this are seconds, those above it milliseconds: it is 2001 in one unit and 33658 in the other. */
const FIRST_MS = 1e12;

/** The year 2100: a session that is said to be later has a broken clock, and its pauses would be centuries. */
const LAST_MS = Date.UTC(2100, 0, 1);

/** A time as milliseconds since 1970; null for what is none. */
export function soundTime(ms: number): number | null {
  return ms >= 0 && ms < LAST_MS ? ms : null;
}

const HAS_ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * Milliseconds since 1970 of a time as records write it: ISO text, milliseconds or seconds. A text without a zone is taken for UTC,
 * so that it is the same on every machine. Null if it is not one.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || value <= 0) return null;
    return soundTime(Math.round(value < FIRST_MS ? value * 1_000 : value));
  }
  if (typeof value !== 'string') return null;
  const ms = Date.parse(HAS_ZONE.test(value) ? value : `${value}Z`);
  return soundTime(ms);
}

/** The latest of some times; null when none is known. */
export function latestOf(times: readonly (number | null)[]): number | null {
  let latest: number | null = null;
  for (const time of times) if (time !== null && (latest === null || time > latest)) latest = time;
  return latest;
}
