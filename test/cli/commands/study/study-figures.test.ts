import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricWords } from '../../../../src/report/text/metric-words.js';
import { cli, tempFolder } from '../../cli.js';

// One compaction on demand in two of three sessions and two in the third: a mean of 4/3.
const session = (compactAt: string): string =>
  `  - synthetic: { turns: 12, prefixTokens: 2000, steady: { gapSeconds: 20, outputTokens: 100, resultTokens: 400 }, compactAt: [${compactAt}] }\n`;
const TEXT = `name: a
transcripts:
${session('{ afterTurn: 6 }')}${session('{ afterTurn: 7 }')}${session('{ afterTurn: 6 }, { afterTurn: 9 }')}policy: claude-code/2.1.112
variants:
  - { name: off, overrides: { disableCompact: true } }
`;

describe('means of counts', () => {
  it('are not rounded in a comparison, whatever it is written as', async () => {
    const cwd = tempFolder({ 'a.yaml': TEXT });
    const { stdout } = await cli(['compare', 'a.yaml', '--metrics', 'compactions,turns'], { cwd });
    const read = (name: string): string => readFileSync(join(cwd, 'reports/a-compare', name), 'utf8');
    expect(stdout).toMatch(/^base +1\.3 +12$/m);
    expect(read('compare.md')).toContain('| base | 1.3 | 12 |');
    expect(read('report.html')).toContain('"text":"1.3"');
    expect(JSON.parse(read('compare.json')).variants[0].metrics.compactions).toBe(4 / 3);
    expect(stdout).toContain('compactions of off: −1.3');
  });

  it('are not rounded in a sweep or a search', async () => {
    const cwd = tempFolder({ 'a.yaml': TEXT });
    const vary = ['--vary', 'compact.enabled=true,false'];
    const swept = await cli(['sweep', 'a.yaml', ...vary, '--metrics', 'compactions'], { cwd });
    expect(swept.stdout).toMatch(/^compact\.enabled=true +1\.3/m);
    const csv = readFileSync(join(cwd, 'reports/a-sweep/sweep.csv'), 'utf8');
    expect(csv).toMatch(/^true,.*1\.3333333333333333/m);
    const tuned = await cli(['tune', 'a.yaml', ...vary, '--maximise', 'compactions', '--no-files'], { cwd });
    expect(tuned.stdout).toMatch(/^compact\.enabled=true +1\.3\*/m);
  });
});

describe('columns of a comparison', () => {
  const metrics =
    'costUsd,cacheHitRate,compactions,tokensSaved,cacheTokensDestroyed,peakContextTokens,meanPromptTokens,promptTokens,outputTokens,turns,uncachedTokens,cacheReadTokens,cacheCreationTokens,contentRetention';

  it('that do not fit are named, and those in which all variants are alike are told in a line', async () => {
    const cwd = tempFolder({ 'a.yaml': TEXT });
    const printed = await cli(['compare', 'a.yaml', '--metrics', metrics, '--no-files'], { cwd });
    const stdout = printed.stdout.replace(/\n {2}(?=\S)/g, ' '); // notes on one line again
    const lines = stdout.split('\n');
    const named = /^left out, too wide for 100 columns: (.*) \(--json has them\)$/.exec(
      lines.find((line) => line.startsWith('left out')) ?? '',
    );
    const base = lines.find((line) => line.startsWith('base'))!;
    const shown = base.trim().split(/ {2,}/).length - 1;
    expect(shown).toBeGreaterThan(3);
    const same = (/^the same in all rows: (.*)$/m.exec(stdout)?.[1] ?? '').split(', ');
    const alike = new Set(same.map((told) => told.replace(/ \S+$/, '')));
    const others = metrics
      .split(',')
      .map(metricWords)
      .filter((name) => !alike.has(name));
    expect(alike).toContain('turns'); // the same session under every variant
    expect(named![1]!.split(', ')).toEqual(others.slice(shown));
  });

  it('that fit are all there, and nothing is said', async () => {
    const cwd = tempFolder({ 'a.yaml': TEXT });
    const { stdout } = await cli(['compare', 'a.yaml', '--metrics', 'costUsd,turns', '--no-files'], { cwd });
    expect(stdout).toMatch(/^variant +cost +turns$/m);
    expect(stdout).not.toContain('left out');
  });

  it('without a value show a dash', async () => {
    const cwd = tempFolder({ 'a.yaml': TEXT });
    const argv = ['compare', 'a.yaml', '--metrics', 'costUsd,forkHitRate', '--no-files'];
    const { stdout } = await cli(argv, { cwd });
    expect(stdout).toMatch(/^base +\$[\d.]+\*? +–$/m);
  });
});
