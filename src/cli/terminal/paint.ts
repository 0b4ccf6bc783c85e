import pc from 'picocolors';
import { plainStyle, type Screen, type Style } from '../../report/text/table.js';
import type { TextStream } from '../host.js';
import { type ColorChoice, hasColors, ownCode } from './own-codes.js';

/** Columns when the output is no terminal. */
const DEFAULT_WIDTH = 100;
const MIN_WIDTH = 40;

/** A way to set off text by codes that are known for our own; text that is set off in it already stays so. */
function own(format: (text: string) => string): (text: string) => string {
  const [open, close] = format(' ')
    .split(' ')
    .map((code) => ownCode(code)) as [string, string];
  return (text) => `${open}${text.replaceAll(close, `${close}${open}`)}${close}`;
}

/** Ways to set off text on a stream. */
function styleFor(stream: TextStream, colors: ColorChoice): Style {
  if (!hasColors(stream, colors)) return plainStyle;
  const { bold, dim, red, green, yellow } = pc.createColors(true);
  return { bold: own(bold), dim: own(dim), red: own(red), green: own(green), yellow: own(yellow) };
}

/** Width and style of a stream. */
export function screenFor(stream: TextStream, colors: ColorChoice): Screen {
  return { width: Math.max(MIN_WIDTH, stream.columns ?? DEFAULT_WIDTH), style: styleFor(stream, colors) };
}
