import { h } from './dom.js';

/** A point of the screen. */
export interface Place {
  readonly clientX: number;
  readonly clientY: number;
}

/** What a tooltip says: a title, and labels with values. */
export interface Tip {
  readonly title: string;
  readonly lines: readonly (readonly [string, string])[];
}

/** Says what is under the pointer, beside it and to screen readers. */
export interface Tooltip<Of> {
  readonly element: HTMLElement;
  show(of: Of | null, place: Place | null): void;
}

const GAP_PX = 14;

/** Labels with values, one below the other. */
export function tipLines({ lines }: Tip): readonly HTMLElement[] {
  return lines.map(([label, value]) => h('div', h('span', label), h('b', value)));
}

/** Creates a tooltip. */
export function createTooltip<Of>(describe: (of: Of) => Tip): Tooltip<Of> {
  const element = h('div.tooltip', { role: 'status', hidden: true });
  return {
    element,
    show(of, place) {
      element.hidden = of === null || place === null;
      if (of === null || place === null) return;
      const tip = describe(of);
      element.replaceChildren(h('strong', tip.title), ...tipLines(tip));
      const { width, height } = element.getBoundingClientRect();
      const page = document.documentElement;
      const right = place.clientX + GAP_PX + width < page.clientWidth;
      const left = right ? place.clientX + GAP_PX : Math.max(4, place.clientX - GAP_PX - width);
      const top = Math.max(4, Math.min(place.clientY + GAP_PX, page.clientHeight - height - 4));
      element.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    },
  };
}
