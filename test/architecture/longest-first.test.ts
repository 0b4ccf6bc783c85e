import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../helpers/architecture/tree.js';
import { LONGEST } from '../helpers/setup/longest-first.js';

it('the test files that start first are there', () => {
  expect(LONGEST.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
});
