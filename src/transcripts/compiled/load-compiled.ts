import { getOrMake } from '../../core/base/once.js';
import {
  BLOCK_KINDS,
  BLOCK_ROLES,
  type Block,
  type BlockFacts,
  uniformFacts,
} from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';
import { literalText, type Text } from '../../core/model/text.js';
import type { RecordedCall, Step, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { FileTexts, RecordedText, type TextSource } from '../readers/claude-code/recorded-text.js';
import { FillerText } from '../synthetic/tools/filler-text.js';
import { checksumOf } from './compile-transcript.js';
import * as layout from './layout.js';

/** What a compiled transcript needs besides its bytes. */
export interface LoadOptions {
  /** The transcript it must be of. */
  readonly id: string;
  /** Where the texts of a file are read, by the file's name. */
  source(name: string): TextSource;
}

function isIntact(bytes: Buffer): boolean {
  return (
    bytes.length > layout.DOCUMENT_OFFSET &&
    bytes.toString('latin1', 0, layout.MAGIC.length) === layout.MAGIC &&
    bytes.readUInt32LE(layout.VERSION_OFFSET) === layout.COMPILED_VERSION &&
    checksumOf(bytes).equals(bytes.subarray(layout.CHECKSUM_OFFSET, layout.DOCUMENT_OFFSET))
  );
}

/** Reads what calls need when somebody asks, once. */
function usesIn(json: string): NonNullable<Transcript['uses']> {
  let read: ReturnType<NonNullable<Transcript['uses']>> | null = null;
  return () => (read ??= JSON.parse(json) as NonNullable<typeof read>);
}

/** Rebuilds objects from the rows of a document. */
class Loader {
  readonly #document: layout.CompiledDocument;
  readonly #facts: readonly BlockFacts[];
  /** Facts with an effect, each pair once. */
  readonly #withEffect = new Map<BlockFacts, Map<number, BlockFacts>>();
  readonly #names: readonly (string | null)[];
  readonly #texts: readonly FileTexts[];
  /** The time that the next one counts from. */
  #now = 0;

  constructor(document: layout.CompiledDocument, options: LoadOptions) {
    this.#document = document;
    this.#facts = document.facts.map(uniformFacts);
    // Names are looked up and compared all the time: each is one string, in the form that property names have.
    this.#names = [null, ...document.names.map((name) => Object.keys({ [name]: 0 })[0]!)];
    this.#texts = document.files.map((name) => new FileTexts(name, options.source(name)));
  }

  load(): Transcript {
    const threads = this.#document.threads.map(({ thread, prefix, steps }): Thread => {
      const { id, parentId, label, ...more } = thread;
      const blocks = prefix.map(this.#block);
      return { id, parentId, label, prefix: blocks, steps: steps.map(this.#step), ...more };
    });
    const { id, source, carries, agentVersion, startedAtMs, ...more } = this.#document.transcript;
    const { uses } = this.#document;
    const told = uses === undefined ? {} : { uses: usesIn(uses) };
    return { id, source, carries, agentVersion, startedAtMs, threads, ...more, ...told };
  }

  #time(since: number): number {
    this.#now += since;
    return this.#now;
  }

  #step = (row: layout.StepRow): Step => {
    if ('kind' in row) {
      const event = row.summary == null ? row : { ...row, summary: this.#message(row.summary) };
      return { kind: 'event', event: event as ThreadEvent };
    }
    return row[0] === 1
      ? { kind: 'call', call: this.#call(row as readonly [1, ...layout.CallRow]) }
      : { kind: 'message', message: this.#message(row as layout.MessageRow) };
  };

  #call(row: readonly [1, ...layout.CallRow]): RecordedCall {
    const [, id, start, end, model, usage, output, placeholder, stop, miss, effort, response] = row;
    return {
      id,
      startMs: this.#time(start),
      endMs: this.#time(end),
      model: this.#names[model]!,
      response: this.#message(response),
      usage: this.#document.usages[usage - 1] ?? null,
      ...(output === null ? {} : { outputTokens: output }),
      outputIsPlaceholder: placeholder === 1,
      stopReason: this.#names[stop]!,
      missReason: this.#names[miss]!,
      effort: this.#names[effort]!,
    };
  }

  #message(row: layout.MessageRow): Message {
    const [id, role, origin, at, responseId, usage, attachedTo, blocks] = row;
    return createMessage({
      id,
      role: role === 0 ? 'user' : 'assistant',
      origin: layout.ORIGINS[origin]!,
      blocks: blocks.map(this.#block),
      at: this.#time(at),
      responseId: responseId === 1 ? id : responseId || null,
      usage: this.#document.usages[usage - 1] ?? null,
      attachedTo: attachedTo || null,
    });
  }

  #block = (row: layout.BlockRow): Block => ({
    kind: BLOCK_KINDS[row[0]]!,
    role: BLOCK_ROLES[row[1]]!,
    tokens: row[2],
    chars: row[3],
    rough: row[4],
    digest: row[5],
    text: this.#text(row[10]),
    toolUseId: row[6] || null,
    tool: this.#names[row[7]]!,
    facts: this.#factsOf(row[8], row[9]),
  });

  #factsOf(row: number, effect: number): BlockFacts {
    const facts = this.#facts[row]!;
    if (effect === 0) return facts;
    const known = getOrMake(this.#withEffect, facts, () => new Map<number, BlockFacts>());
    const withEffect = () => uniformFacts({ ...facts, effect: this.#document.effects[effect - 1]! });
    return getOrMake(known, effect, withEffect);
  }

  #text(row: layout.TextRow): Text | null {
    if (row === 0) return null;
    if (typeof row === 'string') return literalText(row);
    if ('style' in row) return new FillerText(row, row.seed);
    const [file, offset, length, part, chars] = row;
    return new RecordedText(this.#texts[file]!, { offset, length }, part, chars);
  }
}

/** Rebuilds a compiled transcript; null when the bytes are damaged, of another version, or of another transcript. */
export function loadCompiled(bytes: Uint8Array, options: LoadOptions): Transcript | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!isIntact(buffer)) return null;
  try {
    const json = buffer.toString('utf8', layout.DOCUMENT_OFFSET);
    const document = JSON.parse(json) as layout.CompiledDocument;
    return document.transcript.id === options.id ? new Loader(document, options).load() : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}
