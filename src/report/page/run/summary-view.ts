import type { PageFact, PageRun } from '../../page-data/page-data.js';
import { cardsView } from '../widgets/cards.js';
import { h } from '../widgets/dom.js';

function block(title: string, facts: readonly PageFact[]): HTMLElement {
  const rows = facts.map(({ label, value, note, tone }) =>
    h('tr', { class: tone }, h('th', { scope: 'row' }, label), h('td.right', value), h('td.quiet', note)),
  );
  return h('div.block', h('h3', title), h('table', h('tbody', ...rows)));
}

/** The summary of a run: the main numbers large, all of them below. */
export function summaryView(run: PageRun): HTMLElement {
  const about = run.about.map(([label, value]) => h('span', h('b', label), ` ${value}`));
  return h(
    'div',
    h('p.about', ...about),
    run.unfinished === null ? null : h('p.alarm', { role: 'status' }, run.unfinished),
    cardsView(run.cards),
    ...run.assumptions.map((sentence) => h('p.quiet', sentence)),
    h(
      'details',
      h('summary', 'All numbers'),
      h('div.blocks', ...run.blocks.map(({ title, facts }) => block(title, facts))),
    ),
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
