import { expect, it } from 'vitest';
import { lanesOf } from '../../../../src/report/page/run/lanes.js';
import type { PageEvent } from '../../../../src/report/page-data/page-data.js';

const event = (kind: PageEvent['kind'], name: string): PageEvent => ({
  kind,
  name,
  t: 0,
  turn: 1,
  thread: 'main',
  after: 0,
  action: '',
  outcome: '',
  reason: '',
  details: {},
});

it('layers have a lane each in the order of their colours, then other kinds; what did not happen has none', () => {
  const events = [
    event('break', 'ttl-5m'),
    event('layer', 'full-compact'),
    event('layer', 'storage'),
    event('layer', 'full-compact'),
    event('refused', 'too long'),
    event('break', 'model'),
  ];
  const lanes = lanesOf(events, { storage: 'red', snip: 'green', 'full-compact': 'blue' });
  expect(lanes).toEqual([
    { key: 'storage', short: 'storage', color: 'red', events: [2] },
    { key: 'full-compact', short: 'compact', color: 'blue', events: [1, 3] },
    { key: 'break', short: 'break', color: expect.any(String), events: [0, 5] },
    { key: 'refused', short: 'refused', color: expect.any(String), events: [4] },
  ]);
});
