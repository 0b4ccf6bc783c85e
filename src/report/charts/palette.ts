import type { Layer } from '../../model/run-log.js';

/** The colours of text, lines and ground on light paper; `series` is the colour of a single line. */
export const LIGHT = {
  ground: '#ffffff',
  ink: '#1f2328',
  muted: '#59636e',
  line: '#d7dce1',
  shade: '#eceff2',
  series: '#0072b2',
  alarm: '#c04a00',
} as const;

/** The same on dark paper. */
export const DARK: Readonly<Record<keyof typeof LIGHT, string>> = {
  ground: '#0f1419',
  ink: '#e8edf2',
  muted: '#a3adb8',
  line: '#333b44',
  shade: '#1d242c',
  series: '#56b4e9',
  alarm: '#ff8a4c',
};

/** Colours that people with any colour vision tell apart (Okabe and Ito), without black. */
export const DISTINCT = {
  orange: '#e69f00',
  sky: '#56b4e9',
  green: '#009e73',
  yellow: '#f0e442',
  blue: '#0072b2',
  vermilion: '#d55e00',
  purple: '#cc79a7',
  grey: '#8a929b',
} as const;

/** Colour of each part of a prompt. */
export const PROMPT_COLORS = {
  read: DISTINCT.sky,
  written: DISTINCT.orange,
  uncached: DISTINCT.vermilion,
} as const;

/** Colour of each layer. */
export const LAYER_COLORS: Readonly<Record<Layer, string>> = {
  storage: DISTINCT.green,
  snip: DISTINCT.yellow,
  microcompact: DISTINCT.orange,
  collapse: DISTINCT.green,
  'session-memory': DISTINCT.purple,
  'full-compact': DISTINCT.vermilion,
  reactive: DISTINCT.yellow,
  'auto-memory': DISTINCT.sky,
  dreaming: DISTINCT.blue,
  agents: DISTINCT.grey,
  'nested-memory': DISTINCT.blue,
  hooks: DISTINCT.grey,
  rules: DISTINCT.vermilion,
};

/** Form of each layer's mark, so that colour is never the only sign. */
export const LAYER_SHAPES: Readonly<Record<Layer, string>> = {
  storage: 'square',
  snip: 'stroke',
  microcompact: 'triangle-down',
  collapse: 'triangle-up',
  'session-memory': 'diamond',
  'full-compact': 'circle',
  reactive: 'cross',
  'auto-memory': 'triangle-up',
  dreaming: 'triangle-left',
  agents: 'triangle-right',
  'nested-memory': 'stroke',
  hooks: 'stroke',
  rules: 'circle',
};

/** Eight, so that the causes of a session hardly ever share one; the last three are darker tones of their own. */
const REWRITE_COLORS = [
  DISTINCT.vermilion,
  DISTINCT.orange,
  DISTINCT.yellow,
  DISTINCT.grey,
  DISTINCT.blue,
  '#882255',
  '#999933',
  '#8c510a',
];

/** Colours of the causes of cost, in the order given. */
export function causeColors(causes: readonly string[]): readonly string[] {
  let rewrites = 0;
  return causes.map((cause) => {
    if (cause === 'carry') return DISTINCT.sky;
    if (cause === 'new') return DISTINCT.green;
    if (cause === 'output') return DISTINCT.purple;
    return REWRITE_COLORS[rewrites++ % REWRITE_COLORS.length]!;
  });
}

/** Colour of the n-th of several things without a colour of their own. */
export function distinctColor(index: number): string {
  const { blue, orange, green, vermilion, purple, sky, grey, yellow } = DISTINCT;
  const order = [blue, orange, green, vermilion, purple, sky, grey, yellow];
  return order[index % order.length]!;
}
