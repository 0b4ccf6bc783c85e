import { addTo } from '../../core/base/groups.js';
import { getOrMake } from '../../core/base/once.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import {
  callsIn,
  isSummaryFork,
  type RecordedCall,
  type Thread,
  type Transcript,
} from '../../core/model/transcript.js';
import { usesOf } from '../../core/uses/find-uses.js';
import { Context } from '../../engine/context/context.js';
import type { Outgoing } from '../../engine/requests/run-env.js';
import { agentTypes, type Origin, SourceNames } from './name-sources.js';

/** A block that came into the prompt of a thread. */
export interface TapeBlock {
  /** Index among the origins. */
  readonly origin: number;
  readonly tokens: number;
  /** Tokens at its end that the prompt has beyond the lines of the recording. */
  readonly beyond: number;
  /** Tokens of it that no earlier request of the thread held, and that the model did not put out. */
  readonly fresh: number;
  /** Tokens of it that were there before: read again, though nothing had changed. */
  readonly again: number;
}

/** The prompt of a request: what stays of the one before it, and what comes behind that. */
export interface TapeRequest {
  /** Number among the requests of its thread with usage, from 1. */
  readonly number: number;
  /** Blocks that stay. */
  readonly kept: number;
  readonly added: readonly TapeBlock[];
  /** What the response consists of. */
  readonly output: readonly Pick<TapeBlock, 'origin' | 'tokens'>[];
}

/** The prompts of a thread in order. */
export interface ThreadTape {
  readonly thread: string;
  /** Type of the subagent; null for a main conversation. */
  readonly agent: string | null;
  /** It is the request for a summary, which no replay makes again. */
  readonly isSummary: boolean;
  readonly requests: readonly TapeRequest[];
}

/** The prompts of a session, each told by what changed. */
export interface ContextTape {
  readonly origins: readonly Origin[];
  readonly threads: readonly ThreadTape[];
}

/** Requests of a thread's own prompt that no recording holds. */
const BESIDE: ReadonlySet<string> = new Set(['suggestion', 'keep_alive', 'refetch']);

/** Origins by number, each once. */
class Origins {
  readonly list: Origin[] = [];
  readonly #places = new Map<string, number>();

  place(origin: Origin): number {
    const { kind, name, tool, path } = origin;
    const key = `${kind}\n${name}\n${tool}\n${path}`;
    return getOrMake(this.#places, key, () => this.list.push(origin) - 1);
  }
}

class ThreadRecorder {
  readonly requests: TapeRequest[] = [];
  readonly isSummary: boolean;
  readonly #names: SourceNames;
  readonly #calls: readonly RecordedCall[];
  /** Number of each call among those with usage; 0 where it has none. */
  readonly #numbers: readonly number[];
  readonly #again: ReadonlyMap<Block, number>;
  /** The most tokens that each block has had in a prompt. */
  readonly #seen = new Map<string, number>();
  /** Blocks of the latest prompt, and how many of them are as they were. */
  #length = 0;
  #unchanged = 0;

  constructor(
    thread: Thread,
    readonly agent: string | null,
    private readonly origins: Origins,
    again: ReadonlyMap<Block, number>,
  ) {
    this.isSummary = isSummaryFork(thread);
    this.#names = new SourceNames(thread);
    this.#again = again;
    this.#calls = callsIn([thread]);
    let number = 0;
    this.#numbers = this.#calls.map(({ usage }) => (usage === null ? 0 : ++number));
  }

  onRequest({ purpose, turn, view, firstChanged }: Outgoing): void {
    const isLoop = purpose === 'main' || purpose === 'subagent';
    if (!(view instanceof Context) || (!isLoop && !BESIDE.has(purpose))) return;
    if (firstChanged !== null) this.#unchanged = Math.min(this.#unchanged, firstChanged);
    const call = this.#calls[turn - 1];
    const number = this.#numbers[turn - 1] ?? 0;
    if (!isLoop || call === undefined || number === 0) return;
    const kept = Math.min(this.#unchanged, this.#length);
    this.requests.push({ number, kept, added: this.#addedBehind(view, kept), output: this.#output(call) });
    this.#length = view.length;
    this.#unchanged = view.length;
  }

  #addedBehind(context: Context, from: number): readonly TapeBlock[] {
    const added: TapeBlock[] = [];
    for (let i = from; i < context.length; i++) {
      const owner = context.owners[i]!;
      added.push(
        owner < 0
          ? this.#taken(context.blocks[i]!, null, i)
          : this.#taken(context.blocks[i]!, context.messages[owner]!, i - context.endOfMessages(owner)),
      );
    }
    return added;
  }

  #taken(block: Block, message: Message | null, place: number): TapeBlock {
    const recorded = this.#names.recorded(message, place);
    const key = `${message?.id ?? ''} ${place}`;
    const seen = this.#seen.get(key) ?? 0;
    const { tokens } = block;
    if (tokens > seen) this.#seen.set(key, tokens);
    return {
      origin: this.origins.place(this.#names.of(block, message)),
      tokens,
      beyond: recorded === null ? 0 : Math.max(0, tokens - recorded.tokens),
      fresh: message?.origin === 'model' ? 0 : Math.max(0, tokens - seen),
      again: Math.min(tokens, recorded === null ? 0 : (this.#again.get(recorded) ?? 0)),
    };
  }

  #output({ response }: RecordedCall): TapeRequest['output'] {
    return response.blocks.map((block) => ({
      origin: this.origins.place(this.#names.of(block, response)),
      tokens: block.tokens,
    }));
  }
}

/** Results of a thread that hold what was there before, with the tokens of that. */
function readAgain(thread: Thread, uses: ReturnType<typeof usesOf>): ReadonlyMap<Block, number> {
  const found = new Map<Block, number>();
  const own = uses?.find((each) => each.thread === thread.id);
  if (own === undefined) return found;
  const rereads = new Map<string, { readonly path: string | null; readonly tokens: number }[]>();
  for (const { kind, call, item, tokens, isStale } of own.uses) {
    if (kind !== 'reread' || isStale) continue;
    const { path } = own.items[item]!;
    addTo(rereads, call, { path, tokens });
  }
  let open: { readonly path: string | null; readonly tokens: number }[] = [];
  for (const step of thread.steps) {
    if (step.kind === 'call') open = rereads.get(step.call.id) ?? [];
    if (step.kind !== 'message') continue;
    for (const block of step.message.blocks) {
      if (block.kind !== 'tool_result') continue;
      const i = open.findIndex(
        ({ path, tokens }) => path === (block.facts.path ?? null) && tokens <= block.tokens,
      );
      if (i < 0) continue;
      found.set(block, open[i]!.tokens);
      open = open.filter((_, other) => other !== i);
    }
  }
  return found;
}

/** Takes down what the prompts of a recording consist of while it is replayed as its own client. */
export class TapeRecorder {
  readonly #origins = new Origins();
  readonly #threads = new Map<string, ThreadRecorder>();

  constructor(transcript: Transcript) {
    const types = agentTypes(transcript);
    const uses = usesOf(transcript);
    for (const thread of transcript.threads)
      this.#threads.set(
        thread.id,
        new ThreadRecorder(thread, types.get(thread.id) ?? null, this.#origins, readAgain(thread, uses)),
      );
  }

  /** Hears a request before it is sent. */
  readonly onRequest = (thread: string, out: Outgoing): void => this.#threads.get(thread)?.onRequest(out);

  get tape(): ContextTape {
    return {
      origins: this.#origins.list,
      threads: [...this.#threads].map(([thread, { agent, isSummary, requests }]) => ({
        thread,
        agent,
        isSummary,
        requests,
      })),
    };
  }
}
