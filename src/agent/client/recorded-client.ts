import { MS_PER_MINUTE } from '../../core/base/clock.js';
import { sum } from '../../core/base/stats.js';
import { compareVersions } from '../../core/model/agent-version.js';
import type { RecordedCall, Thread, Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens, promptTokens } from '../../core/model/usage.js';
import { CHANCE_BREAKS } from './clients.generated.js';

/** What an unpredictable break depends on (K14). */
interface Exposure {
  /** Somebody spoke since the previous request of the thread; else it goes on with results of tools. */
  readonly spoken: 'spoken' | 'silent';
  /** Between the starts of the two requests. */
  readonly gapMs: number;
}

/** Chances of an unpredictable break. */
export type ChanceBreaks = Pick<(typeof CHANCE_BREAKS)[number], 'silent' | 'prompt' | 'latePrompt'>;

/** The chances of a client's requests, by its version and by how it was started (K14b). */
export function chanceBreaksOf({
  version,
  entrypoint,
}: Pick<RecordedClient, 'version' | 'entrypoint'>): ChanceBreaks {
  const fits = (row: (typeof CHANCE_BREAKS)[number]): boolean =>
    (row.from === null || (version !== null && compareVersions(version, row.from) >= 0)) &&
    (row.entrypoint === null || row.entrypoint === entrypoint);
  return CHANCE_BREAKS.findLast(fits)!;
}

/** Chance of an unpredictable break, for one request. */
export function hazardOf({ spoken, gapMs }: Exposure, chances: ChanceBreaks): number {
  if (spoken === 'silent') return chances.silent;
  return gapMs < MS_PER_MINUTE ? chances.prompt : chances.latePrompt;
}

/** What the first request of a thread found: nothing, tools and system prompt, or a conversation that went on before. */
export type Warmth = 'none' | 'prefix' | 'messages';

/** Reads beyond system and tools by this many tokens tell that messages were warm. */
const BESIDE_PREFIX_TOKENS = 2_000;

/** Tokens of a thread's tools and system prompt. */
export function prefixTokensOf(thread: Thread): number {
  return sum(thread.prefix.map(({ tokens }) => tokens));
}

/** What the recorded first request of a thread found (K11): the only recorded split a prediction looks at. */
export function recordedWarmth(thread: Thread, first: RecordedCall): Warmth {
  const read = first.usage?.cacheRead ?? 0;
  if (read === 0) return 'none';
  return read > prefixTokensOf(thread) + BESIDE_PREFIX_TOKENS ? 'messages' : 'prefix';
}

/** Lifetimes that requests ask for, for the system prompt and for messages: a fact of the workload, known from what was written. */
export interface WrittenLifetimes {
  readonly system: '5m' | '1h';
  readonly messages: '5m' | '1h';
}

/** The lifetimes a call wrote with; those before it where it wrote nothing. */
export function writtenLifetimes(call: RecordedCall, before: WrittenLifetimes): WrittenLifetimes {
  const { usage } = call;
  if (usage === null || promptTokens(usage) === 0 || cacheWriteTokens(usage) === 0) return before;
  if (usage.cacheWrite1h === 0) return { system: '5m', messages: '5m' };
  return { system: '1h', messages: usage.cacheWrite5m > 0 ? '5m' : '1h' };
}

/** How the user of a client is known to the API. */
export type Login = 'account' | 'key';

/** Who drives a client: a person, or a program. */
export type Driver = 'person' | 'program';

/** What a recording tells of the client that made it. */
export interface RecordedClient {
  /** Version of Claude Code, first seen; null for other agents and for generated sessions: its behaviours are not theirs. */
  readonly version: string | null;
  /** Window that the client worked with, where the record tells it. */
  readonly window: number | null;
  /** Sessions that a program drives use a key, others an account: no record says it. */
  readonly login: Login;
  readonly driver: Driver;
  /** How the client was started: `cli`, `claude-desktop`; null if the record does not say. */
  readonly entrypoint: string | null;
}

/** The version of Claude Code that a recording is of; null for every other agent. */
export function claudeCodeVersion({
  source,
  agentVersion,
}: Pick<Transcript, 'source' | 'agentVersion'>): string | null {
  return source === 'claude-code' ? agentVersion : null;
}

/** Who drove the client of a recording (R20). */
export function driverOf({ entrypoint }: Pick<Transcript, 'entrypoint'>): Driver {
  return entrypoint?.startsWith('sdk') === true ? 'program' : 'person';
}

/** What a recording tells of its client. */
export function recordedClient(
  transcript: Pick<Transcript, 'source' | 'agentVersion' | 'window' | 'entrypoint'>,
): RecordedClient {
  const driver = driverOf(transcript);
  return {
    version: claudeCodeVersion(transcript),
    window: transcript.window ?? null,
    login: driver === 'program' ? 'key' : 'account',
    driver,
    entrypoint: transcript.entrypoint ?? null,
  };
}
