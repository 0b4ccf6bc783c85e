import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { formatCount, formatMoney, formatShare } from '../../src/report/format.js';
import { compileScenario } from '../../src/scenario/compile.js';
import { builtinContext } from '../../src/scenario/context.js';
import { cliPage } from '../helpers/cli-page.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = resolve(ROOT, 'README.md');
const readme = readFileSync(PATH, 'utf8');

interface Compared {
  readonly variants: readonly {
    readonly name: string;
    readonly metrics: Readonly<Record<string, number | null>>;
  }[];
}

/** The table of the example, from its committed comparison. */
function exampleTable(): string {
  const compared = JSON.parse(
    readFileSync(resolve(ROOT, 'reports/example/compare.json'), 'utf8'),
  ) as Compared;
  const rows = compared.variants.map(({ name, metrics: m }) => {
    const label = name === 'base' ? 'claude-code 2.0.76' : name;
    const cells = [
      formatMoney(m.costUsd ?? null),
      formatShare(m.cacheHitRate ?? null),
      formatCount(m.compactions ?? null),
      formatCount(m.tokensSaved ?? null),
      formatCount(m.cacheTokensDestroyed ?? null),
      formatCount(m.peakContextTokens ?? null),
    ];
    return `| ${label} | ${cells.join(' | ')} |`;
  });
  return [
    '| policy | cost | cache-hit rate | compactions | tokens saved | cached tokens destroyed | peak context |',
    '|---|---:|---:|---:|---:|---:|---:|',
    ...rows,
  ].join('\n');
}

describe('README', () => {
  it('shows the example as it is; UPDATE_GENERATED=1 writes it', () => {
    const block = `<!-- example:begin -->\n${exampleTable()}\n<!-- example:end -->`;
    const found = /<!-- example:begin -->[\s\S]*<!-- example:end -->/.exec(readme)?.[0];
    if (process.env.UPDATE_GENERATED === '1') writeFileSync(PATH, readme.replace(found!, block));
    else expect(found).toBe(block);
  });

  it('names commands, files and scenarios that exist', () => {
    const page = cliPage();
    for (const [, command] of readme.matchAll(/ccbench ([a-z]+)[ `]/g)) {
      if (command !== 'has' && command !== 'replays' && command !== 'makes')
        expect(page).toContain(`## ccbench ${command}`);
    }
    for (const [, link] of readme.matchAll(/\]\(([^)#]+)\)/g))
      expect(existsSync(resolve(ROOT, link!)), link).toBe(true);
    const listed = [...readme.matchAll(/^\| `([a-z-]+\.yaml)` \|/gm)].map((match) => match[1]);
    const present = readdirSync(resolve(ROOT, 'scenarios')).filter(
      (name) => name.endsWith('.yaml') && name !== 'reference.yaml',
    );
    expect([...listed].sort()).toEqual([...present].sort());
  });

  it('shows a scenario that compiles', () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(readme)![1]!;
    const compiled = compileScenario({ text: yaml, file: 'README.md', set: [] }, builtinContext);
    expect(compiled.runs).toHaveLength(2);
  });
});
