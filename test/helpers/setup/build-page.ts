import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { whyBuild } from '../../../scripts/stale-build.mjs';
import { ROOT } from '../architecture/tree.js';

/** Makes the page's bundle and the policies of other agents fit their sources before any test runs; a build that is up to date has done so. */
export function setup(): void {
  if (whyBuild(ROOT) === null) return;
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-shipped.mjs')], { stdio: 'inherit' });
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-page.mjs')], { stdio: 'inherit' });
}
