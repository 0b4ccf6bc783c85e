import type { Axis } from '../widgets/store.js';
import type { ChartModel } from './run-model.js';

/** What a run paid for each cause, in nano-dollars: up to a part of the axis, and within it. */
export interface PaidPart {
  readonly before: readonly number[];
  readonly within: readonly number[];
}

/** Splits what was paid at the beginning of a part of the axis; the whole of it has nothing before. */
export function paidPart(model: ChartModel, range: readonly [number, number] | null, axis: Axis): PaidPart {
  const order = model.order(axis);
  const [from, to] = range ?? model.domain(axis);
  const first = range === null ? undefined : order.findLast((index) => model.x(index, axis) < from);
  const last = range === null ? order.at(-1) : order.findLast((index) => model.x(index, axis) <= to);
  const paid = model.paid(axis);
  const upTo = (index: number | undefined): readonly number[] =>
    paid.map((column) => (index === undefined ? 0 : column[index]!));
  const before = upTo(first);
  return { before, within: upTo(last).map((sum, cause) => sum - before[cause]!) };
}
