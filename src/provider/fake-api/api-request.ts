import { chainDigest, type Digest } from '../../core/base/digest.js';
import type { Block } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Breakpoint, PrefixView } from '../../core/model/prefix.js';
import type { LevelSalts } from '../cache/salts.js';
import type { ModelRow } from '../prices/model-row.js';
import type { JsonObject } from './json-value.js';

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

/** The prefix that the blocks of a prompt form, in the order tools, system, messages. */
export function prefixOf(
  blocks: readonly { readonly block: Block }[],
  toolsEnd: number,
  systemEnd: number,
): PromptView {
  const digests: number[] = [];
  const sums: number[] = [];
  let digest = 0;
  let sum = 0;
  for (const { block } of blocks) {
    digest = chainDigest(digest, block.digest);
    sum += block.tokens;
    digests.push(digest);
    sums.push(sum);
  }
  const plain = blocks.map(({ block }) => block);
  return { length: blocks.length, digests, sums, toolsEnd, systemEnd, blocks: plain };
}
