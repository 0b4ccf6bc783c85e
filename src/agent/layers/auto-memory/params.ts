import type { ParamSpec } from '../../../core/run/params.js';
import { integerParam, switchParam } from '../support/param-reader.js';

/** Parameters of auto memory (AUT). */
export const AUTO_MEMORY_PARAMS: readonly ParamSpec[] = [
  switchParam(
    'autoMemory.enabled',
    true,
    'Kill switch: durable memories are extracted at the end of each loop (FLG-1).',
  ),
  integerParam(
    'autoMemory.indexLines',
    200,
    'lines',
    'Lines of the index that enter the system prompt at most (AUT-3).',
    { min: 1 },
  ),
  integerParam(
    'autoMemory.indexBytes',
    25_000,
    'bytes',
    'Bytes of the index that enter the system prompt at most (AUT-3).',
    { min: 1 },
  ),
  integerParam('autoMemory.lineChars', 150, 'characters', 'A line of the index stays below this (AUT-3).', {
    min: 40,
  }),
  integerParam(
    'autoMemory.maxReads',
    8,
    'files',
    'Memory files an extraction reads in its first turn at most (AUT-4; the number is assumed).',
  ),
];
