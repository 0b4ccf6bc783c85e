import type { Policy } from '../policy.js';

/** Claude Code 2.1.325 as shipped and measured. */
export const claudeCode21325: Policy = {
  name: 'claude-code/2.1.325',
  kind: 'measured',
  summary: 'Claude Code 2.1.325 as shipped and measured.',
  tiers: ['storage', 'auto-compact', 'blocking', 'reactive'],
  client: 'claude-code/2.1.325',
  set: {
    'counter.newContent': 'rough',
    'window.models': 'known',
    'window.reserve': 'capped',
    'compact.summariser': 'fork',
    'compact.forkWrites': true,
    'compact.forkMaxOutputTokens': 32_000,
    'compact.scratchpad': 'drop',
    'breaker.scope': 'prompt',
    'thrash.maxRefills': 3,
    'restore.largeFiles': 'reference',
    'storage.messageBudget': null,
    'sessionMemory.enabled': false,
    'compact.fallback': 'none',
    'compact.keepLastRounds': 1,
    'compact.tooLong': 'tail',
    'compact.askAgainUntagged': true,
    'compact.rejectCut': false,
    'reactive.maxPerTurn': 2,
    'autoCompact.exceptModels': ['claude-sonnet-4-5', 'claude-opus-4-5'],
  },
  sources: {
    '*': 'the published client against a local stub of the API, 2.1.325',
    'compact.forkMaxOutputTokens': 'measured: max_tokens of the summary call',
    'compact.keepLastRounds': 'measured: the last API round stays verbatim',
    'compact.tooLong': 'measured: tail, until 3 messages are left',
    'reactive.maxPerTurn': 'measured: at most 2',
    'compact.askAgainUntagged': 'measured: asked once more, then accepted',
    'compact.rejectCut': 'measured: a summary without its tags is asked for once more, then accepted',
    'autoCompact.exceptModels':
      'measured: never by itself on three older models unless a window is set; the name of the third is not known',
  },
};
