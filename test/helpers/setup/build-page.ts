import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../architecture/tree.js';

/** Makes the page's bundle and the policies of other agents fit their sources before any test runs. */
export function setup(): void {
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-shipped.mjs')], { stdio: 'inherit' });
  execFileSync(process.execPath, [join(ROOT, 'scripts/build-page.mjs')], { stdio: 'inherit' });
}
