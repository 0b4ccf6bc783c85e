import type { ChartModel } from '../../page-data/run-model.js';
import { h } from '../widgets/dom.js';
import { placeLink } from '../widgets/place.js';
import type { Store } from '../widgets/store.js';
import { type Tip, tipLines } from '../widgets/tooltip.js';
import type { RequestRef } from './request-tip.js';

/** What a panel shows of the chosen request. */
export interface PanelOptions {
  model(): ChartModel;
  describe(ref: RequestRef): Tip;
  /** Its place in the page, besides its number. */
  place(): Readonly<Record<string, string | number | null>>;
  /** What else there is to say of it. */
  more(index: number): readonly HTMLElement[];
  /** What is said below that. */
  below?(index: number): readonly HTMLElement[];
  /** Requests that the reader goes to one after the other, and what they are called. */
  readonly stops: { readonly name: string; readonly of: (model: ChartModel) => readonly number[] };
  readonly empty: string;
}

/** The details of the chosen request, with buttons to the next one that is worth a look. */
export function createRequestPanel(store: Store, options: PanelOptions): HTMLElement {
  const element = h('aside.panel.request', {
    'aria-label': 'Details of the chosen request',
    'aria-live': 'polite',
  });
  const { name } = options.stops;
  const fill = (): void => {
    const { request } = store.view;
    const model = options.model();
    const stops = options.stops.of(model);
    const button = (text: string, to: number | undefined): HTMLElement =>
      h('button', { click: () => store.update({ request: to! }), disabled: to === undefined }, text);
    const previous = request === null ? undefined : stops.findLast((index) => index < request);
    const next = stops.find((index) => index > (request ?? -1));
    const buttons = h('div.group', button(`‹ previous ${name}`, previous), button(`next ${name} ›`, next));
    if (request === null) {
      element.replaceChildren(h('p.quiet', options.empty), buttons);
      return;
    }
    const tip = options.describe({ model, index: request });
    const link = placeLink({ ...options.place(), request: model.number(request) });
    element.replaceChildren(
      h('h3', h('a', { href: link }, tip.title)),
      ...options.more(request),
      h('div.lines', ...tipLines(tip)),
      ...(options.below?.(request) ?? []),
      buttons,
    );
  };
  store.watch(['run', 'request'], fill);
  fill();
  return element;
}
