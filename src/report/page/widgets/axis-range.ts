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

/** The part of the axis around a request; null where the run is short enough to be shown whole. */
export function rangeAround(
  model: Pick<RunModel, 'domain' | 'number'>,
  index: number,
): readonly [number, number] | null {
  const [first, last] = model.domain('request');
  if (last - first <= 4 * AROUND) return null;
  const number = model.number(index);
  return [Math.max(first, number - AROUND), Math.min(last, number + AROUND)];
}
