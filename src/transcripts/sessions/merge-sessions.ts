import { CcbenchError, type Place } from '../../core/base/errors.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { SessionInfo, Step, Thread, Transcript } from '../../core/model/transcript.js';

/** Where a thread goes among those of other sessions. */
interface ThreadPlacement {
  readonly name: string;
  readonly offsetMs: number;
  /** Thread whose conversation it continues. */
  readonly continues: string | null;
}

/** A thread as part of a session on the common clock; its names are its own, so that none appears twice. */
function placeThread(thread: Thread, { name, offsetMs, continues }: ThreadPlacement): Thread {
  const own = (id: string): string => `${name}/${id}`;
  const block = (item: Block): Block =>
    item.toolUseId === null ? item : { ...item, toolUseId: own(item.toolUseId) };
  const message = (item: Message): Message => ({
    ...item,
    id: own(item.id),
    at: item.at + offsetMs,
    blocks: item.blocks.map(block),
    responseId: item.responseId === null ? null : own(item.responseId),
    attachedTo: item.attachedTo === null ? null : own(item.attachedTo),
  });
  const step = (item: Step): Step => {
    switch (item.kind) {
      case 'message':
        return { kind: 'message', message: message(item.message) };
      case 'event':
        return { kind: 'event', event: { ...item.event, at: item.event.at + offsetMs } };
      case 'call': {
        const { call } = item;
        return {
          kind: 'call',
          call: {
            ...call,
            id: own(call.id),
            startMs: call.startMs + offsetMs,
            endMs: call.endMs + offsetMs,
            response: message(call.response),
          },
        };
      }
    }
  };
  return {
    id: own(thread.id),
    parentId: thread.parentId === null ? null : own(thread.parentId),
    label: thread.label,
    prefix: thread.prefix,
    steps: thread.steps.map(step),
    session: name,
    ...(continues === null ? {} : { continues }),
    ...(thread.fork === undefined ? {} : { fork: { callId: own(thread.fork.callId) } }),
  };
}

/** When a session starts: after the end of the one before it in the list, or at a time of the common clock. */
export type SessionStart = { readonly afterMs: number } | { readonly atMs: number };

/** One session of several, without its transcript. */
export interface SessionPart extends Omit<SessionInfo, 'startMs'> {
  readonly start: SessionStart;
  /** Where the user wrote it. */
  readonly place: Place | null;
}

interface Placed {
  readonly info: SessionInfo;
  readonly mainId: string;
  readonly endMs: number;
}

/** Puts several sessions on one clock. A session that resumes an earlier one continues its main thread. */
export function mergeSessions(
  parts: readonly (SessionPart & { readonly transcript: Transcript })[],
): Transcript {
  const placed = new Map<string, Placed>();
  const threads: Thread[] = [];
  let previousEndMs = 0;
  for (const part of parts) {
    const { transcript, name } = part;
    if (placed.has(name)) throw refused(part, `two sessions are called "${name}"`);
    const startMs = 'atMs' in part.start ? part.start.atMs : previousEndMs + part.start.afterMs;
    const origin = originOf(part, placed, startMs);
    const [firstMs, lastMs] = spanOf(transcript);
    const offsetMs = startMs - firstMs;
    const main = transcript.threads.find((thread) => thread.parentId === null);
    if (main === undefined) throw refused(part, `the transcript of "${name}" has no main thread`);
    for (const thread of transcript.threads) {
      const continues = thread === main ? (origin?.mainId ?? null) : null;
      threads.push(placeThread(thread, { name, offsetMs, continues }));
    }
    previousEndMs = lastMs + offsetMs;
    const { resumes, ending } = part;
    const project = part.project ?? origin?.info.project;
    const checkout = part.checkout ?? origin?.info.checkout;
    const info: SessionInfo = {
      name,
      startMs,
      resumes,
      ending,
      ...(project === undefined ? {} : { project }),
      ...(checkout === undefined ? {} : { checkout }),
    };
    placed.set(name, { info, mainId: `${name}/${main.id}`, endMs: previousEndMs });
  }
  const [first] = parts;
  if (first === undefined) throw new CcbenchError('bad-value', 'there are no sessions');
  return {
    id: `sessions-${[...placed.keys()].join('+')}`.slice(0, 80),
    source: first.transcript.source,
    carries: first.transcript.carries.filter((item) =>
      parts.every(({ transcript }) => transcript.carries.includes(item)),
    ),
    agentVersion: first.transcript.agentVersion,
    ...commonWindow(parts),
    startedAtMs: first.transcript.startedAtMs,
    threads,
    ...mergedMemoryFiles(parts),
    sessions: [...placed.values()].map(({ info }) => info),
    warnings: parts.flatMap(({ transcript }) => transcript.warnings),
  };
}

/** The window that all sessions tell; none if they differ, so that each model has its own. */
function commonWindow(parts: readonly { readonly transcript: Transcript }[]): Pick<Transcript, 'window'> {
  const [window, ...others] = new Set(parts.map(({ transcript }) => transcript.window));
  return window === undefined || others.length > 0 ? {} : { window };
}

/** The sessions share a project: its memory files are those that any of them knows. */
function mergedMemoryFiles(
  parts: readonly { readonly transcript: Transcript }[],
): Pick<Transcript, 'memoryFiles'> {
  const files = parts.flatMap(({ transcript }) => Object.entries(transcript.memoryFiles ?? {}));
  const memoryFiles = Object.fromEntries(files);
  return files.length === 0 ? {} : { memoryFiles };
}

/** The session that is resumed; it must be known and over. */
function originOf(part: SessionPart, placed: ReadonlyMap<string, Placed>, startMs: number): Placed | null {
  if (part.resumes === null) return null;
  const origin = placed.get(part.resumes);
  if (origin === undefined)
    throw refused(part, `"${part.name}" resumes "${part.resumes}", but no earlier session has that name`);
  if (startMs < origin.endMs) {
    throw refused(
      part,
      `"${part.name}" resumes "${part.resumes}" while that is still running`,
      'let it start after the end of the session it resumes',
    );
  }
  for (const what of ['project', 'checkout'] as const) {
    if (part[what] !== undefined && part[what] !== origin.info[what])
      throw refused(
        part,
        `"${part.name}" resumes "${part.resumes}" in another ${what}`,
        'leave it out: a resumed session stays where it was',
      );
  }
  return origin;
}

function refused(part: SessionPart, sentence: string, hint?: string): CcbenchError {
  return new CcbenchError('bad-value', sentence, {
    ...(part.place === null ? {} : { place: part.place }),
    ...(hint === undefined ? {} : { hint }),
  });
}

/** First and last time of a transcript. */
function spanOf(transcript: Transcript): readonly [number, number] {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { steps } of transcript.threads) {
    for (const step of steps) {
      const [startMs, endMs] = timesOf(step);
      if (startMs < first) first = startMs;
      if (endMs > last) last = endMs;
    }
  }
  return last < first ? [0, 0] : [first, last];
}

function timesOf(step: Step): readonly [number, number] {
  if (step.kind === 'call') return [step.call.startMs, step.call.endMs];
  const at = step.kind === 'message' ? step.message.at : step.event.at;
  return [at, at];
}
