import type { TextStream } from '../host.js';

/** Whether colours are wanted: only on a terminal, and never with --no-color or NO_COLOR. */
export type ColorChoice = 'auto' | 'never';

/** Whether a stream shows colours. */
export function hasColors(stream: TextStream, colors: ColorChoice): boolean {
  return colors !== 'never' && stream.isTerminal;
}
