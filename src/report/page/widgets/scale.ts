import type { RunModel } from '../../page-data/run-model.js';
import type { View } from './store.js';

/** The part of an axis that is shown. */
export function rangeOf(view: View, whole: readonly [number, number]): readonly [number, number] {
  return view.range ?? whole;
}

/** A range inside the whole axis; null when it is all of it. */
export function clampRange(
  range: readonly [number, number],
  whole: readonly [number, number],
): readonly [number, number] | null {
  const span = Math.min(range[1] - range[0], whole[1] - whole[0]);
  const from = Math.max(whole[0], Math.min(range[0], whole[1] - span));
  return span >= (whole[1] - whole[0]) * 0.999 ? null : [from, from + span];
}

/** The range after zooming about a place. */
export function zoomed(
  view: View,
  whole: readonly [number, number],
  factor: number,
  about: number | null,
): readonly [number, number] | null {
  const [from, to] = rangeOf(view, whole);
  const center = about ?? (from + to) / 2;
  return clampRange([center - (center - from) / factor, center + (to - center) / factor], whole);
}

/** Requests on either side of one that is looked at. */
const AROUND = 40;

/** The part of the axis around a request; null if the run is short enough to be shown whole. */
export function rangeAround(
  model: Pick<RunModel, 'domain' | 'number'>,
  index: number,
): readonly [number, number] | null {
  const [first, last] = model.domain('request');
  if (last - first <= 4 * AROUND) return null;
  const number = model.number(index);
  return [Math.max(first, number - AROUND), Math.min(last, number + AROUND)];
}

/** Maps a range of values to pixels and back. */
export interface Scale {
  readonly from: number;
  readonly to: number;
  px(value: number): number;
  value(px: number): number;
}

/** A linear scale. */
export function linearScale(domain: readonly [number, number], pixels: readonly [number, number]): Scale {
  const [from, to] = domain;
  const span = to - from || 1;
  const width = pixels[1] - pixels[0];
  return {
    from,
    to,
    px: (value) => pixels[0] + ((value - from) / span) * width,
    value: (px) => from + ((px - pixels[0]) / (width || 1)) * span,
  };
}

function multiples(from: number, to: number, step: number): number[] {
  const found: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to + step * 1e-9; i++) found.push(i * step);
  return found;
}

/** Round numbers between two values, about as many as wanted. */
export function niceTicks(from: number, to: number, wanted: number): number[] {
  const rough = (to - from) / Math.max(wanted, 1);
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!;
  return multiples(from, to, step);
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * MINUTE),
  ...[1, 2, 3, 6, 12, 24, 48, 96, 168, 336, 720, 2160, 8760].map((n) => n * HOUR),
];

/** Round times between two times. */
export function timeTicks(from: number, to: number, wanted: number): number[] {
  const rough = (to - from) / Math.max(wanted, 1);
  const step = STEPS.find((size) => size >= rough) ?? STEPS.at(-1)!;
  return multiples(from, to, step);
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A time since the start: 4:05:09, or 12:30 min for short ones. */
export function clock(timeMs: number): string {
  const total = Math.round(timeMs / SECOND);
  const hours = Math.floor(total / 3_600);
  return `${hours}:${two(Math.floor(total / 60) % 60)}:${two(total % 60)}`;
}

/** A tick of a time axis in hours and minutes, with seconds where ticks are that close. */
export function clockTick(timeMs: number, stepMs: number): string {
  const text = clock(timeMs);
  return stepMs >= MINUTE ? text.slice(0, -3) : text;
}

/** A count in few figures: 950, 12.5k, 1.2M. */
export function short(value: number): string {
  const size = Math.abs(value);
  const trim = (text: string): string => text.replace(/\.0$/, '');
  if (size >= 1e9) return `${trim((value / 1e9).toFixed(1))}G`;
  if (size >= 1e6) return `${trim((value / 1e6).toFixed(1))}M`;
  if (size >= 1e3) return `${trim((value / 1e3).toFixed(1))}k`;
  return String(Math.round(value));
}

/** A text at the height of what it names. */
export interface Label {
  readonly y: number;
  readonly text: string;
}

/** Height of a line of text with room to the next, width of a letter with some to spare, room between two texts. */
const LINE_PX = 15;
const LETTER_PX = 6.5;
const BETWEEN_PX = 14;

/** Where texts end so that each stays at its height: one that would overlap another moves to the left of it. */
export function labelEnds(labels: readonly Label[], end: number): readonly number[] {
  const placed: { readonly y: number; readonly from: number; readonly to: number }[] = [];
  for (const { y, text } of labels) {
    const width = text.length * LETTER_PX;
    const beside = placed.filter((other) => Math.abs(other.y - y) < LINE_PX).sort((a, b) => b.to - a.to);
    let to = end;
    for (const other of beside)
      if (other.to > to - width - BETWEEN_PX) to = Math.min(to, other.from - BETWEEN_PX);
    placed.push({ y, from: to - width, to });
  }
  return placed.map(({ to }) => to);
}
