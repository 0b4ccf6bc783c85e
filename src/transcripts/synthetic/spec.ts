import type { AgentMessage } from '../../core/model/transcript.js';
import type { SessionShape } from './synthetic.generated.js';

/** A session to be generated. A turn is one API call of the main thread; turns count from 1. */
export interface SyntheticSpec {
  readonly workload: string;
  readonly turns: number;
  readonly seed: number | string;
  readonly model?: string;
  /** The human stays away after a turn, which then ends the work on a prompt. */
  readonly idle?: readonly { readonly afterTurn: number; readonly minutes: number }[];
  /** The human asks for a compaction. */
  readonly compactAt?: readonly {
    readonly afterTurn: number;
    readonly instructions?: string;
    /** Old results are cleared, nothing is summarised (MIC-1). */
    readonly only?: 'results';
    /** One side of a pivot only, this many messages before the end (FUL-11). */
    readonly partial?: { readonly direction: 'from' | 'up_to'; readonly messagesBack: number };
  }[];
  readonly modelAt?: readonly { readonly afterTurn: number; readonly model: string }[];
  /** The human ends a dream that runs. */
  readonly endDreamAt?: readonly { readonly afterTurn: number }[];
  readonly resumeAt?: readonly { readonly afterTurn: number; readonly reason?: string }[];
  readonly prefixChangeAt?: readonly {
    readonly afterTurn: number;
    readonly what: 'system' | 'tools';
    readonly label?: string;
    readonly tools?: readonly string[];
  }[];
  /** Tools and system prompt together; drawn from the shape when absent. */
  readonly prefixTokens?: number;
  readonly text?: 'none' | 'filler';
  readonly overrides?: Partial<SessionShape>;
  readonly subagents?: { readonly everyTurns: number; readonly turns: number; readonly model?: string };
  /** Turns that start several children, each a copy of the session as it then is (AGT-2). */
  readonly forks?: readonly ForkSpec[];
  /** Messages of the main agent to others (AGT-4). */
  readonly messages?: readonly AgentMessageSpec[];
  /** Sessions with the same one have the same tools and system prompt; the seed unless given. */
  readonly prefixSeed?: number | string;
  /** Equal turns without chance, for runs with a closed form. */
  readonly steady?: SteadySpec;
}

/** What a parent does while its children work: waits for the last of them, or goes on with its own work. */
export const FORK_PARENTS = ['waits', 'goes-on'] as const;

/** A turn that starts children; the parent goes on when all have finished, unless they work beside it. */
export interface ForkSpec {
  readonly afterTurn: number;
  readonly children: number;
  /** Turns of each child. */
  readonly turns: number;
  readonly directiveTokens?: number;
  /** Time between the response and the start of the children, as when the human has to agree. */
  readonly delayMinutes?: number;
  readonly parent?: (typeof FORK_PARENTS)[number];
  /** Messages that every child sends; turns are the child's own. */
  readonly messages?: readonly AgentMessageSpec[];
}

/** A message between agents: to a name, or to all (`*`). */
export interface AgentMessageSpec extends Pick<AgentMessage, 'to'>, Partial<Omit<AgentMessage, 'to'>> {
  readonly afterTurn: number;
}

/** Equal turns: each call answers with one tool call, its result comes back, the next call starts a fixed time later. */
export interface SteadySpec {
  /** Growth of the prompt per turn = output + result; one of the two may be left to follow from it. */
  readonly tokensPerTurn?: number;
  readonly outputTokens?: number;
  readonly resultTokens?: number;
  /** From the start of a call to the start of the next; the response takes the first half of it. */
  readonly gapSeconds: number;
  /** The human prompt at the beginning. */
  readonly promptTokens?: number;
  readonly tool?: string;
  readonly charsPerToken?: number;
}

/** Model of generated sessions unless another is named. */
export const DEFAULT_MODEL = 'claude-sonnet-4-5';
