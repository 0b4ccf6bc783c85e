#!/usr/bin/env node
// Runs the benchmarks of the built package.
import { existsSync } from 'node:fs';

const main = new URL('../dist/bench/main.js', import.meta.url);
if (!existsSync(main)) {
  console.error('build first: npm run build');
  process.exit(2);
}
await import(main.href);
