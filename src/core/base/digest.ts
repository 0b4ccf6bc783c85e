import { createHash, hash } from 'node:crypto';

/** Slots a set starts with; always a power of two. */
const FIRST_SLOTS = 1_024;

/** Many digests: open addressing over one column of numbers, a third of what a Set of boxed numbers takes. */
export class DigestSet {
  /** 0 is a free slot; the digest 0 is told apart. */
  #slots = new Float64Array(FIRST_SLOTS);
  #size = 0;
  #hasZero = false;

  has(digest: Digest): boolean {
    return digest === 0 ? this.#hasZero : this.#slots[this.#slotOf(digest)] === digest;
  }

  add(digest: Digest): void {
    if (digest === 0) {
      this.#hasZero = true;
      return;
    }
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === digest) return;
    this.#slots[slot] = digest;
    if (4 * ++this.#size > 3 * this.#slots.length) this.#grow();
  }

  /** The slot of a digest, or the free one where it belongs. */
  #slotOf(digest: Digest): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = (digest | 0) & mask;
    while (slots[slot] !== 0 && slots[slot] !== digest) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(2 * before.length);
    for (const digest of before) if (digest !== 0) this.#slots[this.#slotOf(digest)] = digest;
  }
}

/**
 * A 53-bit digest held in a plain number: cheap as a Map key, exact in JSON.
 * Used for block contents and chained prefixes inside a run; identities that go to disk use sha256Hex.
 */
export type Digest = number;

const HIGH = 0x1_0000_0000;

function finish(a: number, b: number): Digest {
  let x = a ^ (b >>> 15);
  let y = b ^ (a >>> 13);
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  y = Math.imul(y ^ (y >>> 15), 0x6c8e9cf5);
  x ^= y >>> 14;
  y ^= x >>> 16;
  return (x & 0x1fffff) * HIGH + (y >>> 0);
}

/** Longer texts are digested eight code units at a time, from a buffer of this many. */
const SHORT_CHARS = 64;
const WINDOW_CHARS = 8_192;
const WINDOW = Buffer.alloc(2 * WINDOW_CHARS);
const WORDS = new DataView(WINDOW.buffer, WINDOW.byteOffset, WINDOW.byteLength);

/** So few characters are put into the buffer one by one: a call out of the language costs more. */
const FEW_CHARS = 256;

function writeFew(text: string): number {
  for (let i = 0; i < text.length; i++) WORDS.setUint16(2 * i, text.charCodeAt(i), true);
  return 2 * text.length;
}

/** Two pairs of lanes that do not wait for each other; each pair mixes every word it gets into both of its lanes. */
function digestLong(text: string, high: number, low: number): Digest {
  let a = high;
  let b = low;
  let c = ~high;
  let d = ~low;
  for (let from = 0; from < text.length; from += WINDOW_CHARS) {
    const part = text.length <= WINDOW_CHARS ? text : text.slice(from, from + WINDOW_CHARS);
    const bytes = part.length <= FEW_CHARS ? writeFew(part) : WINDOW.write(part, 'utf16le');
    if ((bytes & 15) !== 0) WINDOW.fill(0, bytes, (bytes | 15) + 1);
    for (let i = 0; i < bytes; i += 16) {
      const first = WORDS.getInt32(i, true);
      const second = WORDS.getInt32(i + 4, true);
      const third = WORDS.getInt32(i + 8, true);
      const fourth = WORDS.getInt32(i + 12, true);
      a = (Math.imul(a ^ first, 0x2c1b3c6d) + second) | 0;
      b = (Math.imul(b ^ second, 0x297a2d39) + first) | 0;
      c = (Math.imul(c ^ third, 0x27d4eb2f) + fourth) | 0;
      d = (Math.imul(d ^ fourth, 0x165667b1) + third) | 0;
      a ^= a >>> 15;
      b ^= b >>> 13;
      c ^= c >>> 16;
      d ^= d >>> 14;
    }
  }
  a = Math.imul(a ^ (c >>> 17), 0x2c1b3c6d) ^ c;
  b = (Math.imul(b ^ (d >>> 16), 0x297a2d39) + d) | 0;
  return finish(a ^ text.length, b + Math.imul(text.length, 0x5bd1e995));
}

/** Digest of a text, optionally salted with another digest. */
export function digestText(text: string, salt: Digest = 0): Digest {
  return digestPart(text, 0, text.length, salt);
}

/** The same of a part of a text; a short one is not cut out for it. */
export function digestPart(text: string, from: number, to: number, salt: Digest = 0): Digest {
  let a = ((salt / HIGH) | 0) ^ 0x51ed270b;
  let b = salt | 0;
  const length = to - from;
  if (length > SHORT_CHARS) return digestLong(length === text.length ? text : text.slice(from, to), a, b);
  for (let i = from; i < to; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x2c1b3c6d);
    b = Math.imul(b + c, 0x297a2d39) ^ (b >>> 11);
  }
  return finish(a ^ length, b + Math.imul(length, 0x5bd1e995));
}

/** Digest of a prefix extended by one block: depends on order, never on text. */
export function chainDigest(prefix: Digest, block: Digest): Digest {
  const a = Math.imul(((prefix / HIGH) | 0) ^ 0x3c6ef372, 0x2c1b3c6d) ^ (block | 0);
  const b = Math.imul((prefix | 0) + 0x1b873593, 0x297a2d39) ^ ((block / HIGH) | 0);
  return finish(Math.imul(a, 0x5bd1e995) + b, Math.imul(b, 0x27d4eb2f) ^ (a >>> 7));
}

/** Digest of a list of parts, in order. */
export function digestParts(parts: readonly (string | number)[]): Digest {
  let digest = 1;
  for (const part of parts) {
    digest = chainDigest(digest, typeof part === 'number' ? digestText(`#${part}`) : digestText(part));
  }
  return digest;
}

/** A digest as fourteen hexadecimal figures. */
export function formatDigest(digest: Digest): string {
  return digest.toString(16).padStart(14, '0');
}

/** JSON with object keys in code-unit order, those that are list positions first: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? `${value}` : 'null';
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${text === '' ? '' : ','}${canonicalJson(item) ?? 'null'}`;
    return `[${text}]`;
  }
  const source = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(source).sort();
  if (keys.some(isPosition)) keys.sort(positionsFirst);
  for (const key of keys) {
    const item = canonicalJson(source[key]) as string | undefined;
    if (item !== undefined) text += `${text === '' ? '' : ','}${quoted(key)}:${item}`;
  }
  return `{${text}}`;
}

/** A key as JSON; most are words, which are written as they are. */
function quoted(key: string): string {
  return /^[\w.-]*$/.test(key) ? `"${key}"` : JSON.stringify(key);
}

/** Whether a key is a list position, which objects put in front of other keys. */
function isPosition(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 && /^(?:0|[1-9]\d*)$/.test(key) && Number(key) < 2 ** 32 - 1;
}

/** Leaves keys that are no positions in their order. */
function positionsFirst(a: string, b: string): number {
  const [isA, isB] = [isPosition(a), isPosition(b)];
  return isA && isB ? Number(a) - Number(b) : Number(isB) - Number(isA);
}

/** SHA-256 of a text or bytes, in hexadecimal: the identity of things kept on disk. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 of a text that comes in parts. */
export function createSha256(): { add(text: string): void; hex(): string } {
  const parts = createHash('sha256');
  return { add: (text) => void parts.update(text), hex: () => parts.digest('hex') };
}
