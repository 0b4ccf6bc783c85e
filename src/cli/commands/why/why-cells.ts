import { formatMoney, formatMoneyCell, printable } from '../../../core/base/format.js';
import { shortName } from '../../../report/text/words.js';
import { inputId } from '../../../transcripts/files/read-input.js';

/** Characters of a name in a table. */
export const NAME_CHARS = 30;
const CENTS = 2;
const LEAST_USD = 0.01;

/** Dollars and cents, so that a column lines up; what is not quite nothing never looks like it. */
export function money(usd: number | null): string {
  if (usd === null) return formatMoney(null);
  if (usd !== 0 && Math.abs(usd) < LEAST_USD / 2) return usd < 0 ? '>−$0.01' : '<$0.01';
  return formatMoneyCell(usd, CENTS);
}

/** What a session is called in a table. */
export function sessionName(file: string): string {
  return shortName(printable(inputId(file)), NAME_CHARS);
}
