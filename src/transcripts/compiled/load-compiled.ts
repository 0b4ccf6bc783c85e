import { type Block, type BlockFacts, uniformFacts } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import { literalText, type Text } from '../../core/model/text.js';
import type { RecordedCall, Step, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { FileTexts, RecordedText, type TextSource } from '../readers/claude-code/recorded-text.js';
import { FillerText } from '../synthetic/tools/filler-text.js';
import { ALIGNMENT, aligned, type Column, readColumns } from './columns.js';
import { checksumOf } from './compile-transcript.js';
import * as layout from './layout.js';
import { readStrings } from './string-table.js';

/** What a compiled transcript needs besides its bytes. */
export interface LoadOptions {
  /** The transcript it must be of. */
  readonly id: string;
  /** Where the texts of a file are read, by the file's name. */
  source(name: string): TextSource;
}

const EMBEDDED = layout.TEXT_KINDS.indexOf('embedded');
const RECORDED = layout.TEXT_KINDS.indexOf('recorded');
const FILLER = layout.TEXT_KINDS.indexOf('filler');

function isIntact(bytes: Buffer): boolean {
  return (
    bytes.length >= layout.PREAMBLE_BYTES &&
    bytes.toString('latin1', 0, layout.MAGIC.length) === layout.MAGIC &&
    bytes.readUInt32LE(layout.VERSION_OFFSET) === layout.COMPILED_VERSION &&
    checksumOf(bytes).equals(
      bytes.subarray(layout.CHECKSUM_OFFSET, layout.CHECKSUM_OFFSET + layout.CHECKSUM_BYTES),
    )
  );
}

/** Columns of one table by their short names. */
type Columns<Name extends string> = Readonly<Record<Name, Column>>;

function tableOf<Name extends string>(
  column: (name: string) => Column,
  prefix: string,
  names: readonly Name[],
): Columns<Name> {
  return Object.fromEntries(names.map((name) => [name, column(`${prefix}.${name}`)])) as Columns<Name>;
}

/** Rebuilds objects from columns; blocks lie in the order in which threads and their steps use them. */
class Loader {
  readonly #header: layout.CompiledHeader;
  readonly #facts: readonly BlockFacts[];
  /** Facts with an effect, each pair once. */
  readonly #withEffect = new Map<BlockFacts, Map<number, BlockFacts>>();
  readonly #string: (index: number) => string | null;
  readonly #texts: readonly FileTexts[];
  readonly #block: Columns<(typeof layout.BLOCK_COLUMNS)[number]>;
  readonly #message: Columns<(typeof layout.MESSAGE_COLUMNS)[number]>;
  readonly #call: Columns<(typeof layout.CALL_COLUMNS)[number]>;
  readonly #step: Columns<(typeof layout.STEP_COLUMNS)[number]>;
  readonly #usages: readonly (Usage | null)[];
  readonly #tools = new Map<number, string | null>();
  #nextBlock = 0;
  #nextStep = 0;

  constructor(bytes: Buffer, options: LoadOptions) {
    const headerEnd = layout.PREAMBLE_BYTES + bytes.readUInt32LE(layout.HEADER_LENGTH_OFFSET);
    this.#header = JSON.parse(
      bytes.toString('utf8', layout.PREAMBLE_BYTES, headerEnd),
    ) as layout.CompiledHeader;
    const { columns, strings, files } = this.#header;
    this.#facts = this.#header.facts.map(uniformFacts);
    const column = readColumns(columns, bytes.buffer, bytes.byteOffset + aligned(headerEnd));
    this.#block = tableOf(column, 'block', layout.BLOCK_COLUMNS);
    this.#message = tableOf(column, 'message', layout.MESSAGE_COLUMNS);
    this.#call = tableOf(column, 'call', layout.CALL_COLUMNS);
    this.#step = tableOf(column, 'step', layout.STEP_COLUMNS);
    this.#usages = loadUsages(tableOf(column, 'usage', layout.USAGE_COLUMNS));
    const table = bytes.subarray(bytes.length - strings.bytes);
    this.#string = readStrings(table, strings.encoding, column('strings'));
    this.#texts = files.map((name) => new FileTexts(name, options.source(name)));
  }

  load(): Transcript {
    const threads = this.#header.threads.map((entry): Thread => {
      const prefix = this.#takeBlocks(entry.prefixBlocks);
      const steps: Step[] = [];
      for (let i = 0; i < entry.steps; i++) steps.push(this.#takeStep());
      return threadOf(entry, prefix, steps);
    });
    return transcriptOf(this.#header.transcript, threads);
  }

  #takeStep(): Step {
    const kind = layout.STEP_KINDS[this.#step.kind[this.#nextStep]!]!;
    const row = this.#step.row[this.#nextStep++]! - 1;
    if (kind === 'message') return { kind, message: this.#messageAt(row) };
    if (kind === 'call') return { kind, call: this.#callAt(row) };
    const entry = this.#header.events[row]!;
    const event =
      typeof entry.summary === 'number' ? { ...entry, summary: this.#messageAt(entry.summary - 1) } : entry;
    return { kind, event: event as ThreadEvent };
  }

  #callAt(row: number): RecordedCall {
    const call = this.#call;
    return {
      id: this.#string(call.id[row]!)!,
      startMs: call.startMs[row]!,
      endMs: call.endMs[row]!,
      model: this.#string(call.model[row]!)!,
      response: this.#messageAt(call.response[row]! - 1),
      usage: this.#usages[call.usage[row]!]!,
      ...(call.output[row] === 0 ? {} : { outputTokens: call.output[row]! - 1 }),
      outputIsPlaceholder: call.placeholder[row] === 1,
      stopReason: this.#string(call.stopReason[row]!),
      missReason: this.#string(call.missReason[row]!),
      effort: this.#string(call.effort[row]!),
    };
  }

  #messageAt(row: number): Message {
    const message = this.#message;
    return createMessage({
      id: this.#string(message.id[row]!)!,
      role: message.role[row] === 0 ? 'user' : 'assistant',
      origin: layout.ORIGINS[message.origin[row]!]!,
      blocks: this.#takeBlocks(message.blocks[row]!),
      at: message.at[row]!,
      responseId: this.#string(message.responseId[row]!),
      usage: this.#usages[message.usage[row]!]!,
      attachedTo: this.#string(message.attachedTo[row]!),
    });
  }

  #takeBlocks(count: number): Block[] {
    const blocks: Block[] = [];
    for (let i = 0; i < count; i++) blocks.push(this.#blockAt(this.#nextBlock++));
    return blocks;
  }

  #blockAt(row: number): Block {
    const block = this.#block;
    return {
      kind: layout.KINDS[block.kind[row]!]!,
      role: layout.ROLES[block.role[row]!]!,
      tokens: block.tokens[row]!,
      chars: block.chars[row]!,
      rough: block.rough[row]!,
      digest: block.digest[row]!,
      text: this.#textAt(row),
      toolUseId: this.#string(block.toolUseId[row]!),
      tool: this.#toolAt(row),
      facts: this.#factsAt(row),
    };
  }

  #factsAt(row: number): BlockFacts {
    const facts = this.#facts[this.#block.facts[row]!]!;
    const number = this.#block.effect[row]!;
    if (number === 0) return facts;
    const effect = this.#header.effects[number - 1];
    if (effect === undefined) throw new RangeError('a block has an effect that is not there');
    const known = this.#withEffect.get(facts) ?? new Map<number, BlockFacts>();
    const both = known.get(number) ?? uniformFacts({ ...facts, effect });
    known.set(number, both);
    this.#withEffect.set(facts, known);
    return both;
  }

  /** Names of tools are looked up and compared all the time: each is one string, in the form that property names have. */
  #toolAt(row: number): string | null {
    const index = this.#block.tool[row]!;
    let name = this.#tools.get(index);
    if (name === undefined) {
      const text = this.#string(index);
      name = text === null ? null : Object.keys({ [text]: 0 })[0]!;
      this.#tools.set(index, name);
    }
    return name;
  }

  #textAt(row: number): Text | null {
    const block = this.#block;
    const kind = block.text[row];
    if (kind === EMBEDDED) return literalText(this.#string(block.part[row]!) ?? '');
    if (kind === FILLER) return this.#fillerAt(row);
    if (kind !== RECORDED) return null;
    const place = { offset: block.offset[row]!, length: block.length[row]! };
    return new RecordedText(this.#texts[block.file[row]!]!, place, block.part[row]!, block.textChars[row]!);
  }

  #fillerAt(row: number): Text {
    const block = this.#block;
    const seed = block.offset[row]!;
    const init = {
      style: layout.FILLER_STYLES[block.file[row]!]!,
      chars: block.textChars[row]!,
      head: this.#string(block.length[row]!) ?? '',
      tail: this.#string(block.part[row]!) ?? '',
    };
    return new FillerText(init, seed);
  }
}

function loadUsages(usage: Columns<(typeof layout.USAGE_COLUMNS)[number]>): readonly (Usage | null)[] {
  const usages: (Usage | null)[] = [null];
  for (let row = 0; row < usage.input.length; row++) {
    usages.push({
      input: usage.input[row]!,
      cacheRead: usage.cacheRead[row]!,
      cacheWrite5m: usage.cacheWrite5m[row]!,
      cacheWrite1h: usage.cacheWrite1h[row]!,
      output: usage.output[row]!,
    });
  }
  return usages;
}

function threadOf({ thread }: layout.ThreadEntry, prefix: readonly Block[], steps: readonly Step[]): Thread {
  const { id, parentId, label, ...more } = thread;
  return { id, parentId, label, prefix, steps, ...more };
}

function transcriptOf(rest: Omit<Transcript, 'threads'>, threads: readonly Thread[]): Transcript {
  const { id, source, carries, agentVersion, startedAtMs, ...more } = rest;
  return { id, source, carries, agentVersion, startedAtMs, threads, ...more };
}

/** Rebuilds a compiled transcript; null when the bytes are damaged, of another version, or of another transcript. */
export function loadCompiled(bytes: Uint8Array, options: LoadOptions): Transcript | null {
  const isAligned = bytes.byteOffset % ALIGNMENT === 0;
  const buffer = isAligned ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : alignedCopy(bytes);
  if (!isIntact(buffer)) return null;
  try {
    const transcript = new Loader(buffer, options).load();
    return transcript.id === options.id ? transcript : null;
  } catch (error) {
    if (error instanceof RangeError || error instanceof SyntaxError || error instanceof TypeError)
      return null;
    throw error;
  }
}

function alignedCopy(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(new ArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
