import { describe, expect, it } from 'vitest';
import { type StudyFolder, writeSweepReport } from '../../../../src/cli/commands/study/study-files.js';
import type { CliSession } from '../../../../src/cli/session.js';
import type { PictureOptions } from '../../../../src/cli/terminal/report-pictures.js';
import type { SweepCell } from '../../../../src/report/charts/sweep-heatmap.js';
import { sweepAxis, sweepInput } from '../../../helpers/sweep-input.js';

interface Spec {
  readonly title: { readonly text: string };
  readonly data?: { readonly values: readonly SweepCell[] };
}

const SESSION = { host: { interrupt: new AbortController().signal } } as unknown as CliSession;

/** What a sweep writes, in order, and the specifications of its charts by name. */
async function written(options: PictureOptions, ...input: Parameters<typeof sweepInput>) {
  const charts: Record<string, Spec> = {};
  const files: string[] = [];
  const folder: Pick<StudyFolder, 'write' | 'remove'> = {
    remove: (below) => void files.push(`no ${below}`),
    async write(below, name, content) {
      files.push([below, name].join('/'));
      if (name.endsWith('.vl.json')) charts[name.replace('.vl.json', '')] = JSON.parse(String(content));
    },
  };
  await writeSweepReport(SESSION, folder as StudyFolder, sweepInput(...input), options);
  return { files, charts };
}

const GAP = sweepAxis('gap', ['5', '10']);
const TTL = sweepAxis('cache.ttl', ['5m', '1h']);
const cost = (usd: number) => ({ s: [4, 0, usd] as const });
const FOUR = { '5,5m': cost(1), '10,5m': cost(2), '5,1h': cost(3), '10,1h': cost(4) };

describe('the charts of a sweep', () => {
  it('are files where they are wanted; those of an earlier sweep never stay', async () => {
    const rows = { '5': cost(1), '10': cost(2) };
    expect((await written({}, [GAP], rows)).files).toEqual(['no charts', '/report.html']);
    expect((await written({ svg: true }, [GAP], rows)).files).toEqual([
      'no charts',
      'charts/sweep-costUsd.vl.json',
      'charts/sweep-costUsd.svg',
      '/report.html',
    ]);
    const { files } = await written({ png: true }, [GAP], rows);
    expect(files).toContain('charts/sweep-costUsd.png');
  });

  it('have a heat map over two settings, numbers as numbers and words as words', async () => {
    const { charts } = await written({ svg: true }, [GAP, TTL], FOUR);
    expect(Object.keys(charts)).toEqual(['heat-map-costUsd', 'sweep-costUsd']);
    const map = charts['heat-map-costUsd']!;
    expect(map.data!.values.map(({ x, y, value }) => [x, y, value])).toEqual([
      [5, '5m', 1],
      [10, '5m', 2],
      [5, '1h', 3],
      [10, '1h', 4],
    ]);
    expect(map.title.text).toBe('Best cost $1.00 at gap = 5, cache.ttl = 5m');
  });

  it('have no heat map over other numbers of settings, of one value, or of points that lost calls', async () => {
    const mapsOf = async (...input: Parameters<typeof sweepInput>) =>
      Object.keys((await written({ svg: true }, ...input)).charts).filter((name) => name.startsWith('heat'));
    expect(await mapsOf([GAP], { '5': cost(1), '10': cost(2) })).toEqual([]);
    const three = [GAP, TTL, sweepAxis('seed', ['1'])];
    expect(await mapsOf(three, { '5,5m,1': cost(1), '10,5m,1': cost(2) })).toEqual([]);
    expect(await mapsOf([GAP, TTL], { '5,5m': cost(1), '10,5m': cost(1) })).toEqual([]);
    const lost = { '5,5m': { s: [2, 2, 1] }, '10,5m': { s: [2, 2, 2] } } as const;
    expect(await mapsOf([GAP, TTL], lost)).toEqual([]);
    expect(await mapsOf([GAP, TTL], { ...lost, '10,1h': cost(3) })).toEqual(['heat-map-costUsd']);
  });

  it('name no best of how far points came', async () => {
    const names = ['finishedShare'];
    const rows = { '5,5m': cost(1), '10,5m': { s: [2, 2, 1] } } as const;
    const { charts } = await written({ svg: true }, [GAP, TTL], rows, { names });
    expect(charts['heat-map-finishedShare']!.title.text).toBe('finished over gap and cache.ttl');
  });
});
