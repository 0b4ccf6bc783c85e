import { createHash } from 'node:crypto';
import { getOrMake } from '../../core/base/once.js';
import {
  BLOCK_KINDS,
  BLOCK_ROLES,
  type Block,
  type BlockFacts,
  type ToolEffect,
} from '../../core/model/block.js';
import type { Message } from '../../core/model/message.js';
import type { Text } from '../../core/model/text.js';
import type { RecordedCall, Step, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { compactionsIn } from '../../core/model/transcript.js';
import type { Usage } from '../../core/model/usage.js';
import { usesOf } from '../../core/uses/find-uses.js';
import { RecordedText } from '../readers/claude-code/recorded-text.js';
import { FillerText } from '../synthetic/tools/filler-text.js';
import * as layout from './layout.js';

/** Values that are kept as JSON, each once. */
class Distinct<Value> {
  readonly values: Value[] = [];
  readonly #rows = new Map<string, number>();
  /** Rows of objects that were seen before: equal blocks mostly share theirs. */
  readonly #seen = new Map<Value, number>();

  /** The number of a value, from 1; null is 0. `replacer` leaves members out. */
  add(value: Value | null, replacer?: (key: string, member: unknown) => unknown): number {
    if (value === null) return 0;
    const seen = this.#seen.get(value);
    if (seen !== undefined) return seen;
    const key = JSON.stringify(value, replacer);
    const row = getOrMake(this.#rows, key, () => this.values.push(JSON.parse(key) as Value));
    this.#seen.set(value, row);
    return row;
  }
}

/** Whether a client has compacted a thread: what was needed of it is asked for most often then. */
function isCompacted(thread: Thread): boolean {
  return compactionsIn([thread]).length > 0;
}

class Compiler {
  readonly #usages = new Distinct<Usage>();
  readonly #facts = new Distinct<Omit<BlockFacts, 'effect'>>();
  readonly #effects = new Distinct<ToolEffect>();
  readonly #names = new Distinct<string>();
  readonly #files = new Distinct<string>();
  /** The time that the next one counts from. */
  #now = 0;

  compile(whole: Transcript): layout.CompiledDocument {
    const { threads, uses: _uses, ...transcript } = whole;
    const rows = threads.map(({ prefix, steps, ...thread }) => {
      return { thread, prefix: prefix.map(this.#block), steps: steps.map(this.#step) };
    });
    return {
      transcript,
      ...(threads.some(isCompacted) ? { uses: JSON.stringify(usesOf(whole)) } : {}),
      threads: rows,
      usages: this.#usages.values,
      facts: this.#facts.values,
      effects: this.#effects.values,
      names: this.#names.values,
      files: this.#files.values,
    };
  }

  #since(ms: number): number {
    const since = ms - this.#now;
    this.#now = ms;
    return since;
  }

  #step = (step: Step): layout.StepRow => {
    if (step.kind === 'message') return this.#message(step.message);
    return step.kind === 'call' ? [1, ...this.#call(step.call)] : this.#event(step.event);
  };

  #event(event: ThreadEvent): layout.EventRow {
    if (event.kind !== 'recorded-compaction') return event;
    return { ...event, summary: event.summary === null ? null : this.#message(event.summary) };
  }

  #call(call: RecordedCall): layout.CallRow {
    return [
      call.id,
      this.#since(call.startMs),
      this.#since(call.endMs),
      this.#names.add(call.model),
      this.#usages.add(call.usage),
      call.outputTokens ?? null,
      call.outputIsPlaceholder ? 1 : 0,
      this.#names.add(call.stopReason),
      this.#names.add(call.missReason),
      this.#names.add(call.effort),
      this.#message(call.response),
    ];
  }

  #message({ id, role, origin, at, responseId, usage, attachedTo, blocks }: Message): layout.MessageRow {
    return [
      id,
      role === 'user' ? 0 : 1,
      layout.ORIGINS.indexOf(origin),
      this.#since(at),
      responseId === id ? 1 : (responseId ?? 0),
      this.#usages.add(usage),
      attachedTo ?? 0,
      blocks.map(this.#block),
    ];
  }

  #block = (block: Block): layout.BlockRow => [
    BLOCK_KINDS.indexOf(block.kind),
    BLOCK_ROLES.indexOf(block.role),
    block.tokens,
    block.chars,
    block.rough,
    block.digest,
    block.toolUseId ?? 0,
    this.#names.add(block.tool),
    this.#facts.add(block.facts, (key, member) => (key === 'effect' ? undefined : member)) - 1,
    this.#effects.add(block.facts.effect ?? null),
    this.#text(block.text),
  ];

  #text(text: Text | null): layout.TextRow {
    if (text === null) return 0;
    if (text instanceof RecordedText) {
      const { file, offset, length, part, chars } = text;
      return [this.#files.add(file.name) - 1, offset, length, part, chars];
    }
    if (!(text instanceof FillerText)) return text.read();
    const { style, seed, chars, head, tail } = text;
    return { style, seed, chars, head, tail };
  }
}

/** Checksum of the document. */
export function checksumOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes.subarray(layout.DOCUMENT_OFFSET)).digest();
}

/**
 * A transcript as one piece of bytes, with recorded texts by their place in the file. It can be kept on disk, and threads
 * share it without copying it.
 */
export function compileTranscript(transcript: Transcript): Uint8Array<SharedArrayBuffer> {
  const json = Buffer.from(JSON.stringify(new Compiler().compile(transcript)));
  const bytes = Buffer.from(new SharedArrayBuffer(layout.DOCUMENT_OFFSET + json.length));
  bytes.write(layout.MAGIC, 'latin1');
  bytes.writeUInt32LE(layout.COMPILED_VERSION, layout.VERSION_OFFSET);
  json.copy(bytes, layout.DOCUMENT_OFFSET);
  checksumOf(bytes).copy(bytes, layout.CHECKSUM_OFFSET);
  return bytes;
}
