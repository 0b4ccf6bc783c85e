import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CcbenchError, messageOf } from '../../../core/base/errors.js';
import { suggestName } from '../../../core/base/nearest.js';
import { getOrMake } from '../../../core/base/once.js';
import type { CellValue, ResultColumn, ResultRow } from '../../../study/result-rows.js';
import { encodePart, writeWhole } from '../../../study/results/part-file.js';
import type { ResultStore } from '../../../study/results/result-store.js';

/** A condition on one column. */
export interface Condition {
  readonly column: string;
  isMet(value: CellValue): boolean;
}

const CONDITION = /^\s*"?([^"<>=!]+?)"?\s*(<=|>=|!=|==|=|<|>)\s*(.+?)\s*$/;

/** A column that was named on the command line. */
export function chosenColumn(name: string, columns: readonly ResultColumn[], option: string): ResultColumn {
  const column = columns.find((item) => item.name === name);
  if (column !== undefined) return column;
  const names = columns.map((item) => item.name);
  throw new CcbenchError('unknown-name', `the results have no column "${name}"`, {
    place: { file: `${option} ${name}` },
    hint: `${suggestName(name, names)}--columns lists all of them`,
  });
}

/** Reads `column < value`; a missing value meets no condition but `= null`. */
export function parseCondition(text: string, columns: readonly ResultColumn[]): Condition {
  const [, name, sign, written] = CONDITION.exec(text) ?? [];
  if (name === undefined || sign === undefined || written === undefined)
    throw new CcbenchError('bad-usage', `"${text}" is not a condition`, {
      hint: 'write column < value, with <, <=, >, >=, = or !=',
      place: { file: `--where ${text}` },
    });
  const { kind } = chosenColumn(name, columns, '--where');
  const bare = written.replace(/^(['"])(.*)\1$/, '$2');
  if (bare === 'null' && (sign === '=' || sign === '==' || sign === '!='))
    return { column: name, isMet: (value) => (value === null) === (sign !== '!=') };
  if (kind === 'number' && !Number.isFinite(Number(bare)))
    throw new CcbenchError('bad-usage', `${name} is a number, and "${bare}" is not`, {
      hint: `for example: ${name} ${sign} 2`,
      place: { file: `--where ${text}` },
    });
  const wanted: string | number = kind === 'number' ? Number(bare) : bare;
  const compare = (value: string | number): boolean => {
    switch (sign) {
      case '<':
        return value < wanted;
      case '<=':
        return value <= wanted;
      case '>':
        return value > wanted;
      case '>=':
        return value >= wanted;
      case '!=':
        return value !== wanted;
      default:
        return value === wanted;
    }
  };
  return { column: name, isMet: (value) => value !== null && compare(value) };
}

/** One group of rows with its means; a mean is taken over the rows that have a value. */
export interface Group {
  readonly group: Readonly<Record<string, CellValue>>;
  readonly rows: number;
  /** Rows of runs that did not finish their session: their values are of the answered calls alone. */
  readonly unfinished: number;
  readonly means: Readonly<Record<string, number | null>>;
}

/** Groups rows that come one by one. */
export class Grouping {
  readonly #groups = new Map<
    string,
    {
      readonly values: readonly CellValue[];
      rows: number;
      unfinished: number;
      readonly sums: number[];
      readonly counts: number[];
    }
  >();

  constructor(
    private readonly by: readonly string[],
    private readonly means: readonly string[],
  ) {}

  add(values: readonly CellValue[], measured: readonly CellValue[], isFinished: boolean): void {
    const key = JSON.stringify(values);
    const group = getOrMake(this.#groups, key, () => {
      const zeros = () => this.means.map(() => 0);
      return { values, rows: 0, unfinished: 0, sums: zeros(), counts: zeros() };
    });
    group.rows++;
    if (!isFinished) group.unfinished++;
    for (const [i, value] of measured.entries()) {
      if (typeof value !== 'number') continue;
      group.sums[i]! += value;
      group.counts[i]!++;
    }
  }

  /** The groups in the order of their values. */
  list(): readonly Group[] {
    return [...this.#groups.values()]
      .sort((a, b) => compareValues(a.values, b.values))
      .map(({ values, rows, unfinished, sums, counts }) => ({
        group: Object.fromEntries(this.by.map((name, i) => [name, values[i] ?? null])),
        rows,
        unfinished,
        means: Object.fromEntries(
          this.means.map((name, i) => [name, counts[i] === 0 ? null : sums[i]! / counts[i]!]),
        ),
      }));
  }
}

function compareValues(a: readonly CellValue[], b: readonly CellValue[]): number {
  for (const [i, x] of a.entries()) {
    const y = b[i] ?? null;
    if (x === y) continue;
    if (x === null || y === null) return x === null ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return 0;
}

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
        hint: `npm install @duckdb/node-api beside ccbench, or use the command duckdb: duckdb -c "${view}; select …"; without SQL: --best, --group, --mean, --where, --count`,
        cause,
      },
    );
  }
}

/** A table by its Parquet files. */
interface Table {
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
    if (files.length === 0) throw new CcbenchError('bad-input', 'there are no rows to query yet');
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
    const reason = messageOf(cause);
    throw new CcbenchError('bad-input', `DuckDB refused the query: ${reason}`, { cause });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
