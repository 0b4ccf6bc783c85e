import type { PageRun } from '../../page-data/page-data.js';
import type { PolicyParam } from '../../text/policy-info.js';
import { h } from '../widgets/dom.js';

function valueText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return value === null ? 'none' : JSON.stringify(value);
}

function paramRow(param: PolicyParam): HTMLElement {
  const unit = param.unit === null || typeof param.value !== 'number' ? '' : ` ${param.unit}`;
  const source = param.source ?? (param.from === 'default' ? 'default' : '–');
  return h(
    'tr',
    { class: param.from },
    h('th', { scope: 'row' }, param.path),
    h('td', `${valueText(param.value)}${unit}`),
    h('td', param.from),
    h('td', source),
    h('td.quiet', param.help),
  );
}

function paramTable(params: readonly PolicyParam[]): HTMLElement {
  const head = ['parameter', 'value', 'set by', 'source', 'meaning'].map((name) =>
    h('th', { scope: 'col' }, name),
  );
  return h(
    'div.wide',
    { tabindex: 0, role: 'region', 'aria-label': 'Parameters of the policy' },
    h('table', h('thead', h('tr', ...head)), h('tbody', ...params.map(paramRow))),
  );
}

/** The scenario and the policy of a run, with the source of each number. */
export function policyView(run: PageRun): HTMLElement {
  const { policy, settings } = run;
  const settingRows = settings.map(([path, value]) =>
    h('tr', h('th', { scope: 'row' }, path), h('td', value)),
  );
  const scenario = h(
    'div.wide',
    { tabindex: 0, role: 'region', 'aria-label': 'Settings of the scenario' },
    h('table', h('tbody', ...settingRows)),
  );
  if (policy === null) {
    return h('div', h('h3', 'Scenario'), scenario, h('p.quiet', 'Nothing more is known of the policy.'));
  }
  const changed = policy.params.filter(({ from }) => from !== 'default');
  const rest = policy.params.filter(({ from }) => from === 'default');
  return h(
    'div',
    h('h3', `Policy ${policy.name}`),
    h('p', policy.summary),
    h('p.quiet', `${policy.kind} · layers in order: ${policy.tiers.join(', ') || 'none'}`),
    changed.length === 0 ? null : paramTable(changed),
    h('details', h('summary', `${rest.length} parameters at their defaults`), paramTable(rest)),
    h('h3', 'Scenario'),
    scenario,
  );
}
