import { entryOf } from '../base/once.js';

/** An agent that another one has started. */
interface Child {
  readonly thread: string;
  readonly label: string;
}

/** Forks by the thread that started them: those at work, and those that ended since the thread was last told (RES-3). */
export class ChildAgents {
  private readonly working = new Map<string, readonly Child[]>();
  private readonly ended = new Map<string, readonly Child[]>();

  private readonly waiting = new Set<string>();

  /** A thread waits for the answer to its plan (AGT-4). */
  waits(thread: string): void {
    this.waiting.add(thread);
  }

  /** Whether it has waited since this was last asked: that is no work (C46). */
  takeWait(thread: string): boolean {
    return this.waiting.delete(thread);
  }

  start(parent: string, child: Child): void {
    this.working.set(parent, [...this.workingOf(parent), child]);
  }

  end(parent: string, thread: string): void {
    const all = this.workingOf(parent);
    const child = all.find((each) => each.thread === thread);
    if (child === undefined) return;
    this.working.set(
      parent,
      all.filter((each) => each !== child),
    );
    this.ended.set(parent, [...this.endedOf(parent), child]);
  }

  workingOf(parent: string): readonly Child[] {
    return this.working.get(parent) ?? [];
  }

  endedOf(parent: string): readonly Child[] {
    return this.ended.get(parent) ?? [];
  }

  /** The thread has been told which ones ended. */
  told(parent: string): void {
    this.ended.delete(parent);
  }
}

/** The forks of all threads of a run. */
export function childAgents(world: Map<string, unknown>): ChildAgents {
  return entryOf(world, 'child-agents', () => new ChildAgents());
}
