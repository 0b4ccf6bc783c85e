import type { Files } from '../../../core/base/files.js';
import { ownValue } from '../../../core/base/own-value.js';
import { type Meaning, relate } from '../../../core/memory/meaning.js';
import { MEMORY_DIRECTORY, MEMORY_INDEX, type Memory } from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import { RECORD_DIRECTORY } from '../../../core/model/transcript.js';
import { CLOSING_TOKENS, editTokens, type LayerReport } from '../../../core/run/action.js';
import { type ForkCall, TOKENS_PER_CALL, tokensOfChars } from '../auto-memory/fork-turns.js';
import { type MemoryLine, memoryLines } from '../auto-memory/known-memories.js';
import { byteLength, type IndexLimits, indexLine } from '../auto-memory/memory-index.js';
import { readMemories, type StoredMemory } from '../auto-memory/memory-store.js';
import type { LockHold } from './lock.js';

const DAY_MS = 86_400_000;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
};
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

const RELATIVE =
  /\b(?:today|tonight|yesterday|tomorrow|(?:last|next|this) (?:week|month|year|sunday|monday|tuesday|wednesday|thursday|friday|saturday)|in (?:an?|one|two|three|four|five|six|\d{1,3}) (?:day|week|month|year)s?|(?:an?|one|two|three|four|five|six|\d{1,3}) (?:day|week|month|year)s? ago)\b/gi;

/** In front of a date no second one is needed. */
const PREPOSITION = /\b(?:on|by|until|since|from|after|before|for|of|in) $/i;

/** A text whose words for days were replaced by dates, as seen from a time (DRM-3). @internal */
export function withDates(text: string, nowMs: number): string {
  return text.replace(RELATIVE, (words: string, at: number) => {
    const date = absolute(words.toLowerCase(), nowMs);
    return PREPOSITION.test(text.slice(Math.max(0, at - 8), at)) ? date.slice(date.indexOf(' ') + 1) : date;
  });
}

function absolute(words: string, nowMs: number): string {
  const on = (days: number): string => `on ${dateOf(nowMs + days * DAY_MS)}`;
  if (words === 'today' || words === 'tonight') return on(0);
  if (words === 'yesterday') return on(-1);
  if (words === 'tomorrow') return on(1);
  const parts = words.split(' ');
  if (parts[0] === 'in') return on(daysIn(parts[1]!, parts[2]!));
  if (parts[2] === 'ago') return on(-daysIn(parts[0]!, parts[1]!));
  const [which, unit] = parts as [string, string];
  const step = which === 'last' ? -1 : which === 'next' ? 1 : 0;
  if (unit === 'week') return `in the week of ${dateOf(mondayOf(nowMs) + step * 7 * DAY_MS)}`;
  if (unit === 'month') return `in ${monthOf(nowMs, step)}`;
  if (unit === 'year') return `in ${new Date(nowMs).getUTCFullYear() + step}`;
  return on(daysTo(DAYS.indexOf(unit), step, nowMs));
}

/** Days to the named day: the latest one before today, the one of this week that is ahead, or the next after today. */
function daysTo(day: number, step: number, nowMs: number): number {
  const ahead = (day - new Date(nowMs).getUTCDay() + 7) % 7;
  if (step < 0) return ahead === 0 ? -7 : ahead - 7;
  return step > 0 && ahead === 0 ? 7 : ahead;
}

function daysIn(count: string, unit: string): number {
  return (ownValue(COUNTS, count) ?? Number(count)) * ownValue(UNIT_DAYS, unit.replace(/s$/, ''))!;
}

function mondayOf(ms: number): number {
  return ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS;
}

function monthOf(ms: number, step: number): string {
  const date = new Date(ms);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step, 1)).toISOString().slice(0, 7);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Wall-clock time of the simulated time 0 where a transcript tells none (assumed: a Monday). */
const ASSUMED_START_MS = Date.UTC(2026, 0, 5);

/** A memory that is written again, as it was read and as it shall be. */
interface Rewritten {
  readonly read: StoredMemory;
  readonly memory: Memory;
  /** Characters of the lines that are new in this file or changed. */
  readonly changedChars: number;
}

/** What a consolidation changes (DRM-3). */
interface Consolidation {
  readonly write: readonly Rewritten[];
  /** Memories whose files go: their lines stand in another memory now, or were contradicted. */
  readonly remove: readonly StoredMemory[];
  /** Memories that went into another one on the same subject. */
  readonly merged: number;
  /** Memories that lost a line to a later one that contradicts it. */
  readonly contradicted: number;
  /** Memories in which relative dates became absolute. */
  readonly dated: number;
}

/** Merges by subject, removes what a later memory contradicts, and makes relative dates absolute (DRM-3, C33). */
export function consolidate(memories: readonly StoredMemory[], startedAtMs: number | null): Consolidation {
  const startMs = startedAtMs ?? ASSUMED_START_MS;
  const newestFirst = [...memories].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? 1 : -1));
  const kept = new Map<StoredMemory, MemoryLine[]>();
  const bySubject = new Map<string, Meaning[]>();
  const contradicted = new Set<StoredMemory>();
  const dated = new Set<StoredMemory>();
  for (const memory of newestFirst) {
    const lines: MemoryLine[] = [];
    kept.set(memory, lines);
    for (const { text, meaning } of memoryLines(memory)) {
      const others = bySubject.get(meaning.subject) ?? [];
      const relations = others.map((other) => relate(other, meaning));
      if (relations.includes('contradicts')) contradicted.add(memory);
      else if (!relations.includes('same')) {
        const absolute = withDates(text, startMs + memory.mtimeMs);
        if (absolute !== text) dated.add(memory);
        lines.push({ text: absolute, meaning });
        others.push(meaning);
        bySubject.set(meaning.subject, others);
      }
    }
  }
  foldBySubject(newestFirst, kept);
  const remove = memories.filter((memory) => kept.get(memory)!.length === 0);
  return {
    write: newestFirst.flatMap((memory) => rewritten(memory, kept.get(memory)!)),
    remove,
    merged: remove.filter((memory) => !contradicted.has(memory)).length,
    contradicted: contradicted.size,
    dated: dated.size,
  };
}

/** Moves the lines of older memories into the newest one of their type and subject. */
function foldBySubject(newestFirst: readonly StoredMemory[], kept: Map<StoredMemory, MemoryLine[]>): void {
  const first = new Map<string, StoredMemory>();
  for (const memory of newestFirst) {
    const lines = kept.get(memory)!;
    const subject = lines[0]?.meaning.subject ?? '';
    if (subject === '') continue;
    const key = `${memory.type} ${subject}`;
    const home = first.get(key);
    if (home === undefined) first.set(key, memory);
    else {
      kept.get(home)!.push(...lines);
      kept.set(memory, []);
    }
  }
}

function rewritten(read: StoredMemory, kept: readonly MemoryLine[]): readonly Rewritten[] {
  if (kept.length === 0) return [];
  const lines = kept.map(({ text }) => text);
  const before = new Set(memoryLines(read).map(({ text }) => text));
  const isSame = lines.length === before.size && lines.every((line) => before.has(line));
  if (isSame) return [];
  const { name, description, type } = read;
  const changedChars = lines.reduce((sum, line) => sum + (before.has(line) ? 0 : line.length + 1), 0);
  return [{ read, memory: { name, description, type, body: lines.join('\n') }, changedChars }];
}

/** What a dream may run (DRM-4). @internal */
export const READ_COMMANDS = ['ls', 'find', 'grep', 'cat', 'stat', 'wc', 'head', 'tail'] as const;

const SHELL = /[;&|<>`$\n\r]/;
const FIND_WRITES = /(^|\s)-(delete|exec|execdir|ok|okdir|fprint|fprint0|fprintf|fls)(\s|$)/;

/** True for a command that only reads: one of the few, without redirection, substitution or a second command. @internal */
export function isReadOnlyCommand(command: string): boolean {
  const [name] = command.trim().split(/\s+/, 1);
  if (name === undefined || SHELL.test(command)) return false;
  if (!(READ_COMMANDS as readonly string[]).includes(name)) return false;
  return name !== 'find' || !FIND_WRITES.test(command);
}

/** The phases of a dream, in order (DRM-3). */
export const DREAM_PHASES = ['orient', 'gather', 'consolidate', 'prune'] as const;
export type DreamPhase = (typeof DREAM_PHASES)[number];

/** One turn of a dream: the commands it runs, or the edits it makes. */
export interface DreamTurn {
  readonly phase: DreamPhase;
  /** `index`: what it puts out follows from the memories as they are then. */
  readonly does: 'reads' | 'edits' | 'index' | 'ends';
  readonly calls: readonly ForkCall[];
  readonly edits: number;
  readonly outputTokens: number;
}

/** Tokens of one line that a search brings back (assumed). */
const TOKENS_PER_MATCH = 40;

/** A dream on its way (DRM-5). */
export interface Dream {
  readonly hold: LockHold;
  readonly startMs: number;
  readonly sessions: number;
  readonly memoriesBefore: number;
  /** What it will change, from what it reads (DRM-3). */
  readonly changes: Consolidation;
  /** Lines of the records that its search brings back. */
  readonly gatheredLines: number;
  /** `starting` until the first write. */
  state: 'starting' | 'updating';
  messages: readonly Message[];
  readonly turns: readonly DreamTurn[];
  /** Turn whose answer is awaited. */
  turn: number;
  endMs: number;
  /** What the latest answer put out. */
  outputTokens: number;
  /** Latest turns, for display. */
  shown: string[];
  denied: number;
  refused: number;
  written: number;
  /** The files it wrote, in order. */
  readonly paths: string[];
  removed: number;
  merged: number;
  contradicted: number;
  dated: number;
}

/** A dream that ended, in figures. */
export function summaryOf(dream: Dream, state: string, endMs: number): LayerReport['details'] {
  return {
    state,
    wrote: dream.state === 'updating',
    sessions: dream.sessions,
    runsMs: endMs - dream.startMs,
    requests: Math.min(dream.turn + 1, dream.turns.length),
    memoriesBefore: dream.memoriesBefore,
    gatheredLines: dream.gatheredLines,
    written: dream.written,
    paths: dream.paths,
    removed: dream.removed,
    merged: dream.merged,
    contradicted: dream.contradicted,
    dated: dream.dated,
    refusals: dream.refused,
    denied: dream.denied,
    reclaimed: dream.hold.reclaimed,
    turns: dream.shown,
  };
}

function command(text: string, resultTokens: number): ForkCall {
  return { tool: 'Bash', about: text, resultTokens: Math.max(1, resultTokens) };
}

/** A search of the record of one session, and how many lines it brings back. */
export interface DreamSearch {
  readonly call: ForkCall;
  readonly lines: number;
}

/** The search of a record for recent signs: never a full read (DRM-3). */
export function searchOf(files: Files, path: string, most: number): DreamSearch {
  const lines = Math.min((files.read(path)?.text ?? '').split('\n').length - 1, most);
  return { lines, call: command(`grep -m ${most} -i user ${path}`, lines * TOKENS_PER_MATCH) };
}

/** What a dream will do, from what lies in the home: sizes follow from the files (DRM-3). */
export function planTurns(
  files: Files,
  searches: readonly DreamSearch[],
  changes: Consolidation,
  filesPerTurn: number,
): readonly DreamTurn[] {
  const { memories } = readMemories(files);
  const index = files.read(MEMORY_INDEX)?.text ?? '';
  const turns: DreamTurn[] = [
    turn('orient', [
      command(`ls ${MEMORY_DIRECTORY}`, memories.length * 12),
      command(`cat ${MEMORY_INDEX}`, tokensOfChars(index.length)),
    ]),
    turn(
      'gather',
      searches.map(({ call }) => call),
    ),
  ];
  for (let from = 0; from < Math.max(1, memories.length); from += filesPerTurn) {
    const batch: readonly StoredMemory[] = memories.slice(from, from + filesPerTurn);
    const calls = batch.map(({ path, chars }) => command(`cat ${path}`, tokensOfChars(chars)));
    turns.push(turn('consolidate', calls));
  }
  const edits = changes.write.length + changes.remove.length;
  const changedChars = changes.write.reduce((sum, { changedChars }) => sum + changedChars, 0);
  if (edits > 0) {
    const outputTokens = editTokens(changedChars, edits);
    turns.push({ phase: 'consolidate', does: 'edits', calls: [], edits, outputTokens });
  }
  turns.push({ phase: 'prune', does: 'index', calls: [], edits: 1, outputTokens: 0 });
  turns.push({ phase: 'prune', does: 'ends', calls: [], edits: 0, outputTokens: CLOSING_TOKENS });
  return turns;
}

function turn(phase: DreamPhase, calls: readonly ForkCall[]): DreamTurn {
  const allowed = calls.filter(({ about }) => isReadOnlyCommand(about));
  const outputTokens = 1 + allowed.length * TOKENS_PER_CALL;
  return { phase, does: 'reads', calls: allowed, edits: 0, outputTokens };
}

/** Records of sessions that were touched after a time. */
export function sessionsTouchedSince(files: Files, sinceMs: number): readonly string[] {
  return files.list(RECORD_DIRECTORY).filter((path) => (files.read(path)?.mtimeMs ?? 0) > sinceMs);
}

/** What a dream is told (DRM-3, DRM-4). */
export function dreamText(): string {
  return [
    'This request comes from the client, not from the user, and is no part of the conversation above.',
    `Look after the memories in ${MEMORY_DIRECTORY}: you may read with ls, find, grep, cat, stat, wc, head and tail, and write`,
    'nowhere but in that directory; everything else is refused.',
    'First find your way: what is there, what the index says. Then look for recent signs in the records of the sessions,',
    'by narrow searches, never by reading one as a whole. Then merge what says the same, write dates in full, and delete',
    'what was contradicted later. At last bring the index up to date, within its limits.',
    '',
  ].join('\n');
}

/**
 * The memories that get a line in the index: the newest, as far as its limits go, in the order of their paths (DRM-3, AUT-3).
 * The files of the others stay (C33).
 */
export function indexedMemories(
  memories: readonly StoredMemory[],
  limits: IndexLimits,
): readonly StoredMemory[] {
  const newestFirst = [...memories].sort((a, b) => b.mtimeMs - a.mtimeMs || (a.path < b.path ? -1 : 1));
  const kept = new Set<StoredMemory>();
  let bytes = 0;
  for (const memory of newestFirst) {
    const size = byteLength(indexLine(memory, limits.lineChars)) + 1;
    if (kept.size >= limits.lines || bytes + size > limits.bytes) break;
    bytes += size;
    kept.add(memory);
  }
  return memories.filter((memory) => kept.has(memory));
}
