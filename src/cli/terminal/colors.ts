import type { TextStream } from '../host.js';

/** Whether colours are wanted: `auto` has them on a terminal. */
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
