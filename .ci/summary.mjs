// Closes a CI run: prints `N passed, N failed` from vitest's JSON results and exits like the checks did.
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
const results = JSON.parse(readFileSync(file, 'utf8'));

// A file that cannot be loaded fails without a failed test of its own.
const brokenFiles = results.testResults.filter(
  (suite) => suite.status === 'failed' && suite.assertionResults.every((test) => test.status !== 'failed'),
).length;
const passed = results.numPassedTests;
const skipped = results.numPendingTests + results.numTodoTests;
let failed = results.numFailedTests + brokenFiles;
if (failed === 0 && (!results.success || passed === 0 || status !== '0')) failed = 1;

if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
