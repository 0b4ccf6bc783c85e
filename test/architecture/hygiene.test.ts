import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hygieneViolations, MAX_SOURCE_LINES, tooLong } from '../helpers/architecture/hygiene.js';
import { ownFiles, ROOT, sourceFiles } from '../helpers/architecture/tree.js';

describe('the repository', () => {
  it('holds no machine path, package registry or unfinished note', () => {
    const problems: string[] = [];
    for (const path of ownFiles()) {
      const text = readFileSync(join(ROOT, path), 'utf8');
      if (!text.includes('\0')) problems.push(...hygieneViolations({ path, text }));
    }
    expect(problems).toEqual([]);
  });

  it('has no source above the limit of lines', () => {
    expect(
      sourceFiles()
        .map(tooLong)
        .filter((problem) => problem !== null),
    ).toEqual([]);
  });
});

describe('the check fires on', () => {
  it.each([
    ['a path of one machine', `see ${['', 'work', 'x'].join('/')}`],
    ['a path of one machine', `"${['', 'root', '.config'].join('/')}"`],
    ['a path of one machine', `cwd: ${['', 'home', 'me', 'code'].join('/')}`],
    ['a package registry', `"resolved": "${['https:', '', `registry${'.'}npmjs.org`].join('/')}"`],
    ['a package registry', `${['https:', '', 'artifactory.example.com'].join('/')}/npm`],
    ['an unfinished note', `// ${'TO'}DO later`],
    ['an unfinished note', `/* ${'FIX'}ME */`],
    ['a test without a body', `  ${'it'}('SES-1 starts from the template', () => {});`],
    ['a test without a body', `${'it'}.each(rows)('%s', async (_name) => {}, 5_000);`],
  ])('%s: %s', (what, text) => {
    expect(hygieneViolations({ path: 'a.ts', text })).toEqual([
      expect.stringContaining(`a.ts:1 holds ${what}`),
    ]);
  });

  it('a source of one line too many', () => {
    const text = 'x\n'.repeat(MAX_SOURCE_LINES);
    expect(tooLong({ path: 'a.ts', text })).toBeNull();
    expect(tooLong({ path: 'a.ts', text: `${text}x\n` })).toBe('a.ts has 401 lines, more than 400');
  });
});

it('ordinary words and relative paths pass', () => {
  const text =
    "import x from './registry.js'; registry.names.map(f); // docs/work/flow, TodoWrite, src/home/page.ts";
  expect(hygieneViolations({ path: 'a.ts', text })).toEqual([]);
});
