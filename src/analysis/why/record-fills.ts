import { KIND_ORDER, type SourceName } from '../../core/model/source-kind.js';
import { callsIn, type Thread, type Transcript } from '../../core/model/transcript.js';
import type { RefusedEntry, RequestEntry } from '../../core/run/log-entries.js';
import { Context } from '../../engine/context/context.js';
import { Deletions } from '../../engine/context/deletions.js';
import type { Outgoing } from '../../engine/requests/run-env.js';
import { BEYOND_LINES, filledBy, SourceNames } from './name-sources.js';

/** Requests that send a thread's own conversation; those of layers have prompts of their own. */
const OWN: ReadonlySet<string> = new Set([
  'main',
  'subagent',
  'plan_again',
  'suggestion',
  'keep_alive',
  'refetch',
]);

/** Names that can head a column. */
const PLAIN_NAME = /^[\w-]+$/;

/** The columns of a session: every kind, and every tool that it calls. */
class Columns {
  readonly list: readonly SourceName[];
  /** Where content is counted that no line of a recording shows. */
  readonly beyond: number;
  readonly #kinds: ReadonlyMap<string, number>;
  readonly #tools: ReadonlyMap<string, number>;

  constructor({ threads }: Transcript) {
    // What is a subagent's is counted by what it is.
    const kinds = KIND_ORDER.filter((kind) => kind !== 'subagent');
    const blocks = callsIn(threads).flatMap(({ response }) => response.blocks);
    const tools = new Set(blocks.flatMap(({ tool }) => tool ?? []));
    const named = [...tools].filter((tool) => PLAIN_NAME.test(tool) && !tool.startsWith('mcp__'));
    this.list = [
      ...kinds.map((kind): SourceName => ({ kind, name: null })),
      ...named.map((name): SourceName => ({ kind: 'tool', name })),
    ];
    this.#kinds = new Map(kinds.map((kind, i) => [kind, i]));
    this.beyond = this.#kinds.get(BEYOND_LINES.kind)!;
    this.#tools = new Map(named.map((name, i) => [name, kinds.length + i]));
  }

  place({ kind, name }: SourceName): number {
    return (name === null ? undefined : this.#tools.get(name)) ?? this.#kinds.get(kind)!;
  }
}

/** A block of a prompt. */
interface PlacedBlock {
  readonly column: number;
  readonly tokens: number;
  /** Tokens that the prompt has beyond the lines of the recording. */
  readonly beyond: number;
}

/** The prompt of one thread: a request costs the blocks that it does not share with the one before it. */
class ThreadFill {
  readonly #names: SourceNames;
  readonly #blocks: PlacedBlock[] = [];
  readonly #held: number[];
  /** Tokens of results that the server deleted, by column; where none changed, the same as before. */
  #deleted: readonly number[] | null = null;
  #deletedTokens = 0;

  constructor(
    thread: Pick<Thread, 'steps'>,
    private readonly columns: Columns,
  ) {
    this.#names = new SourceNames(thread);
    this.#held = columns.list.map(() => 0);
  }

  onRequest(context: Context, deleted: Outgoing['deleted']): Heard {
    const kept = Math.min(context.unchanged, this.#blocks.length);
    if (kept < this.#blocks.length) this.#deleted = null;
    while (this.#blocks.length > kept) this.#count(this.#held, this.#blocks.pop()!, -1);
    for (let i = kept; i < context.length; i++) {
      const placed = this.#placed(context, i);
      this.#blocks.push(placed);
      this.#count(this.#held, placed, 1);
    }
    return { held: [...this.#held], deleted: this.#without(context, deleted) };
  }

  #count(sums: number[], { column, tokens, beyond }: PlacedBlock, sign: 1 | -1): void {
    sums[column]! += sign * (tokens - beyond);
    sums[this.columns.beyond]! += sign * beyond;
  }

  #placed(context: Context, i: number): PlacedBlock {
    const block = context.blocks[i]!;
    const owner = context.owners[i]!;
    const message = owner < 0 ? null : context.messages[owner]!;
    const recorded =
      message === null ? null : this.#names.recorded(message, i - context.endOfMessages(owner));
    const beyond = recorded === null ? 0 : Math.max(0, block.tokens - recorded.tokens);
    return {
      column: this.columns.place(filledBy(this.#names.of(block, message))),
      tokens: block.tokens,
      beyond,
    };
  }

  #without(context: Context, deleted: Outgoing['deleted']): readonly number[] | null {
    if (!(deleted instanceof Deletions)) return null;
    if (this.#deleted !== null && this.#deletedTokens === deleted.tokens) return this.#deleted;
    const found = this.#held.map(() => 0);
    for (const [i, { kind, toolUseId }] of context.blocks.entries())
      if (kind === 'tool_result' && deleted.has(toolUseId)) this.#count(found, this.#blocks[i]!, 1);
    this.#deletedTokens = deleted.tokens;
    this.#deleted = found;
    return found;
  }
}

/** A prompt before it is sent. */
interface Heard {
  readonly held: readonly number[];
  readonly deleted: readonly number[] | null;
}

/** Takes down what fills the prompts of a run while it goes on. */
export class FillRecorder {
  readonly columns: readonly SourceName[];
  readonly #columns: Columns;
  readonly #steps: ReadonlyMap<string, Pick<Thread, 'steps'>>;
  readonly #threads = new Map<string, ThreadFill>();
  /** What requests hold that the log has not shown yet; null for those with a prompt of their own. */
  #waiting: (Heard | null)[] = [];
  #taken = 0;

  constructor(transcript: Transcript) {
    this.#columns = new Columns(transcript);
    this.columns = this.#columns.list;
    this.#steps = new Map(transcript.threads.map((thread) => [thread.id, thread]));
  }

  /** Hears a request before it is sent. */
  readonly onRequest = (thread: string, { purpose, view, deleted }: Outgoing): void => {
    const isOwn = OWN.has(purpose) && view instanceof Context;
    this.#waiting.push(isOwn ? this.#thread(thread).onRequest(view, deleted) : null);
  };

  /** Tokens by column of the request that an entry of the log is about; entries come in the order of the requests. */
  take(entry: RequestEntry | RefusedEntry): readonly number[] | null {
    const heard = this.#waiting[this.#taken++] ?? null;
    if (this.#taken === this.#waiting.length) {
      this.#waiting = [];
      this.#taken = 0;
    }
    if (heard === null) return null;
    const { held, deleted } = heard;
    if (deleted === null || held.reduce((sum, tokens) => sum + tokens, 0) === entry.prompt) return held;
    return held.map((tokens, i) => tokens - deleted[i]!);
  }

  #thread(id: string): ThreadFill {
    const known = this.#threads.get(id);
    if (known !== undefined) return known;
    const own = new ThreadFill(this.#steps.get(id) ?? { steps: [] }, this.#columns);
    this.#threads.set(id, own);
    return own;
  }
}
