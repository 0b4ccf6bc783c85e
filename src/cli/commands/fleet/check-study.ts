import { existsSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { CcbenchError } from '../../../core/base/errors.js';
import { bounded, formatCount } from '../../../core/base/format.js';
import { isGroup } from '../../../core/base/problem.js';
import type { StudySpec } from '../../../study/grid-study.js';

/** What a worker gets of a study; paths are seen from the folder it works in. */
export interface FleetStudy {
  readonly spec: StudySpec;
  readonly results: string;
}

/** All that is in the queue: which batch of which study. */
export interface BatchKey {
  readonly study: string;
  readonly batch: number;
}

/** Longer than any path or setting that somebody writes. */
const MOST_CHARS = 4_096;

/** A value of a setting that names a place of the machine: absolute, in the home folder, or further up. */
const OUTSIDE = /(?:^|[=[\]{}(),:"'\s])(?:\/|~|\\|[A-Za-z]:[\\/]|\.\.(?:[\\/]|$))/;

/** Characters that make a path a pattern. */
const PATTERN = /[*?[{]/;

/** Whatever can write to the server can publish a study: its paths must lie in one folder, and its texts have an end. */
export function checkStudy(value: unknown, cwd: string, root: string): FleetStudy {
  const { spec, results } = isGroup(value) ? value : {};
  if (!isGroup(spec) || !isText(spec.file) || !isText(results)) throw refused('it is none');
  const { vary, set, transcripts = [], metrics = '' } = spec;
  if (
    ![vary, set, transcripts].every((list) => Array.isArray(list) && list.every(isText)) ||
    !isText(metrics)
  )
    throw refused('it is none');
  for (const text of textsIn(value))
    if (text.length > MOST_CHARS)
      throw refused(`"${bounded(text, 50)}" has more than ${formatCount(MOST_CHARS)} characters`);
  for (const path of [spec.file, results, ...(transcripts as readonly string[])])
    checkInside(path, cwd, root);
  for (const setting of [...(vary as readonly string[]), ...(set as readonly string[])])
    if (OUTSIDE.test(setting)) throw refused(`the setting ${setting} names a path outside its folder`);
  return value as unknown as FleetStudy;
}

/** A study as the server has it. */
export function studyIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refused('it is no JSON');
  }
}

/** What a job of the queue names: another batch than one of a study would be written as rows that no study has. */
export function checkKey(data: unknown): BatchKey {
  const { study, batch } = isGroup(data) ? data : {};
  if (isText(study) && typeof batch === 'number' && Number.isSafeInteger(batch) && batch >= 0)
    return { study, batch };
  throw new CcbenchError('bad-input', 'a job on the server is refused: it names no batch of a study', {
    hint: 'only `ccbench fleet run` and `ccbench fleet tune` put jobs there; check who else uses the server',
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function* textsIn(value: unknown): Generator<string, void, void> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      yield name;
      yield* textsIn(inner);
    }
}

function checkInside(path: string, cwd: string, root: string): void {
  const start = path.split(/[\\/]/).findIndex((part) => PATTERN.test(part));
  const fixed =
    start < 0 ? path : path.split(/[\\/]/).slice(0, start).join('/') || (path.startsWith('/') ? '/' : '.');
  const below = relative(realPath(resolve(cwd, root)), realPath(resolve(cwd, fixed)));
  if (
    below.split(/[\\/]/)[0] === '..' ||
    isAbsolute(below) ||
    path.split(/[\\/]/).includes('..', Math.max(0, start))
  )
    throw refused(`${path} lies outside ${root === cwd ? 'the folder of this worker' : root}`);
}

/** A path without links, as far as it exists. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const above = dirname(path);
  return above === path ? path : resolve(realPath(above), relative(above, path));
}

function refused(why: string): CcbenchError {
  return new CcbenchError('bad-input', `a study on the server is refused: ${why}`, {
    hint: 'start the worker with --root <folder> to let studies use another folder, or with --results for their results alone',
  });
}
