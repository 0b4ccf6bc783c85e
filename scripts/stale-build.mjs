// @ts-check
// Whether `dist` is what the sources build to.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICES } from './build-code.mjs';

/** Sources of the page go into the build as one generated module. */
const PAGE = join('src', 'report', 'page');

/** What a build depends on besides its sources. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** @param {string} path */
const writtenMs = (path) => statSync(path).mtimeMs;

/**
 * @param {string} root
 * @param {string} folder
 */
const filesBelow = (root, folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => join(folder, name));

/**
 * Why what runs from `dist` is not what the sources of a checkout compile to; null when it is.
 * @param {string} root
 * @returns {string | null}
 */
export function staleBuild(root) {
  const last = join(root, NOTICES);
  if (!existsSync(last)) return `${NOTICES} is missing`;
  const source = ['src', 'bench']
    .flatMap((folder) => filesBelow(root, folder))
    .filter((name) => name.endsWith('.ts') && !name.startsWith(PAGE))
    .find((name) => writtenMs(join(root, name)) > writtenMs(last));
  return source === undefined ? null : `${source.replaceAll('\\', '/')} has changed since dist was built`;
}

/**
 * Why a build has something to do: `dist` is stale, or something besides the sources has changed since; null when it has nothing to do.
 * @param {string} root
 * @returns {string | null}
 */
export function whyBuild(root) {
  const stale = staleBuild(root);
  if (stale !== null) return stale;
  const inputs = [...SETTINGS, ...['src', 'bench', 'scripts'].flatMap((folder) => filesBelow(root, folder))];
  const newer = inputs.find((name) => writtenMs(join(root, name)) > writtenMs(join(root, NOTICES)));
  return newer === undefined ? null : `${newer} has changed`;
}
