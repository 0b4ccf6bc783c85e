import type { Metric } from './metric.js';

/** Metrics of what clients show of their context (WIN-5). */
export const STATUS_METRICS: readonly Metric[] = [
  {
    name: 'warningShownTurns',
    unit: 'count',
    better: 'lower',
    help: 'turns of the main loop during which the client warned that little context is left; none where no window is known; a policy that sets no distance is taken to warn 20,000 tokens before its limit, as Claude Code does',
    value: ({ status }) => status?.warning.turns ?? null,
  },
  {
    name: 'errorShownTurns',
    unit: 'count',
    better: 'lower',
    help: 'the same for the error colour of that warning',
    value: ({ status }) => status?.error.turns ?? null,
  },
  {
    name: 'leastPercentLeft',
    unit: 'share',
    better: 'higher',
    help: 'least share of the limit that the client showed as left when a request of the main loop was sent: of the auto-compact threshold where that is on, else of the effective window',
    value: ({ status }) => (status === null ? null : status.leastPercentLeft / 100),
  },
];
