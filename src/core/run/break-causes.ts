/** Why cache tokens that were there had to be written again: each cause, and how it is said to a user. */
export const CAUSE_SENTENCES = {
  system: 'the system prompt changed',
  tools: 'the tools changed',
  model: 'another model',
  parameters: 'parameters changed',
  messages: 'earlier messages changed',
  thinking: 'thinking was taken out',
  'ttl-5m': 'five minutes had passed',
  'ttl-1h': 'an hour had passed',
  expired: 'its lifetime had passed',
  'not-readable-yet': 'asked before the first answer began',
  lookback: 'no marker within 20 blocks of what is cached',
  compaction: 'the conversation was compacted',
  microcompaction: 'earlier results were cleared',
  snip: 'early rounds were left out',
  collapse: 'finished tasks were folded',
  chance: 'the provider did not find it',
  rounding: 'the cache is read in steps',
  'no-cache': 'nothing is cached',
  server: 'the server had lost it',
} as const;

/** One of them. */
export type BreakCause = keyof typeof CAUSE_SENTENCES;

/** All of them, in the order of reports. */
export const BREAK_CAUSES = Object.keys(CAUSE_SENTENCES) as readonly BreakCause[];
