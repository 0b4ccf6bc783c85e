import { percentLeft } from '../core/run/limit.js';
import type {
  LayerEntry,
  NoticeEntry,
  RequestEntry,
  StatusEntry,
  ThreadEntry,
} from '../core/run/log-entries.js';
import { addTo, detailAmount, recordOf, sortedRecord, type Tally } from './tally.js';

/** A state that a client shows: over how many requests, and when. */
export interface ShownFacts {
  /** Requests of main loops that were sent while it was shown. */
  readonly turns: number;
  /** Times it was entered. */
  readonly times: number;
  /** Number of the request at which it was first entered; null when it never was. */
  readonly firstRequest: number | null;
  /** Number of the request at which it was last left; null while it is shown, and when it never was. */
  readonly leftAt: number | null;
}

/** What clients showed of their main conversations (WIN-5); null if no window was known. */
export interface StatusFacts {
  readonly warning: ShownFacts;
  readonly error: ShownFacts;
  readonly leastPercentLeft: number;
}

class Shown {
  private turns = 0;
  private times = 0;
  private firstRequest: number | null = null;
  private leftAt: number | null = null;
  private readonly threads = new Set<string>();

  change(thread: string, n: number, state: 'on' | 'off'): void {
    if (state === 'on') {
      if (this.threads.has(thread)) return;
      this.threads.add(thread);
      this.times += 1;
      this.firstRequest ??= n;
      this.leftAt = null;
    } else if (this.threads.delete(thread) && this.threads.size === 0) this.leftAt = n;
  }

  request(thread: string): void {
    if (this.threads.has(thread)) this.turns += 1;
  }

  finish(): ShownFacts {
    const { turns, times, firstRequest, leftAt } = this;
    return { turns, times, firstRequest, leftAt };
  }
}

/** Adds up what clients showed. */
export class StatusFold {
  readonly #warning = new Shown();
  readonly #error = new Shown();
  readonly #limits = new Map<string, number>();
  #least: number | null = null;

  addStatus({ thread, n, limit, warning, error }: StatusEntry): void {
    this.#limits.set(thread, limit);
    this.#warning.change(thread, n, warning ? 'on' : 'off');
    this.#error.change(thread, n, error ? 'on' : 'off');
  }

  addRequest({ thread, purpose, estimatedTokens: seen }: RequestEntry): void {
    if (purpose === 'main' && seen !== null) this.addSeen(thread, seen);
  }

  /** A request of a main loop. */
  addSeen(thread: string, seen: number): void {
    this.#warning.request(thread);
    this.#error.request(thread);
    const limit = this.#limits.get(thread);
    if (limit === undefined) return;
    const left = percentLeft(limit, seen);
    if (this.#least === null || left < this.#least) this.#least = left;
  }

  finish(): StatusFacts | null {
    if (this.#least === null) return null;
    const [warning, error] = [this.#warning.finish(), this.#error.finish()];
    return { warning, error, leastPercentLeft: this.#least };
  }
}

function emptySums() {
  return {
    forks: {
      started: 0,
      /** Those that could not start because the call that starts them was lost. */
      lost: 0,
      /** First requests of forks: what they held, and what of it was read from the cache. */
      firstPromptTokens: 0,
      firstReadTokens: 0,
    },
    memory: {
      written: 0,
      removed: 0,
      merged: 0,
      contradicted: 0,
      /** Memories in which dreams made relative dates absolute. */
      dated: 0,
      /** Times the index was loaded and did not fit. */
      indexCuts: 0,
      /** Writes that led out of the memory directory. */
      refused: 0,
      corrupt: 0,
      /** What the latest look at the directory found; null before any. */
      quality: null as Readonly<Record<(typeof QUALITIES)[number], number>> | null,
      /** Lines of the index as it was last written or loaded; null when there was none. */
      indexLines: null as number | null,
    },
    notes: {
      /** Extractions that brought the notes up to date. */
      extractions: 0,
      /** Of those, the ones told to condense, and to do so urgently (SES-4). */
      condensed: 0,
      urgent: 0,
      /** Output of extractions, and the notes as the latest left them (C31). */
      outputTokens: 0,
      tokens: null as number | null,
    },
    dreams: {
      completed: 0,
      failed: 0,
      /** Killed or crashed with their process. */
      killed: 0,
      /** Locks of dead processes that were taken over. */
      reclaimed: 0,
      /** Checks that ended at a gate, by its name (DRM-1). */
      skips: {} as Readonly<Record<string, number>>,
    },
    agents: {
      /** Agents that another one ended, plans that were turned down, and time spent waiting for the answers (C36). */
      shutDown: 0,
      plansRejected: 0,
      approvalWaitMs: 0,
      /** Agents that began with what earlier ones of their kind had left (AGT-5). */
      memoriesRead: 0,
    },
    messages: recordOf(['sent', 'delivered', 'late', 'waiting', 'lost'], () => 0),
  };
}

type Sums = ReturnType<typeof emptySums>;

/** What outlives one thread and one session: forks, memories, dreams and messages. */
export type LongTermFacts = { readonly [K in keyof Sums]: Readonly<Sums[K]> };

const QUALITIES = ['kept', 'duplicate', 'contradicted', 'polluted', 'offIndex'] as const;
/** What dreams do to memories. */
const DREAMT = ['removed', 'merged', 'contradicted', 'dated'] as const;

function amount({ details }: Pick<LayerEntry, 'details'>, key: string): number {
  return detailAmount(details, key) ?? 0;
}

/** Adds up what outlives threads and sessions. */
export class LongTermFold {
  readonly #sums = emptySums();
  readonly #waitingForks = new Set<string>();
  readonly #skips: Tally = new Map();

  addThread({ thread, sharedTokens }: ThreadEntry): void {
    if (sharedTokens === undefined) return;
    this.#sums.forks.started += 1;
    this.#waitingForks.add(thread);
  }

  addRequest({ thread, purpose, prompt, read }: RequestEntry): void {
    if (this.#waitingForks.size === 0 || purpose !== 'subagent' || !this.#waitingForks.delete(thread)) return;
    this.#sums.forks.firstPromptTokens += prompt;
    this.#sums.forks.firstReadTokens += read;
  }

  addLayer(entry: LayerEntry): void {
    const { layer, action, details } = entry;
    const { memory, agents } = this.#sums;
    if (layer === 'agents' && action === 'recall') agents.memoriesRead += 1;
    if (layer === 'session-memory') this.#addNotes(entry);
    if (layer !== 'auto-memory' && layer !== 'dreaming') return;
    if (action === 'write' || action === 'confine') memory.refused += amount(entry, 'refusals');
    if (action === 'write') memory.written += amount(entry, 'written');
    if (action === 'read') memory.corrupt = Math.max(memory.corrupt, amount(entry, 'corrupt'));
    if (action === 'dream') this.#addDream(entry);
    if (action === 'quality') memory.quality = recordOf(QUALITIES, (name) => amount(entry, name));
    if (action === 'gates') {
      const exits = details.exits as Readonly<Record<string, number>> | undefined;
      for (const [gate, count] of Object.entries(exits ?? {})) addTo(this.#skips, gate, count);
    }
    memory.indexLines = detailAmount(details, 'indexLines') ?? memory.indexLines;
  }

  #addNotes(entry: LayerEntry): void {
    if (entry.action !== 'extract' || entry.outcome !== 'done') return;
    const { notes } = this.#sums;
    const { condensed, urgent } = entry.details;
    notes.extractions += 1;
    if (Array.isArray(condensed) && condensed.length > 0) notes.condensed += 1;
    if (urgent === true) notes.urgent += 1;
    notes.outputTokens += amount(entry, 'outputTokens');
    notes.tokens = detailAmount(entry.details, 'tokens') ?? notes.tokens;
  }

  #addDream(entry: LayerEntry): void {
    const { dreams, memory } = this.#sums;
    if (entry.outcome === 'done') dreams.completed += 1;
    else if (entry.details.state === 'killed') dreams.killed += 1;
    else dreams.failed += 1;
    if (entry.details.reclaimed === true) dreams.reclaimed += 1;
    for (const name of DREAMT) memory[name] += amount(entry, name);
  }

  addNotice(entry: NoticeEntry): void {
    const { what, details } = entry;
    const { memory, forks, agents, messages } = this.#sums;
    if (what === 'memory-index') {
      memory.indexLines = detailAmount(details, 'lines') ?? memory.indexLines;
      if (typeof details.cutBy === 'string') memory.indexCuts += 1;
    }
    if (what === 'fork-lost') forks.lost += 1;
    if (what === 'shut-down') agents.shutDown += 1;
    if (what === 'plan-rejected') agents.plansRejected += 1;
    if (what.startsWith('plan-')) agents.approvalWaitMs += amount(entry, 'waitedMs');
    if (what !== 'messages') return;
    for (const key of Object.keys(messages) as (keyof typeof messages)[]) messages[key] += amount(entry, key);
  }

  finish(): LongTermFacts {
    this.#sums.dreams.skips = sortedRecord(this.#skips);
    return this.#sums;
  }
}
