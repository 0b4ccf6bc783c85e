import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import type { ResultRow } from '../../../study/result-rows.js';
import { encodePart, writeWhole } from '../../../study/results/part-file.js';
import type { ResultStore } from '../../../study/results/result-store.js';

/** A value as JSON holds it. */
type Plain = string | number | boolean | null;

/** What a query gives: its columns in order, and a list of values for each row. */
export interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Plain[])[];
}

/** A text as SQL takes it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function plain(value: unknown): Plain {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  return String(value);
}

/** The package, where the user has installed it. */
async function openDuckdb(view: string) {
  try {
    return await import('@duckdb/node-api');
  } catch (cause) {
    throw new CcbenchError(
      'not-supported',
      'SQL needs the package @duckdb/node-api, which is not installed',
      {
        hint: `npm install @duckdb/node-api beside ccbench, or ask the command duckdb: duckdb -c "${view}; select …"; without SQL: --best, --group, --mean, --where, --count`,
        cause,
      },
    );
  }
}

/** A table by its Parquet files. */
export interface Table {
  readonly name: string;
  readonly files: readonly string[];
}

function viewOf({ name, files }: Table): string {
  return `create view ${name} as select * from read_parquet([${files.map(quoted).join(', ')}])`;
}

/** Answers a query on tables of Parquet files with DuckDB. */
export async function askTables(tables: readonly Table[], query: string): Promise<Answer> {
  const views = tables.map(viewOf).join('; ');
  const { DuckDBInstance } = await openDuckdb(views);
  return run(await DuckDBInstance.create(':memory:'), views, query);
}

/** Answers a query on the table `results` of a study, and on others beside it. */
export async function askDuckdb(
  results: ResultStore,
  query: string,
  others: readonly Table[],
): Promise<Answer> {
  const folder = mkdtempSync(join(tmpdir(), 'ccbench-results-'));
  try {
    const sources = results.sources();
    const files = sources.filter(({ kind }) => kind === 'part').map(({ path }) => path);
    const loose: ResultRow[] = [];
    for (const { kind, place } of sources)
      if (kind === 'batch') for (const row of results.rowsOf(place) ?? []) loose.push(row);
    if (loose.length > 0) {
      const path = join(folder, 'unfinished.parquet');
      writeWhole(path, await encodePart(results.study.columns, loose));
      files.push(path);
    }
    if (files.length === 0) throw new CcbenchError('bad-input', 'there are no rows yet to ask about');
    return await askTables([{ name: 'results', files }, ...others], query);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Instance = Awaited<ReturnType<typeof import('@duckdb/node-api').DuckDBInstance.create>>;

async function run(instance: Instance, view: string, query: string): Promise<Answer> {
  const connection = await instance.connect();
  try {
    await connection.run(view);
    const reader = await connection.runAndReadAll(query);
    return { columns: reader.columnNames(), rows: reader.getRowsJS().map((row) => row.map(plain)) };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CcbenchError('bad-input', `DuckDB refused the query: ${reason}`, { cause });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
