import { readFileSync } from 'node:fs';
import { builtModule } from '../../../core/base/built.js';
import { sha256Hex } from '../../../core/base/digest.js';
import { WORKER_MODULE } from '../../../study/job-runner.js';
import { packageVersion } from '../../version.js';

/** Digits that tell two builds of one version apart. */
const BUILD_DIGITS = 8;

/** The version with a digest of the code that runs: results of two builds are never taken for each other. */
export function programVersion(): string {
  const entry = builtModule(WORKER_MODULE);
  if (entry === null) return packageVersion();
  return `${packageVersion()}+${sha256Hex(readFileSync(entry)).slice(0, BUILD_DIGITS)}`;
}
