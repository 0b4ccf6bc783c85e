import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Checks that a committed file equals what the code generates; UPDATE_GENERATED=1 writes it instead. */
export function expectGenerated(path: string, text: string): void {
  const file = resolve(ROOT, path);
  if (process.env.UPDATE_GENERATED === '1') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const committed = existsSync(file) ? readFileSync(file, 'utf8') : '';
  expect(committed, `${path} is stale: run the tests once with UPDATE_GENERATED=1`).toBe(text);
}
