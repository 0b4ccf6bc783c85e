import { ratio } from '../core/base/stats.js';
import type { LongTermFacts } from './long-term-fold.js';
import type { Metric } from './metric.js';

function count(
  name: string,
  better: Metric['better'],
  help: string,
  value: (facts: LongTermFacts) => number | null,
): Metric {
  return { name, unit: 'count', better, help, value: (facts) => value(facts.longTerm) };
}

/** Metrics of what outlives one thread and one session. */
export const LONG_TERM_METRICS: readonly Metric[] = [
  count('forks', null, 'threads that started as a copy of their parent', (f) => f.forks.started),
  count(
    'forksLost',
    'lower',
    'forks that never started because the call that starts them was lost',
    (f) => f.forks.lost,
  ),
  {
    name: 'forkHitRate',
    unit: 'share',
    better: 'higher',
    help: 'tokens that the first requests of forks read from the cache / all their prompt tokens',
    value: ({ longTerm: { forks } }) => ratio(forks.firstReadTokens, forks.firstPromptTokens),
  },
  {
    name: 'forkTokensShared',
    unit: 'tokens',
    better: 'higher',
    help: 'tokens that forks read instead of paying for them anew: what sharing the prefix saved',
    value: (facts) => facts.longTerm.forks.firstReadTokens,
  },
  count(
    'notesUpdates',
    null,
    'extractions that brought session notes up to date',
    (f) => f.notes.extractions,
  ),
  count(
    'notesCondensed',
    null,
    'of those, the ones told to condense a section or all of the notes',
    (f) => f.notes.condensed,
  ),
  count('notesUrgent', null, 'of those, the ones told to do so urgently', (f) => f.notes.urgent),
  {
    name: 'notesOutputTokens',
    unit: 'tokens',
    better: 'lower',
    help: 'output of extractions: new and changed lines and the calls around them',
    value: ({ longTerm: { notes } }) => notes.outputTokens,
  },
  {
    name: 'notesTokens',
    unit: 'tokens',
    better: null,
    help: 'tokens of the session notes as the latest extraction left them',
    value: ({ longTerm: { notes } }) => notes.tokens,
  },
  count('memoriesWritten', null, 'durable memories written by extractions', (f) => f.memory.written),
  count(
    'memoriesRemoved',
    null,
    'memory files that dreams removed: merged into others or contradicted, never to make the index fit',
    (f) => f.memory.removed,
  ),
  count('memoriesMerged', null, 'memories that went into another on their subject', (f) => f.memory.merged),
  count(
    'memoriesContradicted',
    null,
    'memories that lost a line to a later one that contradicts it, in dreams',
    (f) => f.memory.contradicted,
  ),
  count(
    'memoriesDated',
    null,
    'memories in which dreams made relative dates absolute',
    (f) => f.memory.dated,
  ),
  count('memoriesKept', null, 'memories in the directory at the end', (f) => f.memory.quality?.kept ?? null),
  count(
    'memoriesDuplicate',
    'lower',
    'memories at the end that say what another one says',
    (f) => f.memory.quality?.duplicate ?? null,
  ),
  count(
    'memoriesDisagreeing',
    'lower',
    'memories at the end that a later one contradicts',
    (f) => f.memory.quality?.contradicted ?? null,
  ),
  count(
    'memoriesPolluted',
    'lower',
    'memories at the end that the exclusion rules forbid',
    (f) => f.memory.quality?.polluted ?? null,
  ),
  count(
    'memoriesOffIndex',
    'lower',
    'memories at the end that have no line in the index',
    (f) => f.memory.quality?.offIndex ?? null,
  ),
  count('memoryIndexLines', 'lower', 'lines of the memory index at the end', (f) => f.memory.indexLines),
  count(
    'memoryIndexCuts',
    'lower',
    'times the memory index did not fit into the system prompt',
    (f) => f.memory.indexCuts,
  ),
  count(
    'memoryWritesRefused',
    'lower',
    'writes of extractions and dreams that led out of the memory directory',
    (f) => f.memory.refused,
  ),
  count('memoryFilesCorrupt', 'lower', 'memory files that could not be read', (f) => f.memory.corrupt),
  count('dreams', null, 'dreams that came to their end', (f) => f.dreams.completed),
  count('dreamFailures', 'lower', 'dreams that failed', (f) => f.dreams.failed),
  count('dreamsKilled', 'lower', 'dreams that ended with their process', (f) => f.dreams.killed),
  count(
    'dreamLocksReclaimed',
    null,
    'stale locks taken over: left behind by a process that died in its dream',
    (f) => f.dreams.reclaimed,
  ),
  count('agentsShutDown', null, 'agents that another one ended', (f) => f.agents.shutDown),
  {
    name: 'callsNotMade',
    unit: 'count',
    better: null,
    help: 'recorded calls of agents that another one had ended: neither answered nor lost',
    value: (facts) => facts.callsNotMade,
  },
  count('plansRejected', null, 'plans that were turned down and made again', (f) => f.agents.plansRejected),
  {
    name: 'approvalWaitMs',
    unit: 'ms',
    better: 'lower',
    help: 'time that agents waited for the answers to their plans',
    value: (facts) => facts.longTerm.agents.approvalWaitMs,
  },
  count(
    'agentMemoriesRead',
    null,
    'agents that began with what earlier ones of their kind had left',
    (f) => f.agents.memoriesRead,
  ),
  count('messagesSent', null, 'messages between agents', (f) => f.messages.sent),
  count('messagesDelivered', 'higher', 'of those, the ones that were delivered', (f) => f.messages.delivered),
  count('messagesLate', 'lower', 'of those, the ones that were delivered late', (f) => f.messages.late),
  count('messagesLost', 'lower', 'messages neither delivered nor waiting anywhere', (f) => f.messages.lost),
];
