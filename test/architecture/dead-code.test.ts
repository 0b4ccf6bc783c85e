import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const json = (name: string) => JSON.parse(readFileSync(resolve(ROOT, name), 'utf8'));

describe('dead code', () => {
  it('C39 the check looks for code that only tests reach', () => {
    const { scripts } = json('package.json');
    expect(scripts.check).toContain('deadcode');
    expect(scripts.deadcode).toBe('knip && knip --production');
  });

  it('C39 production is what the command line, the library, the page and the workers reach, and no test', () => {
    const { entry, project } = json('knip.json') as Record<'entry' | 'project', string[]>;
    const production = (patterns: string[]) => patterns.filter((pattern) => pattern.endsWith('!'));
    expect(production(entry)).toEqual([
      'src/cli/main.ts!',
      'src/index.ts!',
      'src/report/page/main.ts!',
      'src/study/worker-*.ts!',
    ]);
    expect(production(project)).toEqual(['src/**/*.ts!']);
  });
});
