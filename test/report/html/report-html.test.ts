import { describe, expect, it } from 'vitest';
import { reportHtml } from '../../../src/report/html/report-html.js';
import type { PageData } from '../../../src/report/page-data/page-data.js';
import { dataOf } from '../../helpers/pages/page-data.js';
import { sampleRun } from '../../helpers/sample-run.js';

describe('report.html', () => {
  const html = reportHtml({ title: 'a <b>name</b>', runs: [sampleRun('sample', 30, 12)] });

  it('is the same bytes for the same run', () => {
    expect(reportHtml({ title: 'a <b>name</b>', runs: [sampleRun('sample', 30, 12)] })).toBe(html);
  });

  it('is small: script and style stay below 150,000 characters', () => {
    expect(html.length - JSON.stringify(dataOf<PageData>(html)).length).toBeLessThan(150_000);
  });

  it('loads nothing and forbids itself to', () => {
    expect(html).toContain("default-src 'none'");
    expect(html.replaceAll('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:\/\//);
    expect(html.match(/<link[^>]*>/g)).toEqual(['<link rel="icon" href="data:,">']);
  });

  it('keeps texts of the log from ending the script or becoming markup', () => {
    expect(html).not.toContain('<b>');
    expect(dataOf<PageData>(html).runs[0]!.warnings[0]!.message).toBe('one odd thing </script>');
    expect(html.match(/<\/script>/g)).toHaveLength(2);
  });

  it('holds one value per request in every column', () => {
    const { requests } = dataOf<PageData>(html).runs[0]!;
    const lengths = Object.values(requests).map((column: readonly number[]) => column.length);
    expect(new Set(lengths)).toEqual(new Set([32]));
  });

  it('sets several runs side by side and marks the better values', () => {
    const several = reportHtml({
      title: 'two',
      runs: [sampleRun('rare', 30, 12), sampleRun('often', 30, 5)],
    });
    const { comparison } = dataOf<PageData>(several);
    const cost = comparison!.columns.indexOf('cost');
    const marks = comparison!.rows.map(({ cells }) => cells[cost]!.mark ?? null);
    expect(marks.filter((mark) => mark === 'best')).toHaveLength(1);
  });
});
