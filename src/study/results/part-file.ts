import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { CcbenchError } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { isAtWork } from '../../transcripts/files/litter.js';
import { makeFolder } from '../../transcripts/files/make-folder.js';
import { remedyFor, whyUnwritable } from '../../transcripts/files/why-unwritable.js';
import type { CellValue, ResultColumn, ResultRow } from '../result-rows.js';

/** Names of what a process of some machine is writing. */
const BEING_WRITTEN = /\.([\w-]+)\.(\d+)\.(?:\d+\.)?part$/;

/** Something unfinished of another machine, whose processes cannot be seen, is given up after so long without a change. */
const GIVEN_UP_MS = 86_400_000;

let written = 0;

/** This process among those of all machines that write into a folder. */
export function writerName(): string {
  return `${hostname().replace(/[^\w-]/g, '-')}.${process.pid}`;
}

/** The error for a folder of results that cannot be written. */
export function unwritable(
  path: string,
  error: unknown,
  elsewhere = 'choose another folder with --results',
): CcbenchError {
  if (error instanceof CcbenchError) return error;
  return new CcbenchError('output-unwritable', `${path} cannot be written: ${whyUnwritable(error)}`, {
    hint: remedyFor(error, elsewhere),
    cause: error,
  });
}

/** What a file is written from: at once, or piece by piece. */
export type FileContent = string | Uint8Array | Iterable<string>;

/** Writes a file whole or not at all: under a name of its own first, then in its place. */
export function writeWhole(
  path: string,
  data: FileContent,
  fail = (error: unknown): CcbenchError => unwritable(path, error),
): void {
  const fresh = `${path}.${writerName()}.${written++}.part`;
  try {
    makeFolder(dirname(path));
    const file = openSync(fresh, 'w');
    try {
      for (const piece of typeof data === 'string' || data instanceof Uint8Array ? [data] : data)
        writeFileSync(file, piece);
    } finally {
      closeSync(file);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw fail(error);
  }
}

/** Removes what killed processes left unfinished in a folder. */
export function removeUnfinished(folder: string): void {
  const own = writerName().split('.')[0];
  for (const name of namesIn(folder)) {
    const [, host, pid] = BEING_WRITTEN.exec(name) ?? [];
    if (host === undefined) continue;
    const path = join(folder, name);
    try {
      const isLeft =
        host === own ? !isAtWork(Number(pid)) : Date.now() - statSync(path).mtimeMs > GIVEN_UP_MS;
      if (isLeft) rmSync(path, { force: true });
    } catch {
      // Another process was faster.
    }
  }
}

/** The names in a folder, sorted; none if there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

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
      makeFolder(dirname(path));
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
