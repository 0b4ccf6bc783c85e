import type { TextStream } from '../host.js';
import { withOwnCodes } from './own-codes.js';

/** A stream on which text of files and arguments cannot speak to the terminal, whatever is in it. */
export function guardText(stream: TextStream): TextStream {
  return { ...stream, write: (text) => stream.write(withOwnCodes(text)) };
}
