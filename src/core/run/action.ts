import type { Digest } from '../base/digest.js';
import type { FileContent } from '../base/files.js';
import { type Block, CHARS_PER_TOKEN } from '../model/block.js';
import type { KnownMemories } from '../model/memory.js';
import type { Message } from '../model/message.js';
import type { Notes, NotesSections } from '../model/notes.js';
import type { Text } from '../model/text.js';
import type { Usage } from '../model/usage.js';
import type { BreakCause } from './break-causes.js';
import type { Layer, LayerEntry } from './log-entries.js';
import type { CallPurpose } from './run-plan.js';

/** Who asks for an action, and why: every change of the context can be traced to it in the log. */
export interface Asker {
  readonly layer: Layer;
  readonly reason: string;
}

/** What a layer may ask of the engine. A layer never edits the conversation itself. */
export type Action =
  /** Replace tool results or calls with other content; the prefix changes from the first of them on. */
  | {
      readonly kind: 'rewrite-blocks';
      readonly by: Asker;
      readonly cause: BreakCause;
      readonly edits: readonly BlockEdit[];
      /**
       * `frozen`: part of the session's record, survives a resume (STO-3); `live`: lost with the process; `server`: left out of
       * the request by the server (MIC-4), so that the client learns of it from the usage alone.
       */
      readonly keep: 'frozen' | 'live' | 'server';
    }
  /** Delete tool results on the server, leaving the local messages and the cached prefix as they are (MIC-3). */
  | { readonly kind: 'delete-cached'; readonly by: Asker; readonly results: readonly PlacedResult[] }
  /** Ask the LLM something. */
  | { readonly kind: 'ask'; readonly by: Asker; readonly request: AskRequest }
  /** Replace the whole conversation with a new history (FUL-8, SES-5). */
  | { readonly kind: 'replace-history'; readonly by: Asker; readonly messages: readonly Message[] }
  /** Add a message at the end. */
  | { readonly kind: 'attach'; readonly by: Asker; readonly message: Message }
  | { readonly kind: 'write-file'; readonly by: Asker; readonly path: string; readonly text: FileContent }
  /** Set the time of a file: for a lock it is when it was last held to the end (DRM-2). */
  | { readonly kind: 'set-mtime'; readonly by: Asker; readonly path: string; readonly mtimeMs: number }
  /**
   * Be asked again at the point `wake` once this time has come. `needs`: not where the recording has a new process next
   * (`process`), nor where nothing follows at all (`next-step`).
   */
  | {
      readonly kind: 'wake-at';
      readonly by: Asker;
      readonly timeMs: number;
      readonly needs?: 'process' | 'next-step';
    }
  | { readonly kind: 'remove-file'; readonly by: Asker; readonly path: string }
  /** Let simulated time pass. */
  | { readonly kind: 'wait'; readonly by: Asker; readonly ms: number }
  /** Say in the log what was done. */
  | { readonly kind: 'report'; readonly entry: LayerReport }
  /** Say in the log that the breaker changed state. */
  | {
      readonly kind: 'breaker';
      readonly by: Asker;
      readonly state: 'tripped' | 'skipped' | 'reset';
      readonly failures: number;
    }
  /** Refuse the user's input, end the run because a guard fired, or end an agent because another one asked for it (C36). */
  | {
      readonly kind: 'stop';
      readonly by: Asker;
      readonly what: StopKind;
      readonly message: string;
    }
  /** Reset what a compaction makes stale (CLN-1). */
  | { readonly kind: 'cleanup'; readonly by: Asker };

/** What an agent is stopped for. */
export type StopKind = 'blocked' | 'prompt-ended' | 'run-ended' | 'shut-down';

/** A tool result and the message of the conversation that holds it. */
export interface PlacedResult {
  readonly toolUseId: string;
  readonly messageIndex: number;
}

/** One block that replaces another. */
export interface BlockEdit {
  /** Id of the message that holds it. */
  readonly messageId: string;
  readonly blockIndex: number;
  /** Null removes the block. */
  readonly block: Block | null;
}

/** How a layer's LLM call relates to the main thread's request. */
export type AskShape =
  /** Same system prompt, tools and message prefix byte for byte: reads the main thread's cache (FUL-4, AGT-1). */
  | {
      readonly kind: 'fork';
      /** Where it marks the cache; absent: at its end. Before the last message, that message is not cached (R20). */
      readonly mark?: 'before-last';
      /** It thinks with a budget of its own: the messages level of the cache is another one (R11). */
      readonly thinking?: 'own-budget';
    }
  /** A system prompt of its own, hence no shared prefix. */
  | {
      readonly kind: 'own';
      readonly systemTokens: number;
      readonly toolTokens: number;
      readonly breakpoints: 'on' | 'off';
    };

/** A call to the LLM made by a layer. */
export interface AskRequest {
  readonly purpose: CallPurpose;
  readonly shape: AskShape;
  /** Conversation that is sent, before the instruction. */
  readonly messages: readonly Message[];
  /** Turns of the call's own after the conversation; absent when it is the first. */
  readonly ownTurns?: readonly Message[];
  /** The part of it that the answer is about; absent when it is about all of it. */
  readonly about?: readonly Message[];
  readonly instruction: Message;
  /** Whether the call writes cache entries. */
  readonly write: 'write' | 'read-only';
  /** Output cap; null sets none (it would change the cache key): then the model's maximum holds (C19). */
  readonly maxOutputTokens: number | null;
  /** Retries of transient errors the client makes by itself. */
  readonly retries: number;
  /** A blocking call holds the thread up; one in the background runs beside it. */
  readonly mode: 'blocking' | 'background';
  /** Model of the call; absent when it is the thread's own. */
  readonly model?: string;
  readonly answer: AnswerSpec;
}

/** What the fake LLM is asked to write. The facts come from the messages that were sent. */
export type AnswerSpec =
  | {
      readonly kind: 'summary';
      readonly style: 'full' | 'partial-up-to';
      /** A longer message of the user is quoted by its head and tail (INV-14). */
      readonly quoteTokens: number;
    }
  | { readonly kind: 'notes'; readonly previous: Notes | null; readonly condense: readonly string[] }
  | { readonly kind: 'memories'; readonly existing: KnownMemories }
  | { readonly kind: 'short'; readonly tokens: number };

/** What a layer says of one of its actions; the engine adds time, thread, turn and what the calls cost. */
export interface LayerReport
  extends Omit<LayerEntry, 'type' | 't' | 'thread' | 'turn' | 'calls' | 'cost' | 'cacheLost'> {}

/** An LLM's answer to a layer. What a client would check is known without reading the text. */
export interface Answer {
  /** Empty text has no characters. */
  readonly text: Text;
  /** True tokens of the part that would enter the context: a summary without its scratchpad, notes, memories. */
  readonly tokens: number;
  /** For notes: their sections, where they are known without reading; else null. */
  readonly sections: NotesSections | null;
  /** True tokens of the scratchpad before it. */
  readonly scratchpadTokens: number;
  /** Stands for the content: equal questions get equal answers. */
  readonly digest: Digest;
  readonly usage: Usage;
  readonly stopReason: 'end_turn' | 'max_tokens' | 'tool_use';
  /** `error`: an error message returned as if it were the answer; `untagged`: a summary without its tags; `cut`: one that ran into its output limit. */
  readonly form: 'normal' | 'empty' | 'error' | 'tool-call' | 'untagged' | 'cut';
  /** The words are a model's own: how long they are formatted is known by reading them alone. */
  readonly isReal?: true;
  /** When the answer was complete. */
  readonly endMs: number;
}

/** How a call failed, as far as a client knows. */
export interface CallFailure {
  readonly reason:
    | 'prompt-too-long'
    | 'overloaded'
    | 'rate-limited'
    | 'server-error'
    | 'invalid-request'
    | 'connection'
    | 'aborted';
  readonly status: number | null;
  readonly message: string;
  /** Tokens over the limit, if the message says so. */
  readonly gapTokens: number | null;
}

/** What comes back for an action. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'answer'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly failure: CallFailure };

/** Tokens of the call around one edit of a file: the tool's name, the path, the line it goes after (assumed). */
export const EDIT_CALL_TOKENS = 45;

/** Tokens of what comes back for an edit: that the file was updated (assumed). */
export const EDIT_RESULT_TOKENS = 30;

/** Tokens of the words with which a fork ends its work (assumed). */
export const CLOSING_TOKENS = 12;

/** Output of an answer that edits files: what is new or changed, and the calls around it (C31). */
export function editTokens(changedChars: number, edits: number): number {
  return Math.ceil(changedChars / CHARS_PER_TOKEN) + edits * EDIT_CALL_TOKENS;
}
