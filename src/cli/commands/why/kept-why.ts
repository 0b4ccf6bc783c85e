import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { ContextTape } from '../../../analysis/why/context-tape.js';
import { countOnce } from '../../../analysis/why/count-once.js';
import type { SessionWhy } from '../../../analysis/why/session-why.js';
import { type SummedSession, sumsOf } from '../../../analysis/why/sum-up.js';
import type { Warning } from '../../../core/run/warning.js';
import type { ChartedRun } from '../../../report/page-data/page-data.js';
import { drawnSession } from './why-page-data.js';

/** What is asked of every session before it is known which of its calls count. */
export interface WhyHead {
  /** Why nothing of it can be counted; null if something can. */
  readonly reason: string | null;
  /** The folder that its agent worked in; null if it does not say. */
  readonly project: string | null;
  /** Keys of all its calls and compactions, and of those among them that nothing is counted of. */
  readonly callKeys: readonly string[];
  readonly uncountedKeys: readonly string[];
  readonly warnings: readonly Warning[];
}

/** What a session adds to a report where all of its calls count; without its place, which the caller knows. */
type WhySums = Omit<SummedSession, 'file' | 'project'>;

/** The parts of a kept result, each of which is read alone: what all reports need first. */
const PARTS = ['head', 'summed', 'drawn', 'rows', 'tape'] as const;
type Part = (typeof PARTS)[number];

/** The parts that are most of it and seldom read are compressed: to a sixth. */
const COMPRESSED: readonly Part[] = ['rows', 'tape'];

const MAGIC = 'ccbwhy3\n';
const [SIZE_BYTES, SUM_BYTES] = [4, 16];
const HEADER_BYTES = MAGIC.length + PARTS.length * (SIZE_BYTES + SUM_BYTES);

function sumOf(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest().subarray(0, SUM_BYTES);
}

/** Puts a result into bytes. */
export function packWhy(
  why: SessionWhy | { readonly reason: string },
  head: Pick<WhyHead, 'project' | 'callKeys' | 'warnings'>,
): Uint8Array<ArrayBuffer> {
  const parts =
    'bill' in why ? countedParts(why, head) : [{ ...head, reason: why.reason, uncountedKeys: head.callKeys }];
  const texts = PARTS.map((part, i) => {
    const text = Buffer.from(parts[i] === undefined ? '' : JSON.stringify(parts[i]));
    return COMPRESSED.includes(part) ? deflateRawSync(text, { level: 1 }) : text;
  });
  const header = Buffer.alloc(HEADER_BYTES);
  header.write(MAGIC, 'latin1');
  let at = MAGIC.length;
  for (const text of texts) {
    at = header.writeUInt32LE(text.length, at);
    at += sumOf(text).copy(header, at);
  }
  const whole = new Uint8Array(texts.reduce((sum, { length }) => sum + length, HEADER_BYTES));
  let end = 0;
  for (const piece of [header, ...texts]) {
    whole.set(piece, end);
    end += piece.length;
  }
  return whole;
}

function countedParts(
  why: SessionWhy,
  known: Pick<WhyHead, 'project' | 'callKeys' | 'warnings'>,
): readonly object[] {
  const [counted] = countOnce([why]);
  const { file: _file, project: _project, tape, ...rows } = why;
  const { agent, version, startedAtMs, carries, reproduction } = why;
  const changes = why.changes.map(({ usage: _usage, ...change }) => change);
  const keys = new Set([...why.requests.map(({ key }) => key), ...why.compactionKeys]);
  const head: WhyHead = {
    ...known,
    reason: null,
    uncountedKeys: known.callKeys.filter((key) => !keys.has(key)),
  };
  const sums = sumsOf(counted!, 'source');
  const summed: WhySums = { agent, version, startedAtMs, carries, reproduction, changes, sums };
  const drawn = counted!.requests.length === 0 ? {} : drawnSession(counted!);
  return [head, summed, drawn, rows, tape];
}

/** Bytes of a result from an offset on, as many as there are; null if it is gone. */
type ReadBytes = (offset: number, length: number) => Uint8Array | null;

/** Bytes that are read first: most heads end in them. */
const FIRST_BYTES = 16_384;

/** A result that was opened, with what is asked of it first. */
export interface OpenedWhy {
  readonly kept: KeptWhy;
  readonly head: WhyHead;
}

/** A result that is read part by part. It holds none of them: there may be ten thousand. */
export class KeptWhy {
  readonly #header: Buffer;
  readonly #read: ReadBytes;

  private constructor(header: Buffer, read: ReadBytes) {
    this.#header = header;
    this.#read = read;
  }

  /** Opens a result; null if there is none, or it is damaged. */
  static open(read: ReadBytes): OpenedWhy | null {
    const first = read(0, FIRST_BYTES);
    if (first === null || first.length < HEADER_BYTES) return null;
    const header = Buffer.from(first.subarray(0, HEADER_BYTES));
    if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
    const cached: ReadBytes = (offset, length) =>
      offset + length <= first.length ? first.subarray(offset, offset + length) : read(offset, length);
    const head = partOf<WhyHead>(header, 'head', cached);
    return head === null ? null : { kept: new KeptWhy(header, read), head };
  }

  /** What it adds to a report; null if that is gone or damaged. */
  summed(): WhySums | null {
    return partOf<WhySums>(this.#header, 'summed', this.#read);
  }

  /** What a page draws of it; null if that is gone or damaged. */
  drawn(): ChartedRun | null {
    return partOf<ChartedRun>(this.#header, 'drawn', this.#read);
  }

  /** All of it, under the name that it has now; null if that is gone or damaged. */
  session(named: Pick<SessionWhy, 'file' | 'project'>, tapeElse: () => ContextTape): SessionWhy | null {
    const rows = partOf<Omit<SessionWhy, 'tape' | 'file' | 'project'>>(this.#header, 'rows', this.#read);
    if (rows === null) return null;
    const [header, read] = [this.#header, this.#read];
    let tape: ContextTape | null = null;
    return {
      ...rows,
      ...named,
      get tape() {
        tape ??= partOf<ContextTape>(header, 'tape', read) ?? tapeElse();
        return tape;
      },
    };
  }
}

function partOf<T>(header: Buffer, part: Part, read: ReadBytes): T | null {
  let offset = HEADER_BYTES;
  let at = MAGIC.length;
  for (const name of PARTS) {
    const length = header.readUInt32LE(at);
    if (name !== part) {
      offset += length;
      at += SIZE_BYTES + SUM_BYTES;
      continue;
    }
    const sum = header.subarray(at + SIZE_BYTES, at + SIZE_BYTES + SUM_BYTES);
    const bytes = read(offset, length);
    if (bytes === null || bytes.length !== length || !sumOf(bytes).equals(sum)) return null;
    const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    return JSON.parse((COMPRESSED.includes(part) ? inflateRawSync(whole) : whole).toString('utf8')) as T;
  }
  return null;
}
