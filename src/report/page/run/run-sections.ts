import { formatCount, formatMoney } from '../../../core/base/format.js';
import { LAYER_COLORS } from '../../charts/palette.js';
import type { PageFact, PageLayer, PageRun } from '../../page-data/page-data.js';
import { actedText } from '../../text/acted-text.js';
import type { PolicyParam } from '../../text/policy-info.js';
import { h } from '../widgets/dom.js';
import { aboutView, cardsView, notesFold, swatch, tokenBar, wideTable } from '../widgets/page-parts.js';

function block(title: string, facts: readonly PageFact[]): HTMLElement {
  const rows = facts.map(({ label, value, note, tone }) =>
    h('tr', { class: tone }, h('th', { scope: 'row' }, label), h('td.right', value), h('td.quiet', note)),
  );
  return h('div.block', h('h3', title), h('table', h('tbody', ...rows)));
}

/** The summary of a run: the main numbers large, all of them below. */
export function summaryView(run: PageRun): HTMLElement {
  const blocks = run.blocks.map(({ title, facts }) => block(title, facts));
  return h(
    'div',
    aboutView(run.about),
    run.unfinished === null ? null : h('p.alarm', { role: 'status' }, run.unfinished),
    cardsView(run.cards),
    notesFold(run.assumptions),
    h('details', h('summary', 'All numbers'), h('div.blocks', ...blocks)),
  );
}

/** Warnings and what the transcript could not support. */
export function notesView(run: PageRun): HTMLElement {
  const warnings = run.warnings.map(({ message, remedy, count }) =>
    h(
      'li',
      count > 1 ? `${message} (${count} times)` : message,
      remedy === null ? null : h('div.quiet', `→ ${remedy}`),
    ),
  );
  const skipped = run.skipped.map(({ what, needs }) => h('li', `${what}: needs ${needs}`));
  return h(
    'div',
    warnings.length === 0 ? h('p.quiet', 'No warnings.') : h('ul.warnings', ...warnings),
    skipped.length === 0
      ? h('p.quiet', 'Nothing was skipped.')
      : h('div', h('h3', 'Skipped'), h('ul', ...skipped)),
    run.digest === null ? null : h('p.quiet.digest', `digest ${run.digest}`),
  );
}

/** What a layer prevented, in words; empty when nothing. */
function preventedText({ prevented, deferred }: PageLayer): string {
  const said = [
    ...(prevented > 0 ? [`prevented ${formatCount(prevented)}`] : []),
    ...(deferred > 0 ? [`deferred ${formatCount(deferred)}`] : []),
  ];
  const last = prevented + deferred === 1 ? 'compaction' : 'compactions';
  return said.length === 0 ? '' : `, ${said.join(' and ')} ${last}`;
}

/** Tokens each layer keeps out, beside the cached tokens it destroyed; nothing where no layer acted. */
export function layersView({ layers }: PageRun): readonly HTMLElement[] {
  if (layers.length === 0) return [];
  const largest = Math.max(...layers.map(({ saved, lost }) => Math.max(saved, lost)), 1);
  const rows = Object.entries(LAYER_COLORS).flatMap(([name, color]) => {
    const layer = layers.find((item) => item.name === name);
    if (layer === undefined) return [];
    const cost = `its requests cost ${formatMoney(layer.cost / 1e9)}${preventedText(layer)}`;
    const carried = `${formatCount(layer.notCarried)} tokens not carried, summed over the requests`;
    return h(
      'div.layer',
      h('h3', swatch(color), name),
      h('p.quiet', `${actedText(layer)}, ${cost}`),
      tokenBar('out at the end', layer.saved, largest, 'after'),
      tokenBar('cache lost', layer.lost, largest, 'before'),
      layer.notCarried === 0 ? null : h('p.quiet', carried),
    );
  });
  return [h('section', { id: 'layers' }, h('h2', 'Tokens saved by layer'), h('div.layers', ...rows))];
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? 'none' : JSON.stringify(value);
}

function paramRow({ path, value, from, unit, source, help }: PolicyParam): HTMLElement {
  const shown = `${valueText(value)}${unit === null || typeof value !== 'number' ? '' : ` ${unit}`}`;
  const cells = [shown, from, source ?? (from === 'default' ? 'default' : '–')].map((text) => h('td', text));
  return h('tr', { class: from }, h('th', { scope: 'row' }, path), ...cells, h('td.quiet', help));
}

function paramTable(params: readonly PolicyParam[]): HTMLElement {
  const heads = ['parameter', 'value', 'set by', 'source', 'meaning'];
  return wideTable('Parameters of the policy', heads, params.map(paramRow));
}

/** The scenario and the policy of a run, with the source of each number. */
export function policyView({ policy, settings }: PageRun): HTMLElement {
  const rows = settings.map(([path, value]) => h('tr', h('th', { scope: 'row' }, path), h('td', value)));
  const scenario = [h('h3', 'Scenario'), wideTable('Settings of the scenario', [], rows)];
  if (policy === null) return h('div', ...scenario, h('p.quiet', 'Nothing more is known of the policy.'));
  const changed = policy.params.filter(({ from }) => from !== 'default');
  const rest = policy.params.filter(({ from }) => from === 'default');
  return h(
    'div',
    h('h3', `Policy ${policy.name}`),
    h('p', policy.summary),
    h('p.quiet', `${policy.kind} · layers in order: ${policy.layers.join(', ') || 'none'}`),
    changed.length === 0 ? null : paramTable(changed),
    h('details', h('summary', `${rest.length} parameters at their defaults`), paramTable(rest)),
    ...scenario,
  );
}
