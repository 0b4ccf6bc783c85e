// @ts-check
// Finds the Redis or Valkey that the tests of the fleet start.

import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** The environment variable that names a server and is believed before anything else. */
export const REDIS_VARIABLE = 'CCBENCH_REDIS_SERVER';

/** How to get one where there is none. */
export const REDIS_COMMAND =
  'apt-get install redis-server (Debian, Ubuntu), brew install redis (macOS), or dnf install valkey (Fedora)';

/** @param {string} file */
function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The file of a server, or null where there is none; a wrong value of the variable is an error.
 * @param {Readonly<Record<string, string | undefined>>} env
 * @param {(file: string) => boolean} isThere
 * @returns {string | null}
 */
export function findRedis(env, isThere = isProgram) {
  const named = env[REDIS_VARIABLE];
  if (named !== undefined && named !== '') {
    if (isThere(named)) return named;
    throw new Error(
      `${REDIS_VARIABLE} is ${named}, which is no program: set it to the file of a redis-server, or unset it`,
    );
  }
  const folders = [
    ...(env.PATH ?? '').split(delimiter).filter(isAbsolute),
    '/usr/bin',
    '/usr/local/bin',
    '/opt/homebrew/bin',
  ];
  const files = folders.flatMap((folder) =>
    ['redis-server', 'valkey-server'].map((name) => join(folder, name)),
  );
  return files.find(isThere) ?? null;
}
