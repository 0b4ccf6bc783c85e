import { join, resolve } from 'node:path';
import { homeFolder, withHome } from '../../transcripts/files/home.js';
import type { Host } from '../host.js';

/** What decides where a user's cache is. */
export type CachePlace = Pick<Host, 'cwd' | 'env'> & { readonly platform?: NodeJS.Platform };

const FOLDER = 'ccbench';

/**
 * The folder of everything ccbench keeps for itself, which may be deleted at any time: `CCBENCH_CACHE`, else the user's cache folder of
 * the system. Never below the recordings.
 */
export function cacheFolder({ cwd, env, platform = process.platform }: CachePlace): string {
  const { CCBENCH_CACHE = '', XDG_CACHE_HOME = '', LOCALAPPDATA = '' } = env;
  const home = homeFolder(env);
  if (CCBENCH_CACHE !== '') return resolve(cwd, withHome(CCBENCH_CACHE, home));
  // The XDG specification has relative paths ignored.
  if (XDG_CACHE_HOME.startsWith('/')) return join(XDG_CACHE_HOME, FOLDER);
  if (platform === 'darwin') return join(home, 'Library', 'Caches', FOLDER);
  if (platform === 'win32')
    return join(LOCALAPPDATA === '' ? join(home, 'AppData', 'Local') : LOCALAPPDATA, FOLDER, 'cache');
  return join(home, '.cache', FOLDER);
}
