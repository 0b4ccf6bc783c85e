import { messageBus } from '../../agent/client/message-bus.js';
import type { FileContent } from '../../core/base/files.js';
import type { Message } from '../../core/model/message.js';
import { type Text, textStart } from '../../core/model/text.js';
import type { StopKind } from '../../core/run/action.js';
import type { Layer, ReturnedEntry } from '../../core/run/log-entries.js';
import type { LogSink } from '../../core/run/run-log.js';
import { childAgents } from '../../core/run/run-plan.js';
import type { RunningThread, Stop } from '../requests/running-thread.js';

/** Why a thread makes no calls, and how many it has lost for that. */
export class Halt {
  /** Null while it makes calls. */
  stop: Stop | null = null;
  private lostCalls = 0;

  constructor(
    private readonly sink: LogSink,
    private readonly thread: string,
  ) {}

  /** A recorded call cannot take place. */
  lose(): void {
    this.lostCalls++;
  }

  /** The user begins a new prompt, compacts or clears: what ended the prompt before holds no longer (C42). */
  userActs(now: number): void {
    if (this.stop?.until !== 'next-prompt') return;
    this.log(now);
    this.stop = null;
  }

  /** Says what was lost. */
  log(now: number): void {
    if (this.lostCalls === 0 || this.stop === null) return;
    const { reason, how } = this.stop;
    this.sink.write({ type: how, t: now, thread: this.thread, calls: this.lostCalls, reason });
    this.lostCalls = 0;
  }
}

/** What a stop of some kind means for the calls after it. */
export function stopOf(what: StopKind, reason: string): Stop {
  const isFinal = what === 'run-ended' || what === 'shut-down';
  return { reason, until: isFinal ? 'end' : 'next-prompt', how: what === 'shut-down' ? 'ended' : 'lost' };
}

/** Characters of a prompt that the record keeps: enough for a narrow search (DRM-3). */
const EXCERPT_CHARS = 200;

/** Brings the session's record up to date: dreams count sessions by its time and search its lines (DRM-1, DRM-3). */
export function keepRecord(run: RunningThread): void {
  if (!run.isMain || !run.env.client.keepsRecord) return;
  const { files } = run.env;
  const path = run.session.recordPath;
  const before = files.read(path)?.content ?? '';
  files.write(path, new RecordText(before, run.turn, lastPrompt(run.context.messages)), run.now);
}

/** A record with one more line; it is written out only when it is read, which is rare. */
class RecordText {
  private written: string | null = null;

  constructor(
    private before: FileContent,
    private readonly turn: number,
    private readonly prompt: Text | null,
  ) {}

  get chars(): number {
    return this.read().length;
  }

  /** Writes the unread lines, oldest first, so that a long row of them causes no deep recursion. */
  read(): string {
    if (this.written !== null) return this.written;
    const unread: RecordText[] = [];
    let from: FileContent = this;
    while (from instanceof RecordText && from.written === null) {
      unread.push(from);
      from = from.before;
    }
    let text = typeof from === 'string' ? from : from.read();
    for (let i = unread.length - 1; i >= 0; i--) text += unread[i]!.line();
    this.written = text;
    this.before = '';
    return text;
  }

  private line(): string {
    const user = this.prompt === null ? '' : textStart(this.prompt, EXCERPT_CHARS);
    return `${JSON.stringify({ turn: this.turn, user })}\n`;
  }
}

/** The thread has ended; with the main thread ends the process. */
export function finishThread(run: RunningThread): void {
  messageBus(run.env.sessions.world).leave(run.thread.id, run.env.files, run.now);
  run.askLayers('thread-end');
  if (run.thread.parentId !== null)
    childAgents(run.env.sessions.world).end(run.thread.parentId, run.thread.id);
  if (!run.isMain) return;
  run.askLayers('session-end');
  run.session.state = 'ended';
}

function lastPrompt(messages: readonly Message[]): Text | null {
  for (let i = messages.length - 1; i >= 0; i--) {
    const { origin, blocks } = messages[i]!;
    if (origin === 'human') return blocks.find((block) => block.kind === 'text')?.text ?? null;
  }
  return null;
}

/** The cache is gone, and the deletions that lived in it: their content is sent again (MIC-3, C9). */
export function returnExpired(run: RunningThread): void {
  const { deletions } = run.view;
  const tokens = deletions.clear();
  run.seen.returnDeleted(tokens);
  giveBack(run, deletions.layer, tokens, 'expired');
}

/** A new process reads the record back: what layers changed in memory alone is there again. */
export function returnAtResume(run: RunningThread): void {
  const deleted = run.view.deletions.clear();
  let returned = run.env.client.deletedIsFree ? 0 : -deleted;
  for (const [layer, tokens] of run.takenOut.live()) {
    returned += tokens;
    giveBack(run, layer, tokens, 'resume');
  }
  run.seen.returnUncounted(returned);
}

function giveBack(run: RunningThread, layer: Layer, tokens: number, why: ReturnedEntry['why']): void {
  run.takenOut.giveBack(layer, tokens);
  run.env.sink.write({
    type: 'returned',
    t: run.now,
    thread: run.thread.id,
    turn: run.turn,
    layer,
    tokens,
    why,
  });
}
