import { CcbenchError } from '../../core/base/errors.js';
import { type FindOptions, findSessions, type LeftOut } from '../../transcripts/files/find-sessions.js';
import type { FindRecordings } from './transcript-ref.js';

/** Finds the recordings that scenarios name by files, folders and patterns: each path once, however often a scenario is compiled. */
export function scenarioRecordings(
  options: FindOptions,
  onLeftOut: (leftOut: readonly LeftOut[]) => void = () => {},
): FindRecordings {
  const known = new Map<string, readonly string[]>();
  return (path, place) => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const { files, leftOut } = findSessions([path], { ...options, place });
    if (files.length === 0) {
      const [first, ...others] = leftOut;
      const more = others.length === 0 ? '' : ` (and ${others.length} more are left out)`;
      throw new CcbenchError('bad-input', `${leftOut.at(-1)?.reason ?? first?.reason}${more}`, {
        place,
        hint: 'a transcript is a file, a folder with recordings below it, or a pattern such as "logs/**/*.jsonl"',
      });
    }
    onLeftOut(leftOut);
    known.set(path, files);
    return files;
  };
}
