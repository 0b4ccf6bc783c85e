type Value = number | string | null;

/** The order of a table's rows. */
export interface Sorting {
  /** Sorts by a column: upwards, then downwards, then as the rows came. */
  by(column: number): void;
  sorted(rows: readonly number[]): readonly number[];
}

/** Creates the order of rows, as they came at first; rows without a value come last either way. */
export function createSorting(
  heads: readonly Element[],
  value: (row: number, column: number) => Value,
  onChange: () => void,
): Sorting {
  let sort: { readonly column: number; readonly sign: 1 | -1 } | null = null;
  return {
    by(column) {
      if (sort?.column !== column) sort = { column, sign: 1 };
      else sort = sort.sign === 1 ? { column, sign: -1 } : null;
      for (const [index, head] of heads.entries()) {
        if (sort?.column !== index) head.removeAttribute('aria-sort');
        else head.setAttribute('aria-sort', sort.sign === 1 ? 'ascending' : 'descending');
      }
      onChange();
    },
    sorted(rows) {
      if (sort === null) return rows;
      const { column, sign } = sort;
      return [...rows].sort((a, b) => {
        const left = value(a, column);
        const right = value(b, column);
        if (left === right) return a - b;
        if (left === null || right === null) return left === null ? 1 : -1;
        return left < right ? -sign : sign;
      });
    },
  };
}
