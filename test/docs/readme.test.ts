import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileScenario } from '../../src/config/compile.js';
import { builtinContext } from '../../src/config/context.js';
import { openRef } from '../../src/config/files/open-ref.js';
import { formatCount, formatMoney, formatShare } from '../../src/core/base/format.js';
import { foldLog } from '../../src/metrics/fold.js';
import { metricValues } from '../../src/metrics/registry.js';
import { cliPage } from '../helpers/pages/cli-page.js';
import { ofType, runLog } from '../helpers/plan.js';

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
    '| policy | cost | cache-hit rate | compactions | tokens saved | cache tokens destroyed | largest context |',
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

  it('C8 draws its conclusion from the numbers', () => {
    const { variants } = JSON.parse(
      readFileSync(resolve(ROOT, 'reports/example/compare.json'), 'utf8'),
    ) as Compared;
    const of = (metric: string) => variants.slice(0, 3).map(({ metrics }) => metrics[metric]!);
    const [oldest, , newest] = of('costUsd') as [number, number, number];
    expect(Math.min(...of('peakContextTokens'))).toBe(of('peakContextTokens')[0]);
    expect(Math.max(...of('costUsd'))).toBe(oldest);
    expect(of('cacheTokensDestroyed')[2]).toBe(0);
    const written = of('cacheCreationTokens').map((tokens) => tokens / 1_000_000);
    expect(written.map((tokens) => tokens.toFixed(tokens > 1.5 ? 2 : 0))).toEqual(['1.58', '1', '1']);
    expect(readme).toContain(`writes ${written[0]!.toFixed(2)} million tokens`);

    const file = resolve(ROOT, 'scenarios/quickstart.yaml');
    const text = readFileSync(file, 'utf8');
    const cost = (...set: readonly string[]) => {
      const { plan, transcript } = compileScenario({ text, file, set }, builtinContext).runs[0]!;
      const entries = runLog(plan, openRef(transcript, { cwd: ROOT }));
      const layers = ofType(entries, 'request').filter(({ purpose }) =>
        ['session_memory', 'auto_memory'].includes(purpose),
      );
      return { usd: metricValues(foldLog(entries)).costUsd, layers: layers.length };
    };
    const whole = cost();
    expect(whole.usd).toBe(newest);
    expect(readme).toContain(`${whole.layers} requests for notes and memories`);
    const without = cost('sessionMemory.enabled=false', 'autoMemory.enabled=false');
    expect(without.layers).toBe(0);
    expect(readme).toContain(`without these it costs ${formatMoney(without.usd ?? null)}`);
    expect(without.usd).toBeLessThan(Math.min(...of('costUsd')));
  });

  it('names commands, files and scenarios that exist', () => {
    const page = cliPage();
    for (const [, command] of readme.matchAll(/ccbench ([a-z]+)[ `]/g)) {
      if (command !== 'has' && command !== 'replays' && command !== 'makes')
        expect(page).toContain(`## ccbench ${command}`);
    }
    for (const [, link] of readme.matchAll(/\]\(([^)#]+)\)/g))
      expect(existsSync(resolve(ROOT, link!)), link).toBe(true);
    const scenarios = readFileSync(resolve(ROOT, 'scenarios/README.md'), 'utf8');
    const listed = [...scenarios.matchAll(/^\| `([a-z-]+\.yaml)` \|/gm)].map((match) => match[1]);
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
