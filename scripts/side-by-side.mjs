// @ts-check
// Runs scripts of package.json beside each other and shows the output of each when it has ended; names joined by + come one after
// the other. Fails when one of them does.
// node scripts/side-by-side.mjs typecheck lint+deadcode+site

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

/** @param {string} lane */
async function runLane(lane) {
  for (const script of lane.split('+')) if (!(await run(script))) return false;
  return true;
}

const succeeded = await Promise.all(process.argv.slice(2).map(runLane));
if (succeeded.includes(false)) process.exitCode = 1;
