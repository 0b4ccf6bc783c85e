import type { TextStream } from '../host.js';
import { type ColorChoice, hasColors } from './colors.js';

/** Wipes the line of a progress bar: only at the start of what is written, where nothing foreign stands. */
const WIPE = '^\\r\\u001b\\[2?K';

/** Colours, bold and dim, as the tables use them; nothing that hides text. */
const COLOUR = '\\u001b\\[(?:0|1|2|22|39|3[0-7]|9[0-7])m';

/** Every character that could move the cursor, change the terminal or forge a line, and what may pass. */
const PLAIN = new RegExp(`(${WIPE}|[\\n\\t])|\\p{Cc}`, 'gu');
const COLOURED = new RegExp(`(${WIPE}|${COLOUR}|[\\n\\t])|\\p{Cc}`, 'gu');

/** Stands for a character that is not shown. */
const HIDDEN = '\uFFFD';

/** A stream on which text of files and arguments cannot speak to the terminal, whatever is in it. */
export function guardText(stream: TextStream, colors: ColorChoice): TextStream {
  const pattern = hasColors(stream, colors) ? COLOURED : PLAIN;
  return {
    ...stream,
    write: (text) => stream.write(text.replace(pattern, (_found, allowed?: string) => allowed ?? HIDDEN)),
  };
}
