import type { Files } from '../base/files.js';
import type { Random } from '../base/random.js';
import type { Block } from '../model/block.js';
import type { Message } from '../model/message.js';
import type { SessionContext } from '../model/session.js';
import type { ManualCompaction } from '../model/transcript.js';
import type { Action, Outcome } from './action.js';
import type { Capability } from './capability.js';
import type { Limits } from './limit.js';
import type { ParamSpec, ParamValues } from './params.js';
import type { Point } from './point.js';
import type { Layer } from './run-log.js';
import type { RunPlan } from './run-plan.js';

/** What kind of query runs: guards keep forks from compacting (BRK-2). */
export type QuerySource =
  | 'main'
  | 'subagent'
  | 'compact'
  | 'session_memory'
  | 'auto_memory'
  | 'dream'
  | 'fork';

/** The moment a tier is asked at. */
export interface Moment {
  readonly point: Point;
  readonly now: number;
  /** Main-loop turn of the thread, from 1. */
  readonly turn: number;
  /** Number of the human prompt, from 1. */
  readonly prompt: number;
  readonly source: QuerySource;
  /** End of the latest response in this thread; null before the first. */
  readonly lastResponseMs: number | null;
  /** What the user asked for, at the point `manual`. */
  readonly manual: ManualCompaction | null;
}

/** The thread's conversation as a tier may see it. Nothing here can be changed through it. */
export interface ContextView {
  readonly messages: readonly Message[];
  /** Tools and system prompt. */
  readonly prefix: readonly Block[];
  readonly prefixTokens: number;
  /** True tokens of the request that would be sent now. */
  readonly trueTokens: number;
  /** The same as the policy's own counter sees it. */
  readonly seenTokens: number;
  /** The same as a counter sees it that a rule of a policy file has for itself, by its position among those. */
  seenBy(counter: number): number;
  readonly files: Files;
  /** Cached tokens behind the prefix that the server still holds; false once their lifetime has passed. */
  readonly cacheIsWarm: boolean;
  /** When the cached prefix ends; null before the first response. */
  readonly cacheExpiresMs: number | null;
  /** Tokens deleted on the server and not yet forgotten (MIC-3). */
  readonly deletedTokens: number;
}

/** State that the layers of a thread share and that its forks begin with (AGT-1). */
export interface Forkable {
  /** A copy for a fork. */
  forFork(): object;
}

/** What a tier is created with. */
export interface TierContext {
  readonly params: ParamValues;
  readonly thread: string;
  readonly source: QuerySource;
  /** Model name as configured; it may change during the run. */
  model(): { readonly name: string; readonly window: number; readonly maxOutput: number };
  readonly plan: RunPlan;
  /** The thresholds of the run that a tier holds counts against. */
  readonly limits: Limits;
  readonly random: Random;
  /** State shared by the tiers of one thread, by name; reset rules are each owner's (CLN-1). */
  readonly shared: Map<string, unknown>;
  readonly session: SessionContext;
}

/** A tier at work in one thread. */
export interface TierInstance {
  /** Hears of every message that joins the context, once. */
  observe?(message: Message): void;
  /** Messages of this role alone are told; absent: all. */
  readonly observes?: Message['role'];
  /** A compaction replaced the history: what was known about messages is stale (CLN-1). */
  reset?(messages: readonly Message[]): void;
  /** The process was restarted and the conversation read back from its record: only what is on disk is left. */
  resume?(messages: readonly Message[], view: ContextView): void;
  /**
   * Whether a copy of it can go on from its present state under other limits (`core/base/checkpoint.ts`); absent: never. Not while
   * it holds something that tells of its limits.
   */
  readonly canCheckpoint?: boolean;
  /** Hot path: is there something to do? No allocation. */
  due(moment: Moment, view: ContextView): boolean;
  act(moment: Moment, view: ContextView): Generator<Action, void, Outcome>;
}

/** Tells a tier of a message, if it wants to hear of it. */
export function tell(tier: TierInstance, message: Message): void {
  if (tier.observes === undefined || tier.observes === message.role) tier.observe?.(message);
}

/** A mechanism: its parameters, where it is asked, what it needs of a transcript. */
export interface TierDefinition {
  readonly name: string;
  readonly layer: Layer;
  readonly points: readonly Point[];
  readonly needs: readonly Capability[];
  readonly params: readonly ParamSpec[];
  /** Path of the switch that turns it off (FLG-1). */
  readonly killSwitch: string;
  create(context: TierContext): TierInstance;
}
