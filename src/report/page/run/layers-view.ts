import { formatCount, formatMoney } from '../../../core/base/format.js';
import type { PageData, PageLayer, PageRun } from '../../page-data/page-data.js';
import { actedText } from '../../text/acted-text.js';
import { h } from '../widgets/dom.js';

/** What a layer prevented, in words; empty when nothing. */
function preventedText({ prevented, putOff }: PageLayer): string {
  const said: string[] = [];
  if (prevented > 0) said.push(`prevented ${formatCount(prevented)}`);
  if (putOff > 0) said.push(`put off ${formatCount(putOff)}`);
  const last = prevented + putOff === 1 ? 'compaction' : 'compactions';
  return said.length === 0 ? '' : `, ${said.join(' and ')} ${last}`;
}

/** Tokens each layer keeps out, beside the cached tokens it destroyed. */
export function layersView(run: PageRun, data: PageData): HTMLElement | null {
  if (run.layers.length === 0) return null;
  const largest = Math.max(...run.layers.map(({ saved, lost }) => Math.max(saved, lost)), 1);
  const bar = (tokens: number, tone: string, label: string): HTMLElement =>
    h(
      'div.bar',
      h('span', label),
      h('i', { class: tone, style: `width:${((Math.max(tokens, 0) / largest) * 100).toFixed(1)}%` }),
      h('b', formatCount(tokens)),
    );
  const rows = Object.keys(data.colors.layers).flatMap((name) => {
    const layer = run.layers.find((item) => item.name === name);
    if (layer === undefined) return [];
    return [
      h(
        'div.layer',
        h('h3', h('i.swatch', { style: `background:${data.colors.layers[name]}` }), name),
        h(
          'p.quiet',
          `${actedText(layer)}, its requests cost ${formatMoney(layer.cost / 1e9)}${preventedText(layer)}`,
        ),
        bar(layer.saved, 'after', 'out at the end'),
        bar(layer.lost, 'before', 'cache lost'),
        layer.notCarried === 0
          ? null
          : h('p.quiet', `${formatCount(layer.notCarried)} tokens not carried, summed over the requests`),
      ),
    ];
  });
  return h('section', { id: 'layers' }, h('h2', 'Tokens saved by layer'), h('div.layers', ...rows));
}
