import type { Files } from '../../../core/base/files.js';
import { entryOf } from '../../../core/base/once.js';
import { type Block, type BlockFacts, CHARS_PER_TOKEN, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import type { Action, BlockEdit, Outcome } from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
  Unfolded,
} from '../../../core/run/layer.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { deletedResults, forgetResults, leaveOut } from '../support/leave-out.js';
import { layerParams, param } from '../support/param-reader.js';

/** Folder of the folds of all threads; a prompt that is folded again goes to the same file. */
const FOLD_DIRECTORY = '/folds';

/** The messages of a fold as its file holds them, written when somebody reads it. @internal */
export class FoldText {
  constructor(private readonly messages: readonly Message[]) {}

  get chars(): number {
    return this.read().length;
  }

  read(): string {
    return JSON.stringify(this.messages.map(writtenMessage));
  }
}

function writtenMessage({ blocks, ...rest }: Message) {
  return { ...rest, blocks: blocks.map((block) => ({ ...block, text: block.text?.read() ?? null })) };
}

/** The messages that a fold's file holds, as they stood in the conversation. @internal */
export function readFold(text: string): readonly Message[] {
  const written = JSON.parse(text) as readonly ReturnType<typeof writtenMessage>[];
  return written.map(({ blocks, ...rest }) => createMessage({ ...rest, blocks: blocks.map(readBlock) }));
}

function readBlock(written: Omit<Block, 'text'> & { readonly text: string | null }): Block {
  return createBlock({ ...written, facts: written.facts as BlockFacts });
}

/** The folds of a thread: which message is in which file. @internal */
export class Folds {
  private readonly pathByMessage = new Map<string, string>();

  add(path: string, messages: readonly Message[]): void {
    for (const { id } of messages) this.pathByMessage.set(id, path);
  }

  pathOf(messageId: string): string | null {
    return this.pathByMessage.get(messageId) ?? null;
  }

  /** The fold of a file was taken apart. */
  remove(path: string): void {
    for (const [id, other] of this.pathByMessage) if (other === path) this.pathByMessage.delete(id);
  }

  /** Only messages that are still in the conversation can be folded in it. */
  keepThose(messages: readonly Message[]): void {
    const present = new Set(messages.map(({ id }) => id));
    for (const id of this.pathByMessage.keys()) if (!present.has(id)) this.pathByMessage.delete(id);
  }

  clear(): void {
    this.pathByMessage.clear();
  }
}

/** The folds of a thread, shared by its layers. @internal */
export function foldsOf(shared: Map<string, unknown>): Folds {
  return entryOf(shared, 'folds', () => new Folds());
}

/** What stays where it is, whatever is folded around it. */
const STAYS: ReadonlySet<Message['origin']> = new Set([
  'boundary',
  'summary',
  'context',
  'attachment',
  'marker',
]);

/** A prompt with all its rounds. */
interface FinishedPrompt {
  /** The message that the user began it with. */
  readonly prompt: Message;
  /** All that belongs to it, the prompt first. */
  readonly messages: readonly Message[];
  readonly calls: number;
}

/**
 * The prompts of a conversation that have been answered and followed by another one, oldest first; those that are folded
 * already are left out. What was attached, and what stands for earlier history, belongs to none.
 * @internal
 */
export function finishedPrompts(
  messages: readonly Message[],
  isFolded: (promptId: string) => boolean,
): readonly FinishedPrompt[] {
  const found: { prompt: Message; messages: Message[]; calls: number }[] = [];
  for (const message of messages) {
    const last = found.at(-1);
    const isDone = last === undefined || last.calls > 0 || isFolded(last.prompt.id);
    if (message.origin === 'human' && isDone) {
      found.push({ prompt: message, messages: [message], calls: 0 });
      continue;
    }
    if (last === undefined || STAYS.has(message.origin) || message.blocks.length === 0) continue;
    last.messages.push(message);
    if (message.role === 'assistant') last.calls++;
  }
  found.pop();
  return found.filter(({ prompt, calls }) => calls > 0 && !isFolded(prompt.id));
}

/** A prompt that is about to be folded. */
interface Folding {
  readonly finished: FinishedPrompt;
  readonly path: string;
  readonly edits: readonly BlockEdit[];
}

/** Folds finished prompts of a long conversation into one line each, without a call (FLG-1; assumed). */
class Collapse implements LayerInstance {
  readonly observes = 'user';
  private readonly aboveTokens: number;
  private readonly downToTokens: number;
  private readonly keepPrompts: number;
  private readonly quoteChars: number;
  private readonly folds: Folds;
  /** Whether there may be something to fold. */
  private state: 'open' | 'exhausted' = 'open';

  constructor(private readonly context: LayerContext) {
    const { params, shared } = context;
    this.aboveTokens = param.number(params, 'collapse.aboveTokens');
    this.downToTokens = param.number(params, 'collapse.downToTokens');
    this.keepPrompts = param.number(params, 'collapse.keepPrompts');
    this.quoteChars = param.number(params, 'collapse.quoteChars');
    this.folds = foldsOf(shared);
  }

  observe({ origin }: Message): void {
    if (origin === 'human') this.state = 'open';
  }

  reset(messages: readonly Message[]): void {
    this.state = 'open';
    this.folds.keepThose(messages);
  }

  resume(): void {
    this.state = 'open';
    this.folds.clear();
  }

  unfold(messageId: string, files: Files): Unfolded | null {
    const path = this.folds.pathOf(messageId);
    const file = path === null ? null : files.read(path);
    if (path === null || file === null) return null;
    this.folds.remove(path);
    return { path, messages: readFold(file.text) };
  }

  due(moment: HookContext, { seenTokens }: ContextView): boolean {
    return this.state === 'open' && moment.source === 'main' && seenTokens > this.aboveTokens;
  }

  *act(_moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const before = sizeBefore(view);
    const { foldings, left } = this.choose(view.messages, before.estimatedBefore - this.downToTokens);
    if (left === 0) this.state = 'exhausted';
    if (foldings.length === 0) return;
    const reason = `${before.estimatedBefore} tokens seen, more than ${this.aboveTokens}`;
    const by = { layer: 'collapse', reason } as const;
    for (const { finished, path } of foldings)
      yield { kind: 'write-file', by, path, text: new FoldText(finished.messages) };
    const edits = foldings.flatMap((folding) => folding.edits);
    yield { kind: 'rewrite-blocks', by, cause: 'collapse', keep: 'live', edits };
    let calls = 0;
    for (const { finished, path } of foldings) {
      calls += finished.calls;
      forgetResults(this.context, finished.messages);
      this.folds.add(path, finished.messages);
    }
    yield changeReport(view, before, {
      layer: 'collapse',
      action: 'fold',
      trigger: 'auto',
      reason,
      saved: before.trueBefore - view.trueTokens,
      details: {
        prompts: foldings.length,
        rounds: calls,
        files: foldings.length,
        threshold: this.aboveTokens,
      },
    });
  }

  /** The oldest prompts that together take what is wanted; one that its line would not make smaller stays. */
  private choose(
    messages: readonly Message[],
    wanted: number,
  ): { readonly foldings: readonly Folding[]; readonly left: number } {
    const open = finishedPrompts(messages, (id) => this.folds.pathOf(id) !== null);
    const may = open.slice(0, Math.max(0, open.length - this.keepPrompts));
    const deleted = deletedResults(this.context);
    const foldings: Folding[] = [];
    let rough = 0;
    let looked = 0;
    for (; looked < may.length && rough < wanted; looked++) {
      const finished = may[looked]!;
      const path = `${FOLD_DIRECTORY}/${this.context.thread}/${finished.prompt.id}.json`;
      const line = this.lineFor(finished, path);
      const { edits, tokens } = leaveOut(finished.messages, ALL, finished.prompt, line, deleted);
      if (tokens <= line.tokens) continue;
      foldings.push({ finished, path, edits });
      for (const { blocks } of finished.messages)
        for (const block of blocks) if (!deleted.has(block.toolUseId ?? '')) rough += block.rough;
      rough -= line.rough;
    }
    return { foldings, left: may.length - looked };
  }

  private lineFor({ prompt, calls }: FinishedPrompt, path: string): Block {
    const words = prompt.blocks.find(({ kind }) => kind === 'text')?.text?.read() ?? null;
    const quote = words === null ? '' : ` "${quoteOf(words, this.quoteChars)}"`;
    const text = `[Done:${quote} in ${calls} responses, kept in ${path}]`;
    return createBlock({
      kind: 'text',
      role: 'user',
      tokens: Math.ceil(text.length / CHARS_PER_TOKEN),
      text,
      facts: { replaces: 'marker' },
    });
  }
}

const ALL = (): boolean => true;

/** A text on one line; a long one by its head and tail with a mark between (INV-14). */
function quoteOf(words: string, chars: number): string {
  const line = words.replace(/\s+/g, ' ').trim();
  if (line.length <= chars) return line;
  const half = Math.floor(chars / 2);
  return `${line.slice(0, chars - half)} […] ${half === 0 ? '' : line.slice(-half)}`;
}

/** Context collapse: named by the analyses, defined here (FLG-1, FLG-2; assumed). */
export const collapseLayer: LayerDefinition = {
  name: 'collapse',
  layer: 'collapse',
  points: ['before-request'],
  needs: [],
  killSwitch: 'collapse.enabled',
  params: layerParams('collapse'),
  create: (context) => new Collapse(context),
};
