// @ts-check
// npm run typecheck: the types of all code, and of the page, which has a configuration of its own.
import { join } from 'node:path';
import { typeProblems } from './check-types.mjs';

const root = join(import.meta.dirname, '../..');
const problems = ['tsconfig.json', 'tsconfig.page.json'].flatMap((name) => typeProblems(root, name));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
