import type { ParamSpec } from '../../../core/run/params.js';
import { choiceParam, integerParam, switchParam } from '../support/param-reader.js';

/** Parameters of tool-result storage (STO). */
export const STORAGE_PARAMS: readonly ParamSpec[] = [
  switchParam('storage.enabled', true, 'Large tool results are kept outside the context (STO).'),
  integerParam(
    'storage.defaultThreshold',
    50_000,
    'characters',
    'A result longer than this is stored (STO-1).',
  ),
  {
    path: 'storage.tools',
    kind: { type: 'table' },
    default: { Bash: 30_000, Grep: 20_000 }, // STO-1
    unit: 'characters',
    help: 'Thresholds of single tools; they come before the exemptions (STO-1).',
  },
  {
    path: 'storage.exempt',
    kind: { type: 'names' },
    default: ['Read'], // STO-1
    unit: null,
    help: 'Tools whose results have no threshold (STO-1). The budget of a message still counts them.',
  },
  integerParam(
    'storage.previewBytes',
    2_000,
    'bytes',
    'What is shown of a stored result: its first bytes, up to a line end (STO-1).',
  ),
  choiceParam(
    'storage.how',
    ['file', 'cut'],
    'A long result goes to a file and leaves a preview, or is cut to its threshold for good (2.0.76).',
  ),
  integerParam(
    'storage.messageBudget',
    200_000,
    'characters',
    'All results of one user message together, the largest stored first; null sets no budget (STO-2).',
    { nullable: true },
  ),
  switchParam(
    'storage.stubRepeatedReads',
    false,
    'A repeated read of an unchanged file that is still visible becomes a short pointer (2.1.112).',
  ),
];
