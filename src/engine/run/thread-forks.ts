import { getOrMake } from '../../core/base/once.js';
import type { RecordedCall, Thread, Transcript } from '../../core/model/transcript.js';
import type { Forkable } from '../../core/run/layer.js';
import { TakenOut } from '../context/taken-out.js';
import {
  type ForkSnapshot,
  type Forks,
  type RunningThread,
  requestStateOf,
} from '../requests/running-thread.js';

/** Children of one turn. */
interface Family {
  readonly children: string[];
  point: ForkSnapshot | null;
  /** Milliseconds by which the call that starts them was answered later than recorded. */
  shiftMs: number;
  /** Why they cannot start; null while they can. */
  lostBecause: string | null;
  /** When the first child's response begins: what it wrote is readable from then on (CCH-5). */
  warmAtMs: number | null;
}

/** Where threads fork, what their children start from, and when (C4). */
export class ThreadForks implements Forks {
  private readonly families = new Map<string, Family>();
  private ready: string[] = [];

  constructor(transcript: Transcript) {
    const forks = transcript.threads.filter(({ fork, parentId }) => fork !== undefined && parentId !== null);
    for (const { id, parentId, fork } of forks) {
      const { callId } = fork!;
      const key = keyOf(parentId!, callId);
      const family = getOrMake(this.families, key, () => {
        const lostBecause = hasCall(transcript, parentId!, callId)
          ? null
          : `the transcript has no call ${callId} that could start it`;
        return { children: [], point: null, shiftMs: 0, lostBecause, warmAtMs: null };
      });
      family.children.push(id);
      if (family.lostBecause !== null) this.ready.push(id);
    }
  }

  /** A call was answered: the children that start from it may begin, with what is set aside here. */
  note(run: RunningThread, call: RecordedCall): void {
    if (this.families.size === 0) return;
    const family = this.families.get(keyOf(run.thread.id, call.id));
    if (family === undefined) return;
    const { deletions } = run.view;
    const takenOut = new TakenOut();
    takenOut.inherit(run.takenOut, deletions.layer, deletions.tokens);
    family.point = {
      prefix: run.context.prefix,
      messages: [...run.context.messages],
      freshTokens: run.context.freshTokens,
      sentLength: run.sentLength,
      key: run.client.key,
      requests: requestStateOf(run),
      deletions: deletions.copyTo(run.context),
      takenOut,
      shared: inherited(run.shared),
    };
    family.shiftMs = run.now - call.endMs;
    this.ready.push(...family.children);
  }

  /** A call was lost, and the children that it would have started with it. */
  lose(run: RunningThread, call: RecordedCall): void {
    if (this.families.size === 0) return;
    const family = this.families.get(keyOf(run.thread.id, call.id));
    if (family === undefined) return;
    family.lostBecause = 'the call that starts it was not answered';
    family.shiftMs = run.shiftMs;
    this.ready.push(...family.children);
  }

  /** Children that know by now whether they start; each is returned once. */
  takeReady(): readonly string[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  get hasReady(): boolean {
    return this.ready.length > 0;
  }

  /** Whether a thread waits for a call of its parent. */
  waits(thread: Thread): boolean {
    return this.familyOf(thread) !== undefined;
  }

  shiftOf(thread: Thread): number {
    return this.familyOf(thread)?.shiftMs ?? 0;
  }

  snapshotOf(thread: Thread): ForkSnapshot | null {
    return this.familyOf(thread)?.point ?? null;
  }

  whyLost(thread: Thread): string | null {
    return this.familyOf(thread)?.lostBecause ?? null;
  }

  /** Number of a child among its siblings, from 1. */
  numberOf(thread: Thread): number {
    return (this.familyOf(thread)?.children.indexOf(thread.id) ?? -1) + 1;
  }

  /** The first child's response has begun. */
  warmed(thread: Thread, atMs: number): void {
    const family = this.familyOf(thread);
    if (family !== undefined && family.children[0] === thread.id) family.warmAtMs ??= atMs;
  }

  /** Time before which a child that waits for the first one does not start; null if there is nothing to wait for. */
  holdUntil(thread: Thread): number | null {
    const family = this.familyOf(thread);
    return family === undefined || family.children[0] === thread.id ? null : family.warmAtMs;
  }

  private familyOf({ parentId, fork }: Thread): Family | undefined {
    return fork === undefined || parentId === null
      ? undefined
      : this.families.get(keyOf(parentId, fork.callId));
  }
}

/** What the layers of a thread share, as a fork begins with it. */
function inherited(shared: RunningThread['shared']): ReadonlyMap<string, object> {
  const states = new Map<string, object>();
  for (const [name, state] of shared) if (isForkable(state)) states.set(name, state.forFork());
  return states;
}

function isForkable(state: unknown): state is Forkable {
  return typeof state === 'object' && state !== null && 'forFork' in state;
}

function hasCall({ threads }: Transcript, threadId: string, callId: string): boolean {
  const steps = threads.find(({ id }) => id === threadId)?.steps ?? [];
  return steps.some((step) => step.kind === 'call' && step.call.id === callId);
}

function keyOf(parentId: string, callId: string): string {
  return `${parentId}\n${callId}`;
}
