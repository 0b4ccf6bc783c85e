import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** Any rights that the user's settings leave. */
const OPEN_FOLDER = 0o777;

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Makes one folder; tells whether it was missing. */
function makeOne(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, mode);
    return true;
  } catch (error) {
    if (isFolder(folder)) return false;
    throw error;
  }
}

/**
 * Makes a folder and those above it that are missing; gives the outermost that it made, undefined without one. Node's own `recursive`
 * never returns below a folder in which none can be made and the system says that it is not there, such as /proc.
 */
export function makeFolder(folder: string, mode = OPEN_FOLDER): string | undefined {
  try {
    return makeOne(folder, mode) ? folder : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
  }
  const outermost = makeFolder(dirname(folder), mode);
  return makeOne(folder, mode) ? (outermost ?? folder) : outermost;
}
