import { formatMoney, formatMoneyCell, printable } from '../../../core/base/format.js';
import { shortName } from '../../../report/text/words.js';
import { inputId } from '../../../transcripts/files/read-input.js';

/** Characters of a name in a table. */
export const NAME_CHARS = 30;
const CENTS = 2;

/** Dollars and cents, so that a column lines up. */
export function money(usd: number | null): string {
  return usd === null ? formatMoney(null) : formatMoneyCell(usd, CENTS);
}

/** What a session is called in a table. */
export function sessionName(file: string): string {
  return shortName(printable(inputId(file)), NAME_CHARS);
}
