import type { Block } from '../model/block.js';
import type { Message } from '../model/message.js';
import type { Thread, Transcript } from '../model/transcript.js';
import { FileReads } from '../tiers/storage/file-reads.js';
import type { ClientKey } from './client-key.js';
import type { ThreadRun } from './thread-run.js';

/** A parent right after the response that starts children: what they inherit (AGT-1). */
export interface ForkPoint {
  readonly prefix: readonly Block[];
  readonly messages: readonly Message[];
  readonly freshTokens: number;
  readonly sentLength: number;
  readonly key: ClientKey;
  readonly reads: FileReads | null;
}

/** Children of one turn. */
interface Family {
  readonly children: string[];
  point: ForkPoint | null;
  /** When the first child's response begins: what it wrote is readable from then on (CCH-5). */
  warmAtMs: number | null;
}

/** Where threads fork, and what their children start from. */
export class ForkPoints {
  private readonly families = new Map<string, Family>();

  constructor(transcript: Transcript) {
    for (const { id, parentId, fork } of transcript.threads) {
      if (fork === undefined || parentId === null) continue;
      const key = keyOf(parentId, fork.callId);
      const family = this.families.get(key) ?? { children: [], point: null, warmAtMs: null };
      family.children.push(id);
      this.families.set(key, family);
    }
  }

  /** A call was answered: when children start from it, what they inherit is set aside. */
  note(run: ThreadRun, callId: string): void {
    if (this.families.size === 0) return;
    const family = this.families.get(keyOf(run.thread.id, callId));
    if (family === undefined) return;
    const reads = run.shared.get('fileReads');
    family.point = {
      prefix: run.context.prefix,
      messages: [...run.context.messages],
      freshTokens: run.context.freshTokens,
      sentLength: run.sent.length,
      key: run.client.key,
      reads: reads instanceof FileReads ? reads.clone() : null,
    };
  }

  pointOf(thread: Thread): ForkPoint | null {
    return this.familyOf(thread)?.point ?? null;
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

  /** Time before which a child that waits for the first one does not start. */
  holdUntil(thread: Thread): number {
    const family = this.familyOf(thread);
    if (family === undefined || family.children[0] === thread.id) return 0;
    return family.warmAtMs ?? 0;
  }

  private familyOf({ parentId, fork }: Thread): Family | undefined {
    return fork === undefined || parentId === null
      ? undefined
      : this.families.get(keyOf(parentId, fork.callId));
  }
}

function keyOf(parentId: string, callId: string): string {
  return `${parentId}\n${callId}`;
}
