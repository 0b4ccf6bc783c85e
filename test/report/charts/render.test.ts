import { describe, expect, it } from 'vitest';
import { renderPng, renderSvg } from '../../../src/report/charts/render.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { sampleRun } from '../../helpers/sample-run.js';

const CHARTS = runCharts(sampleRun('sample', 30, 12));

describe('pictures', () => {
  it('are the same bytes however often and in whatever company they are drawn', async () => {
    const alone = await renderSvg(CHARTS[0]!.spec);
    const together = await Promise.all([...CHARTS, ...CHARTS].map(({ spec }) => renderSvg(spec)));
    expect(together[0]).toBe(alone);
    expect(together.slice(CHARTS.length)).toEqual(together.slice(0, CHARTS.length));
  });

  it('name generic fonts only, load nothing, and turn dark where the reader prefers that', async () => {
    const svg = await renderSvg(CHARTS[0]!.spec);
    expect([...new Set(svg.match(/font-family="[^"]*"/g))]).toEqual(['font-family="sans-serif"']);
    expect(svg.match(/(href|src)=|url\((?!#)/g)).toBeNull();
    expect(svg).toContain('prefers-color-scheme:dark');
  });

  it('become PNG files of twice their size without a canvas', async () => {
    const svg = await renderSvg(CHARTS[0]!.spec);
    const png = await renderPng(svg);
    expect([...png.slice(1, 4)]).toEqual([...'PNG'].map((char) => char.charCodeAt(0)));
    const width = new DataView(png.buffer, png.byteOffset).getUint32(16);
    expect(width).toBe(2 * Number(/ width="(\d+)"/.exec(svg)![1]));
    expect(await renderPng(svg)).toEqual(png);
  });
});
