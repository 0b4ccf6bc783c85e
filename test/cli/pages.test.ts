import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StudyPageData } from '../../src/report/study-page-data.js';
import { cli, scenario, tempFolder } from './cli.js';

/** What the page of a study holds. */
function pageData(path: string): StudyPageData {
  const html = readFileSync(path, 'utf8');
  const start = html.indexOf('id="data">') + 'id="data">'.length;
  return JSON.parse(html.slice(start, html.indexOf('</script', start))) as StudyPageData;
}

describe('pages of studies', () => {
  it('run with several runs writes an index that leads to each of them', async () => {
    const cwd = tempFolder({
      'a.yaml': `${scenario('tiny')}variants:\n  - { name: one hour, cache: { ttl: 1h } }\n`,
    });
    const { stdout } = await cli(['run', 'a.yaml'], { cwd });
    expect(stdout).toContain('page reports/tiny/index.html\n');
    const { table, runs } = pageData(join(cwd, 'reports/tiny/index.html'));
    expect(table.rows.map(({ name, page }) => [name, page])).toEqual([
      ['tiny', 'report.html'],
      ['tiny/one hour', 'one%20hour/report.html'],
    ]);
    for (const { page } of table.rows)
      expect(readFileSync(join(cwd, 'reports/tiny', decodeURIComponent(page!)), 'utf8')).toContain(
        '<!doctype',
      );
    expect(runs.map((run) => run!.requests.t.length > 0)).toEqual([true, true]);
  });

  it('sweep has the command of every point, and points that belong to their rows', async () => {
    const cwd = tempFolder({ 'a.yaml': scenario('tiny') });
    await cli(['sweep', 'a.yaml', '--vary', 'cache.ttl=5m,1h', '--metrics', 'costUsd'], { cwd });
    const { table, charts } = pageData(join(cwd, 'reports/tiny-sweep/report.html'));
    expect(table.rows.map(({ command }) => command)).toEqual([
      'ccbench run a.yaml --set cache.ttl=5m',
      'ccbench run a.yaml --set cache.ttl=1h',
    ]);
    const [{ x, series }] = charts as [StudyPageData['charts'][number]];
    expect(x.names).toEqual(['5m', '1h']);
    expect(series[0]!.points.map(({ y, row }) => [row, y])).toEqual(
      table.rows.map(({ cells }, row) => [row, cells[0]!.value]),
    );
  });
});
