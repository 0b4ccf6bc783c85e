import { MS_PER_HOUR, MS_PER_MINUTE } from '../../../core/base/clock.js';
import { entryOf } from '../../../core/base/once.js';
import { sum } from '../../../core/base/stats.js';
import { MEMORY_DIRECTORY, MEMORY_INDEX, parseMemories, renderMemory } from '../../../core/model/memory.js';
import { type Action, type Answer, type Asker, editTokens, type Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import {
  askFork,
  directive,
  directiveBlock,
  forkTurn,
  handedBack,
  turnBlocks,
} from '../auto-memory/fork-turns.js';
import { byteLength, indexLimits, renderIndex } from '../auto-memory/memory-index.js';
import { confine, readMemories, type StoredMemory } from '../auto-memory/memory-store.js';
import { quietReporter } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';
import {
  consolidate,
  type Dream,
  dreamText,
  indexedMemories,
  planTurns,
  searchOf,
  sessionsTouchedSince,
  summaryOf,
} from './dream.js';
import {
  acquireLock,
  completeLock,
  DREAM_LOCK,
  holdsLock,
  LockLedger,
  type LockUser,
  lookAtLock,
  rollBackLock,
} from './lock.js';

const LAYER = 'dreaming';
const report = quietReporter(LAYER);
const BY: Asker = { layer: LAYER, reason: 'a dream' };

/** The gates of a dream, cheapest first (DRM-1). */
export const DREAM_GATES = ['feature', 'time', 'scan', 'sessions', 'lock'] as const;
export type DreamGate = (typeof DREAM_GATES)[number];

/** Consolidates the memories now and then, in the background (DRM-1 … DRM-5). */
class Dreaming implements LayerInstance {
  private readonly exits = new Map<DreamGate, number>(DREAM_GATES.map((gate) => [gate, 0]));
  private checks = 0;
  private unreadableLocks = 0;
  private lastScanMs: number | null = null;
  private dream: Dream | null = null;
  private runs = 0;
  private readonly gapMs: number;
  private readonly scanMs: number;
  private readonly ledger: LockLedger;
  private readonly user: LockUser;

  constructor(private readonly context: LayerContext) {
    const { params, session } = context;
    this.ledger = entryOf(session.world, 'dream-lock', () => new LockLedger());
    this.gapMs = param.number(params, 'dreaming.hours') * MS_PER_HOUR;
    this.scanMs = param.number(params, 'dreaming.scanMinutes') * MS_PER_MINUTE;
    this.user = {
      pid: session.pid,
      staleMs: param.number(params, 'dreaming.staleMinutes') * MS_PER_MINUTE,
      ledger: this.ledger,
      isAlive: (pid) => session.isAlive(pid),
    };
  }

  due(moment: HookContext, view: ContextView): boolean {
    if (moment.source !== 'main') return false;
    if (moment.point === 'wake') return this.dream !== null && this.dream.endMs <= moment.now;
    if (moment.point === 'end-dream') return this.dream !== null;
    if (moment.point === 'session-end') return this.checks > 0 || this.dream !== null;
    if (this.dream !== null) return false;
    this.checks++;
    const gate = this.cheapGate(moment.now, view);
    if (gate !== null) this.shut(gate);
    return gate === null;
  }

  /** Not in a dream, which is changed turn by turn. */
  get canCheckpoint(): boolean {
    return this.dream === null;
  }

  private shut(gate: DreamGate): void {
    this.exits.set(gate, this.exits.get(gate)! + 1);
  }

  /** The gates that need no look at the sessions; null when all are open. */
  private cheapGate(now: number, view: ContextView): DreamGate | null {
    if (this.context.params['autoMemory.enabled'] !== true) return 'feature';
    const lock = view.files.read(DREAM_LOCK);
    if (lock !== null && now - lock.mtimeMs < this.gapMs) return 'time';
    return this.lastScanMs !== null && now - this.lastScanMs < this.scanMs ? 'scan' : null;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    if (moment.point === 'session-end') yield* this.end(moment, view);
    else if (moment.point === 'end-dream')
      yield* this.kill(this.dream!, moment, view, 'ended-by-user', 'the user ended the dream');
    else if (moment.point === 'wake') yield* this.nextTurn(moment, view);
    else yield* this.begin(moment, view);
  }

  private *begin(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { params } = this.context;
    const { files } = view;
    this.lastScanMs = moment.now;
    const since = files.read(DREAM_LOCK)?.mtimeMs ?? Number.NEGATIVE_INFINITY;
    const touched = sessionsTouchedSince(files, since);
    if (touched.length < param.number(params, 'dreaming.sessions')) {
      this.shut('sessions');
      return;
    }
    const look = lookAtLock(files, this.user, moment.now);
    if (look.kind === 'held' && look.by === 'unreadable') this.unreadableLocks++;
    const hold = yield* acquireLock(files, this.user, moment.now);
    if (hold === null) {
      this.shut('lock');
      return;
    }
    const { memories } = readMemories(files);
    const changes = consolidate(memories, this.context.session.startedAtMs);
    const matches = param.number(params, 'dreaming.matchesPerSession');
    const searches = touched.map((path) => searchOf(files, path, matches));
    const instruction = directive(`dream-${++this.runs}`, directiveBlock(dreamText()), moment.now);
    this.dream = {
      hold,
      startMs: moment.now,
      sessions: touched.length,
      memoriesBefore: memories.length,
      changes,
      state: 'starting',
      messages: [...view.messages],
      gatheredLines: sum(searches.map(({ lines }) => lines)),
      turns: planTurns(files, searches, changes, param.number(params, 'dreaming.filesPerTurn')),
      turn: 0,
      endMs: moment.now,
      outputTokens: 0,
      shown: [],
      denied: 0,
      refused: 0,
      written: 0,
      paths: [],
      removed: 0,
      merged: 0,
      contradicted: 0,
      dated: 0,
    };
    yield* this.send(this.dream, instruction, view);
  }

  /** Sends the request of the current turn; its answer is looked at once it is there. */
  private *send(
    dream: Dream,
    instruction: ReturnType<typeof directive>,
    view: ContextView,
  ): Generator<Action, void, Outcome> {
    const { phase, does, outputTokens } = dream.turns[dream.turn]!;
    const tokens = does === 'index' ? indexEditTokens(view, this.newIndex(view)) : outputTokens;
    const outcome = yield askFork(BY, {
      purpose: 'dream',
      messages: dream.messages,
      about: [],
      instruction,
      answer: { kind: 'short', tokens },
    });
    const details = { phase, turn: dream.turn + 1, of: dream.turns.length };
    if (outcome.kind !== 'answer') {
      const failure = outcome.kind === 'failed' ? outcome.failure.reason : 'no-answer';
      yield report(view, 'turn', 'failed', `the ${phase} turn failed`, details, failure);
      yield* this.fail(dream, view, failure);
      return;
    }
    yield report(view, 'turn', 'done', `the dream goes on: ${phase}`, details);
    dream.messages = [...dream.messages, instruction];
    dream.endMs = outcome.answer.endMs;
    dream.outputTokens = outcome.answer.usage.output;
    yield* this.readAnswer(dream, outcome.answer, view);
    yield { kind: 'wake-at', by: BY, timeMs: dream.endMs };
  }

  /** What a turn says is kept for display; what it may not do is refused and counted (DRM-4, DRM-5). */
  private *readAnswer(dream: Dream, answer: Answer, view: ContextView): Generator<Action, void, Outcome> {
    const text = answer.form === 'normal' ? answer.text.read() : `[${answer.form}]`;
    const shown = [...dream.shown, `${dream.turns[dream.turn]!.phase}: ${text.slice(0, 80)}`];
    dream.shown = shown.slice(-param.number(this.context.params, 'dreaming.turnsShown'));
    if (answer.form === 'tool-call') dream.denied++;
    if (!text.startsWith('---\n')) return;
    const { memories } = parseMemories(text);
    let refused = 0;
    for (const { name } of memories)
      if (confine(view.files, MEMORY_DIRECTORY, `${name}.md`).kind === 'refused') refused++;
    dream.refused += refused;
    if (refused === 0) return;
    const reason = 'a write led out of the memory directory';
    yield report(view, 'confine', 'failed', reason, { refusals: refused }, 'write-refused');
  }

  /** The answer of a turn is there: its effect reaches the disk, then the next turn begins. */
  private *nextTurn(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const dream = this.dream!;
    const { does, calls, edits } = dream.turns[dream.turn]!;
    const { outputTokens } = dream;
    if (does === 'edits') yield* this.consolidate(dream, view);
    else if (does === 'index') yield* this.prune(dream, view);
    if (this.dream === null) return;
    if (does === 'ends') {
      yield* this.complete(dream, moment, view);
      return;
    }
    const id = `dream-${this.runs}-${dream.turn}`;
    const done =
      does === 'reads'
        ? forkTurn(id, turnBlocks(id, calls.length > 0 ? calls : [NOTHING]), moment.now)
        : handedBack(id, edits, outputTokens, moment.now);
    dream.messages = [...dream.messages, done.calls];
    dream.turn++;
    yield* this.send(dream, done.results, view);
  }

  private *consolidate(dream: Dream, view: ContextView): Generator<Action, void, Outcome> {
    const { write, remove, merged, contradicted, dated } = dream.changes;
    for (const { read, memory } of write)
      if (isAsRead(view, read))
        yield* this.guarded(dream, view, {
          kind: 'write-file',
          by: BY,
          path: read.path,
          text: renderMemory(memory),
        });
    for (const memory of remove)
      if (isAsRead(view, memory))
        yield* this.guarded(dream, view, { kind: 'remove-file', by: BY, path: memory.path });
    dream.merged = merged;
    dream.contradicted = contradicted;
    dream.dated = dated;
  }

  /** Lines leave the index where they do not fit; the memories stay (C33). */
  private *prune(dream: Dream, view: ContextView): Generator<Action, void, Outcome> {
    const text = this.newIndex(view);
    if (text === indexOf(view)) return;
    yield* this.guarded(dream, view, { kind: 'write-file', by: BY, path: MEMORY_INDEX, text });
  }

  private newIndex(view: ContextView): string {
    const limits = indexLimits(this.context.params);
    return renderIndex(indexedMemories(readMemories(view.files).memories, limits), limits.lineChars);
  }

  /** No change without the lock and none outside the directory: who lost it stops at once (INV-12). */
  private *guarded(
    dream: Dream,
    view: ContextView,
    action: Extract<Action, { kind: 'write-file' | 'remove-file' }>,
  ): Generator<Action, void, Outcome> {
    if (this.dream === null) return;
    if (!holdsLock(view.files, dream.hold)) {
      yield* this.fail(dream, view, 'lock-lost');
      return;
    }
    if (confine(view.files, MEMORY_DIRECTORY, action.path).kind === 'refused') {
      dream.refused++;
      return;
    }
    dream.state = 'updating';
    if (action.kind === 'write-file') dream.written++;
    else dream.removed++;
    if (action.kind === 'write-file') dream.paths.push(action.path);
    yield action;
  }

  private *complete(dream: Dream, moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    this.dream = null;
    completeLock(view.files, dream.hold);
    const memories = readMemories(view.files);
    const index = indexOf(view);
    const indexLines = index.split('\n').length - 1;
    yield report(view, 'dream', 'done', `${dream.sessions} sessions since the last consolidation`, {
      ...summaryOf(dream, 'completed', moment.now),
      memoriesAfter: memories.memories.length,
      corrupt: memories.corrupt,
      offIndex: memories.memories.length - indexLines,
      indexLines,
      indexBytes: byteLength(index),
    });
  }

  private *fail(dream: Dream, view: ContextView, failure: string): Generator<Action, void, Outcome> {
    this.dream = null;
    yield* rollBackLock(view.files, dream.hold);
    yield report(
      view,
      'dream',
      'failed',
      'the dream failed',
      summaryOf(dream, 'failed', dream.endMs),
      failure,
    );
  }

  /** A dream ends before its time; unless the process crashed, the lock goes back to the time it had (DRM-2, C48). */
  private *kill(
    dream: Dream,
    moment: HookContext,
    view: ContextView,
    how: 'crashed' | 'killed' | 'ended-by-user',
    reason: string,
  ): Generator<Action, void, Outcome> {
    this.dream = null;
    if (how !== 'crashed') yield* rollBackLock(view.files, dream.hold);
    yield report(view, 'dream', 'failed', reason, summaryOf(dream, 'killed', moment.now), how);
  }

  /** The process ends: a dream that runs is killed, or dies with it and leaves its lock behind (DRM-2, DRM-5). */
  private *end(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const { dream } = this;
    if (dream !== null) {
      const how = this.context.session.ending === 'crashed' ? 'crashed' : 'killed';
      const reason = how === 'killed' ? 'the dream was killed' : 'the process crashed in a dream';
      yield* this.kill(dream, moment, view, how, reason);
    }
    if (this.checks === 0) return;
    yield report(view, 'gates', 'declined', 'how often each gate was shut', {
      checks: this.checks,
      exits: Object.fromEntries(this.exits),
      unreadableLocks: this.unreadableLocks,
    });
    this.checks = 0;
  }
}

/** Whether a memory is still as the dream read it: what somebody changed meanwhile is left alone. */
function isAsRead(view: ContextView, { path, mtimeMs }: StoredMemory): boolean {
  return view.files.read(path)?.mtimeMs === mtimeMs;
}

function indexOf(view: ContextView): string {
  return view.files.read(MEMORY_INDEX)?.text ?? '';
}

/** Output of the edit that brings the index up to date: the lines that are new in it (C31). */
function indexEditTokens(view: ContextView, index: string): number {
  const before = new Set(indexOf(view).split('\n'));
  let chars = 0;
  for (const line of index.split('\n')) if (!before.has(line)) chars += line.length + 1;
  return editTokens(chars, 1);
}

/** A turn without results still has to be answered. */
const NOTHING = { tool: 'Bash', about: `stat ${MEMORY_DIRECTORY}`, resultTokens: 1 };

/** Dreaming (DRM). */
export const dreamingLayer: LayerDefinition = {
  name: 'dreaming',
  layer: LAYER,
  points: ['end-of-loop', 'wake', 'end-dream', 'session-end'],
  needs: ['text', 'timestamps'],
  params: layerParams('dreaming'),
  killSwitch: 'dreaming.enabled',
  create: (context) => new Dreaming(context),
};
