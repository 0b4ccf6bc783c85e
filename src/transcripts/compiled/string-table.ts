/** How the characters of a table are written: one byte each for ASCII, UTF-16 where UTF-8 would lose some. */
export type StringEncoding = 'latin1' | 'utf8' | 'utf16le';

/** Collects texts, each once; 0 stands for null. */
export class StringTableWriter {
  readonly #indexes = new Map<string, number>();
  readonly #texts: string[] = [];

  add(text: string | null): number {
    if (text === null) return 0;
    let index = this.#indexes.get(text);
    if (index === undefined) {
      index = this.#texts.push(text);
      this.#indexes.set(text, index);
    }
    return index;
  }

  /** Lengths in UTF-16 code units, in the order of the texts. */
  get lengths(): readonly number[] {
    return this.#texts.map((text) => text.length);
  }

  /** All texts in one, with the way they are written. */
  encode(): { readonly encoding: StringEncoding; readonly bytes: Buffer } {
    const text = this.#texts.join('');
    const bytes = Buffer.from(text, 'utf8');
    if (bytes.length === text.length) return { encoding: 'latin1', bytes };
    if (bytes.toString('utf8') === text) return { encoding: 'utf8', bytes };
    return { encoding: 'utf16le', bytes: Buffer.from(text, 'utf16le') };
  }
}

/** The texts of a table; they share the characters of one long text. */
export function readStrings(
  bytes: Buffer,
  encoding: StringEncoding,
  lengths: ArrayLike<number>,
): (index: number) => string | null {
  const all = bytes.toString(encoding);
  const ends = new Uint32Array(lengths.length + 1);
  for (let i = 0; i < lengths.length; i++) ends[i + 1] = ends[i]! + lengths[i]!;
  if (ends[lengths.length] !== all.length) throw new RangeError('the text table does not fit its lengths');
  const texts: (string | null)[] = new Array<string | null>(lengths.length + 1).fill(null);
  return (index) => {
    if (index === 0) return null;
    let text = texts[index] ?? null;
    if (text === null) {
      text = all.slice(ends[index - 1], ends[index]);
      texts[index] = text;
    }
    return text;
  };
}
