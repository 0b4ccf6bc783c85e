import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acquireLock,
  completeLock,
  DREAM_LOCK,
  holdsLock,
  type LockHold,
  type LockLedger,
  rollBackLock,
} from '../../../../src/agent/layers/dreaming/lock.js';
import { createFiles, type Files } from '../../../../src/core/base/files.js';
import type { Action, Outcome } from '../../../../src/core/run/action.js';
import { forAll } from '../../../helpers/for-all.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { applyToFiles } from '../../../helpers/recordings/sessions.js';

const STALE_MS = 60 * 60_000;

/** What a dream does once it has the lock: it looks at it before every write. */
function* dream(world: World, me: Process, hold: LockHold): Generator<Action, void, Outcome> {
  for (let i = 0; i < 3; i++) {
    if (!holdsLock(world.files, hold)) return;
    yield { kind: 'write-file', by: BY, path: `/memory/written-by-${me.pid}.md`, text: String(i) };
  }
  if (me.fate === 'completes') completeLock(world.files, hold);
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
  /** Writes carried out after the lock was lost. */
  strays: number;
}

/** Processes over one set of files; every action of theirs is a step that others can come between. */
class World {
  readonly files: Files = createFiles();
  nowMs = 0;
  readonly ledger: LockLedger = { finished: null };
  readonly processes: readonly Process[] = [1001, 1002].map((pid) => ({
    pid,
    alive: true,
    fate: 'completes',
    hold: null,
    steps: null,
    pending: null,
    strays: 0,
  }));

  constructor(readonly grain: 'coarse' | 'fine') {}

  user(me: Process) {
    return {
      pid: me.pid,
      staleMs: STALE_MS,
      ledger: this.ledger,
      isAlive: (pid: number) => this.processes.some((other) => other.pid === pid && other.alive),
    };
  }

  /** Processes that take themselves for the holder. */
  believers(): readonly Process[] {
    return this.processes.filter((it) => it.alive && it.hold !== null);
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
    // A process that looks and writes in one go leaves no room for a second holder.
    if (world.grain === 'coarse') expect(world.believers().length).toBeLessThanOrEqual(1);
  }
}

/**
 * One step. Coarse: a process decides and acts in one go, others come in between two steps. Fine: others may also come in
 * between the decision and the act, so a late write of the lock can rob a holder that had read its pid back already.
 */
class Step extends OnProcess {
  act(world: World, me: Process): void {
    if (!me.alive) return;
    me.steps ??= world.run(me);
    this.carryOut(world, me);
    const step = me.steps.next({ kind: 'done' });
    if (step.done === true) {
      me.steps = null;
      me.hold = null;
      me.strays = 0;
    } else me.pending = step.value;
    if (world.grain === 'coarse') this.carryOut(world, me);
  }

  private carryOut(world: World, me: Process): void {
    const action = me.pending;
    if (action === null) return;
    me.pending = null;
    const isMemory = action.kind === 'write-file' && action.path !== DREAM_LOCK;
    if (isMemory && me.hold !== null && !holdsLock(world.files, me.hold)) {
      // Robbed between the look and the write: this one write was decided upon, no other follows.
      expect(world.grain).toBe('fine');
      expect(++me.strays).toBe(1);
    }
    applyToFiles(action, world.files, world.nowMs);
  }

  override toString = () => `step ${this.index}`;
}

class Crash extends OnProcess {
  act(_world: World, me: Process): void {
    me.alive = false;
    me.steps = null;
    me.pending = null;
    me.hold = null;
    me.strays = 0;
  }
  override toString = () => `crash ${this.index}`;
}

class Restart extends OnProcess {
  act(_world: World, me: Process): void {
    me.alive = true;
  }
  override toString = () => `restart ${this.index}`;
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
  override toString = () => `${this.fate} ${this.index}`;
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
  it.each(['coarse', 'fine'] as const)(
    'INV-12 DRM-2 there is at most one holder, with crashes at every step (%s)',
    (grain) => {
      forAll(
        { numRuns: propertyRuns(300) },
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
          fc.modelRun(() => ({ model: { ignored: null }, real: new World(grain) }), commands);
        },
      );
    },
  );

  it('INV-12 DRM-2 a dream that fails at any step restores the time', () => {
    forAll(fc.option(fc.integer({ min: -1_000, max: -1 }), { nil: null }), (previousHours) => {
      const world = new World('coarse');
      const [me] = world.processes;
      me!.fate = 'fails';
      if (previousHours !== null) world.files.write(DREAM_LOCK, String(me!.pid), previousHours * 3_600_000);
      const before = world.files.read(DREAM_LOCK)?.mtimeMs ?? null;
      const steps = world.run(me!);
      for (let step = steps.next(); step.done !== true; step = steps.next({ kind: 'done' }))
        applyToFiles(step.value, world.files, world.nowMs);
      expect(world.files.read(DREAM_LOCK)?.mtimeMs ?? null).toBe(before);
    });
  });

  it('INV-12 DRM-2 after a crash at any step the lock can be taken over once it is old, and not before', () => {
    for (let crashAfter = 0; crashAfter < 7; crashAfter++) {
      const world = new World('coarse');
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
      // A finished dream leaves nothing to be taken over.
      if (world.files.read(DREAM_LOCK) !== null && world.ledger.finished === null) {
        world.nowMs += STALE_MS;
        expect(tryAgain(), `crash after step ${crashAfter}, an hour later`).toBe(false);
        world.nowMs += 1;
      }
      expect(tryAgain(), `crash after step ${crashAfter}`).toBe(true);
    }
  });
});
