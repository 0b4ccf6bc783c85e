#!/usr/bin/env node
// Loads nothing, and is written for every Node that knows modules: an old one gets an error before it reads syntax that it does not know.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** What is set before anything is loaded. Node 22.0 to 22.2 do not hand out their modules this way. */
function prepareNode(): void {
  const { getBuiltinModule: load } = process as { getBuiltinModule?: (id: string) => object | undefined };
  if (load === undefined) return;
  // Node 22.1 and later keep compiled code for the next start: in the folder for temporary files, or in NODE_COMPILE_CACHE.
  const { enableCompileCache } = load('node:module') as { enableCompileCache?: () => unknown };
  if (enableCompileCache !== undefined) enableCompileCache();
  // V8 of Node 20 optimizes a function when 67,584 bytes of its code have run: too early for what a short command runs. Help does
  // without, as loading `node:v8` takes 7 ms.
  if (major !== 20 || !/^[a-z]/.test(process.argv[2] || '')) return;
  const { setFlagsFromString } = load('node:v8') as { setFlagsFromString: (flag: string) => void };
  setFlagsFromString('--interrupt-budget=300000');
}

if (major > 20 || (major === 20 && minor >= 19)) {
  prepareNode();
  void import('./start.js');
} else {
  const message = `ccbench needs Node 20.19 or later, and this is Node ${process.versions.node}`;
  const hint = 'install a newer Node from https://nodejs.org, or switch to one with your version manager';
  process.stderr.write(`error[old-node]: ${message}\n  hint: ${hint}\n`);
  if (process.argv.indexOf('--json') >= 0)
    process.stdout.write(`${JSON.stringify({ error: { code: 'old-node', message, hint, place: null } })}\n`);
  process.exitCode = 2;
}
