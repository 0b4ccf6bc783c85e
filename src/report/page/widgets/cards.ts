import type { PageFact } from '../../page-data/page-data.js';
import { h } from './dom.js';

function card({ label, value, note, tone }: PageFact): HTMLElement {
  return h('div', { class: `card ${tone}` }, h('span', label), h('strong', value), h('small', note));
}

/** The main numbers, large. */
export function cardsView(facts: readonly PageFact[]): HTMLElement {
  return h('div.cards', ...facts.map(card));
}
