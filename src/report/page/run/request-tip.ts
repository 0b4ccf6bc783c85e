import { formatCount, formatDuration, formatMoney, formatShare } from '../../../core/base/format.js';
import { causeWords } from '../../text/cause-words.js';
import { clock } from '../widgets/scale.js';
import type { Tip } from '../widgets/tooltip.js';
import type { ChartModel } from './run-model.js';

/** One request of a run. */
export interface RequestRef {
  readonly model: ChartModel;
  readonly index: number;
}

/** The lines of a request's tooltip: label and value. */
function requestLines(model: ChartModel, index: number): readonly (readonly [string, string])[] {
  const { requests, names } = model.run;
  const prompt = model.prompt[index]!;
  const cause = requests.cause[index]!;
  const lines: [string, string][] = [
    ['time', clock(requests.t[index]!)],
    ['prompt', `${formatCount(prompt)} tokens`],
    [
      'cache read',
      `${formatCount(requests.read[index]!)} (${formatShare(prompt === 0 ? null : requests.read[index]! / prompt)})`,
    ],
    ['cache written', formatCount(model.written[index]!)],
    ['uncached', formatCount(requests.input[index]!)],
    ['output', formatCount(requests.output[index]!)],
    ['latency', formatDuration(requests.latencyMs[index]!)],
    ['cost', formatMoney(model.cost[index]! / 1e9)],
  ];
  if (cause >= 0) {
    lines.push([
      'written again',
      `${formatCount(requests.rewritten[index]!)} (${causeWords(names.causes[cause]!)})`,
    ]);
  }
  return lines;
}

/** Name of a request: `request 12 · turn 12 · main`. */
function requestName(model: ChartModel, index: number): string {
  const { requests, names } = model.run;
  return `request ${model.number(index)} · turn ${requests.turn[index]} · ${names.purposes[requests.purpose[index]!]}`;
}

/** What a simulated request was. */
export function requestTip({ model, index }: RequestRef): Tip {
  return { title: requestName(model, index), lines: requestLines(model, index) };
}
