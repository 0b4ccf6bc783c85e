import { CcbenchError } from '../../../core/base/errors.js';
import { suggestName } from '../../../core/base/nearest.js';
import type { CellValue, ResultColumn } from '../../../study/result-rows.js';

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
    throw new CcbenchError('bad-usage', `${name} is a number, and "${bare}" is none`, {
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
    let group = this.#groups.get(key);
    if (group === undefined) {
      const zeros = () => this.means.map(() => 0);
      group = { values, rows: 0, unfinished: 0, sums: zeros(), counts: zeros() };
      this.#groups.set(key, group);
    }
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
