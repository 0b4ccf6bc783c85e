import type { PageEvent } from '../../page-data/page-data.js';

/** A row of marks: one layer, or one kind of event. */
export interface Lane {
  readonly key: string;
  readonly short: string;
  readonly color: string;
  /** Indexes of its events. */
  readonly events: readonly number[];
}

const KINDS: Readonly<Record<string, { readonly short: string; readonly color: string }>> = {
  break: { short: 'break', color: '#8a929b' },
  refused: { short: 'refused', color: '#d55e00' },
  lost: { short: 'lost', color: '#d55e00' },
  breaker: { short: 'breaker', color: '#cc79a7' },
  notice: { short: 'notice', color: '#8a929b' },
};

const SHORT: Readonly<Record<string, string>> = {
  microcompact: 'micro',
  'session-memory': 'session',
  'full-compact': 'compact',
  'auto-memory': 'memory',
  'nested-memory': 'nested',
};

/** The lane an event belongs to. */
export function eventLane(event: PageEvent): string {
  return event.kind === 'layer' ? event.name : event.kind;
}

/** The lanes of a run: layers first, in the order of their colours, then other kinds. */
export function lanesOf(
  events: readonly PageEvent[],
  layerColors: Readonly<Record<string, string>>,
): readonly Lane[] {
  const members = new Map<string, number[]>();
  for (const [index, event] of events.entries()) {
    const key = eventLane(event);
    const list = members.get(key);
    if (list === undefined) members.set(key, [index]);
    else list.push(index);
  }
  const order = [...Object.keys(layerColors), ...Object.keys(KINDS)];
  return order.flatMap((key) => {
    const list = members.get(key);
    if (list === undefined) return [];
    const kind = KINDS[key];
    const color = kind?.color ?? layerColors[key] ?? '#8a929b';
    return [{ key, short: kind?.short ?? SHORT[key] ?? key, color, events: list }];
  });
}
