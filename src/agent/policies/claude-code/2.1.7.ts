import type { Policy } from '../policy.js';

/** Claude Code 2.1.7 as shipped and measured. */
export const claudeCode217: Policy = {
  name: 'claude-code/2.1.7',
  kind: 'measured',
  summary: 'Claude Code 2.1.7 as shipped and measured.',
  tiers: ['storage', 'microcompact-token', 'auto-compact', 'blocking'],
  client: 'claude-code/2.0.76',
  set: {
    'window.models': 'suffix-only',
    'compact.summariser': 'own',
    'compact.scratchpad': 'keep',
    'compact.tooLong': 'none',
    'compact.rejectEmpty': false,
    'compact.rejectCut': false,
    'compact.resendWithoutStreaming': true,
    'client.resendWithoutStreaming': true,
    'breaker.maxFailures': null,
    'restore.largeFiles': 'reference',
    'storage.messageBudget': null,
    'storage.exempt': ['Read', 'WebFetch'],
    'sessionMemory.enabled': false,
    'reactive.enabled': false,
    'counter.newContent': 'rough',
    'window.reserve': 'max-output',
    'microcompact.token.keepOriginals': true,
  },
  sources: {
    'storage.exempt': 'STO-1; recorded at 2.1.17: 73,469 characters of WebFetch in line',
    '*': 'the published client against a local stub of the API, 2.1.7',
    'window.reserve': 'measured: 8,192 gives 178,808, 64,000 gives 123,000',
    'window.blockingOffset': 'measured: blocks at 165,000 with compaction off',
    'counter.newContent': 'measured: last usage plus characters / 4',
    'breaker.maxFailures': 'measured: none',
    'compact.rejectCut': 'measured: a summary without its tags is accepted',
  },
};
