import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONGEST } from '../helpers/longest-first.js';
import { ROOT } from '../helpers/tree.js';

it('the test files that start first are there', () => {
  expect(LONGEST.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});
