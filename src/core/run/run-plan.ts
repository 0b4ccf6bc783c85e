import { entryOf } from '../base/once.js';
import type { ParamValues } from './params.js';
import type { PolicyRules } from './policy-rules.js';
import type { Provider } from './provider.js';

/** An agent that another one has started. */
interface Child {
  readonly thread: string;
  readonly label: string;
}

/** Forks by the thread that started them: those at work, and those that ended since the thread was last notified (RES-3). */
export class ChildAgents {
  private readonly working = new Map<string, readonly Child[]>();
  private readonly ended = new Map<string, readonly Child[]>();

  private readonly waiting = new Set<string>();

  /** A thread waits for the answer to its plan (AGT-4). */
  waits(thread: string): void {
    this.waiting.add(thread);
  }

  /** Whether it has waited since this was last asked: that is no work (C46). */
  takeWait(thread: string): boolean {
    return this.waiting.delete(thread);
  }

  start(parent: string, child: Child): void {
    this.working.set(parent, [...this.workingOf(parent), child]);
  }

  end(parent: string, thread: string): void {
    const all = this.workingOf(parent);
    const child = all.find((each) => each.thread === thread);
    if (child === undefined) return;
    this.working.set(
      parent,
      all.filter((each) => each !== child),
    );
    this.ended.set(parent, [...this.endedOf(parent), child]);
  }

  workingOf(parent: string): readonly Child[] {
    return this.working.get(parent) ?? [];
  }

  endedOf(parent: string): readonly Child[] {
    return this.ended.get(parent) ?? [];
  }

  /** The thread has been notified which ones ended. */
  notified(parent: string): void {
    this.ended.delete(parent);
  }
}

/** The forks of all threads of a run. */
export function childAgents(world: Map<string, unknown>): ChildAgents {
  return entryOf(world, 'child-agents', () => new ChildAgents());
}

/** How much of what a compaction summarises its summary keeps: nothing, everything, or as fitted to recordings. */
export const SURVIVALS = ['none', 'all', 'fitted'] as const;
export type Survival = (typeof SURVIVALS)[number];

/** What a run does about content that is needed and gone. */
export interface FaultsPlan {
  readonly survival: Survival;
  /** `on`: what is fetched again is part of the run: its request, its result, its time. */
  readonly refetch: 'on' | 'off';
}

/** Bounds are shown; nothing is added to a run. */
export const DEFAULT_FAULTS: FaultsPlan = { survival: 'fitted', refetch: 'off' };

/**
 * Share of the tokens needed within 24 calls of a compaction that are fetched again in them, beyond what sessions without one fetch:
 * 30 compactions of Claude Code, 32 of Codex. 90 % intervals 0.34 to 0.61 and 0.23 to 0.55 (docs/faults.md).
 */
const FETCHED_AGAIN = { codex: 0.36, other: 0.46 } as const;

/** What became of an item that is needed: `summarised` if a summary may keep it. */
type Fate = 'summarised' | 'gone';

/** Chance that an item of a recording has to be fetched, as fitted. */
export function fittedChance(fate: Fate, source: string): number {
  if (fate === 'gone') return 1;
  return source === 'codex' ? FETCHED_AGAIN.codex : FETCHED_AGAIN.other;
}

/** The same if summaries keep nothing, everything, or what is fitted. A chance of 1 is that of an item that no summary keeps. */
export function chanceUnder(survival: Survival, fitted: number): number {
  if (survival === 'fitted' || fitted === 1) return fitted;
  return survival === 'none' ? 1 : 0;
}

/** The least that faults come to in the window of a run, whatever is kept: how many if summaries keep nothing, and the tokens and immediate cost of fetching again under the survival of the plan, in nano-dollars. */
export interface LeastFaults {
  readonly leastFaults: number;
  readonly leastRefetchTokens: number;
  readonly leastRefetchCost: number;
}

/** What an LLM call is for; faults and costs are counted by it. */
export const CALL_PURPOSES = [
  'main',
  'subagent',
  'compact',
  'session_memory',
  'auto_memory',
  'dream',
  'agent_summary',
  'plan_again',
  'suggestion',
  'keep_alive',
  'refetch',
] as const;
export type CallPurpose = (typeof CALL_PURPOSES)[number];

/** What the fake LLM can be set to do wrong. */
export const FAULT_KINDS = [
  'prompt_too_long',
  'prompt_too_long_unparseable',
  'overloaded',
  'rate_limited',
  'server_error',
  'invalid_request',
  'connection_cut',
  'empty_summary',
  'error_as_summary',
  'tool_call',
  'no_summary_tags',
  'cut_summary',
  'slow',
  'stray_write',
  'aborted',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The form of two times of a day, the first and the end of what lies between. */
export const BETWEEN = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** When a fault strikes: calls of a purpose are counted from 1; without a condition every call is hit. */
export interface FaultRule {
  readonly call: CallPurpose;
  readonly error: FaultKind;
  readonly nth: number | null;
  readonly every: number | null;
  readonly from: number | null;
  readonly to: number | null;
  readonly probability: number | null;
  /** Only calls that begin between two times of the day, UTC: `14:00-20:00`, also over midnight; absent: at any time. */
  readonly between?: string;
  /** Tokens over the limit that a prompt-too-long error reports. */
  readonly gapTokens: number | null;
  readonly retryAfterSeconds: number | null;
  readonly delaySeconds: number | null;
}

/** A number given, or drawn from a seeded log-normal distribution by its median and 90th percentile. */
export type Amount =
  | { readonly fixed: number }
  | { readonly median: number; readonly p90: number; readonly min: number; readonly max: number };

/** How the fake LLM answers what the transcript does not hold. */
export interface FakeLlmPlan {
  readonly summaryTokens: Amount;
  /** Tokens of the scratchpad that precedes a summary in the output. */
  readonly scratchpadTokens: Amount;
  readonly notesTokens: Amount;
  /** Factor on every latency of the model table. */
  readonly latencyScale: number;
}

/** Summaries that a model has written: they come from a cassette, everything else from the fake LLM. */
export interface CassettePlan {
  /** Model that is asked; null: that of each request. */
  readonly model: string | null;
}

/** What answers the calls of a run. */
export interface LlmPlan {
  readonly fake: FakeLlmPlan;
  readonly faults: readonly FaultRule[];
  /** Absent where the fake LLM writes the summaries. */
  readonly cassette?: CassettePlan;
}

/** How the prompt cache is simulated. */
export interface CachePlan {
  readonly mode: 'on' | 'off';
  /** `recorded`: each call writes with the lifetime its recording used, five minutes where it is silent. */
  readonly ttl: '5m' | '1h' | 'recorded';
  readonly subagentTtl: '5m' | '1h' | 'recorded';
  /** How five-minute entries end; `client`: as the behaviours of the client say. */
  readonly fade: 'client' | 'off' | 'expected' | 'likely' | 'sampled';
}

/** Events of a compaction that hooks can be set on (FUL-1). */
export const HOOK_EVENTS = ['PreCompact', 'SessionStart', 'PostCompact'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** A hook of the user (C22). */
export interface HookPlan {
  readonly event: HookEvent;
  /** Compactions it runs at, by who asked for them. */
  readonly on: 'auto' | 'manual' | 'both';
  /** Tokens it prints. */
  readonly tokens: number;
  /** `context`: into the summary instruction (PreCompact) or the new history; `screen`: for the user alone. */
  readonly prints: 'context' | 'screen';
  readonly seconds: number;
  /** Share of its runs that fail. */
  readonly fails: number;
}

/** What the home holds before the first session. */
export interface HomePlan {
  /** Memories in the memory directory, with their index (AUT-2, AUT-3). */
  readonly memories: number;
  readonly files: readonly HomeFile[];
  /** The lock of an earlier dream (DRM-2). */
  readonly lock: HomeLock | null;
}

/** A file of the home. */
export interface HomeFile {
  readonly path: string;
  readonly text: string;
  readonly hoursAgo: number;
}

/** A lock file as an earlier process left it. */
export interface HomeLock {
  /** Usually a process id; whatever the file holds. */
  readonly body: string;
  readonly hoursAgo: number;
  readonly process: 'alive' | 'dead';
}

/** The policy of a run: its name, every parameter, and its rules where a policy file has them. */
export interface PlannedPolicy {
  readonly name: string;
  readonly params: ParamValues;
  readonly rules?: PolicyRules;
  /** Layers that act before the rules, in order; absent if there are none. */
  readonly layers?: readonly string[];
  /** Whether `client.use` was set, not left to the policy: a recording then keeps its own client no longer. */
  readonly client?: 'set';
}

/** A plug-in that a run was made with: equal digests are equal files. */
export interface PlannedPlugin {
  readonly name: string;
  /** SHA-256 of the bytes of its file; null for one that is not a file. */
  readonly sha256: string | null;
}

/** Dollars per million tokens of a model that a scenario adds or changes. */
export interface PlannedPrices {
  readonly input: number;
  readonly output: number;
  readonly read: number;
  readonly write: number;
  /** For entries that live an hour. */
  readonly writeLong: number;
}

/** A model that a scenario adds to the table or has otherwise. */
export interface PlannedModel {
  readonly id: string;
  readonly provider: string;
  readonly aliases: readonly string[];
  readonly window: number;
  readonly maxOutput: number;
  readonly prices: PlannedPrices;
  /** Prices of the whole request above this many prompt tokens, ascending. */
  readonly steps: readonly (PlannedPrices & { readonly above: number })[];
  /** Shortest prefix that is cached. */
  readonly minimum: number;
  /** Its prices are those of the table, earlier ones too; absent if the scenario has written them. */
  readonly history?: 'table';
}

/** Everything a run depends on besides the transcript: plain JSON, complete, without defaults left open. */
export interface RunPlan {
  readonly name: string;
  readonly seed: number;
  /**
   * `predict`: nothing is known of what happened in a recording but its content. Absent: a what-if, which takes from the recording
   * what no policy decides.
   */
  readonly mode?: 'predict';
  /** Model of the main thread; null keeps what the transcript recorded. */
  readonly model: string | null;
  /** Context window in tokens, whatever model name and model table say; null leaves it to them (WIN-1). */
  readonly window: number | null;
  /** Provider whose cache and prices count; absent: that of each model. */
  readonly provider?: string;
  /** That provider, where it is one of the scenario's own; absent otherwise. */
  readonly ownProvider?: Provider;
  readonly policy: PlannedPolicy;
  readonly cache: CachePlan;
  readonly timing: 'recorded' | 'think-time';
  /** Factor between what the policy's counter sees of new content and what a chars/4 counter would see. */
  readonly estimatorFactor: number;
  readonly llm: LlmPlan;
  /** Absent when there are none. */
  readonly plugins?: readonly PlannedPlugin[];
  /** Absent when the table of models holds as it is. */
  readonly models?: readonly PlannedModel[];
  /** Day whose prices count for all requests (2026-07-01); absent: the day of each, or the newest where the session has none. */
  readonly priceDay?: string;
  /** Absent when the home is empty. */
  readonly home?: HomePlan;
  /** What is done about content that is needed and gone; absent: the default. */
  readonly faults?: FaultsPlan;
  /** Absent when the user has none. */
  readonly hooks?: readonly HookPlan[];
}

/** What a plan has where a scenario is silent. */
export const PLAN_DEFAULTS = { window: null, timing: 'recorded', estimatorFactor: 1 } as const;
