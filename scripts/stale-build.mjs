// @ts-check
// Whether `dist` is what the sources build to.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICES } from './build-code.mjs';

/** Sources of the page go into the build as one generated module. */
const PAGE = join('report', 'page');

/** What a build depends on besides what is in `src`. */
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

/** @param {string} path */
const writtenMs = (path) => statSync(path).mtimeMs;

/** @param {string} folder */
const filesBelow = (folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

/**
 * Why what runs from `dist` is not what the sources of a checkout compile to; null when it is.
 * @param {string} root
 * @returns {string | null}
 */
export function staleBuild(root) {
  const last = join(root, NOTICES);
  if (!existsSync(last)) return `${NOTICES} is missing`;
  const source = filesBelow(join(root, 'src'))
    .filter((name) => name.endsWith('.ts') && !name.startsWith(PAGE))
    .find((name) => writtenMs(join(root, 'src', name)) > writtenMs(last));
  return source === undefined ? null : `src/${source.replaceAll('\\', '/')} has changed since dist was built`;
}

/**
 * Why a build has something to do: `dist` is stale, or something besides the sources has changed since; null when it has nothing to do.
 * @param {string} root
 * @returns {string | null}
 */
export function whyBuild(root) {
  const stale = staleBuild(root);
  if (stale !== null) return stale;
  const inputs = [
    ...SETTINGS,
    ...['src', 'scripts'].flatMap((folder) =>
      filesBelow(join(root, folder)).map((name) => join(folder, name)),
    ),
  ];
  const newer = inputs.find((name) => writtenMs(join(root, name)) > writtenMs(join(root, NOTICES)));
  return newer === undefined ? null : `${newer} has changed`;
}
