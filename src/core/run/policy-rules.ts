/**
 * A policy file: how any agent counts its context, when it acts, what it touches, what it puts there, how it asks for a
 * summary. Plain JSON with nothing left open; `src/agent/policy-file` makes it from what a user writes, `src/agent/layers/rules` plays it.
 */
export interface PolicyRules {
  readonly count: CountPart;
  /** B: what thresholds are shares of. */
  readonly base: AmountText;
  /** Asked in order; the first that changes the history ends the pass unless it says `then: go-on`. */
  readonly rules: readonly RulePart[];
  readonly guards: GuardsPart;
  readonly cache: CachePart;
}

/** An amount as written, e.g. `0.9·B`, `min(0.85·W, W - 33k)` or `150k`: W window, O longest answer, I longest input, B base. */
export type AmountText = string;

/** Parts of a usage that a client adds up. */
export const USAGE_PARTS = ['input', 'cacheRead', 'cacheWrite', 'output'] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];

/** How the client measures its context; the engine keeps what is true apart. */
export interface CountPart {
  readonly source: 'usage' | 'usage+new' | 'estimate' | 'max' | 'tokenizer';
  /** What of a usage counts. */
  readonly of: readonly UsagePart[];
  readonly charsPerToken: number;
  readonly scale: number;
  readonly perMessage: number;
  readonly perImage: number;
  /** What an estimate counts besides the messages. */
  readonly includes: readonly ('system' | 'tools' | 'reasoning')[];
  /** Whether a usage from before the latest compaction still counts. */
  readonly since: 'compaction' | 'any';
  /** Largest correction of the estimate by usage ÷ estimate; null corrects nothing. */
  readonly ratioCap: number | null;
  /** Tokens for each one of reasoning that models drop from their prompts and the client keeps; absent for none. */
  readonly pastReasoning?: number;
  /** The same for reasoning that models keep in their prompts: the client counts it a second time. */
  readonly keptReasoning?: number;
}

/** A bound on an amount. */
export interface Comparison {
  readonly op: '>=' | '>' | '<=' | '<';
  readonly amount: AmountText;
}

/** A bound on a time, in milliseconds. */
export interface TimeComparison {
  readonly op: Comparison['op'];
  readonly ms: number;
}

/** Points of the loop at which a rule may be asked; `prompt` is the first request of each prompt. */
export const RULE_POINTS = [
  'before-request',
  'prompt',
  'results',
  'after-response',
  'end-of-loop',
  'refused',
  'manual',
  'wake',
] as const satisfies readonly (Hook | 'prompt')[];
export type RulePoint = (typeof RULE_POINTS)[number];

/** What may happen to a conversation besides growing. */
export const PART_EVENTS = ['refused', 'manual', 'model-switch', 'resume', 'prefix-change'] as const;
type PartEvent = (typeof PART_EVENTS)[number];

/** Counts that a condition may bound: their help, how a sentence names them, and their unit. */
export const COUNTED = {
  messages: { help: 'Messages of the conversation.', words: 'messages', unit: 'messages' },
  turns: { help: 'Responses of the model in the conversation.', words: 'responses', unit: 'turns' },
  toolResults: {
    help: 'Tool results that still have their content.',
    words: 'tool results with content',
    unit: 'results',
  },
  toolChars: { help: 'Characters of those.', words: 'characters of tool results', unit: 'characters' },
  images: { help: 'Images of the conversation.', words: 'images', unit: 'images' },
} as const;
export type Counted = keyof typeof COUNTED;
/** Their names. */
export const COUNTED_NAMES = Object.keys(COUNTED) as readonly Counted[];

/** One condition. */
export type TestPart =
  | { readonly kind: 'tokens' | 'growth' | 'piled' | Counted; readonly is: Comparison }
  | { readonly kind: 'prunable'; readonly is: Comparison; readonly unit: 'tokens' | 'chars' }
  | { readonly kind: 'idle' | 'expiresIn'; readonly is: TimeComparison }
  | { readonly kind: 'warm'; readonly is: boolean }
  | { readonly kind: 'event'; readonly is: PartEvent }
  | { readonly kind: 'chance'; readonly is: number };

/** Conditions that must hold together, and where they are asked. */
export interface GroupPart {
  readonly at: readonly RulePoint[];
  readonly tests: readonly TestPart[];
}

/** What a rule may touch. */
export const SELECTABLE = [
  'tool-results',
  'tool-inputs',
  'thinking',
  'media',
  'pairs',
  'messages',
  'history',
] as const;
type Selectable = (typeof SELECTABLE)[number];

/** Whether a selection is of blocks inside messages, and not of messages. */
export function isOfBlocks(what: Selectable): boolean {
  return what !== 'messages' && what !== 'history';
}

/** What a rule touches. */
export interface SelectPart {
  readonly what: Selectable;
  /** Tools it is about; null for all. */
  readonly of: readonly string[] | null;
  readonly except: readonly string[];
  readonly minChars: number;
  /** Results that hold images or documents stay. */
  readonly exceptMedia: boolean;
  readonly keep: KeepPart;
  /** `farthest-use`: what later calls of the recording need last, or never; no client can know it. */
  readonly order: 'oldest' | 'newest' | 'largest' | 'farthest-use';
  /** Where the kept tail may begin; a call and its result are never parted. */
  readonly boundary: 'pair' | 'user-turn' | 'assistant' | 'thinking-loop';
  /** Which way an unfit beginning of the tail moves: `back` keeps more, `forward` less. */
  readonly move: 'back' | 'forward';
  /** Items taken at a time, oldest first; null takes all. */
  readonly count: number | null;
}

/** What a rule leaves alone. */
export interface KeepPart {
  readonly last: { readonly n: number; readonly unit: 'items' | 'messages' | 'turns' | 'rounds' } | null;
  /** Newest until full. */
  readonly tokens: AmountText | null;
  /** The same as a share of the conversation's tokens, or of its characters; above 1, a number of characters. */
  readonly share: { readonly of: 'tokens' | 'chars'; readonly is: number } | null;
  /** Bounds of `tokens` and `share`. */
  readonly atMost: AmountText | null;
  readonly atLeast: AmountText | null;
  /** Oldest messages, or items; `opening`: all before the first response. */
  readonly first: number | 'opening';
  /** Messages of the user, newest first, of which the oldest `head` tokens stay whatever comes; the crossing one is cut. */
  readonly user: { readonly tokens: number; readonly head: number } | null;
  readonly recentFiles: { readonly n: number; readonly each: number; readonly total: number } | null;
  readonly finalAnswers: boolean;
  readonly errors: boolean;
}

/** What replaces what was selected. */
export interface ReplacePart {
  readonly with: 'placeholder' | 'preview' | 'reference' | 'nothing' | 'summary';
  /** True tokens of a fixed text, or of the frame around a preview. */
  readonly tokens: number;
  readonly head: number;
  readonly tail: number;
  /** `frozen` for good; `each-request` as if it were done again for every request: the client counts what it has left out. */
  readonly lasts: 'frozen' | 'each-request';
  readonly where: 'in-place' | 'at-end' | 'server';
}

/** Low watermark: a rule continues until this holds. */
export type UntilPart =
  | { readonly kind: 'tokens' | 'chars' | 'freed'; readonly is: Comparison }
  /** Items wait until this many are due. */
  | { readonly kind: 'every'; readonly n: number };

/** How a summary request relates to the main request. */
export const ASK_SHAPES = ['extend', 'fork', 'own', 'text', 'native'] as const;
export type AskShapePart = (typeof ASK_SHAPES)[number];

/** The request that writes a summary. */
export interface AskPart {
  /** Tried in turn: the next when one brings nothing. */
  readonly shapes: readonly AskShapePart[];
  /** Null for the thread's own. */
  readonly model: string | null;
  readonly input: {
    readonly scope: 'all' | 'since-last';
    /** Newest tokens that are sent; null sends all. */
    readonly lastTokens: number | null;
    /** Results longer than `over` characters are cut to `chars`. */
    readonly results: { readonly over: number; readonly chars: number } | null;
    readonly drop: readonly ('media' | 'thinking')[];
  };
  readonly output: number | null;
  readonly systemTokens: number;
  readonly toolTokens: number;
  readonly calls:
    | { readonly kind: 'one' | 'verify' | 'split-turn' | 'per-pair' }
    | { readonly kind: 'chunks'; readonly tokens: AmountText; readonly depth: number };
  /** Whether the call marks what it sends for the cache. */
  readonly marks: 'on' | 'off';
  readonly run:
    | { readonly kind: 'wait' }
    | {
        readonly kind: 'background';
        /** Null: as soon as the answer is there. */
        readonly applyAt: Comparison | null;
        readonly stale: 'prefix-unchanged' | 'ids-present';
      };
}

/** Pieces of a new history. */
export type LayoutPart =
  | { readonly kind: 'boundary' | 'first' | 'user-messages' | 'files' | 'todos' | 'tail' | 'last-prompt' }
  | { readonly kind: 'summary'; readonly role: 'user' | 'assistant'; readonly frame: 'none' | 'standard' }
  | { readonly kind: 'env' | 'ack' | 'trailer'; readonly tokens: number }
  /** The newest this many images of what goes. */
  | { readonly kind: 'images'; readonly n: number };

/** When a summary is thrown away. */
export type AcceptPart =
  | { readonly kind: 'larger' | 'empty' | 'cut' | 'untagged' | 'tool-call' }
  | { readonly kind: 'above'; readonly amount: AmountText }
  | { readonly kind: 'below-progress'; readonly share: number };

/** One step on the way to a shorter summary request. */
export type ShrinkPart =
  | { readonly kind: 'drop-oldest'; readonly share: number | null; readonly times: number }
  | { readonly kind: 'drop-results'; readonly share: number }
  | { readonly kind: 'cap-messages'; readonly share: number }
  /** The newest this many characters. */
  | { readonly kind: 'chars'; readonly chars: number }
  | { readonly kind: 'keep'; readonly share: number };

/** What follows a summary that did not come. */
export interface FailPart {
  readonly retry: { readonly n: number; readonly backoffMs: number };
  readonly shrink: readonly ShrinkPart[];
  readonly else:
    | { readonly kind: 'go-on' | 'stop' }
    | { readonly kind: 'rule'; readonly name: string }
    | { readonly kind: 'truncate'; readonly keep: number };
}

/** One rule. */
export interface RulePart {
  readonly name: string;
  /** Any of these; none: only where another rule falls back on it. */
  readonly when: readonly GroupPart[];
  /** Threads it is for. */
  readonly threads: 'all' | 'main';
  /** How it measures the context, where it is not as the policy does. */
  readonly count?: CountPart;
  readonly select: SelectPart;
  /** Null if the history is replaced. */
  readonly replace: ReplacePart | null;
  readonly until: UntilPart | null;
  readonly ask: AskPart | null;
  readonly layout: readonly LayoutPart[];
  readonly accept: readonly AcceptPart[];
  readonly fail: FailPart;
  /** Whether later rules are asked in the same pass. */
  readonly after: 'stop' | 'go-on';
}

/** What holds a policy back. */
export interface GuardsPart {
  readonly breaker: {
    readonly after: number;
    readonly until: 'success' | 'session' | 'prompt' | { readonly ms: number };
    /** Failures count for each rule by itself; absent: for all together. */
    readonly scope?: 'rule';
  } | null;
  /** Summaries asked for within one turn. */
  readonly perTurn: number | null;
  /** Rests after the first failure, the second and so on, in milliseconds. */
  readonly cooldownMs: readonly number[];
  readonly spend: { readonly calls: number; readonly perMs: number; readonly restMs: number } | null;
  /** Below this the history is not replaced. */
  readonly floor: AmountText | null;
  /** From here on new input is refused. */
  readonly block: AmountText | null;
  /** The run ends after this many compactions that were refilled within this many turns. */
  readonly refills: { readonly max: number; readonly within: number } | null;
}

/** What the client does for the cache. */
export interface CachePart {
  readonly marks: 'client' | 'system+last' | 'system+last-two' | 'none';
  readonly ttl: '5m' | '1h' | null;
  readonly keepAlive: {
    readonly everyMs: number;
    readonly times: number;
    readonly atLeast: AmountText | null;
  } | null;
  /** Sessions share no entries; absent: equal prefixes are shared. */
  readonly key?: 'session';
  /** An entry that is gone is written again by a short request before a summary is asked for that shares it. */
  readonly warmBefore?: 'ask';
}

/** Where in the loop a layer is asked (LOP-1). */
export type Hook =
  /** Tool results came in and wait for the next request. */
  | 'results'
  /** Before each API call. */
  | 'before-request'
  /** The main request was refused as too long. */
  | 'refused'
  /** The user asked for a compaction. */
  | 'manual'
  /** The user asked for old results to be cleared, and for no more than that (MIC-1). */
  | 'manual-clear'
  /** The user ends a dream that runs (C48). */
  | 'end-dream'
  /** A response came in. */
  | 'after-response'
  /** A final answer without tool calls: the loop ends. */
  | 'end-of-loop'
  /** A time came that a layer asked to be woken at. */
  | 'wake'
  /** Nothing is left of the thread. */
  | 'thread-end'
  /** The process of the session ends. */
  | 'session-end';
