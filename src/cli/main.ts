#!/usr/bin/env node
// Loads nothing, and is written for every Node: an old one gets an error before it reads syntax that it does not know.

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > 20 || (major === 20 && minor >= 19)) {
  void import('./prepare-node.js').then(({ prepareNode }) => {
    prepareNode(process.argv[2]);
    return import('./start.js');
  });
} else {
  const message = `ccbench needs Node 20.19 or later, and this is Node ${process.versions.node}`;
  const hint = 'install a newer Node from https://nodejs.org, or switch to one with your version manager';
  process.stderr.write(`error[old-node]: ${message}\n  hint: ${hint}\n`);
  if (process.argv.indexOf('--json') >= 0)
    process.stdout.write(`${JSON.stringify({ error: { code: 'old-node', message, hint, place: null } })}\n`);
  process.exitCode = 2;
}
