import { addTo } from '../../../core/base/groups.js';
import { ownValue } from '../../../core/base/own-value.js';
import { DISTINCT, LAYER_COLORS } from '../../charts/palette.js';
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
  break: { short: 'break', color: DISTINCT.grey },
  refused: { short: 'refused', color: DISTINCT.vermilion },
  lost: { short: 'lost', color: DISTINCT.vermilion },
  breaker: { short: 'breaker', color: DISTINCT.purple },
  notice: { short: 'notice', color: DISTINCT.grey },
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
  layerColors: Readonly<Record<string, string>> = LAYER_COLORS,
): readonly Lane[] {
  const members = new Map<string, number[]>();
  for (const [index, event] of events.entries()) addTo(members, eventLane(event), index);
  const order = [...Object.keys(layerColors), ...Object.keys(KINDS)];
  return order.flatMap((key) => {
    const list = members.get(key);
    if (list === undefined) return [];
    const kind = ownValue(KINDS, key);
    const color = kind?.color ?? ownValue(layerColors, key) ?? DISTINCT.grey;
    return [{ key, short: kind?.short ?? ownValue(SHORT, key) ?? key, color, events: list }];
  });
}
