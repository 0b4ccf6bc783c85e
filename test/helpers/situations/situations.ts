import type { Transcript } from '../../../src/core/model/transcript.js';
import type { PlanInit } from '../plan.js';
import {
  BUSY,
  CLEARED_BY_HAND,
  FORKS,
  LEFT_ALONE,
  LONG_MODEL,
  RECORDED,
  SLOW_TALK,
  SUBAGENT,
  WEEK,
  WORK,
} from './transcripts.js';

type Settings = Readonly<Record<string, unknown>>;

/** Circumstances in which some parameters can be seen to matter. */
export interface Situation {
  readonly name: string;
  /** Parameters it is there for, by path or by the beginning of paths: they are tried in it first. */
  readonly shows: readonly string[];
  readonly transcript: Transcript;
  readonly init: PlanInit;
  /** Parameters that bring the situation about; those a policy does not have are left out. */
  readonly set?: Settings;
}

const SMALL = { window: 70_000 } as const;

/** Summaries are the only thing that makes room, and are made often. */
const SUMMARIES: Settings = {
  'autoCompact.exceptModels': [],
  'client.retries': 1,
  'compact.resendWithoutStreaming': false,
  'microcompact.apiNative.enabled': false,
  'microcompact.cached.enabled': false,
  'microcompact.timeBased.enabled': false,
  'microcompact.token.enabled': false,
  'sessionMemory.enabled': false,
  'storage.stubRepeatedReads': false,
};

const FORKED: Settings = { ...SUMMARIES, 'compact.summariser': 'fork', 'compact.fallback': 'direct' };
const OWN: Settings = { ...SUMMARIES, 'compact.summariser': 'own' };

type Fault = NonNullable<PlanInit['faults']>[number];

function failing(shows: readonly string[], name: string, set: Settings, fault: Fault): Situation {
  const faults = [{ call: 'compact' as const, ...fault }];
  return { name, shows, transcript: WORK, init: { ...SMALL, faults }, set };
}

const FAILING: readonly Situation[] = [
  failing(['compact.fallback'], 'a fork that fails', FORKED, { error: 'invalid_request', nth: 1 }),
  failing(['compact.resendWithoutStreaming'], 'a direct call that fails', OWN, {
    error: 'invalid_request',
    nth: 1,
  }),
  failing(
    ['compact.fallbackOnTooLong', 'compact.tooLong', 'compact.tooLongRetries'],
    'a fork that is too long',
    { ...FORKED, 'compact.tooLong': 'head' },
    { error: 'prompt_too_long', gapTokens: 4_000 },
  ),
  failing(
    ['compact.tooLongShare'],
    'a summary request that is too long by an unknown amount',
    { ...OWN, 'compact.tooLong': 'head' },
    { error: 'prompt_too_long_unparseable', nth: 1 },
  ),
  failing(
    ['compact.tailMinMessages'],
    'a summary request that is cut from its tail',
    { ...OWN, 'compact.tooLong': 'tail' },
    { error: 'prompt_too_long_unparseable' },
  ),
  failing(
    ['compact.regenerations'],
    'empty summaries',
    { ...OWN, 'compact.rejectEmpty': true },
    {
      error: 'empty_summary',
    },
  ),
  failing(
    ['compact.rejectEmpty'],
    'an empty summary',
    { ...OWN, 'compact.regenerations': 0 },
    {
      error: 'empty_summary',
      nth: 1,
    },
  ),
  failing(['compact.askAgainUntagged'], 'summaries without tags', OWN, { error: 'no_summary_tags' }),
  failing(['compact.rejectCut'], 'summaries that are cut', OWN, { error: 'cut_summary' }),
  failing(['client.retries'], 'an overloaded service', OWN, { error: 'overloaded' }),
  failing(
    ['breaker.maxFailures', 'breaker.scope'],
    'nothing but failures',
    { ...OWN, 'breaker.maxFailures': 2 },
    { error: 'invalid_request' },
  ),
];

const COMPACTING: readonly Situation[] = [
  {
    name: 'forked summaries',
    shows: [
      'compact.forkWrites',
      'compact.forkMaxOutputTokens',
      'compact.summariser',
      'compact.model',
      'autoCompact.exceptModels',
    ],
    transcript: WORK,
    init: SMALL,
    set: FORKED,
  },
  {
    name: 'forked summaries that write',
    shows: ['compact.forkMark', 'compact.ownBudget'],
    transcript: WORK,
    init: SMALL,
    set: { ...FORKED, 'compact.forkWrites': true },
  },
  {
    name: 'summaries that keep a round',
    shows: ['compact.keepNoneWithin'],
    transcript: WORK,
    init: { window: 90_000 },
    set: { ...OWN, 'compact.keepLastRounds': 1, 'compact.keepNoneWithin': 0 },
  },
  {
    name: 'direct summaries',
    shows: [
      'compact.',
      'thrash.chainTurns',
      'restore.',
      'nestedMemoryCache.',
      'window.',
      'autoCompact.enabled',
      'client.thinking',
    ],
    transcript: WORK,
    init: { ...SMALL, summaryTokens: 500 },
    set: { ...OWN, 'restore.largeFiles': 'cut', 'restore.skillsTotalTokens': 25_000 },
  },
  {
    name: 'compactions from notes',
    shows: ['sessionMemory.'],
    transcript: SLOW_TALK,
    init: { window: 100_000 },
    set: { ...SUMMARIES, 'sessionMemory.enabled': true },
  },
  {
    name: 'large files that are only named',
    shows: ['restore.referenceOver'],
    transcript: WORK,
    init: SMALL,
    set: { ...OWN, 'restore.largeFiles': 'reference' },
  },
  {
    name: 'a context that fills up at once',
    shows: ['thrash.'],
    transcript: WORK,
    init: { window: 60_000 },
    set: { ...OWN, 'thrash.maxRefills': 1, 'thrash.withinTurns': 20 },
  },
  {
    name: 'automatic compaction switched off from outside',
    shows: ['autoCompact.disabled', 'autoCompact.honoursDisable', 'blocking.'],
    transcript: WORK,
    init: SMALL,
    set: { ...SUMMARIES, 'autoCompact.disabled': true, 'autoCompact.honoursDisable': true },
  },
  {
    name: 'a subagent in a small window',
    shows: ['autoCompact.subagents'],
    transcript: SUBAGENT,
    init: SMALL,
    set: SUMMARIES,
  },
  {
    name: 'main requests refused as too long',
    shows: ['client.resendWithoutStreaming', 'reactive.'],
    transcript: WORK,
    init: { faults: [{ call: 'main', error: 'prompt_too_long', from: 12, to: 16, gapTokens: 500 }] },
    set: SUMMARIES,
  },
];

const CLEARING: readonly Situation[] = [
  {
    name: 'old results that the user has cleared',
    shows: ['microcompact.token.'],
    transcript: CLEARED_BY_HAND,
    init: {},
    set: { ...SUMMARIES, 'microcompact.token.enabled': true, 'microcompact.token.minSaving': 5_000 },
  },
  {
    name: 'old results that are cleared',
    shows: ['microcompact.token.', 'microcompact.cached.'],
    transcript: WORK,
    init: { window: 120_000 },
    set: {
      ...SUMMARIES,
      'autoCompact.enabled': false,
      'microcompact.cached.enabled': true,
      'microcompact.token.enabled': true,
      'microcompact.token.targetTokens': 20_000,
      'microcompact.token.minSaving': 5_000,
    },
  },
  {
    name: 'old rounds that are snipped',
    shows: ['snip.'],
    transcript: WORK,
    init: {},
    set: {
      ...SUMMARIES,
      'snip.enabled': true,
      'snip.aboveTokens': 50_000,
      'snip.downToTokens': 30_000,
      'snip.keepRounds': 4,
      'snip.minTokens': 6_000,
    },
  },
  {
    name: 'finished prompts that are folded',
    shows: ['collapse.'],
    transcript: WORK,
    init: {},
    set: {
      ...SUMMARIES,
      'autoCompact.enabled': false,
      'collapse.enabled': true,
      'collapse.aboveTokens': 50_000,
      'collapse.downToTokens': 40_000,
    },
  },
  {
    name: 'a server that clears',
    shows: ['microcompact.apiNative.'],
    transcript: WORK,
    init: {},
    set: {
      ...SUMMARIES,
      'microcompact.apiNative.enabled': true,
      'microcompact.apiNative.triggerTokens': 40_000,
      'microcompact.apiNative.keepTokens': 9_000,
      'microcompact.apiNative.clearAtLeast': 3_000,
    },
  },
  {
    name: 'results that are stored',
    shows: ['storage.'],
    transcript: WORK,
    init: {},
    set: { 'storage.how': 'file', 'storage.defaultThreshold': 8_000, 'storage.tools': {} },
  },
  {
    name: 'memory files of nested folders',
    shows: ['nestedMemory.'],
    transcript: WORK,
    init: {},
    set: { 'nestedMemory.files': { '/repo/src/CLAUDE.md': 700 } },
  },
];

const CLIENTS: readonly Situation[] = [
  {
    name: 'what a recording tells of its client',
    shows: [
      'client.',
      'counter.',
      'microcompact.timeBased.',
      'microcompact.apiNative.clearThinking',
      'microcompact.apiNative.thinking',
    ],
    transcript: RECORDED,
    init: { cache: { fade: 'client' } },
    set: {
      'counter.newContent': 'rough',
      'client.breakpoints': 'system+last',
      'microcompact.timeBased.enabled': true,
    },
  },
  {
    name: 'entries of one hour',
    shows: ['client.outside', 'client.hazard'],
    transcript: RECORDED,
    init: { cache: { ttl: '1h' } },
    set: { 'client.firstRequest': 'recorded' },
  },
  {
    name: 'a service that stumbles',
    shows: ['client.retries'],
    transcript: RECORDED,
    init: { faults: [{ call: 'main', error: 'overloaded', every: 3 }] },
  },
  {
    name: 'memory files in front of the conversation',
    shows: ['context.'],
    transcript: LONG_MODEL,
    init: {},
    set: { 'context.memoryFiles': { '/repo/CLAUDE.md': 30_000 } },
  },
  {
    name: 'a long conversation that is left alone for 90 minutes, and at its end',
    shows: ['idleCompact.'],
    transcript: LEFT_ALONE,
    init: { cache: { ttl: '1h' } },
    set: { 'storage.enabled': false },
  },
  {
    name: 'windows of the settings',
    shows: ['window.setting'],
    transcript: LEFT_ALONE,
    init: {},
    set: { 'storage.enabled': false, 'window.settings': 'all', 'window.setting': 120_000 },
  },
  {
    name: 'a window that is longer than the model has',
    shows: ['window.settings'],
    transcript: LEFT_ALONE,
    init: { model: 'claude-opus-4-5' },
    set: { 'storage.enabled': false, 'window.explicit': 400_000 },
  },
  {
    name: 'a model with a long window',
    shows: ['window.models'],
    transcript: LONG_MODEL,
    init: {},
  },
  {
    name: 'a model that may get a long window',
    shows: ['window.beta1m', 'window.bounded', 'window.explicit'],
    transcript: SUBAGENT,
    init: {},
    set: { 'window.bounded': true },
  },
  {
    name: 'a reserve for the answer up to a cap',
    shows: ['window.reserveCap'],
    transcript: SUBAGENT,
    init: {},
    set: { 'window.reserve': 'capped' },
  },
  {
    name: 'a reserve as long as the answer',
    shows: ['window.maxOutput'],
    transcript: SUBAGENT,
    init: {},
    set: { 'window.reserve': 'max-output' },
  },
];

const BESIDE: readonly Situation[] = [
  {
    name: 'children of one turn',
    shows: ['agents.'],
    transcript: FORKS,
    init: {},
    set: { 'agents.warmFirst': true, 'agents.coordinator': true, 'agents.progressSeconds': 2 },
  },
  {
    name: 'a lock that a process left behind',
    shows: ['dreaming.staleMinutes'],
    transcript: WEEK,
    init: { home: { memories: 3, files: [], lock: { body: '999', hoursAgo: 40, process: 'dead' } } },
  },
  {
    name: 'a week with memories from before',
    shows: ['dreaming.', 'autoMemory.'],
    transcript: WEEK,
    init: { home: { memories: 3, files: [], lock: null } },
  },
  { name: 'a week', shows: [], transcript: WEEK, init: {} },
];

/** Every situation. */
export const SITUATIONS: readonly Situation[] = [
  {
    name: 'a busy session in a small window',
    shows: ['microcompact.', 'window.'],
    transcript: BUSY,
    init: { ...SMALL, home: { memories: 3, files: [], lock: null } },
  },
  ...COMPACTING,
  ...FAILING,
  ...CLEARING,
  ...CLIENTS,
  ...BESIDE,
  {
    name: 'a busy session in a large window',
    shows: ['autoCompact.countsCleared'],
    transcript: BUSY,
    init: {},
  },
];
