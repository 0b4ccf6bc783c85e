import type { ParamSpec } from '../../../core/run/params.js';
import { choiceParam, integerParam, switchParam } from '../support/param-reader.js';

/** Parameters of windows and thresholds (WIN). All offsets are distances from the limit. */
export const WINDOW_PARAMS: readonly ParamSpec[] = [
  choiceParam(
    'window.models',
    ['known', 'suffix-only'],
    'Whether the client knows which models have a long window, or goes by the [1m] suffix alone (WIN-1).',
  ),
  integerParam(
    'window.explicit',
    null,
    'tokens',
    'Window set by the user for models that are not known to have a long one; null: 200,000 (WIN-1).',
    {
      min: 1_000,
    },
  ),
  choiceParam(
    'window.reserve',
    ['none', 'max-output', 'capped', 'fixed'],
    'What is kept free for the answer: nothing, the longest answer, that up to a cap, or always the cap (WIN-2).',
  ),
  integerParam('window.reserveCap', 20_000, 'tokens', 'Cap of the reserve when it is capped (WIN-2).'),
  integerParam(
    'window.maxOutput',
    null,
    'tokens',
    "Output limit of main requests set by the user; null: the model's own, at most 32,000 (WIN-2).",
    { min: 1 },
  ),
  integerParam(
    'window.compactOffset',
    13_000,
    'tokens',
    'Auto-compaction fires this far below the effective window (WIN-3).',
  ),
  integerParam(
    'window.warningOffset',
    20_000,
    'tokens',
    'The warning shows this far below the limit (WIN-5).',
  ),
  integerParam(
    'window.errorOffset',
    20_000,
    'tokens',
    'The error colour shows this far below the limit (WIN-5).',
  ),
  integerParam(
    'window.blockingOffset',
    3_000,
    'tokens',
    'Input is blocked this far below the effective window; null never (WIN-6).',
    {
      nullable: true,
    },
  ),
  {
    path: 'window.percent',
    kind: { type: 'number', min: 0, minIs: 'excluded', max: 100, nullable: true }, // WIN-4
    default: null,
    unit: '%',
    help: 'Percentage override: compact at this share of the effective window, if that is earlier (WIN-4).',
  },
  switchParam('compact.enabled', true, 'Off: nothing is ever compacted, not even by hand (WIN-7).'),
  switchParam('autoCompact.enabled', true, 'The user setting: compact automatically (WIN-7).'),
  switchParam(
    'autoCompact.disabled',
    false,
    'The environment switch that turns automatic compaction off (WIN-7).',
  ),
  switchParam(
    'autoCompact.honoursDisable',
    true,
    'Whether the client obeys that environment switch (2.0.76 does not).',
  ),
];
