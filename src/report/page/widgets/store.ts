import type { Axis } from '../../page-data/run-model.js';

/** What the reader looks at in the charts over requests. */
export interface View {
  /** Index of the run whose details are shown. */
  readonly run: number;
  readonly axis: Axis;
  /** Part of the axis that is shown, in its units; null = all. */
  readonly range: readonly [number, number] | null;
  /** Index of the chosen event of the run; null = none. */
  readonly event: number | null;
  /** Index of the chosen request of the run; null = none. */
  readonly request: number | null;
  /** Index of the request under the pointer or cursor; null = none. */
  readonly cursor: number | null;
}

/** The view at the start of a page. */
export const START: View = {
  run: 0,
  axis: 'request',
  range: null,
  event: null,
  request: null,
  cursor: null,
};

/** The changes that show another run: nothing of the one before stays chosen. */
export function toRun(run: number): Partial<View> {
  return { run, event: null, request: null, cursor: null };
}

/** Holds what the reader looks at and reports its changes. */
export interface Store<Of extends object = View> {
  readonly view: Of;
  update(change: Partial<Of>): void;
  /** Calls a function whenever one of these parts of the view has changed. */
  watch(parts: readonly (keyof Of)[], action: (view: Of, before: Of) => void): void;
}

/** Creates a store. */
export function createStore<Of extends object>(start: Of): Store<Of> {
  let view = start;
  const listeners: ((view: Of, before: Of) => void)[] = [];
  return {
    get view() {
      return view;
    },
    update(change) {
      const before = view;
      view = { ...view, ...change };
      for (const listener of listeners) listener(view, before);
    },
    watch(parts, action) {
      listeners.push((now, before) => {
        if (parts.some((part) => now[part] !== before[part])) action(now, before);
      });
    },
  };
}
