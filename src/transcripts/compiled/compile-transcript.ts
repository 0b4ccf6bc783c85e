import { createHash } from 'node:crypto';
import type { Block, BlockFacts } from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Text } from '../../core/model/text.js';
import type { ToolEffect } from '../../core/model/tool-effect.js';
import type { RecordedCall, Step, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { RecordedText } from '../readers/claude-code/recorded-text.js';
import { FillerText } from '../synthetic/tools/filler-text.js';
import { aligned, ColumnWriter } from './columns.js';
import * as layout from './layout.js';
import { StringTableWriter } from './string-table.js';

/** Rows of one table, column by column. */
class Table<Name extends string> {
  readonly #columns: ReadonlyMap<Name, number[]>;
  count = 0;

  constructor(names: readonly Name[]) {
    this.#columns = new Map(names.map((name) => [name, []]));
  }

  /** Adds a row and returns its number, from 1. */
  add(row: Readonly<Record<Name, number>>): number {
    for (const [name, values] of this.#columns) values.push(row[name]);
    return ++this.count;
  }

  writeTo(writer: ColumnWriter, prefix: string): void {
    for (const [name, values] of this.#columns) writer.add(`${prefix}.${name}`, values);
  }
}

/** Values that are kept as JSON, each once. */
class Distinct<Value> {
  readonly values: Value[] = [];
  readonly #rows = new Map<string, number>();
  /** Rows of objects that were seen before: equal blocks mostly share theirs. */
  readonly #seen = new Map<Value, number>();

  /** The number of a value, from 1; `replacer` leaves members out. */
  add(value: Value, replacer?: (key: string, member: unknown) => unknown): number {
    const seen = this.#seen.get(value);
    if (seen !== undefined) return seen;
    const key = JSON.stringify(value, replacer);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.values.push(JSON.parse(key) as Value);
      this.#rows.set(key, row);
    }
    this.#seen.set(value, row);
    return row;
  }
}

function withoutEffect(key: string, member: unknown): unknown {
  return key === 'effect' ? undefined : member;
}

type TextRow = Readonly<Record<'text' | 'file' | 'offset' | 'length' | 'part', number>>;

const NO_TEXT: TextRow = { text: layout.TEXT_KINDS.indexOf('none'), file: 0, offset: 0, length: 0, part: 0 };
const RECORDED = layout.TEXT_KINDS.indexOf('recorded');
const EMBEDDED = layout.TEXT_KINDS.indexOf('embedded');
const FILLER = layout.TEXT_KINDS.indexOf('filler');

class Compiler {
  readonly #strings = new StringTableWriter();
  readonly #facts = new Distinct<Omit<BlockFacts, 'effect'>>();
  readonly #effects = new Distinct<ToolEffect>();
  readonly #files: string[] = [];
  readonly #events: layout.EventEntry[] = [];
  readonly #usages = new Map<Usage, number>();
  readonly #blocks = new Table(layout.BLOCK_COLUMNS);
  readonly #usage = new Table(layout.USAGE_COLUMNS);
  readonly #messages = new Table(layout.MESSAGE_COLUMNS);
  readonly #calls = new Table(layout.CALL_COLUMNS);
  readonly #steps = new Table(layout.STEP_COLUMNS);

  compile(transcript: Transcript): Uint8Array<SharedArrayBuffer> {
    const { threads: all, ...rest } = transcript;
    const threads = all.map((thread): layout.ThreadEntry => {
      const { prefix, steps, ...own } = thread;
      for (const block of prefix) this.#block(block);
      for (const step of steps) this.#step(step);
      return { thread: own, prefixBlocks: prefix.length, steps: steps.length };
    });
    const writer = new ColumnWriter();
    this.#blocks.writeTo(writer, 'block');
    this.#usage.writeTo(writer, 'usage');
    this.#messages.writeTo(writer, 'message');
    this.#calls.writeTo(writer, 'call');
    this.#steps.writeTo(writer, 'step');
    writer.add('strings', this.#strings.lengths);
    const { encoding, bytes } = this.#strings.encode();
    return assemble(
      {
        transcript: rest,
        threads,
        events: this.#events,
        facts: this.#facts.values,
        effects: this.#effects.values,
        files: this.#files,
        columns: writer.entries,
        strings: { encoding, bytes: bytes.length },
      },
      writer,
      bytes,
    );
  }

  #step(step: Step): void {
    const row =
      step.kind === 'message'
        ? this.#message(step.message)
        : step.kind === 'call'
          ? this.#call(step.call)
          : this.#event(step.event);
    this.#steps.add({ kind: layout.STEP_KINDS.indexOf(step.kind), row });
  }

  #event(event: ThreadEvent): number {
    const entry: layout.EventEntry =
      event.kind === 'recorded-compaction'
        ? { ...event, summary: event.summary === null ? null : this.#message(event.summary) }
        : event;
    return this.#events.push(entry);
  }

  #call(call: RecordedCall): number {
    return this.#calls.add({
      id: this.#strings.add(call.id),
      startMs: call.startMs,
      endMs: call.endMs,
      model: this.#strings.add(call.model),
      response: this.#message(call.response),
      usage: this.#usageRow(call.usage),
      output: call.outputTokens === undefined ? 0 : call.outputTokens + 1,
      placeholder: Number(call.outputIsPlaceholder),
      stopReason: this.#strings.add(call.stopReason),
      missReason: this.#strings.add(call.missReason),
      effort: this.#strings.add(call.effort),
    });
  }

  #message(message: Message): number {
    for (const block of message.blocks) this.#block(block);
    return this.#messages.add({
      id: this.#strings.add(message.id),
      role: message.role === 'user' ? 0 : 1,
      origin: layout.ORIGINS.indexOf(message.origin),
      blocks: message.blocks.length,
      at: message.at,
      responseId: this.#strings.add(message.responseId),
      usage: this.#usageRow(message.usage),
      attachedTo: this.#strings.add(message.attachedTo),
    });
  }

  #usageRow(usage: Usage | null): number {
    if (usage === null) return 0;
    let row = this.#usages.get(usage);
    if (row === undefined) {
      row = this.#usage.add({ ...usage });
      this.#usages.set(usage, row);
    }
    return row;
  }

  #block(block: Block): void {
    this.#blocks.add({
      kind: layout.KINDS.indexOf(block.kind),
      role: layout.ROLES.indexOf(block.role),
      tokens: block.tokens,
      chars: block.chars,
      rough: block.rough,
      digest: block.digest,
      toolUseId: this.#strings.add(block.toolUseId),
      tool: this.#strings.add(block.tool),
      facts: this.#facts.add(block.facts, withoutEffect) - 1,
      effect: block.facts.effect === undefined ? 0 : this.#effects.add(block.facts.effect),
      textChars: block.text?.chars ?? 0,
      ...this.#text(block.text),
    });
  }

  #text(text: Text | null): TextRow {
    if (text === null) return NO_TEXT;
    if (text instanceof RecordedText) {
      const { offset, length, part } = text;
      return { text: RECORDED, file: this.#fileRow(text.file.name), offset, length, part };
    }
    if (text instanceof FillerText) {
      const file = layout.FILLER_STYLES.indexOf(text.style);
      const [length, part] = [this.#strings.add(text.head), this.#strings.add(text.tail)];
      return { text: FILLER, file, offset: text.seed, length, part };
    }
    return { ...NO_TEXT, text: EMBEDDED, part: this.#strings.add(text.read()) };
  }

  #fileRow(name: string): number {
    const row = this.#files.indexOf(name);
    return row === -1 ? this.#files.push(name) - 1 : row;
  }
}

function assemble(
  header: layout.CompiledHeader,
  columns: ColumnWriter,
  strings: Buffer,
): Uint8Array<SharedArrayBuffer> {
  const json = Buffer.from(JSON.stringify(header));
  const start = aligned(layout.PREAMBLE_BYTES + json.length);
  const bytes = Buffer.from(new SharedArrayBuffer(start + columns.bytes + strings.length));
  bytes.write(layout.MAGIC, 'latin1');
  bytes.writeUInt32LE(layout.COMPILED_VERSION, layout.VERSION_OFFSET);
  bytes.writeUInt32LE(json.length, layout.HEADER_LENGTH_OFFSET);
  json.copy(bytes, layout.PREAMBLE_BYTES);
  columns.write(bytes.buffer, start);
  strings.copy(bytes, start + columns.bytes);
  checksumOf(bytes).copy(bytes, layout.CHECKSUM_OFFSET, 0, layout.CHECKSUM_BYTES);
  return bytes;
}

/** Checksum of everything behind the preamble. */
export function checksumOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes.subarray(layout.PREAMBLE_BYTES)).digest();
}

/**
 * A transcript as one piece of bytes: numbers in columns, texts in one table, recorded texts by their place in the file.
 * It can be kept on disk, and threads share it without copying it.
 */
export function compileTranscript(transcript: Transcript): Uint8Array<SharedArrayBuffer> {
  return new Compiler().compile(transcript);
}
