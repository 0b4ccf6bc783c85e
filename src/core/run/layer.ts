import type { Files } from '../base/files.js';
import type { Random } from '../base/random.js';
import type { Block } from '../model/block.js';
import type { Message } from '../model/message.js';
import type { ManualCompaction, SessionContext } from '../model/transcript.js';
import type { Action, Outcome } from './action.js';
import type { Capability } from './capability.js';
import type { Limit, Limits } from './limit.js';
import type { Layer } from './log-entries.js';
import type { ParamSpec, ParamValues } from './params.js';
import type { Hook } from './policy-rules.js';
import type { PlannedPolicy, RunPlan } from './run-plan.js';

/** What kind of query runs: guards keep forks from compacting (BRK-2). */
export type QuerySource =
  | 'main'
  | 'subagent'
  | 'compact'
  | 'session_memory'
  | 'auto_memory'
  | 'dream'
  | 'fork';

/** The moment a layer is asked at. */
export interface HookContext {
  readonly point: Hook;
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

/** The thread's conversation as a layer may see it. Nothing here can be changed through it. */
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
  /** Cached tokens after the prefix that the server still holds; false once their lifetime has passed. */
  readonly cacheIsWarm: boolean;
  /** When the cached prefix ends; null before the first response. */
  readonly cacheExpiresMs: number | null;
  /** How long it lives from a request on; null before the first response. */
  readonly cacheLifetimeMs: number | null;
  /** Tokens deleted on the server and not yet forgotten (MIC-3). */
  readonly deletedTokens: number;
}

/** State that the layers of a thread share and that its forks begin with (AGT-1). */
export interface Forkable {
  /** A copy for a fork. */
  forFork(): object;
}

/** A model as the layers of a thread know it; the name is the configured one. */
export interface ModelFacts {
  readonly name: string;
  readonly window: number;
  readonly maxOutput: number;
}

/** What a layer is created with. */
export interface LayerContext {
  readonly params: ParamValues;
  readonly thread: string;
  readonly source: QuerySource;
  /** The model in use; it may change during the run. */
  model(): ModelFacts;
  readonly plan: RunPlan;
  /** The thresholds of the run that a layer holds counts against. */
  readonly limits: Limits;
  readonly random: Random;
  /** State shared by the layers of one thread, by name; reset rules are each owner's (CLN-1). */
  readonly shared: Map<string, unknown>;
  readonly session: SessionContext;
  /** The log is only added up (`LogSink`). */
  readonly isSumming: boolean;
  /**
   * The number of the call that needs a block of a message next, the present one included; infinite where none does, and where the
   * transcript has no text. For bounds: no client can know it.
   */
  nextUse(message: string, block: number): number;
}

/** A layer at work in one thread. */
export interface LayerInstance {
  /** Called once for every message that joins the context. */
  observe?(message: Message): void;
  /** It gets messages of this role alone; absent: all. */
  readonly observes?: Message['role'];
  /** A compaction replaced the history: what was known about messages is stale (CLN-1). */
  reset?(messages: readonly Message[]): void;
  /** The process was restarted and the conversation read back from its record: only what is on disk is left. */
  resume?(messages: readonly Message[], view: ContextView): void;
  /**
   * Whether a copy of it can continue from its present state under other limits (`core/base/checkpoint.ts`); absent: never. Not while
   * it holds something that depends on its limits.
   */
  readonly canCheckpoint?: boolean;
  /** The messages that it put away into a file with a message among them, which it forgets; null if it holds none of them. */
  unfold?(messageId: string, files: Files): Unfolded | null;
  /** Hot path: is there something to do? No allocation. */
  due(moment: HookContext, view: ContextView): boolean;
  act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome>;
}

/** Messages read back from the file that a layer put them into. */
export interface Unfolded {
  readonly path: string;
  readonly messages: readonly Message[];
}

/** Something to be noted in the log. */
export interface Notice {
  readonly what: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** A part of the system prompt that follows from the files: rendered when a process starts and after a compaction (AUT-3, CLN-1). */
export interface SystemPart {
  /** What its block names as its attachment. */
  readonly name: string;
  /** Null if there is no file to render. */
  render(files: Files, params: ParamValues): RenderedPart | null;
}

/** A rendered part; the block is null if there is nothing to show. */
export interface RenderedPart {
  readonly block: Block | null;
  /** Noted at each rendering; null if all is well. */
  readonly problem: Notice | null;
  /** Noted when another block enters the system prompt. */
  readonly entered: Notice;
}

/** A thread as a layer is asked about it before it is at work there. */
export interface ThreadFacts {
  readonly params: ParamValues;
  readonly source: QuerySource;
  readonly limits: Limits;
  readonly model: ModelFacts;
}

/** Where a layer compacts a thread by itself; on an exempt model it does not, though the threshold is known. */
export interface CompactionThreshold {
  readonly limit: Limit;
  readonly isExempt: boolean;
}

/** Passes a message to a layer that wants messages of its role. */
export function observeBy(layer: LayerInstance, message: Message): void {
  if (layer.observes === undefined || layer.observes === message.role) layer.observe?.(message);
}

/** A mechanism: its parameters, where it is asked, what it needs of a transcript. */
export interface LayerDefinition {
  readonly name: string;
  readonly layer: Layer;
  readonly points: readonly Hook[];
  readonly needs: readonly Capability[];
  readonly params: readonly ParamSpec[];
  /** Whether it uses what later calls need, which only the text of a recording shows. */
  asksForUses?(policy: PlannedPolicy): boolean;
  /** What it does shows in a recording: a run of it under the client's own settings for this layer does not do it again. */
  readonly showsInRecording?: true;
  /** Path of the switch that turns it off (FLG-1). */
  readonly killSwitch: string;
  /** Where it compacts a thread by itself, null if it does not; absent for layers that never do. */
  compactsAt?(thread: ThreadFacts): CompactionThreshold | null;
  readonly systemPart?: SystemPart;
  create(context: LayerContext): LayerInstance;
}
