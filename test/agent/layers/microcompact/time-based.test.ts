import { expect, it } from 'vitest';
import { timeBasedMicrocompactLayer } from '../../../../src/agent/layers/microcompact/microcompact.js';
import { MS_PER_MINUTE } from '../../../../src/core/base/clock.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';

function idleFor(minutes: number, results: number, keepRecent = 5): LayerDriver {
  const driver = new LayerDriver([timeBasedMicrocompactLayer], {
    'microcompact.timeBased.keepRecent': keepRecent,
  });
  for (let i = 1; i <= results; i++) driver.exchange(`t${i}`, { tokens: 500 });
  driver.now = minutes * MS_PER_MINUTE;
  driver.cacheIsWarm = false;
  return driver;
}

it('MIC-2 clears all but the last 5 results after more than 60 idle minutes', () => {
  const driver = idleFor(61, 8);
  driver.ask();
  expect(driver.cleared()).toEqual(['t1', 't2', 't3']);
  expect(driver.reports[0]).toMatchObject({ trigger: 'idle', action: 'clear', saved: 3 * (500 - 12) });
  expect(driver.reports[0]!.details).toMatchObject({ tools: { Read: 3 }, ids: 3, manual: false });
});

it('MIC-2 clears nothing at 60 minutes exactly', () => {
  expect(idleFor(60, 8).ask()).toEqual([]);
});

it('MIC-2 clears nothing before the first response', () => {
  const driver = idleFor(90, 8);
  driver.lastResponseMs = null;
  expect(driver.ask()).toEqual([]);
});

it('MIC-2 keeps one result at least', () => {
  const driver = idleFor(61, 3, 0);
  driver.ask();
  expect(driver.cleared()).toEqual(['t1', 't2']);
});

it('MIC-2 INV-3 has nothing more to do the second time', () => {
  const driver = idleFor(61, 8);
  driver.ask();
  expect(driver.ask()).toEqual([]);
});

it('MIC-5 says nothing when no result would get smaller, and does not ask again', () => {
  const driver = new LayerDriver([timeBasedMicrocompactLayer]);
  for (let i = 1; i <= 8; i++) driver.exchange(`t${i}`, { tokens: 10 });
  driver.now = 61 * MS_PER_MINUTE;
  expect(driver.ask()).toEqual([]);
  const moment = {
    point: 'before-request',
    now: driver.now,
    turn: 2,
    prompt: 1,
    source: 'main',
    lastResponseMs: 0,
    manual: null,
  } as const;
  expect(driver.layers[0]!.due(moment, driver.view)).toBe(false);
});
