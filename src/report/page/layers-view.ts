import { formatCount, formatMoney } from '../format.js';
import type { PageData, PageRun } from '../page-data.js';
import { h } from './dom.js';

interface LayerSums {
  acts: number;
  saved: number;
  lost: number;
  cost: number;
}

/** Tokens each layer took out, beside the cached tokens it destroyed. */
export function layersView(run: PageRun, data: PageData): HTMLElement | null {
  const sums = new Map<string, LayerSums>();
  for (const event of run.events) {
    if (event.layer === undefined) continue;
    const now = sums.get(event.name) ?? { acts: 0, saved: 0, lost: 0, cost: 0 };
    now.acts += 1;
    now.saved += event.layer.saved;
    now.lost += event.lost;
    now.cost += event.layer.cost;
    sums.set(event.name, now);
  }
  if (sums.size === 0) return null;
  const largest = Math.max(...[...sums.values()].map(({ saved, lost }) => Math.max(saved, lost)), 1);
  const bar = (tokens: number, tone: string, label: string): HTMLElement =>
    h(
      'div',
      { class: 'bar' },
      h('span', {}, label),
      h('i', { class: tone, style: `width:${((Math.max(tokens, 0) / largest) * 100).toFixed(1)}%` }),
      h('b', {}, formatCount(tokens)),
    );
  const rows = Object.keys(data.colors.layers).flatMap((name) => {
    const layer = sums.get(name);
    if (layer === undefined) return [];
    return [
      h(
        'div',
        { class: 'layer' },
        h('h3', {}, h('i', { class: 'swatch', style: `background:${data.colors.layers[name]}` }), name),
        h(
          'p',
          { class: 'quiet' },
          `acted ${formatCount(layer.acts)} times, its requests cost ${formatMoney(layer.cost / 1e9)}`,
        ),
        bar(layer.saved, 'after', 'taken out'),
        bar(layer.lost, 'before', 'cache lost'),
      ),
    ];
  });
  return h(
    'section',
    { id: 'layers' },
    h('h2', {}, 'Tokens saved by layer'),
    h('div', { class: 'layers' }, ...rows),
  );
}
