import { paramSpecs } from '../agent/policies/catalogue.js';
import { CcbenchError } from '../core/base/errors.js';
import { ownValue } from '../core/base/own-value.js';

/** Both ends of a range, and whether its steps are whole numbers. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
}

/** One setting that a study varies. */
export interface Axis {
  readonly path: string;
  /** As they would be written after `--set path=`. */
  readonly values: readonly string[];
  readonly scale: 'linear' | 'log';
  /** Both ends where the values are steps of a range; null for a list. */
  readonly range: Range | null;
}

/** How a range without a number of steps is taken. */
export type OpenRanges = 'allowed' | 'refused';

const AUTO = '0.3w..1w:8';
/** The same of a setting that is a share of the window in percent. */
const AUTO_PERCENT = '30..100:8';
const RANGE =
  /^(-?\d*\.?\d+(?:e[+-]?\d+)?)([wkm]?)\.\.(-?\d*\.?\d+(?:e[+-]?\d+)?)([wkm]?)(?::(\d+))?(?::(log|linear))?$/i;
const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };
const FRACTION = /^(\d*\.?\d+)w$/;
const MAX_STEPS = 1_000_000;
/** Points that are held in memory at once, with their reports. */
const MAX_POINTS = 100_000;
/** Decimals that steps of a range are rounded to: enough to tell them apart, few enough to be read. */
const STEP_DIGITS = 12;

function refuse(text: string, sentence: string, hint: string): never {
  throw new CcbenchError('bad-usage', sentence, { hint, place: { file: `--vary ${text}` } });
}

/** Reads `path=from..to:n[:log]`, `path=a,b,c` or `path=auto`; `0.3w` is a fraction of the window. @internal */
export function parseVary(
  text: string,
  windowTokens: () => number,
  open: OpenRanges,
  priceSteps: () => readonly number[] = () => [],
): Axis {
  const equals = text.indexOf('=');
  if (equals <= 0) {
    refuse(
      text,
      `"${text}" is not path=values`,
      'for example: --vary microcompact.timeBased.gapMinutes=5..120:12',
    );
  }
  const path = text.slice(0, equals).trim();
  const given = text.slice(equals + 1).trim();
  if (given === '') refuse(text, `"${text}" has no values`, 'give from..to:steps, or values with commas');
  const isPercent = given === 'auto' && autoUnit(text, path) === '%';
  if (given === 'auto' && !isPercent && open === 'allowed')
    return thresholdAxis(path, windowTokens(), priceSteps());
  const spec = given === 'auto' ? (isPercent ? AUTO_PERCENT : AUTO) : given;
  const match = RANGE.exec(spec);
  if (match !== null) return rangeAxis(text, path, match, windowTokens, open);
  if (spec.includes('..')) {
    refuse(
      text,
      `"${spec}" is not a range`,
      'write from..to:steps, or from..to:steps:log; ends may be in k, m, or w for parts of the window',
    );
  }
  const values = splitValues(spec).map((value) => {
    const fraction = FRACTION.exec(value);
    return fraction === null ? value : String(Math.round(Number(fraction[1]) * windowTokens()));
  });
  if (values.includes('')) refuse(text, `"${text}" has an empty value`, 'write null for none');
  return { path, values: [...new Set(values)], scale: 'linear', range: null };
}

/** Keys of a scenario beside its policy and window: none of them is a size. */
const NO_SIZE = /^(cache|estimatorFactor|llm|model|provider|runs|seed|timing|transcript)(\.|$)/;

/** What `auto` counts in: tokens, also where nothing says what a setting counts, or parts of the window in percent. */
function autoUnit(text: string, path: string): 'tokens' | '%' {
  const spec = paramSpecs().find((param) => param.path === path);
  if (spec?.unit === 'tokens' || (spec === undefined && !NO_SIZE.test(path))) return 'tokens';
  if (spec?.unit === '%') return '%';
  const counts = spec?.unit == null ? 'neither' : `in ${spec.unit}`;
  return refuse(
    text,
    `auto is for sizes in tokens and for percentages of the window, and ${path} is ${counts}`,
    'give from..to:steps, or values with commas',
  );
}

/** Round sizes in tokens: what was best for one window may be a size, not a part of the window. */
const ROUND_SIZES = [40_000, 60_000, 80_000, 100_000, 128_000, 160_000, 200_000, 300_000, 400_000, 600_000];

/** Tenths of the window that thresholds are tried at. */
const TENTHS = [3, 4, 5, 6, 7, 8, 9, 10];

/** Thresholds worth trying: parts of the window, round sizes below it, and the sizes at which requests become more expensive. */
function thresholdAxis(path: string, window: number, priceSteps: readonly number[]): Axis {
  const sizes = [...TENTHS.map((tenth) => Math.round((tenth * window) / 10)), ...ROUND_SIZES, ...priceSteps];
  const usable = [...new Set(sizes.filter((size) => size <= window))].sort((a, b) => a - b);
  return { path, values: usable.map(String), scale: 'linear', range: null };
}

/** The axes of a study, each path once. */
export function parseAxes(
  vary: readonly string[],
  windowOf: () => number,
  open: OpenRanges,
  priceSteps: () => readonly number[] = () => [],
): readonly Axis[] {
  let window: number | null = null;
  const windowTokens = (): number => (window ??= windowOf());
  const axes = vary.map((text) => parseVary(text, windowTokens, open, priceSteps));
  const paths = new Set<string>();
  for (const { path } of axes) {
    if (paths.has(path)) throw new CcbenchError('bad-usage', `--vary names ${path} twice`);
    paths.add(path);
  }
  return axes;
}

function rangeAxis(
  text: string,
  path: string,
  [, low, lowUnit, high, highUnit, count, kind]: readonly string[],
  windowTokens: () => number,
  open: OpenRanges,
): Axis {
  const inUnits = (value: string, unit: string): number =>
    unit === ''
      ? Number(value)
      : Math.round(Number(value) * (ownValue(UNITS, unit.toLowerCase()) ?? windowTokens()));
  const from = inUnits(low!, lowUnit!);
  const to = inUnits(high!, highUnit!);
  const scale = kind?.toLowerCase() === 'log' ? 'log' : 'linear';
  if (from > to) {
    refuse(text, `the range from ${from} to ${to} is empty`, 'write the smaller end first');
  }
  if (scale === 'log' && from <= 0) {
    refuse(text, `a range in log steps cannot begin at ${from}`, 'begin above zero');
  }
  if (count === undefined && open === 'refused') {
    refuse(text, `the range ${from}..${to} does not say how many steps it has`, `write ${from}..${to}:10`);
  }
  const steps = count === undefined ? 0 : Number(count);
  if (count !== undefined && steps < 1) {
    refuse(text, `the range ${from}..${to}:${count} is empty`, 'give at least one step');
  }
  if (steps > MAX_STEPS) refuse(text, `${steps} steps are too many`, `give at most ${MAX_STEPS} steps`);
  const whole = Number.isInteger(from) && Number.isInteger(to) && (steps === 0 || to - from + 1 >= steps);
  const values: string[] = [];
  for (let i = 0; i < steps; i++) {
    const at = steps === 1 ? 0 : i / (steps - 1);
    values.push(stepText(between({ from, to, whole }, scale, at), whole));
  }
  return { path, values: [...new Set(values)], scale, range: { from, to, whole } };
}

/** A step as it is written: no rounding noise. */
function stepText(value: number, whole: boolean): string {
  return String(whole ? Math.round(value) : Number(value.toPrecision(STEP_DIGITS)));
}

function between({ from, to }: Range, scale: Axis['scale'], at: number): number {
  return scale === 'log' ? from * (to / from) ** at : from + (to - from) * at;
}

/** The value at a place between 0 and 1 of an axis: a step, one of a list, or anything in an open range. */
export function valueAt(axis: Axis, at: number): string {
  const { range, values, scale } = axis;
  if (range === null || values.length > 0) {
    return values[Math.min(values.length - 1, Math.floor(at * values.length))]!;
  }
  return stepText(between(range, scale, at), range.whole);
}

/** How many points the grid of some axes has. @internal */
export function gridSize(axes: readonly Axis[]): number {
  let total = 1;
  for (const axis of axes) total *= axis.values.length;
  return total;
}

/** How many settings some axes allow: every step, or every whole number of an open range; infinite where fractions are possible. */
export function possibleSettings(axes: readonly Axis[]): number {
  return axes.reduce((total, { values, range }) => {
    if (range === null || values.length > 0) return total * values.length;
    return total * (range.whole ? range.to - range.from + 1 : Number.POSITIVE_INFINITY);
  }, 1);
}

/** Axes with every value that they allow, for axes that allow few enough to list. */
export function closedAxes(axes: readonly Axis[]): readonly Axis[] {
  return axes.map((axis) => {
    const { range, values } = axis;
    if (range === null || values.length > 0) return axis;
    const all = Array.from({ length: range.to - range.from + 1 }, (_, i) => String(range.from + i));
    return { ...axis, values: all };
  });
}

/** One point of the grid by its place, the last axis changing fastest; nothing else of the grid is made. @internal */
export function gridPoint(axes: readonly Axis[], index: number): readonly string[] {
  const point: string[] = [];
  let rest = index;
  for (let i = axes.length - 1; i >= 0; i--) {
    const { values } = axes[i]!;
    point[i] = values[rest % values.length]!;
    rest = Math.floor(rest / values.length);
  }
  return point;
}

/** Every combination of the axes' values, the last axis changing fastest. */
export function grid(axes: readonly Axis[]): readonly (readonly string[])[] {
  const total = gridSize(axes);
  if (total > MAX_POINTS) {
    throw new CcbenchError('bad-usage', `the grid has ${total} points`, {
      hint: `at most ${MAX_POINTS} are possible with a report: write columns with --results <folder>, vary fewer settings, or use ccbench tune`,
    });
  }
  return Array.from({ length: total }, (_, index) => gridPoint(axes, index));
}

const OPEN = '[{(';
const CLOSE = ']})';

/** Splits a list at its commas, except those inside brackets or quotes; parts are trimmed. */
export function splitValues(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote: string | null = null;
  let part = '';
  for (const char of text) {
    if (quote !== null) {
      if (char === quote) quote = null;
    } else if (char === '"' || char === "'") quote = char;
    else if (OPEN.includes(char)) depth++;
    else if (CLOSE.includes(char)) depth--;
    else if (char === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
      continue;
    }
    part += char;
  }
  parts.push(part.trim());
  return parts;
}

/** A step of a search: settings that were chosen one by one, and the sessions they are tried on. */
export interface SearchStep {
  readonly paths: readonly string[];
  /** A value for each path, by setting. */
  readonly points: readonly (readonly string[])[];
  /** The labels of the sessions. */
  readonly sessions: readonly string[];
}

/** The points of a study by their places: none is made before it is wanted. */
export interface StudyPoints {
  readonly axes: readonly Axis[];
  readonly size: number;
  at(place: number): readonly string[];
  /** Points at the ends: mistakes show there. */
  readonly corners: readonly (readonly string[])[];
}

/** Every combination of the values of some axes. */
export function pointsOfGrid(axes: readonly Axis[]): StudyPoints {
  return {
    axes,
    size: gridSize(axes),
    at: (place) => gridPoint(axes, place),
    corners: cornersOf(axes),
  };
}

/** The settings that a search has chosen. */
export function pointsOfStep({ paths, points }: SearchStep): StudyPoints {
  const axes = paths.map((path, i): Axis => {
    const values = [...new Set(points.map((point) => point[i]!))];
    return { path, values, scale: 'linear', range: null };
  });
  return { axes, size: points.length, at: (place) => points[place]!, corners: points };
}

/** The first and the last point, and those at which one setting alone is at its other end. */
function cornersOf(axes: readonly Axis[]): readonly (readonly string[])[] {
  const ends = axes.map(({ values }) => [values[0]!, values.at(-1)!] as const);
  const points = [
    ends.map(([first]) => first),
    ...ends.map((_, i) => ends.map(([first, last], j) => (i === j ? last : first))),
    ends.map(([, last]) => last),
  ];
  return [...new Map(points.map((point) => [point.join('\n'), point])).values()];
}
