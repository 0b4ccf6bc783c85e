import { formatCount, formatDuration, formatMoney, formatShare } from '../../../core/base/format.js';
import type { ChartModel } from '../../page-data/run-model.js';
import { causeWords } from '../../text/cause-words.js';
import { clock } from '../widgets/scale.js';
import type { Tip } from '../widgets/tooltip.js';

/** One request of a run. */
export interface RequestRef {
  readonly model: ChartModel;
  readonly index: number;
}

type Lines = Tip['lines'];

function tokenLines({ model, index }: RequestRef): Lines {
  const { read, input, output } = model.run.requests;
  const prompt = model.prompt[index]!;
  const share = formatShare(prompt === 0 ? null : read[index]! / prompt);
  return [
    ['prompt', `${formatCount(prompt)} tokens`],
    ['cache read', `${formatCount(read[index]!)} (${share})`],
    ['cache written', formatCount(model.written[index]!)],
    ['uncached', formatCount(input[index]!)],
    ['output', formatCount(output[index]!)],
  ];
}

/** What a simulated request was: `request 12 · turn 12 · main`. */
export function requestTip(ref: RequestRef): Tip {
  const { model, index } = ref;
  const { requests, names } = model.run;
  const cause = requests.cause[index]!;
  const again = (): string =>
    `${formatCount(requests.rewritten[index]!)} (${causeWords(names.causes[cause]!)})`;
  return {
    title: `request ${model.number(index)} · turn ${requests.turn[index]} · ${names.purposes[requests.purpose[index]!]}`,
    lines: [
      ['time', clock(requests.t[index]!)],
      ...tokenLines(ref),
      ['latency', formatDuration(requests.latencyMs[index]!)],
      ['cost', formatMoney(model.cost[index]! / 1e9)],
      ...(cause < 0 ? [] : [['written again', again()] as const]),
    ],
  };
}

/** What a recorded request was. */
export function recordedTip(ref: RequestRef): Tip {
  const { model, index } = ref;
  const { requests, names } = model.run;
  return {
    title: `request ${formatCount(model.number(index))}`,
    lines: [
      ['conversation', names.purposes[requests.purpose[index]!]!],
      ['number in it', formatCount(requests.turn[index]!)],
      ['since the start', clock(requests.t[index]!)],
      ...tokenLines(ref),
      ['model', names.models[requests.model[index]!]!],
      ['cost', formatMoney(model.cost[index]! / 1e9)],
    ],
  };
}
