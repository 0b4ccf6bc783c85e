// @ts-check
// Runs scripts of package.json, two at a time in their order, and shows the output of each when it has ended: the longest go first.
// Fails when one of them does.
// node scripts/side-by-side.mjs typecheck release-check lint

import { spawn } from 'node:child_process';

/**
 * @param {string} script
 * @returns {Promise<boolean>} whether it succeeded
 */
function run(script) {
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', script], {
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    /** @type {Buffer[]} */
    const output = [];
    child.stdout.on('data', (part) => output.push(part));
    child.stderr.on('data', (part) => output.push(part));
    child.on('error', (error) => output.push(Buffer.from(`error: ${error.message}\n`)));
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}

const LANES = 2;
const scripts = process.argv.slice(2);

/** Runs the scripts that nobody has begun, one after the other; none after one that failed. */
async function runLane() {
  for (let script = scripts.shift(); script !== undefined; script = scripts.shift())
    if (!(await run(script))) {
      process.exitCode = 1;
      scripts.length = 0;
    }
}

await Promise.all(Array.from({ length: LANES }, runLane));
