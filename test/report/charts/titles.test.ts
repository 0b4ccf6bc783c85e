import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { foldLog } from '../../../src/metrics/fold.js';
import type { ChartSpec } from '../../../src/report/charts/chart-spec.js';
import { paretoFront } from '../../../src/report/charts/pareto.js';
import { runCharts } from '../../../src/report/charts/run-charts.js';
import { inUnit, shortShare, timeUnit } from '../../../src/report/charts/run-series.js';
import { axisTitle, bestOf, unitFormat } from '../../../src/report/charts/sweep-point.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

const title = (spec: ChartSpec | null): string | null => spec?.title.text ?? null;

describe('a front of settings', () => {
  const at = (x: number, y: number) => ({ x, y });

  it('goes by the better side of both', () => {
    const points = [at(1, 1), at(2, 2), at(3, 3), at(3, 2)];
    const front = (x: 'lower' | 'higher', y: 'lower' | 'higher') =>
      paretoFront(points, { x, y }).map(({ x, y }) => `${x}${y}`);
    expect(front('lower', 'lower')).toEqual(['11']);
    expect(front('lower', 'higher')).toEqual(['11', '22', '33']);
    expect(front('higher', 'higher')).toEqual(['33']);
    expect(front('higher', 'lower')).toEqual(['11', '32']);
  });
});

describe('axes of sweeps', () => {
  it.each([
    ['tokens', 'x (tokens)', '~s'],
    ['usd', 'x (US dollars)', '$,~r'],
    ['share', 'x (share)', '.4~p'],
    ['count', 'x', ',~r'],
    ['ms', 'x (ms)', ',~r'],
  ] as const)('%s', (unit, text, format) => {
    expect([axisTitle({ name: 'x', unit }), unitFormat(unit)]).toEqual([text, format]);
  });

  it('other units are written as they are', () => {
    expect(axisTitle({ name: 'x', unit: 'results' })).toBe('x (results)');
    expect(axisTitle({ name: 'x', unit: null })).toBe('x');
  });

  it('the best is the first of the best, and none where nothing is better or known', () => {
    const best = (values: readonly (number | null)[], better: 'lower' | 'higher' | null) =>
      bestOf(
        values.map((value, i) => ({ value, i })),
        ({ value }) => value,
        better,
      )?.i ?? null;
    expect(best([null, 2, 1, 1, 3], 'lower')).toBe(2);
    expect(best([null, 2, 1, 3, 3], 'higher')).toBe(3);
    expect([best([1, 2], null), best([null], 'lower')]).toEqual([null, null]);
  });

  it('a share is written in whole per cent unless that would say all or nothing', () => {
    const shares = [0, 0.0004, 0.004, 0.006, 0.5, 0.994, 0.996, 1];
    expect(shares.map(shortShare)).toEqual('0 % 0.0 % 0.4 % 1 % 50 % 99 % 99.6 % 100 %'.match(/\S+ %/g));
  });

  it('a span is written in the largest unit that it holds two of', () => {
    const HOUR = 3_600_000;
    expect(
      [48 * HOUR, 48 * HOUR - 1, 2 * HOUR, 2 * HOUR - 1, 120_000, 119_999, 0].map(
        (ms) => /\((.*)\)/.exec(timeUnit(ms).title)![1],
      ),
    ).toEqual(['days', 'hours', 'hours', 'minutes', 'minutes', 'seconds', 'seconds']);
    expect(inUnit(1_234_567, timeUnit(2 * HOUR))).toBe(0.3429);
  });
});

describe('pictures of a run', () => {
  const titles = (...entries: readonly LogEntry[]) => {
    const all = [runEntry(), threadEntry(), threadEntry({ thread: 'child', parent: 'main' }), ...entries];
    return Object.fromEntries(
      runCharts({ entries: all, facts: foldLog(all), policyInfo: null }).map(({ name, spec }) => [
        name,
        title(spec),
      ]),
    );
  };
  const sent = requestEntry({ n: 1, read: 300, input: 100, readCost: 1e9, outputCost: 3e9 });
  const larger = requestEntry({ n: 2, read: 500, input: 100, inputCost: 1e9 });
  const shrunk = layerEntry({ saved: 9, cacheLost: 12_000 });

  it('say how high the context was and how often it was made smaller', () => {
    const context = (...entries: readonly LogEntry[]) => titles(...entries)['context-over-time'];
    expect(context(larger, sent)).toBe('Context peaks at 600 of 200,000 tokens, never shrunk');
    expect(context(sent, shrunk)).toMatch(/shrunk once$/);
    const idle = layerEntry({ saved: 0 });
    const failed = layerEntry({ saved: 9, outcome: 'failed' });
    expect(context(sent, shrunk, idle, failed, shrunk)).toMatch(/shrunk 2 times$/);
    expect(context(requestEntry({ thread: 'child', purpose: 'subagent', input: 5 }))).toBe(
      'Context size: no request was answered',
    );
  });

  it('say what share was read, what most was paid for, and what layers saved and destroyed', () => {
    expect(titles(sent, larger)).toEqual({
      'context-over-time': expect.any(String),
      'prompt-split': 'Cache reads carry 80 % of 1,000 prompt tokens',
      'cost-by-cause': 'Output: 60 % of $5.00',
    });
    expect(titles(requestEntry({ input: 5 }))['cost-by-cause']).toBe('Cost by cause: nothing was paid');
    expect(titles(sent, shrunk)['saved-by-layer']).toBe(
      'Layers keep 9 tokens out at the end and destroy 12 K cached ones',
    );
    expect(titles(sent, layerEntry({ saved: 0 }))['saved-by-layer']).toBe('Tokens saved by layers: none');
    expect(titles(shrunk)).toEqual({});
  });
});
