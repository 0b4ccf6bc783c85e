import { expect, it } from 'vitest';
import {
  cachedMicrocompactLayer,
  timeBasedMicrocompactLayer,
} from '../../../../src/agent/layers/microcompact/microcompact.js';
import { MS_PER_MINUTE } from '../../../../src/core/base/clock.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';

/** One result a turn; the layers are asked before each request. */
function turns(driver: LayerDriver, from: number, to: number): void {
  for (let i = from; i <= to; i++) {
    driver.exchange(`t${i}`, { tokens: 1_000 });
    driver.turn++;
    driver.ask();
  }
}

function deleted(driver: LayerDriver): readonly (readonly string[])[] {
  return driver.actions.flatMap((action) =>
    action.kind === 'delete-cached' ? [action.results.map(({ toolUseId }) => toolUseId)] : [],
  );
}

it('MIC-3 deletes the oldest down to the last 5 when 12 are active', () => {
  const driver = new LayerDriver([cachedMicrocompactLayer]);
  turns(driver, 1, 11);
  expect(driver.actions).toEqual([]);
  turns(driver, 12, 12);
  expect(deleted(driver)).toEqual([['t1', 't2', 't3', 't4', 't5', 't6', 't7']]);
  turns(driver, 13, 18);
  expect(deleted(driver)).toHaveLength(1);
  turns(driver, 19, 19);
  expect(deleted(driver)[1]).toEqual(['t8', 't9', 't10', 't11', 't12', 't13', 't14']);
});

it('MIC-3 INV-3 leaves the local messages as they are', () => {
  const driver = new LayerDriver([cachedMicrocompactLayer]);
  turns(driver, 1, 11);
  const before = driver.messages.slice();
  turns(driver, 12, 12);
  expect(driver.messages.slice(0, before.length)).toEqual(before);
  expect(new Set(driver.actions.map((action) => action.kind))).toEqual(new Set(['delete-cached', 'report']));
});

it('MIC-3 works for the main source only and while the cache is warm', () => {
  const fork = new LayerDriver([cachedMicrocompactLayer]);
  fork.source = 'subagent';
  turns(fork, 1, 20);
  expect(fork.actions).toEqual([]);
  const cold = new LayerDriver([cachedMicrocompactLayer]);
  cold.cacheIsWarm = false;
  turns(cold, 1, 20);
  expect(cold.actions).toEqual([]);
});

it('MIC-3 deletes only what a request has already carried into the cache', () => {
  const driver = new LayerDriver([cachedMicrocompactLayer]);
  turns(driver, 1, 2);
  for (let i = 3; i <= 14; i++) driver.exchange(`t${i}`, { tokens: 1_000 });
  driver.turn++;
  driver.ask();
  expect(deleted(driver)).toEqual([['t1', 't2']]);
});

it('MIC-3 forgets its pinned edits when the cache has expired, and MIC-2 takes over', () => {
  const driver = new LayerDriver([timeBasedMicrocompactLayer, cachedMicrocompactLayer]);
  turns(driver, 1, 12);
  expect(deleted(driver)).toHaveLength(1);
  driver.now = 75 * MS_PER_MINUTE;
  driver.cacheIsWarm = false;
  driver.deletedTokens = 0;
  driver.turn++;
  driver.ask();
  expect(driver.cleared()).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7']);
  expect(deleted(driver)).toHaveLength(1);
});

it('MIC-3 C44 what came back with the end of the cache is never deleted again', () => {
  const driver = new LayerDriver([timeBasedMicrocompactLayer, cachedMicrocompactLayer]);
  turns(driver, 1, 12);
  driver.now = 10 * MS_PER_MINUTE;
  driver.cacheIsWarm = false;
  driver.deletedTokens = 0;
  driver.turn++;
  expect(driver.ask()).toEqual([]);
  driver.cacheIsWarm = true;
  // Five stayed; with those of seven more turns there are twelve again, the first of which have been sent.
  turns(driver, 13, 18);
  expect(deleted(driver)).toHaveLength(1);
  turns(driver, 19, 19);
  expect(deleted(driver)[1]).toEqual(['t8', 't9', 't10', 't11', 't12', 't13', 't14']);
});

it('CLN-1 a full compaction clears registered, deleted and pinned ids', () => {
  const driver = new LayerDriver([cachedMicrocompactLayer]);
  turns(driver, 1, 12);
  driver.compact([]);
  turns(driver, 21, 31);
  expect(deleted(driver)).toHaveLength(1);
  turns(driver, 32, 32);
  expect(deleted(driver)[1]).toEqual(['t21', 't22', 't23', 't24', 't25', 't26', 't27']);
});

it('MIC-5 reports the deletion with what is pinned', () => {
  const driver = new LayerDriver([cachedMicrocompactLayer]);
  turns(driver, 1, 12);
  const [report] = driver.reports;
  expect(report).toMatchObject({ action: 'delete', trigger: 'auto', outcome: 'done', saved: 7_000 });
  expect(report!.trueBefore - report!.trueAfter).toBe(7_000);
  expect(report!.details).toMatchObject({
    tools: { Read: 7 },
    ids: 7,
    pinned: 7,
    manual: false,
    seenSaved: 7_000,
  });
});
