import { chainDigest, type Digest } from '../../core/base/digest.js';
import type { Block } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { LevelSalts } from '../cache/salts.js';
import type { ModelRow } from '../prices/model-row.js';
import type { JsonObject } from './minimal-value.js';

/** Counts the tokens of a text for the request's model. */
export type CountTokens = (text: string) => number;

/** A tool that a request defines. */
export interface DefinedTool {
  readonly name: string;
  /** JSON schema of its input; empty where none is given. */
  readonly input: JsonObject;
}

/** A prefix with the blocks that form it. */
export interface PromptView extends PrefixView {
  readonly blocks: readonly Block[];
}
/** What a request demands of its answer, whichever API it came through; absent is what nobody demands. */
export interface AnswerDemands {
  /** It may call tools (`auto`), must not, or must call one. */
  readonly toolChoice?: 'auto' | 'none' | 'any';
  /** Tools that may be called; all of them where absent. */
  readonly allowedTools?: readonly string[];
  readonly callsAtOnce?: 'one' | 'many';
  /** Texts that end an answer where they would occur in it. */
  readonly stopSequences?: readonly string[];
  /** JSON schema that the text of the answer must follow. */
  readonly format?: JsonObject;
}

/** An accepted request, as the simulator sees it; whichever API it came through. */
export interface ApiRequest extends AnswerDemands {
  readonly ok: true;
  readonly model: ModelRow;
  /** The model's name as it was written. */
  readonly modelName: string;
  readonly windowTokens: number;
  readonly maxTokens: number;
  /** What becomes of an answer that prompt and `maxTokens` leave no room for. */
  readonly overWindow: 'refused' | 'cut';
  readonly delivery: 'plain' | 'stream';
  readonly view: PromptView;
  readonly salts: LevelSalts;
  readonly breakpoints: readonly Breakpoint[];
  readonly tools: readonly DefinedTool[];
  /** Turns of the conversation, consecutive messages of one role merged. */
  readonly messages: readonly Message[];
  readonly promptTokens: number;
  /** Whether the model is asked to think. */
  readonly thinking: 'on' | 'off';
  /** Stands for the prompt without its thinking. */
  readonly spoken: Digest;
  /** What the API does before it answers; absent where it compacts nothing. */
  readonly compaction?: ApiCompaction;
  readonly count: CountTokens;
}

/** A compaction by the API itself: a call for a summary, and the request that goes on behind it. */
export interface ApiCompaction {
  readonly ask: ApiRequest;
  /** The request behind a summary; null is one that failed, and leaves the request as it was. */
  readonly behind: (summary: string | null) => ApiRequest;
  /** Whether the summary is all of the answer. */
  readonly isAlone: boolean;
}

/** Counts for a model, whose tokenizer makes more or fewer tokens than the counter's. */
export function countFor(
  { tokenizerScale }: ModelRow,
  counter: { count(text: string): number },
): CountTokens {
  return (text) => (text === '' ? 0 : Math.max(1, Math.round(counter.count(text) * tokenizerScale)));
}

/** A block as it is read, with whatever else its API says of it. */
interface Held {
  readonly block: Block;
}

/** Consecutive messages of one role, as they are read. */
export interface ReadTurn<One extends Held> {
  readonly role: 'user' | 'assistant' | 'system';
  readonly blocks: readonly One[];
}

/** The turns of a conversation as messages. */
export function messagesOf(turns: readonly ReadTurn<Held>[]): readonly Message[] {
  return turns.map(({ role, blocks }, i) =>
    createMessage({
      id: `turn ${i}`,
      role: role === 'assistant' ? 'assistant' : 'user',
      origin: role === 'assistant' ? 'model' : 'context',
      blocks: blocks.map(({ block }) => block),
      at: 0,
    }),
  );
}

/** The blocks of turns, without the thinking before this turn. */
export function blocksOf<One extends Held>(
  turns: readonly ReadTurn<One>[],
  keptFrom: number,
): readonly One[] {
  return turns.flatMap(({ blocks }, i) =>
    i < keptFrom ? blocks.filter(({ block }) => block.kind !== 'thinking') : blocks,
  );
}

/** The digest of a prompt without its thinking. */
export function spokenDigest(blocks: readonly Held[], from: Digest = 0): Digest {
  let digest = from;
  for (const { block } of blocks) if (block.kind !== 'thinking') digest = chainDigest(digest, block.digest);
  return digest;
}

/** The prompt that blocks form, in the order tools, system, messages. */
export function promptOf(
  blocks: readonly Held[],
  tools: number,
  system: number,
): Pick<ApiRequest, 'view' | 'promptTokens' | 'spoken'> {
  const digests: number[] = [];
  const sums: number[] = [];
  let digest = 0;
  let promptTokens = 0;
  for (const { block } of blocks) {
    digest = chainDigest(digest, block.digest);
    promptTokens += block.tokens;
    digests.push(digest);
    sums.push(promptTokens);
  }
  const plain = blocks.map(({ block }) => block);
  const ends = { toolsEnd: tools, systemEnd: tools + system };
  const view = { length: blocks.length, digests, sums, ...ends, blocks: plain };
  return { view, promptTokens, spoken: spokenDigest(blocks) };
}
