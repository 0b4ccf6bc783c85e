import { staleBuild } from '../../../scripts/stale-build.mjs';
import { ROOT } from '../architecture/tree.js';

/** Fails with one sentence where tests would run a build of other sources. */
export function needFreshBuild(): void {
  const reason = staleBuild(ROOT);
  if (reason !== null)
    throw new Error(`dist is not built from these sources (${reason}): type \`npm run build\``);
}
