import type { Policy } from '../policy.js';

/** Claude Code 2.1.7 as analysed: adds session memory, the blocking limit and the output reserve. */
export const claudeCode21: Policy = {
  name: 'claude-code/2.1',
  kind: 'analysed',
  summary: 'Claude Code 2.1.7 as analysed: adds session memory, the blocking limit and the output reserve.',
  tiers: ['nested-memory', 'microcompact-token', 'session-memory', 'auto-compact', 'blocking'],
  client: 'claude-code/2.0.76',
  set: {
    'window.models': 'suffix-only',
    'counter.toolUse': 'whole-block',
    'counter.plainStrings': 'zero',
    'counter.newContent': 'rough',
    'window.reserve': 'max-output',
    'compact.summariser': 'own',
    'compact.scratchpad': 'keep',
    'compact.tooLong': 'none',
    'compact.regenerations': 2,
    'reactive.enabled': false,
    'breaker.maxFailures': null,
    'microcompact.token.keepOriginals': true,
  },
  sources: {
    'counter.toolUse': 'TOK-3',
    'counter.plainStrings': 'TOK-3',
    '*': 'public analysis of the client, version 2.1.7',
    'window.reserve': "WIN-2: the model's maximal output, at most 32,000",
    'breaker.maxFailures': 'BRK-1: none',
    'nestedMemory.enabled': 'NES-1',
    'window.compactOffset': 'WIN-3: 155,000 on a 200 K window',
    'window.blockingOffset': 'WIN-6',
    'compact.regenerations': 'FUL-4: two more for an empty or invalid summary',
    'compact.strip': 'FUL-1: everything since the boundary is sent',
    'microcompact.token.keepOriginals': 'MIC-1: originals stay on disk',
    'restore.skillsTotalTokens': 'RES-2',
  },
};
