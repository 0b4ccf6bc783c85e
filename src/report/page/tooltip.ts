import { causeWords } from '../cause-words.js';
import { formatCount, formatDuration, formatMoney, formatShare } from '../format.js';
import { h } from './dom.js';
import type { RunModel } from './run-model.js';
import { clock } from './scale.js';

/** Shows what one request was, beside the pointer, and says it to screen readers. */
export interface Tooltip {
  readonly element: HTMLElement;
  show(model: RunModel, index: number | null, place: { clientX: number; clientY: number } | null): void;
}

const GAP_PX = 14;

/** The lines of a request's tooltip: label and value. */
function requestLines(model: RunModel, index: number): readonly (readonly [string, string])[] {
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
function requestName(model: RunModel, index: number): string {
  const { requests, names } = model.run;
  return `request ${model.number(index)} · turn ${requests.turn[index]} · ${names.purposes[requests.purpose[index]!]}`;
}

/** Creates the tooltip of the page. */
export function createTooltip(): Tooltip {
  const element = h('div', { class: 'tooltip', role: 'status', hidden: true });
  return {
    element,
    show(model, index, place) {
      element.hidden = index === null || place === null;
      if (index === null || place === null) return;
      const rows = requestLines(model, index).map(([label, value]) =>
        h('div', {}, h('span', {}, label), h('b', {}, value)),
      );
      element.replaceChildren(h('strong', {}, requestName(model, index)), ...rows);
      const { width, height } = element.getBoundingClientRect();
      const page = document.documentElement;
      const right = place.clientX + GAP_PX + width < page.clientWidth;
      const left = right ? place.clientX + GAP_PX : Math.max(4, place.clientX - GAP_PX - width);
      const top = Math.max(4, Math.min(place.clientY + GAP_PX, page.clientHeight - height - 4));
      element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },
  };
}
