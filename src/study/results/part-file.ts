import { readFileSync } from 'node:fs';
import { ownValue } from '../../core/base/own-value.js';
import type { CellValue, ResultColumn, ResultRow } from '../result-rows.js';

/** Rows as the bytes of a Parquet file: equal rows give equal bytes. */
export async function encodePart(
  columns: readonly ResultColumn[],
  rows: readonly ResultRow[],
): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  return new Uint8Array(
    parquetWriteBuffer({
      columnData: columns.map(({ name, kind }, i) => ({
        name,
        data: rows.map(({ cells }) => cells[i] ?? null),
        type: kind === 'text' ? ('STRING' as const) : ('DOUBLE' as const),
      })),
      rowGroupSize: rows.length,
    }),
  );
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
