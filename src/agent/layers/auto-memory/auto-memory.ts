import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import type { StoredFile } from '../../../core/base/files.js';
import { type Block, textBlock } from '../../../core/model/block.js';
import {
  MEMORY_DIRECTORY,
  MEMORY_INDEX,
  MEMORY_TYPES,
  memoriesIn,
  memoryFileName,
} from '../../../core/model/memory.js';
import type { Message } from '../../../core/model/message.js';
import { lazyText, literalText, type Text } from '../../../core/model/text.js';
import {
  type Action,
  type Asker,
  type AskRequest,
  CLOSING_TOKENS,
  type Outcome,
} from '../../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { quietReporter } from '../support/compaction-report.js';
import { layerParams, param } from '../support/param-reader.js';
import {
  askFork,
  directive,
  forkTurn,
  handedBack,
  memoryIndexPart,
  readTurn,
  TOKENS_PER_CALL,
  type TurnBlocks,
  tokensOfChars,
} from './fork-turns.js';
import { keepOwnWrites, knownMemories, memoryQuality, type OwnWrite } from './known-memories.js';
import { IndexText, indexLimits, indexLineOf, indexTextOf } from './memory-index.js';
import {
  confineMemory,
  type MemoryStore,
  type RefusalReason,
  readMemories,
  type StoredMemory,
} from './memory-store.js';

/** Memories that the instruction lists by name; the rest is in the index (assumed). */
const LISTED = 40;

/** Memories as an instruction lists them. */
interface Listing {
  readonly memories: readonly StoredMemory[];
  readonly chars: number;
  readonly digest: Digest;
}

/** The list of the last memories; the one before it when nothing in it has changed. */
function listOf(memories: readonly StoredMemory[], before: Listing | null): Listing {
  const from = Math.max(0, memories.length - LISTED);
  if (before !== null && isSame(before.memories, memories, from)) return before;
  const listed = memories.slice(from);
  let chars = 0;
  let digest: Digest = 1;
  for (const { line } of listed) {
    chars += line.text.length + 1;
    digest = chainDigest(digest, line.digest);
  }
  return { memories: listed, chars, digest };
}

function isSame(listed: readonly StoredMemory[], memories: readonly StoredMemory[], from: number): boolean {
  if (listed.length !== memories.length - from) return false;
  for (let i = 0; i < listed.length; i++) if (listed[i] !== memories[from + i]) return false;
  return true;
}

/** What the fork is told (AUT-1, AUT-2, AUT-4): what to keep, what not, where, and in how many turns. Built when read. */
function extractionText(
  memories: readonly StoredMemory[],
  before: Listing | null,
): { readonly text: Text; readonly digest: Digest; readonly listing: Listing } {
  const count = `${memories.length} memories are there:\n`;
  const listing = listOf(memories, before);
  const build = (): string => OPENING + count + listing.memories.map(({ line }) => `${line.text}\n`).join('');
  return {
    text: lazyText(OPENING.length + count.length + listing.chars, build),
    digest: chainDigest(digestText(count, OPENING_DIGEST), listing.digest),
    listing,
  };
}

const OPENING = [
  'This request comes from the client, not from the user, and is no part of the conversation above.',
  `Look through what was said since the last time and keep what will matter in later sessions, as files in ${MEMORY_DIRECTORY}.`,
  `Each file is markdown with a name, a description and a type (${MEMORY_TYPES.join(', ')}) in its front matter.`,
  'Leave out what the code, its history or the instructions of the project already tell, errors that have been dealt with,',
  'and what only mattered in passing. Nothing outside the directory may be written.',
  'Take two turns: in the first read everything you need at once, in the second write everything at once.',
  '',
].join('\n');

const OPENING_DIGEST = digestText(OPENING);

const LAYER = 'auto-memory';
const report = quietReporter(LAYER);
const NOTHING = literalText('');
const NO_TURNS: readonly Message[] = [];

/** An extraction on its way: first the reads, then the writes (AUT-4); what follows only ends the fork. */
interface Running {
  readonly stage: 'reading' | 'writing';
  readonly endMs: number;
  /** The parent's conversation as it was, byte for byte, and the fork's own turns behind it. */
  readonly messages: readonly Message[];
  readonly ownTurns: readonly Message[];
  readonly about: readonly Message[];
  readonly prepared: Prepared;
  /** What the fork wants to write, and what it has put out for that. */
  readonly text: Text;
  readonly outputTokens: number;
}

/** What an extraction is told and reads; the same as long as the memories are. */
interface Prepared {
  readonly store: MemoryStore;
  readonly index: StoredFile | null;
  readonly instruction: Block;
  readonly listing: Listing;
  readonly turn: TurnBlocks;
  /** Number of files it reads. */
  readonly reads: number;
}

/** Extracts durable memories with a fork at the end of each loop (AUT-1 … AUT-4). */
class AutoMemory implements LayerInstance {
  readonly canCheckpoint = true;
  private running: Running | null = null;
  /** Memory files the main agent wrote since the last run (FLG-2). */
  private ownWrites: OwnWrite[] = [];
  private coveredId: string | null = null;
  private runs = 0;
  private prepared: Prepared | null = null;
  private readonly otherFiles = new Set<string>();
  readonly observes = 'assistant';

  constructor(private readonly context: LayerContext) {}

  observe({ blocks }: Message): void {
    for (let i = 0; i < blocks.length; i++) {
      const { kind, tool, facts } = blocks[i]!;
      if (kind !== 'tool_use' || tool === null || facts.path === undefined) continue;
      const name =
        tool === 'Edit' || tool === 'Write' || tool === 'MultiEdit' ? this.memoryName(facts.path) : null;
      if (name !== null) this.ownWrites.push({ name, block: blocks[i]! });
    }
  }

  /** The same few files are written again and again. */
  private memoryName(path: string): string | null {
    if (this.otherFiles.has(path)) return null;
    const name = memoryFileName(path);
    if (name === null) this.otherFiles.add(path);
    return name;
  }

  resume(): void {
    this.running = null;
    this.ownWrites = [];
  }

  due(moment: HookContext): boolean {
    if (moment.source !== 'main') return false;
    if (moment.point === 'end-of-loop') return true;
    if (moment.point === 'session-end') return true;
    return this.running !== null && this.running.endMs <= moment.now;
  }

  *act(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    if (moment.point === 'session-end') {
      yield* this.end(view);
      return;
    }
    const { running } = this;
    if (moment.point === 'wake') {
      if (running?.stage === 'reading') yield* this.write(running, moment, view);
      else if (running?.stage === 'writing') yield* this.land(running, moment, view);
      return;
    }
    if (this.ownWrites.length > 0) yield* this.standBack(view);
    else if (running !== null) {
      yield report(view, 'extract', 'declined', 'an extraction is still running', { skipped: 'running' });
    } else yield* this.read(moment, view);
  }

  /** The main agent wrote memories itself: what it wrote is on disk, and no fork is needed (AUT-1). */
  private *standBack(view: ContextView): Generator<Action, void, Outcome> {
    const writes = this.ownWrites;
    this.ownWrites = [];
    this.coveredId = view.messages.at(-1)?.id ?? null;
    const by: Asker = { layer: LAYER, reason: 'the main agent wrote to the memory directory itself' };
    const files = yield* keepOwnWrites(writes, view.files, indexLimits(this.context.params).lineChars, by);
    yield report(view, 'extract', 'declined', by.reason, { skipped: 'main-wrote', files });
  }

  /** The process ends: what runs is lost, and the quality of the memories is reported once (C33). */
  private *end(view: ContextView): Generator<Action, void, Outcome> {
    if (this.running !== null) {
      this.running = null;
      yield report(view, 'extract', 'failed', 'the process ended before the extraction did', {}, 'killed');
    }
    const quality = memoryQuality(readMemories(view.files), view.files.read(MEMORY_INDEX), view.messages);
    if (quality.kept > 0) yield report(view, 'quality', 'done', 'the session ends', { ...quality });
  }

  /** First turn: everything that may matter is read in parallel (AUT-4). */
  private *read(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const about = this.since(view.messages);
    if (about.length === 0) return;
    const by: Asker = { layer: LAYER, reason: 'the loop ended with a final answer' };
    const prepared = this.prepare(view);
    const { store, reads } = prepared;
    const instruction = directive(`auto-memory-${++this.runs}`, prepared.instruction, moment.now);
    const messages = [...view.messages];
    const sent = { messages: view.messages, ownTurns: NO_TURNS };
    const outcome = yield ask(by, sent, instruction, about, {
      kind: 'short',
      tokens: reads * TOKENS_PER_CALL,
    });
    const failure = failureOf(outcome);
    const details = { reads, memories: store.memories.length, corrupt: store.corrupt };
    yield report(view, 'read', failure === null ? 'done' : 'failed', by.reason, details, failure);
    if (outcome.kind !== 'answer' || failure !== null) return;
    this.coveredId = view.messages.at(-1)?.id ?? null;
    this.running = {
      stage: 'reading',
      endMs: outcome.answer.endMs,
      messages,
      ownTurns: [instruction],
      about,
      prepared,
      text: NOTHING,
      outputTokens: 0,
    };
    yield { kind: 'wake-at', by, timeMs: outcome.answer.endMs };
  }

  /** Second turn: the results are in, all writes go out together (AUT-4). */
  private *write(running: Running, moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    this.running = null;
    const by: Asker = { layer: LAYER, reason: 'the reads of the extraction are back' };
    const turn = forkTurn(`auto-memory-${this.runs}`, running.prepared.turn, moment.now);
    const { messages } = running;
    const ownTurns = [...running.ownTurns, turn.calls];
    const outcome = yield ask(by, { messages, ownTurns }, turn.results, running.about, {
      kind: 'memories',
      existing: knownMemories(running.prepared.store, running.prepared.index, view.messages),
    });
    const failure = failureOf(outcome);
    yield report(view, 'extract', failure === null ? 'done' : 'failed', by.reason, {}, failure);
    if (outcome.kind !== 'answer' || failure !== null) return;
    const { answer } = outcome;
    this.running = {
      stage: 'writing',
      endMs: answer.endMs,
      messages,
      ownTurns: [...ownTurns, turn.results],
      about: running.about,
      prepared: running.prepared,
      text: answer.text,
      outputTokens: answer.usage.output,
    };
    yield { kind: 'wake-at', by, timeMs: answer.endMs };
  }

  /** The writes reach the disk, as far as they stay inside the memory directory. */
  private *land(running: Running, moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    this.running = null;
    const { lineChars } = indexLimits(this.context.params);
    const by: Asker = { layer: LAYER, reason: 'the extraction has finished' };
    const { memories, broken } = memoriesIn(running.text);
    const refused: Partial<Record<RefusalReason, number>> = {};
    const types: Record<string, number> = {};
    const file = view.files.read(MEMORY_INDEX);
    let index = file === null ? IndexText.EMPTY : indexTextOf(file);
    let written = 0;
    let refusals = 0;
    for (const { memory, content } of memories) {
      const target = confineMemory(view.files, memory.name, content);
      if (target.kind === 'refused' || target.path === MEMORY_INDEX) {
        const reason = target.kind === 'refused' ? target.reason : 'reserved';
        refused[reason] = (refused[reason] ?? 0) + 1;
        refusals++;
        continue;
      }
      yield { kind: 'write-file', by, path: target.path, text: content };
      index = index.with(indexLineOf(memory, lineChars));
      types[memory.type] = (types[memory.type] ?? 0) + 1;
      written++;
    }
    if (written > 0) yield { kind: 'write-file', by, path: MEMORY_INDEX, text: index };
    const { count: indexLines, bytes: indexBytes } = index;
    const details = { written, types, broken, refused, refusals, indexLines, indexBytes };
    yield refusals > 0
      ? report(view, 'write', 'failed', 'a write led out of the memory directory', details, 'write-refused')
      : report(view, 'write', 'done', by.reason, details);
    if (memories.length > 0) yield* this.close(running, memories.length + 1, moment, view);
  }

  /** The results of the writes go back, and the fork ends with a few words (C31). */
  private *close(
    running: Running,
    edits: number,
    moment: HookContext,
    view: ContextView,
  ): Generator<Action, void, Outcome> {
    const by: Asker = { layer: LAYER, reason: 'the writes of the extraction are done' };
    const turn = handedBack(`auto-memory-${this.runs}-writes`, edits, running.outputTokens, moment.now);
    const sent = { messages: running.messages, ownTurns: [...running.ownTurns, turn.calls] };
    const outcome = yield ask(by, sent, turn.results, [], {
      kind: 'short',
      tokens: CLOSING_TOKENS,
    });
    const failure = failureOf(outcome);
    yield report(view, 'close', failure === null ? 'done' : 'failed', by.reason, { edits }, failure);
  }

  /** The messages that the last run has not covered; all when a compaction took its mark away. */
  private since(messages: readonly Message[]): readonly Message[] {
    let from = 0;
    if (this.coveredId !== null)
      for (let i = messages.length - 1; i >= 0 && from === 0; i--)
        if (messages[i]!.id === this.coveredId) from = i + 1;
    return messages.slice(from);
  }

  private prepare(view: ContextView): Prepared {
    const store = readMemories(view.files);
    const index = view.files.read(MEMORY_INDEX);
    if (this.prepared?.store === store && this.prepared.index === index) return this.prepared;
    const { memories } = store;
    const max = param.number(this.context.params, 'autoMemory.maxReads');
    const turn = readTurn(index, store.latest.slice(0, max));
    const { text, digest, listing } = extractionText(memories, this.prepared?.listing ?? null);
    this.prepared = {
      store,
      index,
      instruction: textBlock(text, tokensOfChars(text.chars), digest),
      listing,
      turn,
      reads: turn.uses.length,
    };
    return this.prepared;
  }
}

function ask(
  by: Asker,
  sent: Pick<Running, 'messages' | 'ownTurns'>,
  instruction: Message,
  about: readonly Message[],
  answer: AskRequest['answer'],
): Action {
  return askFork(by, { purpose: 'auto_memory', ...sent, about, instruction, answer });
}

function failureOf(outcome: Outcome): string | null {
  if (outcome.kind === 'failed') return outcome.failure.reason;
  if (outcome.kind === 'done') return 'no-answer';
  if (outcome.answer.form === 'error') return 'error-as-memories';
  return outcome.answer.form === 'tool-call' ? 'tool-refused' : null;
}

/** Auto memory (AUT). */
export const autoMemoryLayer: LayerDefinition = {
  name: 'auto-memory',
  layer: LAYER,
  points: ['end-of-loop', 'wake', 'session-end'],
  needs: ['text'],
  params: layerParams('auto-memory'),
  killSwitch: 'autoMemory.enabled',
  systemPart: memoryIndexPart,
  create: (context) => new AutoMemory(context),
};
