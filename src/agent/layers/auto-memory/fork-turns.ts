import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { Files, StoredFile } from '../../../core/base/files.js';
import { type Block, CHARS_PER_TOKEN, createBlock, toolBlock } from '../../../core/model/block.js';
import { MEMORY_INDEX } from '../../../core/model/memory.js';
import { type Message, PassingMessage } from '../../../core/model/message.js';
import {
  type Action,
  type Asker,
  type AskRequest,
  EDIT_CALL_TOKENS,
  EDIT_RESULT_TOKENS,
} from '../../../core/run/action.js';
import type { Notice, RenderedPart, SystemPart } from '../../../core/run/layer.js';
import type { ParamValues } from '../../../core/run/params.js';
import { indexLimits, type LoadedIndex, loadIndex } from './memory-index.js';
import type { StoredMemory } from './memory-store.js';

/** Marks the block of the system prompt that holds the memory index. */
const NAME = 'memory-index';

/** Rendered once for each writing of the file. */
const RENDERED = new WeakMap<StoredFile, { readonly params: ParamValues; readonly part: RenderedPart }>();

/** The memory index in the system prompt (AUT-3): equal files give equal bytes. */
export const memoryIndexPart: SystemPart = {
  name: NAME,
  render(files: Files, params: ParamValues): RenderedPart | null {
    const file = files.read(MEMORY_INDEX);
    if (file === null) return null;
    let rendered = RENDERED.get(file);
    if (rendered?.params !== params) {
      rendered = { params, part: partOf(loadIndex(file, indexLimits(params))) };
      RENDERED.set(file, rendered);
    }
    return rendered.part;
  },
};

function partOf(loaded: LoadedIndex): RenderedPart {
  const { text, digest, lines, bytes, shownLines, cutBy } = loaded;
  const tokens = text === null ? 0 : tokensOfChars(text.chars);
  const shown =
    cutBy === null ? `${lines} lines` : `${shownLines} of ${lines} lines, cut by the limit of ${cutBy}`;
  const facts = { attachment: NAME };
  return {
    block:
      text === null ? null : createBlock({ kind: 'system', role: 'system', tokens, text, digest, facts }),
    problem: loaded.isBinary ? BINARY : null,
    entered: {
      what: NAME,
      message: `the memory index enters the system prompt: ${shown}`,
      details: { lines, bytes, shownLines, cutBy, tokens },
    },
  };
}

const BINARY: Notice = {
  what: 'memory-index-binary',
  message: 'the memory index holds binary content and is not loaded',
  details: { isBinary: true },
};

/** Tokens of one tool call of a fork: name and path. */
export const TOKENS_PER_CALL = EDIT_CALL_TOKENS;

/** A tool call of a fork and what came back. */
export interface ForkCall {
  readonly tool: string;
  readonly about: string;
  readonly resultTokens: number;
}

/** Tokens of a text of this many characters that enters a fork. */
export function tokensOfChars(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** What a fork is told. */
export function directiveBlock(text: string): Block {
  return createBlock({ kind: 'text', role: 'user', tokens: tokensOfChars(text.length), text });
}

/** What a fork is told, as a message of its own. */
export function directive(id: string, block: Block, at: number): Message {
  return new PassingMessage(id, 'user', 'directive', [block], at);
}

/** The calls of a fork's turn and their results. */
export interface TurnBlocks {
  readonly uses: readonly Block[];
  readonly results: readonly Block[];
}

function useBlock({ tool, about }: ForkCall, toolUseId: string): Block {
  return toolBlock('tool_use', `${tool} ${about}`, TOKENS_PER_CALL, tool, toolUseId);
}

function resultBlock({ tool, about, resultTokens }: ForkCall, toolUseId: string): Block {
  return toolBlock('tool_result', `${about}: ${resultTokens}`, resultTokens, tool, toolUseId);
}

/** All calls of a fork's turn, and what came back. */
export function turnBlocks(id: string, calls: readonly ForkCall[]): TurnBlocks {
  return {
    uses: calls.map((call, i) => useBlock(call, `${id}-${i}`)),
    results: calls.map((call, i) => resultBlock(call, `${id}-${i}`)),
  };
}

interface ReadBlocks {
  readonly use: Block;
  readonly result: Block;
}

function readBlocks(path: string, resultTokens: number): ReadBlocks {
  const call: ForkCall = { tool: 'Read', about: path, resultTokens };
  const id = `read ${path}`;
  return { use: useBlock(call, id), result: resultBlock(call, id) };
}

/** Reads of memories, made once for what each memory says: name and size follow from that. */
const READS = new WeakMap<StoredMemory['line'], ReadBlocks>();

const INDEX_READ = readBlocks(MEMORY_INDEX, 1);

/** A read of the index as it is: only the size of the result differs from time to time. */
function indexRead(indexChars: number): ReadBlocks {
  const tokens = Math.max(1, tokensOfChars(indexChars));
  const { use, result } = INDEX_READ;
  const { kind, role, chars, rough, text, toolUseId, tool, facts } = result;
  const digest = chainDigest(result.digest, tokens);
  return { use, result: { kind, role, tokens, chars, rough, digest, text, toolUseId, tool, facts } };
}

/** A turn that reads the index and some memories. */
export function readTurn(index: StoredFile | null, memories: readonly StoredMemory[]): TurnBlocks {
  const reads = [indexRead(index?.chars ?? 0)];
  for (const memory of memories) {
    const known = READS.get(memory.line);
    const blocks = known ?? readBlocks(memory.path, tokensOfChars(memory.chars));
    if (known === undefined) READS.set(memory.line, blocks);
    reads.push(blocks);
  }
  return { uses: reads.map(({ use }) => use), results: reads.map(({ result }) => result) };
}

/** A turn of a fork: all its calls in one response, all their results in one message. */
export function forkTurn(
  id: string,
  { uses, results }: TurnBlocks,
  at: number,
): { readonly calls: Message; readonly results: Message } {
  return {
    calls: new PassingMessage(`${id}-calls`, 'assistant', 'model', uses, at),
    results: new PassingMessage(`${id}-results`, 'user', 'tool', results, at),
  };
}

const EDIT_CALL = toolBlock('tool_use', 'edit', 0, 'Edit', null);
const EDIT_RESULT = toolBlock('tool_result', 'The file was updated.', EDIT_RESULT_TOKENS, 'Edit', null);

/** An edit of a fork, or its result: like all others but for its place and size. */
function editBlock(like: Block, digest: Digest, tokens: number, toolUseId: string): Block {
  const { kind, role, chars, rough, text, tool, facts } = like;
  return {
    kind,
    role,
    tokens,
    chars,
    rough,
    digest: chainDigest(like.digest, digest),
    text,
    toolUseId,
    tool,
    facts,
  };
}

/** Edits that a fork has put out in this many tokens, and what came back for them. */
export function handedBack(
  id: string,
  edits: number,
  outputTokens: number,
  at: number,
): { readonly calls: Message; readonly results: Message } {
  const uses: Block[] = [];
  const results: Block[] = [];
  const fork = digestText(id);
  for (let i = 0; i < edits; i++) {
    const tokens = Math.max(1, Math.floor(outputTokens / edits) + (i < outputTokens % edits ? 1 : 0));
    const digest = chainDigest(chainDigest(fork, i), tokens);
    const toolUseId = `${id}-${i}`;
    uses.push(editBlock(EDIT_CALL, digest, tokens, toolUseId));
    results.push(editBlock(EDIT_RESULT, digest, EDIT_RESULT_TOKENS, toolUseId));
  }
  return forkTurn(id, { uses, results }, at);
}

/** Asks in the background with a fork of the thread's own request: no output cap, which would change the cache key, and no retries. */
export function askFork(
  by: Asker,
  request: Pick<AskRequest, 'purpose' | 'messages' | 'instruction' | 'answer'> & Partial<AskRequest>,
): Action {
  return {
    kind: 'ask',
    by,
    request: {
      shape: { kind: 'fork' },
      write: 'write',
      maxOutputTokens: null,
      retries: 0,
      mode: 'background',
      ...request,
    },
  };
}
