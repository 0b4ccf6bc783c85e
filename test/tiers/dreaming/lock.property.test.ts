import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFiles, type Files } from '../../../src/base/files.js';
import type { Action, Outcome } from '../../../src/model/action.js';
import {
  acquireLock,
  completeLock,
  DREAM_LOCK,
  holdsLock,
  type LockHold,
  rollBackLock,
} from '../../../src/tiers/dreaming/lock.js';
import { applyToFiles } from '../../helpers/sessions.js';

const STALE_MS = 60 * 60_000;

/** What a dream does once it has the lock: it looks at it before every write. */
function* dream(world: World, me: Process, hold: LockHold): Generator<Action, void, Outcome> {
  for (let i = 0; i < 3; i++) {
    if (!holdsLock(world.files, hold)) return;
    yield { kind: 'write-file', by: BY, path: `/memory/written-by-${me.pid}.md`, text: String(i) };
  }
  if (me.fate === 'completes') yield* completeLock(world.files, hold, world.nowMs);
  else yield* rollBackLock(world.files, hold);
}

const BY = { layer: 'dreaming', reason: 'a test' } as const;

interface Process {
  readonly pid: number;
  alive: boolean;
  fate: 'completes' | 'fails';
  hold: LockHold | null;
  steps: Generator<Action, unknown, Outcome> | null;
  /** A step that is decided upon but not carried out yet. */
  pending: Action | null;
}

/** Processes over one set of files; every action of theirs is a step that others can come between. */
class World {
  readonly files: Files = createFiles();
  nowMs = 0;
  readonly processes: readonly Process[] = [1001, 1002].map((pid) => ({
    pid,
    alive: true,
    fate: 'completes',
    hold: null,
    steps: null,
    pending: null,
  }));

  user(me: Process) {
    return {
      pid: me.pid,
      staleMs: STALE_MS,
      isAlive: (pid: number) => this.processes.some((other) => other.pid === pid && other.alive),
    };
  }

  /** The other process is in a dream and would pass the look at the lock now. */
  holders(): readonly Process[] {
    return this.processes.filter((it) => it.alive && it.hold !== null && holdsLock(this.files, it.hold));
  }

  *run(me: Process): Generator<Action, void, Outcome> {
    const hold = yield* acquireLock(this.files, this.user(me), this.nowMs);
    if (hold === null) return;
    me.hold = hold;
    yield* dream(this, me, hold);
    me.hold = null;
  }
}

interface Model {
  readonly ignored: null;
}

abstract class OnProcess implements fc.Command<Model, World> {
  constructor(readonly index: number) {}
  me(world: World): Process {
    return world.processes[this.index]!;
  }
  check(): boolean {
    return true;
  }
  abstract act(world: World, me: Process): void;
  run(_model: Model, world: World): void {
    this.act(world, this.me(world));
    // INV-12: at most one holder, whoever did whatever in between.
    expect(world.holders().length).toBeLessThanOrEqual(1);
  }
}

/** One step: what was decided is carried out, then the process goes on to its next decision. */
class Step extends OnProcess {
  act(world: World, me: Process): void {
    if (!me.alive) return;
    me.steps ??= world.run(me);
    if (me.pending !== null) {
      const isMemory = me.pending.kind === 'write-file' && me.pending.path !== DREAM_LOCK;
      // Between the look and the write another process may have taken a free lock; a live holder is never robbed.
      if (isMemory && me.hold !== null && !holdsLock(world.files, me.hold))
        expect(world.holders().every((holder) => holder !== me)).toBe(true);
      applyToFiles(me.pending, world.files, world.nowMs);
      me.pending = null;
    }
    const step = me.steps.next({ kind: 'done' });
    if (step.done === true) {
      me.steps = null;
      me.hold = null;
    } else me.pending = step.value;
  }
  toString = () => `step ${this.index}`;
}

class Crash extends OnProcess {
  act(_world: World, me: Process): void {
    me.alive = false;
    me.steps = null;
    me.pending = null;
    me.hold = null;
  }
  toString = () => `crash ${this.index}`;
}

class Restart extends OnProcess {
  act(_world: World, me: Process): void {
    me.alive = true;
  }
  toString = () => `restart ${this.index}`;
}

class Fate extends OnProcess {
  constructor(
    index: number,
    readonly fate: Process['fate'],
  ) {
    super(index);
  }
  act(_world: World, me: Process): void {
    me.fate = this.fate;
  }
  toString = () => `${this.fate} ${this.index}`;
}

class Pass implements fc.Command<Model, World> {
  constructor(readonly minutes: number) {}
  check = () => true;
  run(_model: Model, world: World): void {
    world.nowMs += this.minutes * 60_000;
  }
  toString = () => `${this.minutes} min`;
}

const index = fc.constantFrom(0, 1);

describe('two processes that race for the lock', () => {
  it('INV-12 DRM-2 there is at most one holder, with crashes at every step', () => {
    fc.assert(
      fc.property(
        fc.commands(
          [
            index.map((i) => new Step(i)),
            index.map((i) => new Step(i)),
            index.map((i) => new Step(i)),
            index.map((i) => new Crash(i)),
            index.map((i) => new Restart(i)),
            fc
              .tuple(index, fc.constantFrom('completes' as const, 'fails' as const))
              .map(([i, fate]) => new Fate(i, fate)),
            fc.integer({ min: 1, max: 200 }).map((minutes) => new Pass(minutes)),
          ],
          { maxCommands: 60 },
        ),
        (commands) => {
          fc.modelRun(() => ({ model: { ignored: null }, real: new World() }), commands);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('INV-12 DRM-2 a dream that fails at any step restores the time', () => {
    fc.assert(
      fc.property(fc.option(fc.integer({ min: -1_000, max: -1 }), { nil: null }), (previousHours) => {
        const world = new World();
        const [me] = world.processes;
        me!.fate = 'fails';
        if (previousHours !== null) world.files.write(DREAM_LOCK, String(me!.pid), previousHours * 3_600_000);
        const before = world.files.read(DREAM_LOCK)?.mtimeMs ?? null;
        const steps = world.run(me!);
        for (let step = steps.next(); step.done !== true; step = steps.next({ kind: 'done' }))
          applyToFiles(step.value, world.files, world.nowMs);
        expect(world.files.read(DREAM_LOCK)?.mtimeMs ?? null).toBe(before);
      }),
    );
  });

  it('INV-12 DRM-2 after a crash at any step the lock can be taken over once it is old, and not before', () => {
    for (let crashAfter = 0; crashAfter < 7; crashAfter++) {
      const world = new World();
      const [first, second] = world.processes;
      const steps = world.run(first!);
      let step = steps.next();
      for (let i = 0; i < crashAfter && step.done !== true; i++) {
        applyToFiles(step.value, world.files, world.nowMs);
        step = steps.next({ kind: 'done' });
      }
      first!.alive = false;
      const tryAgain = (): boolean => {
        const attempt = acquireLock(world.files, world.user(second!), world.nowMs);
        let next = attempt.next();
        while (next.done !== true) {
          applyToFiles(next.value, world.files, world.nowMs);
          next = attempt.next({ kind: 'done' });
        }
        return next.value !== null;
      };
      if (world.files.read(DREAM_LOCK) !== null) {
        world.nowMs += STALE_MS;
        expect(tryAgain(), `crash after step ${crashAfter}, an hour later`).toBe(false);
        world.nowMs += 1;
      }
      expect(tryAgain(), `crash after step ${crashAfter}`).toBe(true);
    }
  });
});
