import { ownValue } from '../../core/base/own-value.js';
import type { SourceKind } from '../../core/model/source-kind.js';
import type { BreakCause } from '../../core/run/break-causes.js';
import type { Layer } from '../../core/run/log-entries.js';
import { causeWords } from '../text/words.js';

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

/** Colour of a cause that has none of its own. */
const OTHER_CAUSE_COLOR = '#3d4450';

/** Colour of each cause of a break, the same wherever it is drawn; none is that of a part of a prompt or of what every session pays. */
export const BREAK_COLORS = {
  system: '#8c510a',
  tools: '#999933',
  model: '#a50026',
  parameters: '#2cc9c9',
  messages: '#44aa99',
  thinking: '#6a5acd',
  'ttl-5m': DISTINCT.yellow,
  'ttl-1h': '#882255',
  expired: '#117733',
  'not-readable-yet': '#5f6a74',
  lookback: '#b8e186',
  compaction: DISTINCT.blue,
  microcompaction: '#ddcc77',
  snip: '#f4a6b8',
  collapse: '#a04fd0',
  chance: DISTINCT.grey,
  rounding: '#c7a98b',
  'no-cache': '#e0524d',
  server: '#3f6fd8',
} as const satisfies Readonly<Partial<Record<BreakCause, string>>>;

/** Colour of each kind of source; those that often touch in a prompt are far apart. */
export const SOURCE_COLORS: Readonly<Record<SourceKind, string>> = {
  system: BREAK_COLORS['not-readable-yet'],
  definitions: DISTINCT.grey,
  opening: BREAK_COLORS.rounding,
  instructions: BREAK_COLORS.system,
  user: DISTINCT.yellow,
  command: BREAK_COLORS.tools,
  skill: BREAK_COLORS.collapse,
  hook: BREAK_COLORS.snip,
  reminder: BREAK_COLORS.microcompaction,
  file: BREAK_COLORS.messages,
  tool: DISTINCT.blue,
  mcp: DISTINCT.sky,
  model: DISTINCT.orange,
  summary: DISTINCT.green,
  unrecorded: BREAK_COLORS.lookback,
  subagent: DISTINCT.vermilion,
};

/** Colours of the tools with most tokens: neighbours differ in lightness. */
export const TOOL_COLORS = [DISTINCT.blue, '#8cc8f0', '#004b76', '#4a9fd4', '#1d5f8a'] as const;

/** Colour of the other tools together. */
export const OTHER_TOOLS_COLOR = '#c6e2f5';

/** Colours of the causes of cost, in the order given; breaks have other names where their colours are given with them. */
export function causeColors(
  causes: readonly string[],
  colorOf: (cause: string) => string = (cause) => ownValue(BREAK_COLORS, cause) ?? OTHER_CAUSE_COLOR,
): readonly string[] {
  return causes.map((cause) => {
    if (cause === 'carry') return DISTINCT.sky;
    if (cause === 'new') return DISTINCT.green;
    if (cause === 'output') return DISTINCT.purple;
    return colorOf(cause.replace(/^rewrite:/, ''));
  });
}

/** A cause of cost in words. */
export function causePhrase(cause: string): string {
  if (cause === 'carry') return 'cache reads';
  if (cause === 'new') return 'new content';
  if (cause === 'output') return 'output';
  return `written again: ${causeWords(cause.replace(/^rewrite:/, ''))}`;
}

/** Colour of the n-th of several things without a colour of their own. */
export function distinctColor(index: number): string {
  const { blue, orange, green, vermilion, purple, sky, grey, yellow } = DISTINCT;
  const order = [blue, orange, green, vermilion, purple, sky, grey, yellow];
  return order[index % order.length]!;
}
