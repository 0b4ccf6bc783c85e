import { readFileSync } from 'node:fs';
import { builtModule } from '../core/base/built.js';
import { sha256Hex } from '../core/base/digest.js';
import { packageVersion } from './host.js';

/** Digits that distinguish two builds of one version. */
const BUILD_DIGITS = 8;

/**
 * The version with a digest of the code that a thread runs: results of two builds are never taken for each other. The file of a
 * thread names those it imports by their digests, so its own digest covers all of them.
 */
export function programVersion(threadModule: string): string {
  const entry = builtModule(threadModule);
  if (entry === null) return packageVersion();
  return `${packageVersion()}+${sha256Hex(readFileSync(entry)).slice(0, BUILD_DIGITS)}`;
}
