import type { ParamSpec } from '../../../core/run/params.js';
import { integerParam, switchParam } from '../support/param-reader.js';

/** Parameters of dreaming (DRM). */
export const DREAMING_PARAMS: readonly ParamSpec[] = [
  switchParam('dreaming.enabled', true, 'Kill switch: memories are consolidated now and then (FLG-1).'),
  integerParam('dreaming.hours', 24, 'hours', 'Time since the last consolidation (DRM-1).'),
  integerParam('dreaming.scanMinutes', 10, 'minutes', 'Time since the last look at the sessions (DRM-1).'),
  integerParam('dreaming.sessions', 5, 'sessions', 'Sessions touched since the last consolidation (DRM-1).'),
  integerParam(
    'dreaming.staleMinutes',
    60,
    'minutes',
    'Age at which the lock of a dead process is taken over (DRM-2).',
  ),
  integerParam(
    'dreaming.filesPerTurn',
    10,
    'files',
    'Memories a dream works through in one turn (assumed).',
    { min: 1 },
  ),
  integerParam(
    'dreaming.matchesPerSession',
    20,
    'lines',
    'Lines a search of one session brings back at most: never a full read (DRM-3; the number is assumed).',
  ),
  integerParam('dreaming.turnsShown', 30, 'turns', 'Latest turns of a dream that are kept (DRM-5).'),
];
