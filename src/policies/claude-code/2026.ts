import type { Policy } from '../policy.js';

/** Claude Code of early 2026 as analysed: every layer it describes, on. */
export const claudeCode2026: Policy = {
  name: 'claude-code/2026',
  kind: 'analysed',
  summary: 'Claude Code of early 2026 as analysed: every layer it describes, on.',
  tiers: [
    'storage',
    'nested-memory',
    'microcompact-time',
    'microcompact-cached',
    'microcompact-api',
    'session-memory',
    'auto-compact',
    'blocking',
    'reactive',
  ],
  set: {
    'client.breakpoints': 'system+last',
    'client.thinking': 'keep-all',
    'counter.newContent': 'padded',
    'counter.jsonBytesPerToken': 2,
    'window.models': 'known',
    'window.reserve': 'capped',
    'compact.summariser': 'fork',
    'compact.forkWrites': false,
    'compact.fallback': 'direct',
    'compact.scratchpad': 'drop',
    'compact.tooLong': 'head',
  },
  sources: {
    '*': 'public analysis of the client, early 2026',
    'client.thinking': 'MIC-4: all thinking turns are kept while active',
    'counter.newContent': 'TOK-5 with the padding of TOK-3',
    'counter.jsonBytesPerToken': 'TOK-1',
    'window.reserve': 'WIN-2: min(max output, 20,000)',
    'window.compactOffset': 'WIN-3: 167,000 on a 200 K window',
    'microcompact.timeBased.enabled':
      'MIC-2: off by default in the reference; on here so that it can be studied',
    'microcompact.cached.enabled': 'MIC-3',
    'microcompact.apiNative.enabled': 'MIC-4',
    'compact.summariser': 'FUL-4: a fork with the main prefix',
    'breaker.maxFailures': 'BRK-1',
    'reactive.enabled': 'REA-1',
  },
};
