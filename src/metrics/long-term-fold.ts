import type { LayerEntry, NoticeEntry, RequestEntry, ThreadEntry } from '../core/run/run-log.js';
import { addTo, detailAmount, sortedRecord, type Tally } from './tally.js';

/** What outlives one thread and one session: forks, memories, dreams and messages. */
export interface LongTermFacts {
  readonly forks: {
    readonly started: number;
    /** Those that could not start because the call that starts them was lost. */
    readonly lost: number;
    /** First requests of forks: what they held, and what of it was read from the cache. */
    readonly firstPromptTokens: number;
    readonly firstReadTokens: number;
  };
  readonly memory: {
    readonly written: number;
    readonly removed: number;
    readonly merged: number;
    readonly contradicted: number;
    /** Memories in which dreams made relative dates absolute. */
    readonly dated: number;
    /** What the latest look at the directory found; null before any. */
    readonly quality: {
      readonly kept: number;
      readonly duplicate: number;
      readonly contradicted: number;
      readonly polluted: number;
      readonly offIndex: number;
    } | null;
    /** Lines of the index as it was last written or loaded; null when there was none. */
    readonly indexLines: number | null;
    /** Times the index was loaded and did not fit. */
    readonly indexCuts: number;
    /** Writes that led out of the memory directory. */
    readonly refused: number;
    readonly corrupt: number;
  };
  readonly notes: {
    /** Extractions that brought the notes up to date. */
    readonly extractions: number;
    /** Of those, the ones told to condense, and to do so urgently (SES-4). */
    readonly condensed: number;
    readonly urgent: number;
    /** Output of extractions, and the notes as the latest left them (C31). */
    readonly outputTokens: number;
    readonly tokens: number | null;
  };
  readonly dreams: {
    readonly completed: number;
    readonly failed: number;
    /** Killed or crashed with their process. */
    readonly killed: number;
    /** Locks of dead processes that were taken over. */
    readonly reclaimed: number;
    /** Checks that ended at a gate, by its name (DRM-1). */
    readonly skips: Readonly<Record<string, number>>;
  };
  readonly agents: {
    /** Agents that another one ended, plans that were turned down, and time spent waiting for the answers (C36). */
    readonly shutDown: number;
    readonly plansRejected: number;
    readonly approvalWaitMs: number;
    /** Agents that began with what earlier ones of their kind had left (AGT-5). */
    readonly memoriesRead: number;
  };
  readonly messages: {
    readonly sent: number;
    readonly delivered: number;
    readonly late: number;
    readonly waiting: number;
    readonly lost: number;
  };
}

/** Adds up what outlives threads and sessions. */
export interface LongTermFold {
  addThread(entry: ThreadEntry): void;
  addRequest(entry: RequestEntry): void;
  addLayer(entry: LayerEntry): void;
  addNotice(entry: NoticeEntry): void;
  finish(): LongTermFacts;
}

/** Creates an empty fold. */
export function createLongTermFold(): LongTermFold {
  const waitingForks = new Set<string>();
  const forks = { started: 0, lost: 0, firstPromptTokens: 0, firstReadTokens: 0 };
  const memory = {
    written: 0,
    removed: 0,
    merged: 0,
    contradicted: 0,
    dated: 0,
    indexCuts: 0,
    refused: 0,
    corrupt: 0,
  };
  const notes = { extractions: 0, condensed: 0, urgent: 0, outputTokens: 0 };
  let notesTokens: number | null = null;
  const dreams = { completed: 0, failed: 0, killed: 0, reclaimed: 0 };
  const agents = { shutDown: 0, plansRejected: 0, approvalWaitMs: 0, memoriesRead: 0 };
  const messages = { sent: 0, delivered: 0, late: 0, waiting: 0, lost: 0 };
  const skips: Tally = new Map();
  let indexLines: number | null = null;
  let quality: LongTermFacts['memory']['quality'] = null;

  const amount = (entry: { readonly details: LayerEntry['details'] }, key: string): number =>
    detailAmount(entry.details, key) ?? 0;

  const addNotes = (entry: LayerEntry): void => {
    if (entry.action !== 'extract' || entry.outcome !== 'done') return;
    const { condensed, urgent } = entry.details;
    notes.extractions += 1;
    if (Array.isArray(condensed) && condensed.length > 0) notes.condensed += 1;
    if (urgent === true) notes.urgent += 1;
    notes.outputTokens += amount(entry, 'outputTokens');
    notesTokens = detailAmount(entry.details, 'tokens') ?? notesTokens;
  };

  const addDream = (entry: LayerEntry): void => {
    if (entry.outcome === 'done') dreams.completed += 1;
    else if (entry.details.state === 'killed') dreams.killed += 1;
    else dreams.failed += 1;
    if (entry.details.reclaimed === true) dreams.reclaimed += 1;
    memory.removed += amount(entry, 'removed');
    memory.merged += amount(entry, 'merged');
    memory.contradicted += amount(entry, 'contradicted');
    memory.dated += amount(entry, 'dated');
  };

  return {
    addThread(entry) {
      if (entry.sharedTokens === undefined) return;
      forks.started += 1;
      waitingForks.add(entry.thread);
    },
    addRequest(entry) {
      if (waitingForks.size === 0 || entry.purpose !== 'subagent' || !waitingForks.delete(entry.thread))
        return;
      forks.firstPromptTokens += entry.prompt;
      forks.firstReadTokens += entry.read;
    },
    addLayer(entry) {
      if (entry.layer === 'agents' && entry.action === 'recall') agents.memoriesRead += 1;
      if (entry.layer === 'session-memory') addNotes(entry);
      if (entry.layer !== 'auto-memory' && entry.layer !== 'dreaming') return;
      if (entry.action === 'write' || entry.action === 'confine') memory.refused += amount(entry, 'refusals');
      if (entry.action === 'write') memory.written += amount(entry, 'written');
      if (entry.action === 'read') memory.corrupt = Math.max(memory.corrupt, amount(entry, 'corrupt'));
      if (entry.action === 'dream') addDream(entry);
      if (entry.action === 'quality')
        quality = {
          kept: amount(entry, 'kept'),
          duplicate: amount(entry, 'duplicate'),
          contradicted: amount(entry, 'contradicted'),
          polluted: amount(entry, 'polluted'),
          offIndex: amount(entry, 'offIndex'),
        };
      if (entry.action === 'gates') {
        const exits = entry.details.exits as Readonly<Record<string, number>> | undefined;
        for (const [gate, count] of Object.entries(exits ?? {})) addTo(skips, gate, count);
      }
      indexLines = detailAmount(entry.details, 'indexLines') ?? indexLines;
    },
    addNotice(entry) {
      if (entry.what === 'memory-index') {
        indexLines = detailAmount(entry.details, 'lines') ?? indexLines;
        if (typeof entry.details.cutBy === 'string') memory.indexCuts += 1;
      }
      if (entry.what === 'fork-lost') forks.lost += 1;
      if (entry.what === 'shut-down') agents.shutDown += 1;
      if (entry.what === 'plan-rejected') agents.plansRejected += 1;
      if (entry.what.startsWith('plan-')) agents.approvalWaitMs += amount(entry, 'waitedMs');
      if (entry.what !== 'messages') return;
      for (const key of Object.keys(messages) as (keyof typeof messages)[])
        messages[key] += amount(entry, key);
    },
    finish: () => ({
      forks,
      memory: { ...memory, quality, indexLines },
      notes: { ...notes, tokens: notesTokens },
      dreams: { ...dreams, skips: sortedRecord(skips) },
      agents,
      messages,
    }),
  };
}
