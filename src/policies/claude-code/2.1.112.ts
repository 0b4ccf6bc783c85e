import type { Policy } from '../policy.js';

/** Claude Code 2.1.112 as shipped and measured. */
export const claudeCode21112: Policy = {
  name: 'claude-code/2.1.112',
  kind: 'measured',
  summary: 'Claude Code 2.1.112 as shipped and measured.',
  tiers: ['storage', 'auto-compact', 'blocking'],
  client: 'claude-code/2.1.112',
  set: {
    'counter.newContent': 'rough',
    'window.models': 'known',
    'window.reserve': 'capped',
    'compact.summariser': 'fork',
    'compact.forkWrites': true,
    'compact.forkMaxOutputTokens': 20_000,
    'compact.scratchpad': 'drop',
    'breaker.scope': 'prompt',
    'thrash.maxRefills': 3,
    'restore.largeFiles': 'reference',
    'storage.messageBudget': null,
    'sessionMemory.enabled': false,
    'compact.fallback': 'direct',
    'compact.tooLong': 'head',
    'reactive.enabled': false,
    'storage.stubRepeatedReads': true,
  },
  sources: {
    '*': 'the published client against a local stub of the API, 2.1.112',
    'compact.forkMaxOutputTokens': 'measured: max_tokens of the summary call',
    'window.reserve': 'measured: min(max output, 20,000)',
    'breaker.scope': 'measured: three failures per user prompt',
    'thrash.maxRefills': 'measured: the fourth trigger ends the run',
    'compact.tooLong': 'measured: head, 3 retries',
    'storage.stubRepeatedReads': 'measured: a short stub for an unchanged file',
  },
};
