#!/usr/bin/env node
// Loads nothing, and is written for every Node that knows modules: an old one gets an error before it reads syntax that it does not know.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** What Node 22.1 and later have, and older ones have not. */
interface CompileCache {
  readonly enableCompileCache?: () => unknown;
}

if (major > 20 || (major === 20 && minor >= 19)) {
  // Keeps compiled code for the next start, in the folder for temporary files or in NODE_COMPILE_CACHE.
  const { getBuiltinModule: get } = process as { getBuiltinModule?: (id: string) => object | undefined };
  const { enableCompileCache: enable } = (get === undefined ? {} : get('node:module')) as CompileCache;
  if (enable !== undefined) enable();
  void import('./start.js');
} else {
  const message = `ccbench needs Node 20.19 or later, and this is Node ${process.versions.node}`;
  const hint = 'install a newer Node from https://nodejs.org, or switch to one with your version manager';
  process.stderr.write(`error[old-node]: ${message}\n  hint: ${hint}\n`);
  if (process.argv.indexOf('--json') >= 0)
    process.stdout.write(`${JSON.stringify({ error: { code: 'old-node', message, hint, place: null } })}\n`);
  process.exitCode = 2;
}
