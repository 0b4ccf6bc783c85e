import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './tree.js';

/** Sources of the page go into the build as one generated module. */
const PAGE = join('report', 'page');
const WORKER = join('study', 'worker-bundle.js');

/** Why `dist` is not what the sources of a checkout build to; null when it is. */
export function staleBuild(root: string): string | null {
  const source = (name: string): string => join(root, 'src', name);
  const built = (name: string): string => join(root, 'dist', name);
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith(PAGE))
    .sort();
  for (const name of [WORKER, ...sources.map((source) => source.replace(/\.ts$/, '.js'))])
    if (!existsSync(built(name))) return `dist/${name} is missing`;
  for (const name of sources) {
    const writtenMs = statSync(source(name)).mtimeMs;
    for (const target of [name.replace(/\.ts$/, '.js'), WORKER])
      if (statSync(built(target)).mtimeMs < writtenMs) return `dist/${target} is older than src/${name}`;
  }
  return null;
}

/** Fails with one sentence where tests would run a build of other sources. */
export function needFreshBuild(): void {
  const reason = staleBuild(ROOT);
  if (reason !== null)
    throw new Error(`dist is not built from these sources (${reason}): type \`npm run build\``);
}
