import type { SourceFile } from './layers.js';

/** The longest source file that is still read in one sitting. */
export const MAX_SOURCE_LINES = 400;

const MACHINE_FOLDERS = ['work', 'root', 'home'];

const RULES: readonly (readonly [string, RegExp])[] = [
  ['a path of one machine', new RegExp(`(?<![\\w.*>)\\]}-])/(${MACHINE_FOLDERS.join('|')})/`)],
  [
    'a package registry',
    /https?:\/\/[^/\s"']*(registry|artifactory|verdaccio|nexus)|\bregistry[.](npmjs|yarnpkg|npmmirror)\b/i,
  ],
  ['an unfinished note', /\b(TO)(DO)\b|\b(FIX)(ME)\b/],
  ['a test without a body', /^\s*(it|test)\b.*=>\s*\{\s*\}\s*(,\s*[\d_]+\s*)?\);/],
];

/** The sentences that say which lines of a file do not belong into a published repository. */
export function hygieneViolations(file: SourceFile): readonly string[] {
  const problems: string[] = [];
  for (const [index, line] of file.text.split('\n').entries()) {
    for (const [what, pattern] of RULES) {
      const match = pattern.exec(line);
      if (match !== null) problems.push(`${file.path}:${index + 1} holds ${what}: ${match[0]}`);
    }
  }
  return problems;
}

/** The sentence that says a source is too long, or null. */
export function tooLong(file: SourceFile): string | null {
  const lines = file.text.split('\n').length - (file.text.endsWith('\n') ? 1 : 0);
  return lines > MAX_SOURCE_LINES ? `${file.path} has ${lines} lines, more than ${MAX_SOURCE_LINES}` : null;
}
