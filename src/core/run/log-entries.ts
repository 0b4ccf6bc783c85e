import type { Item, UseKind } from '../uses/uses.js';
import type { BreakCause } from './break-causes.js';
import { CALL_PURPOSES, type CallPurpose } from './run-plan.js';

/** The layers of the reference system, plus the loop itself. */
export const LAYERS = [
  'storage',
  'snip',
  'microcompact',
  'collapse',
  'session-memory',
  'full-compact',
  'reactive',
  'auto-memory',
  'dreaming',
  'agents',
  'nested-memory',
  'hooks',
  'rules',
] as const;
export type Layer = (typeof LAYERS)[number];

/** When something happened, and in which conversation. */
interface PlacedEntry {
  readonly t: number;
  readonly thread: string;
}

/** The same within its main loop. */
interface TurnEntry extends PlacedEntry {
  /** From 1; requests made by a layer carry the turn they interrupt. */
  readonly turn: number;
}

/** A conversation begins. */
export interface ThreadEntry extends PlacedEntry {
  readonly type: 'thread';
  readonly parent: string | null;
  readonly label: string;
  readonly prefixTokens: number;
  readonly window: number | null;
  /** For a fork: tokens it shares with its parent byte for byte, tools and system included (AGT-1). */
  readonly sharedTokens?: number;
  /** True tokens that layers had taken out of the conversation it starts with, by layer; absent when none had. */
  readonly takenOut?: Readonly<Partial<Record<Layer, number>>>;
  /** Session it belongs to, where there are several. */
  readonly session?: string;
}

/** One API request that was answered. prompt = input + read + write5m + write1h; cost in nano-dollars. */
export interface RequestEntry extends TurnEntry {
  readonly type: 'request';
  /** Number of the request in the run, from 1. */
  readonly n: number;
  readonly purpose: CallPurpose;
  readonly model: string;
  readonly prompt: number;
  readonly read: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly input: number;
  readonly output: number;
  /** Tokens the model holds after its answer: prompt and output, less what was deleted on the server (MIC-3). */
  readonly context: number;
  /** What the policy's own counter said before the request; null when the policy has none. */
  readonly estimatedTokens: number | null;
  /** Share of the session's own tokens (tools and system included) that the request still holds as they came; null beside the loop. */
  readonly kept: number | null;
  /** What the prompt would have been had no layer taken anything out of the conversation (LOP-3); null beside the loop. */
  readonly uncompactedTokens: number | null;
  /** Tokens of the prompt that the thread's previous request did not hold. */
  readonly newTokens: number;
  /** Tokens that request held and that were not read from the cache this time. */
  readonly rewritten: number;
  /** Why they were not; null when nothing was rewritten. */
  readonly cause: BreakCause | null;
  readonly latencyMs: number;
  readonly readCost: number;
  readonly writeCost: number;
  readonly inputCost: number;
  readonly outputCost: number;
  readonly cost: number;
  /** Part of the cost that pays for `rewritten`. */
  readonly rewriteCost: number;
  /** An unpredictable break (K14): its chance, and what it would add; absent if the client knows of none. */
  readonly risk?: { readonly chance: number; readonly cost: number };
}

/** The cache served markedly less than before (BRD-1). */
export interface BreakEntry extends PlacedEntry {
  readonly type: 'break';
  readonly n: number;
  readonly cause: BreakCause;
  /** Announced by a layer beforehand, and nothing else explains it (BRD-3). */
  readonly expected: boolean;
  /** By how much the reads that are paid for dropped. */
  readonly lostTokens: number;
  /** First position that changed, where the messages did. */
  readonly position: number | null;
  /** Names of the tools that changed, where known. */
  readonly tools?: readonly string[];
}

/** The API would not take a request. */
export interface RefusedEntry extends TurnEntry {
  readonly type: 'refused';
  readonly purpose: CallPurpose;
  readonly status: number;
  readonly error: string;
  readonly message: string;
  readonly prompt: number;
  readonly limit: number | null;
}

/** Recorded calls that could not take place because an earlier one of the same prompt failed. */
export interface LostEntry extends PlacedEntry {
  readonly type: 'lost';
  readonly calls: number;
  readonly reason: string;
}

/** Recorded calls that were not made because another agent had ended theirs: no work was lost (C36). */
export interface EndedEntry extends Omit<LostEntry, 'type'> {
  readonly type: 'ended';
}

/** A layer acted. */
export interface LayerEntry extends TurnEntry {
  readonly type: 'layer';
  readonly layer: Layer;
  /** What it did, e.g. `clear`, `compact`, `extract`, `store`. */
  readonly action: string;
  readonly trigger: 'auto' | 'manual' | 'reactive' | 'idle' | 'server';
  readonly outcome: 'done' | 'failed' | 'declined';
  /** One sentence: why it fired, or why it failed. */
  readonly reason: string;
  /** Stable name of the failure, for counting; null when it did not fail. */
  readonly failure: string | null;
  readonly estimatedBefore: number | null;
  readonly estimatedAfter: number | null;
  readonly trueBefore: number;
  readonly trueAfter: number;
  /** Tokens it took out of the context just then; what came back later is in `returned` entries. */
  readonly saved: number;
  /** Cached tokens after the first changed position that no earlier change since the last request had destroyed. */
  readonly cacheLost: number;
  /** Requests this action made, and what they cost in nano-dollars. */
  readonly calls: number;
  readonly cost: number;
  /** Numbers and names particular to the layer. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Content that a layer had taken out is in the context again. */
export interface ReturnedEntry extends TurnEntry {
  readonly type: 'returned';
  readonly layer: Layer;
  readonly tokens: number;
  /** `expired`: deletions went with the cache (MIC-3); `resume`: the record still had it. */
  readonly why: 'expired' | 'resume';
}

/** The context that no layer has touched since the last compaction crossed the auto-compact threshold (LOP-3). */
export interface CrossingEntry extends TurnEntry {
  readonly type: 'crossing';
  /** `avoided`: the real one did not; `made`: it has followed, so that the compaction was only deferred. */
  readonly state: 'avoided' | 'made';
  readonly threshold: number;
  /** Both contexts as the policy's counter sees them. */
  readonly estimatedTokens: number;
  readonly uncompactedTokens: number;
  /** Layers without which the real one would have crossed it too; all that took something out when no single one made it. */
  readonly layers: readonly Layer[];
}

/** What the client shows of a main conversation, written when it changes (WIN-5). */
export interface StatusEntry extends TurnEntry {
  readonly type: 'status';
  /** Number of the request that is sent with it. */
  readonly n: number;
  /** The context as the policy's counter sees it, and the size at which nothing is left. */
  readonly estimatedTokens: number;
  readonly limit: number;
  readonly percentLeft: number;
  readonly warning: boolean;
  readonly error: boolean;
}

/** The breaker opened: no more automatic attempts. */
export interface BreakerEntry extends TurnEntry {
  readonly type: 'breaker';
  readonly failures: number;
  readonly state: 'tripped' | 'skipped' | 'reset';
}

/** A call needs content that its context no longer holds. */
export interface FaultEntry extends TurnEntry, Omit<Item, 'block'> {
  readonly type: 'fault';
  /** `refetch`: it can be fetched again; `masked`: a placeholder says where; `lost`: text that cannot be fetched. */
  readonly kind: 'refetch' | 'masked' | 'lost';
  /** Chance that it has to be fetched, as fitted: below 1 if a summary may keep it. */
  readonly chance: number;
  /** The same under the survival that the plan assumes. */
  readonly weight: number;
  /** Summaries since it came; 0 where it was taken out without one. */
  readonly rounds: number;
  /** What fetching its tokens again costs at once, in nano-dollars: the prompt is read once more, and the result written. */
  readonly cost: number;
  readonly use: UseKind;
  /** What shows that it is needed: an identifier or a line. */
  readonly what: string;
}

/** Something that happened to a thread: resume, model switch, blocked input, end of the run by a guard. */
export interface NoticeEntry extends PlacedEntry {
  readonly type: 'notice';
  readonly what: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What happens while a run goes on. */
export type EventEntry =
  | ThreadEntry
  | RequestEntry
  | BreakEntry
  | RefusedEntry
  | LostEntry
  | EndedEntry
  | LayerEntry
  | ReturnedEntry
  | CrossingEntry
  | StatusEntry
  | BreakerEntry
  | FaultEntry
  | NoticeEntry;

/** The fields of an entry, or of an object in it, that must be there and of a kind. */
interface RequiredFields<Name> {
  readonly number?: readonly Name[];
  readonly string?: readonly Name[];
}

/** What a line of one type must hold for the metrics to be right. */
export interface LineShape<Name = string> extends RequiredFields<Name> {
  readonly object?: readonly Name[];
  /** Fields that may be absent or null. */
  readonly maybe?: RequiredFields<Name>;
  /** Texts of which only some are known. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
  /** What an object inside must hold. */
  readonly inside?: readonly [owner: Name, fields: RequiredFields<string>];
}

/** The shape of each of these entries, by its type. */
export type LineShapes<Entry extends { readonly type: string }> = {
  readonly [Type in Entry['type']]: LineShape<keyof Extract<Entry, { readonly type: Type }>>;
};

/** What is checked of them in a log that is read. */
export const EVENT_SHAPES: LineShapes<EventEntry> = {
  thread: {
    number: ['t'],
    string: ['thread', 'label'],
    maybe: { number: ['prefixTokens', 'window', 'sharedTokens'], string: ['parent', 'session'] },
  },
  request: {
    number: [
      't',
      'n',
      'turn',
      'prompt',
      'read',
      'write5m',
      'write1h',
      'input',
      'output',
      'latencyMs',
      'readCost',
      'writeCost',
      'inputCost',
      'outputCost',
      'cost',
      'rewriteCost',
    ],
    string: ['thread', 'purpose', 'model'],
    maybe: {
      number: ['context', 'estimatedTokens', 'kept', 'uncompactedTokens', 'newTokens', 'rewritten'],
      string: ['cause'],
    },
    known: { purpose: CALL_PURPOSES },
  },
  break: {
    number: ['t', 'lostTokens'],
    string: ['thread', 'cause'],
    maybe: { number: ['n', 'position'] },
  },
  refused: {
    number: ['t', 'status'],
    string: ['thread', 'error'],
    maybe: { string: ['purpose', 'message'] },
  },
  lost: {
    number: ['t', 'calls'],
    string: ['thread', 'reason'],
  },
  ended: {
    number: ['t', 'calls'],
    string: ['thread', 'reason'],
  },
  layer: {
    number: ['t', 'turn', 'saved', 'cacheLost', 'calls', 'cost'],
    string: ['thread', 'layer', 'action', 'outcome'],
    object: ['details'],
    maybe: {
      number: ['estimatedBefore', 'estimatedAfter', 'trueBefore', 'trueAfter'],
      string: ['trigger', 'reason', 'failure'],
    },
    known: { layer: LAYERS, outcome: ['done', 'failed', 'declined'] },
  },
  returned: {
    number: ['t', 'tokens'],
    string: ['thread', 'layer'],
    maybe: { string: ['why'] },
    known: { layer: LAYERS },
  },
  crossing: {
    number: ['t', 'threshold'],
    string: ['thread', 'state'],
    object: ['layers'],
    known: { state: ['avoided', 'made'] },
  },
  status: {
    number: ['t', 'n', 'limit', 'percentLeft'],
    string: ['thread'],
    maybe: { number: ['turn', 'estimatedTokens'] },
  },
  fault: {
    number: ['t', 'turn', 'chance', 'weight', 'rounds', 'tokens', 'cost'],
    string: ['thread', 'kind', 'use', 'origin', 'what'],
    maybe: { number: ['seenAt'], string: ['tool', 'path', 'message'] },
    known: { kind: ['refetch', 'masked', 'lost'] },
  },
  breaker: {
    number: ['t'],
    string: ['thread', 'state'],
  },
  notice: {
    number: ['t'],
    string: ['thread', 'what'],
    maybe: { string: ['message'] },
  },
};
