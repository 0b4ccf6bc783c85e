import type { ParamSpec } from '../../../core/run/params.js';
import { choiceParam, integerParam, switchParam } from '../support/param-reader.js';

/** Parameters of what survives a compaction (RES). */
export const RESTORE_PARAMS: readonly ParamSpec[] = [
  switchParam(
    'restore.enabled',
    true,
    'Whether files, skills, todo list and plan are put back after a compaction.',
  ),
  integerParam(
    'restore.files',
    5,
    'files',
    'How many of the most recently read or written files are read again (RES-1).',
  ),
  integerParam('restore.fileTokens', 5_000, 'tokens', 'A restored file is cut to this (RES-1).'),
  integerParam('restore.filesTotalTokens', 50_000, 'tokens', 'All restored files together (RES-1).'),
  choiceParam(
    'restore.largeFiles',
    ['cut', 'reference'],
    'A file over its limit is cut, or only named in a line that still uses a slot.',
  ),
  integerParam(
    'restore.referenceOverChars',
    20_000,
    'characters',
    'Files from this size on are only named, where that is the rule.',
  ),
  integerParam('restore.skillTokens', 5_000, 'tokens', 'A restored skill is cut to this (RES-2).'),
  integerParam('restore.skillsTotalTokens', 25_000, 'tokens', 'All restored skills together (RES-2).'),
  switchParam(
    'restore.background',
    true,
    'Whether agents and commands that still run in the background are named again (RES-3).',
  ),
];
