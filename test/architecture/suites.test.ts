import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFiles, ROOT } from '../helpers/architecture/tree.js';
import { FIRST, FULL_ONLY } from '../helpers/setup/suites.js';

describe('the two suites', () => {
  it('the files that start first exist', () => {
    expect(FIRST.filter((name) => !existsSync(join(ROOT, name)))).toEqual([]);
  });

  it('the fast one needs no browser and no Redis', () => {
    const needy = ownFiles()
      .filter((path) => /^test\/(?!architecture).*\.test\.ts$/.test(path) && !FULL_ONLY.includes(path))
      .filter((path) =>
        /browser\.js'|start-redis|find-redis|ioredis/.test(readFileSync(join(ROOT, path), 'utf8')),
      );
    expect(needy).toEqual([]);
  });

  it('CI runs the full one, and `npm test` the fast one', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(scripts.test).toBe('vitest run');
    expect(scripts.check).toMatch(/vitest run --mode full$/);
    expect(readFileSync(join(ROOT, '.ci/run'), 'utf8')).toContain('npm run check');
  });
});
