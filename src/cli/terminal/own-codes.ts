import type { TextStream } from '../host.js';

/** Stands before a code of our own; of this process and this nanosecond, so that no file or argument can hold it. */
const KEY = `\u0001${process.pid.toString(36)}-${process.hrtime.bigint().toString(36)}`;
const END = '\u0002';

/** A code for the terminal as texts carry it until they are printed: what else looks like a code is foreign. */
export function ownCode(code: string): string {
  return `${KEY}${code}${END}`;
}

/** Wipes the line of a progress bar. */
export const WIPE_LINE = ownCode('\r\u001b[2K');

/** Our own codes and line ends, which may pass, and every other character that speaks to the terminal or forges a line. */
const CODES = new RegExp(`${KEY}([^${END}]*)${END}|([\\n\\t])|\\p{Cc}`, 'gu');

/** Stands for a character that is not shown. */
const HIDDEN = '\uFFFD';

/** A text with our own codes as the terminal knows them, and nothing else that speaks to it. */
export function withOwnCodes(text: string): string {
  return text.replace(CODES, (_found, own?: string, space?: string) => own ?? space ?? HIDDEN);
}

/** Whether to use colours: `auto` does on a terminal. */
export type ColorChoice = 'auto' | 'never' | 'always';

/** What the environment says of colours: NO_COLOR before FORCE_COLOR, and a terminal that knows none before neither. */
export function colorsOf(env: Readonly<Record<string, string | undefined>>): ColorChoice {
  const { NO_COLOR = '', FORCE_COLOR = '', TERM = '' } = env;
  if (NO_COLOR !== '') return 'never';
  if (FORCE_COLOR !== '') return FORCE_COLOR === '0' || FORCE_COLOR === 'false' ? 'never' : 'always';
  return TERM === 'dumb' ? 'never' : 'auto';
}

/** Whether a stream shows colours. */
export function hasColors(stream: TextStream, colors: ColorChoice): boolean {
  return colors === 'always' || (colors === 'auto' && stream.isTerminal);
}
