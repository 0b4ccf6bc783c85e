import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { ownValue } from '../../core/base/own-value.js';
import type { CellValue, ResultColumn, ResultRow } from '../result-rows.js';
import { removeUnfinished, unwritable, writerName } from './write-whole.js';

type Cells = readonly CellValue[];

function columnData(columns: readonly ResultColumn[], rows: readonly Cells[]): ColumnSource[] {
  return columns.map(({ name, kind }, i) => ({
    name,
    data: rows.map((cells) => cells[i] ?? null),
    type: kind === 'text' ? ('STRING' as const) : ('DOUBLE' as const),
  }));
}

/** Rows as the bytes of a Parquet file: equal rows give equal bytes. */
export async function encodePart(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columnData(
        columns,
        rows.map(({ cells }) => cells),
      ),
      rowGroupSize: rows.length,
    }),
  );
}

/** Rows that are held before they are written. */
const GROUP_ROWS = 10_000;

/** A Parquet file that grows row group by row group and is in its place when it is whole: more rows than memory holds. */
export class GrowingPart {
  readonly #path: string;
  readonly #fresh: string;
  readonly #columns: readonly ResultColumn[];
  readonly #writer: ParquetWriter;
  #rows: Cells[] = [];

  private constructor(path: string, fresh: string, columns: readonly ResultColumn[], writer: ParquetWriter) {
    this.#path = path;
    this.#fresh = fresh;
    this.#columns = columns;
    this.#writer = writer;
  }

  static async open(path: string, columns: readonly ResultColumn[]): Promise<GrowingPart> {
    const { ParquetWriter, fileWriter, schemaFromColumnData } = await import('hyparquet-writer');
    const fresh = `${path}.${writerName()}.part`;
    const schema = schemaFromColumnData({ columnData: columnData(columns, []) });
    return attempt(path, () => {
      mkdirSync(dirname(path), { recursive: true });
      removeUnfinished(dirname(path));
      return new GrowingPart(path, fresh, columns, new ParquetWriter({ writer: fileWriter(fresh), schema }));
    });
  }

  add(cells: Cells): void {
    this.#rows.push(cells);
    if (this.#rows.length >= GROUP_ROWS) this.#flush();
  }

  finish(): void {
    this.#flush();
    attempt(this.#path, () => {
      this.#writer.finish();
      renameSync(this.#fresh, this.#path);
    });
  }

  /** Removes what is not finished. */
  discard(): void {
    rmSync(this.#fresh, { force: true });
  }

  #flush(): void {
    const data = columnData(this.#columns, this.#rows);
    attempt(this.#path, () => this.#writer.write({ columnData: data, rowGroupSize: GROUP_ROWS }));
    this.#rows = [];
  }
}

function attempt<T>(path: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw unwritable(path, error);
  }
}

function bufferOf(path: string): ArrayBuffer {
  const bytes = readFileSync(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}

/** The rows of a part with some of its columns, in the order that is asked for; a column it lacks is empty. */
export async function readPart(
  path: string,
  columns: readonly string[],
): Promise<readonly (readonly CellValue[])[]> {
  const { parquetReadObjects, parquetMetadata, parquetSchema } = await import('hyparquet');
  const file = bufferOf(path);
  const metadata = parquetMetadata(file);
  const there = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
  const wanted = columns.filter((name) => there.has(name));
  const rows = (await parquetReadObjects({ file, metadata, columns: wanted })) as readonly Readonly<
    Record<string, CellValue | undefined>
  >[];
  return rows.map((row) => columns.map((name) => ownValue(row, name) ?? null));
}
