/** What a metric's number counts. A share lies in 0…1; a ratio may exceed 1. */
export type MetricUnit = 'tokens' | 'usd' | 'share' | 'ratio' | 'count' | 'ms' | 'hours';

/** What represents a value that is not there. */
const NO_DATA = '–';

const NEGATIVE_ZERO = /^-(0(?:\.0*)?)$/;
/** The sign before an amount below zero, as wide as the plus. */
const MINUS = '−';
const GROUP = /\B(?=(\d{3})+$)/g;

function withMinus(text: string): string {
  return text.replace(/^-/, MINUS);
}

/** Thousands apart; a number that is rounded to zero has no sign. */
function grouped(text: string): string {
  const [whole, fraction] = withMinus(text.replace(NEGATIVE_ZERO, '$1')).split('.') as [
    string,
    string | undefined,
  ];
  const separated = whole.replace(GROUP, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
}

/** A whole number with thousands separators: 1,234,567. */
export function formatCount(value: number | null): string {
  return value === null ? NO_DATA : grouped(value.toFixed(0));
}

/** A number of things: 1 call, 2 calls, 1,200 calls. */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Words in a sentence: `a`, `a or b`, `a, b and c`. */
export function wordList(words: readonly string[], last: 'and' | 'or'): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}

/** A number with at most the given decimals and no trailing zeros. */
export function formatDecimal(value: number | null, decimals: number): string {
  if (value === null) return NO_DATA;
  const text = value.toFixed(decimals);
  return grouped(text.includes('.') ? text.replace(/\.?0+$/, '') : text);
}

/** A number with exactly the given decimals, so that a column lines up. */
export function formatFixed(value: number, decimals: number): string {
  return grouped(value.toFixed(decimals));
}

/** An exponent of growth in two decimals, never a negative zero: `0.98`. */
export function formatExponent(exponent: number): string {
  return withMinus((Math.round(exponent * 100) / 100 + 0).toFixed(2));
}

/** Dollars: cents from one dollar on, four decimals below, as many as tell something below that. */
export function formatMoney(usd: number | null): string {
  if (usd === null) return NO_DATA;
  // whole nano-dollars: the same sum in another order is the same amount
  const size = Math.round(Math.abs(usd) * 1e9) / 1e9;
  const sign = usd < 0 ? MINUS : '';
  if (size === 0) return '$0';
  if (size >= 0.99995) return `${sign}$${grouped(size.toFixed(2))}`;
  if (size >= 0.00095) return `${sign}$${size.toFixed(4)}`;
  return `${sign}$${size.toFixed(9).replace(/0+$/, '')}`;
}

/** Decimals that suit a column of amounts beside their total. */
export function moneyDecimals(totalUsd: number): number {
  if (totalUsd >= 10) return 2;
  return totalUsd >= 0.01 ? 4 : 6;
}

/** Dollars with a fixed number of decimals, so that a column lines up. */
export function formatMoneyCell(usd: number, decimals: number): string {
  return `${usd < 0 ? MINUS : ''}$${formatFixed(Math.abs(usd), decimals)}`;
}

/** Bytes in the largest unit that fits. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${formatCount(bytes)} B`;
  if (bytes < 999_500) return `${formatDecimal(bytes / 1e3, bytes < 1e4 ? 1 : 0)} kB`;
  return bytes < 999_500_000 ? `${formatDecimal(bytes / 1e6, 1)} MB` : `${formatDecimal(bytes / 1e9, 1)} GB`;
}

/** A share as a percentage with one decimal; a share that is not quite all or nothing never looks like it. */
export function formatShare(share: number | null): string {
  if (share === null) return NO_DATA;
  if (share > 0 && share < 0.0005) return '<0.1%';
  if (share < 1 && share >= 0.9995) return '>99.9%';
  if (share <= 0 && share > -0.0005) return '0.0%';
  return `${withMinus((share * 100).toFixed(1))}%`;
}

/** Simulated time in the largest unit that fits: 850 ms, 12.5 s, 45 min, 12.3 h. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return NO_DATA;
  if (ms < 1_000) return `${formatCount(ms)} ms`;
  if (ms < 60_000) return `${formatDecimal(ms / 1_000, 1)} s`;
  if (ms < 3_600_000) return `${formatDecimal(ms / 60_000, 1)} min`;
  return `${formatDecimal(ms / 3_600_000, 1)} h`;
}

/** A number of things, or a mean of such numbers, which is seldom whole and never looks as if it were: 3, 1.3, 0.33. */
function formatMean(value: number | null): string {
  if (value === null || Number.isInteger(value)) return formatCount(value);
  return Math.abs(value) < 1 ? withMinus(value.toPrecision(2)) : grouped(value.toFixed(1));
}

/** Tokens or milliseconds from which on a mean tells nothing by its decimals. */
const WHOLE_FROM = 100;

function formatLargeMean(value: number | null): string {
  return value !== null && Math.abs(value) >= WHOLE_FROM ? formatCount(value) : formatMean(value);
}

const BY_UNIT: Readonly<Record<MetricUnit, (value: number | null) => string>> = {
  tokens: formatLargeMean,
  count: formatMean,
  usd: formatMoney,
  share: formatShare,
  ratio: (value) => formatDecimal(value, 3),
  ms: formatLargeMean,
  hours: (value) => formatDecimal(value, 2),
};

/** A metric's value as people read it. */
export function formatValue(value: number | null, unit: MetricUnit): string {
  return BY_UNIT[unit](value);
}

/** Nano-dollars as an exact decimal number of dollars, for files. */
export function exactUsd(nanoUsd: number): string {
  const digits = Math.abs(nanoUsd).toFixed(0).padStart(10, '0');
  const text = `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
  return nanoUsd < 0 ? `-${text}` : text;
}

/** Foreign text is cut here: longer than any sentence of ours, shorter than what floods a terminal or a page. */
const MOST_SHOWN = 10_000;

/** Foreign text, cut where it is longer. */
export function bounded(text: string, most = MOST_SHOWN): string {
  return text.length <= most ? text : `${text.slice(0, most)}… (${formatCount(text.length)} characters)`;
}

/** Text from a file made safe for a line of a terminal: no control characters, and not without end. */
export function printable(text: string): string {
  return bounded(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
}

/** The same in Markdown: it makes no cells and no elements. */
export function markdownText(text: string): string {
  return printable(text).replace(/[\\|<>]/g, (char) => `\\${char}`);
}

/** Characters that no XML file may hold. */
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
]);

/** Text from a file in an element or attribute of XML or HTML. */
export function markupText(text: string): string {
  return bounded(text)
    .replace(NOT_XML, '\uFFFD')
    .replace(/[&<>"'\n\r\t]/g, (char) => ENTITIES.get(char) ?? `&#${char.charCodeAt(0)};`);
}
