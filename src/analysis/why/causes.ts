import type { PredictedCause } from '../validate/predict.js';

/** What a cause is called, and what would have avoided it where anything would. */
interface CauseText {
  readonly title: string;
  readonly remedy: string | null;
}

const CAUSES = {
  read: { title: 'reading the cache', remedy: null },
  output: { title: 'output', remedy: null },
  uncached: { title: 'uncached prompt', remedy: null },
  'first-write': { title: 'first prompts', remedy: null },
  growth: { title: 'new content, written once', remedy: null },
  'lifetime-5m': {
    title: 'the 5-minute lifetime ran out',
    remedy: '/compact first, or 1 hour if it pays',
  },
  'lifetime-1h': { title: 'the 1-hour lifetime ran out', remedy: '/compact before the pause' },
  lifetime: { title: 'the cache dropped the prompt', remedy: null },
  compaction: { title: 'compaction', remedy: null },
  microcompaction: { title: 'microcompaction', remedy: null },
  clear: { title: 'the conversation was cleared', remedy: null },
  rewind: { title: 'the prompt became shorter', remedy: null },
  resume: { title: 'a resumed session', remedy: 'keep the session open' },
  tools: { title: 'tools changed', remedy: 'load tools at the start' },
  system: { title: 'the system prompt changed', remedy: 'leave the system prompt alone' },
  model: { title: 'the model changed', remedy: 'stay with one model' },
  version: { title: 'the client was updated', remedy: 'update between sessions' },
  thinking: {
    title: 'thinking switched on or off',
    remedy: 'update to a client after 2.1.37',
  },
  effort: { title: 'the thinking effort changed', remedy: 'keep one effort level' },
  reasoning: { title: 'earlier reasoning was left out', remedy: null },
  delivery: { title: 'answered without streaming', remedy: null },
  messages: { title: 'earlier messages changed', remedy: null },
  unexplained: { title: 'unexplained', remedy: null },
} satisfies Record<string, CauseText>;

/** What the money of a recording went for: an event that wrote to the cache, or what every request pays besides. */
export type WhyCause = keyof typeof CAUSES;

/** The words of every cause. */
export const CAUSE_TEXT: Readonly<Record<WhyCause, CauseText>> = CAUSES;

/** All of them, in the order of the table. */
export const WHY_CAUSES = Object.keys(CAUSES) as readonly WhyCause[];

/** Why a request is predicted to read what it reads, and what that is called here. */
export const WALK_CAUSES: Readonly<Record<PredictedCause, WhyCause>> = {
  first: 'first-write',
  hit: 'growth',
  compaction: 'compaction',
  microcompaction: 'microcompaction',
  clear: 'clear',
  resume: 'resume',
  version: 'version',
  tools: 'tools',
  model: 'model',
  thinking: 'thinking',
  effort: 'effort',
  reasoning: 'reasoning',
  fallback: 'delivery',
  'ttl-5m': 'lifetime-5m',
  'ttl-1h': 'lifetime-1h',
  lifetime: 'lifetime',
  'given-break': 'unexplained',
  shrank: 'rewind',
};

/** What the API says of a miss that the recording does not explain. */
export const REPORTED_CAUSES: Readonly<Record<string, WhyCause>> = {
  model_changed: 'model',
  system_changed: 'system',
  tools_changed: 'tools',
  messages_changed: 'messages',
};

/** Causes that a user avoids by leaving things as they are in mid-session. */
export const SWITCH_CAUSES: readonly WhyCause[] = [
  'tools',
  'system',
  'model',
  'version',
  'thinking',
  'effort',
];

/** Causes whose avoidable part is not computed: no compaction of such a client is priced. */
export const UNJUDGED_CAUSES: readonly WhyCause[] = ['lifetime'];

/** Causes that are not an event: every session has them. */
export const STEADY_CAUSES: readonly WhyCause[] = ['read', 'output', 'uncached', 'first-write', 'growth'];
