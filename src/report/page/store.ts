/** Along which axis the charts are drawn. */
export type Axis = 'time' | 'request';

/** What the reader looks at. */
export interface View {
  /** Index of the run whose details are shown. */
  readonly run: number;
  readonly axis: Axis;
  /** Part of the axis that is shown, in its units; null = all. */
  readonly range: readonly [number, number] | null;
  /** Index of the chosen event of the run; null = none. */
  readonly event: number | null;
  /** Index of the request under the pointer or cursor; null = none. */
  readonly cursor: number | null;
}

/** Hears of a change. */
export type Listener = (view: View, before: View) => void;

/** Holds the view and tells everybody when it changes. */
export interface Store {
  readonly view: View;
  update(change: Partial<View>): void;
  listen(listener: Listener): void;
}

/** Creates a store at the start of a page. */
export function createStore(): Store {
  let view: View = { run: 0, axis: 'time', range: null, event: null, cursor: null };
  const listeners: Listener[] = [];
  return {
    get view() {
      return view;
    },
    update(change) {
      const before = view;
      view = { ...view, ...change };
      const same = (Object.keys(change) as (keyof View)[]).every((key) => before[key] === view[key]);
      if (!same) for (const listener of listeners) listener(view, before);
    },
    listen: (listener) => void listeners.push(listener),
  };
}
