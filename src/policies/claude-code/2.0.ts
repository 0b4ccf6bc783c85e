import type { Policy } from '../policy.js';

/** Claude Code 2.0 as analysed: token-triggered microcompaction, then full compaction. */
export const claudeCode20: Policy = {
  name: 'claude-code/2.0',
  kind: 'analysed',
  summary: 'Claude Code 2.0 as analysed: token-triggered microcompaction, then full compaction.',
  tiers: ['nested-memory', 'microcompact-token', 'auto-compact'],
  client: 'claude-code/2.0.76',
  set: {
    'window.models': 'suffix-only',
    'counter.newContent': 'none',
    'window.reserve': 'none',
    'window.blockingOffset': null,
    'breaker.maxFailures': null,
    'compact.summariser': 'own',
    'compact.scratchpad': 'keep',
    'compact.tooLong': 'none',
    'compact.rejectEmpty': true,
    'restore.skillsTotalTokens': 0,
    'sessionMemory.enabled': false,
    'reactive.enabled': false,
  },
  sources: {
    '*': 'public analysis of the client, version 2.0',
    'window.reserve': 'WIN-2: no reserve',
    'window.compactOffset': 'WIN-3: 187,000 on a 200 K window',
    'counter.newContent': 'TOK-4',
    'compact.summariser': 'FUL-4: a system prompt of its own',
    'compact.scratchpad': 'FUL-3: relabelled, not removed',
    'microcompact.token.targetTokens': 'MIC-1',
    'breaker.maxFailures': 'BRK-1: none',
    'nestedMemory.enabled': 'NES-1',
    'nestedMemoryCache.enabled': 'SES-10: present, off',
  },
};
