/** Number types a column may have, narrowest first. */
const TYPES = ['u8', 'u16', 'u32', 'f64'] as const;
type ColumnType = (typeof TYPES)[number];

const BYTES: Readonly<Record<ColumnType, number>> = { u8: 1, u16: 2, u32: 4, f64: 8 };
const LARGEST: Readonly<Record<ColumnType, number>> = {
  u8: 0xff,
  u16: 0xffff,
  u32: 0xffff_ffff,
  f64: Number.POSITIVE_INFINITY,
};

/** Columns start at multiples of this many bytes. */
export const ALIGNMENT = 8;

/** A column in the file: name, type, first byte behind the header, count of values. */
export type ColumnEntry = readonly [name: string, type: ColumnType, offset: number, count: number];

/** A column at hand. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

/** The next multiple of the alignment. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function narrowest(values: readonly number[]): ColumnType {
  let largest = 0;
  for (const value of values) {
    if (!Number.isInteger(value) || value < 0 || Object.is(value, -0)) return 'f64';
    if (value > largest) largest = value;
  }
  return TYPES.find((type) => largest <= LARGEST[type]) ?? 'f64';
}

function view(type: ColumnType, buffer: ArrayBufferLike, offset: number, count: number): Column {
  if (type === 'u8') return new Uint8Array(buffer, offset, count);
  if (type === 'u16') return new Uint16Array(buffer, offset, count);
  if (type === 'u32') return new Uint32Array(buffer, offset, count);
  return new Float64Array(buffer, offset, count);
}

/** Lays columns out one behind another, each in the narrowest type that holds its values exactly. */
export class ColumnWriter {
  readonly #entries: ColumnEntry[] = [];
  readonly #values: (readonly number[])[] = [];
  #bytes = 0;

  add(name: string, values: readonly number[]): void {
    const type = narrowest(values);
    this.#entries.push([name, type, this.#bytes, values.length]);
    this.#values.push(values);
    this.#bytes = aligned(this.#bytes + values.length * BYTES[type]);
  }

  get entries(): readonly ColumnEntry[] {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  write(buffer: ArrayBufferLike, start: number): void {
    this.#entries.forEach(([, type, offset, count], i) => {
      view(type, buffer, start + offset, count).set(this.#values[i]!);
    });
  }
}

/** The columns of a file by name. */
export function readColumns(
  entries: readonly ColumnEntry[],
  buffer: ArrayBufferLike,
  start: number,
): (name: string) => Column {
  const columns = new Map(
    entries.map(([name, type, offset, count]) => [name, view(type, buffer, start + offset, count)] as const),
  );
  return (name) => {
    const column = columns.get(name);
    if (column === undefined) throw new RangeError(`no column ${name}`);
    return column;
  };
}
