import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findMetric } from '../../src/metrics/registry.js';
import type { ResultRow } from '../../src/study/result-rows.js';
import { rankPoints, settingsOf, storedResults } from '../../src/study/results/read-results.js';
import {
  ResultStore,
  readStudies,
  type StudyRecord,
  writeManifest,
} from '../../src/study/results/result-store.js';
import { tempFolder } from '../cli/cli.js';

/** Three points over two sessions: six runs in batches of two, of which two make a part. */
const STUDY: StudyRecord = {
  id: 'abc',
  version: '1.2.3',
  name: 'gap',
  axes: [{ path: 'gap', values: 3 }],
  transcripts: ['s', 'l'],
  metrics: ['costUsd'],
  columns: [
    { name: 'run', kind: 'number' },
    { name: 'key', kind: 'text' },
    { name: 'transcript', kind: 'text' },
    { name: 'gap', kind: 'number' },
    { name: 'skipped', kind: 'text' },
    { name: 'error', kind: 'text' },
    { name: 'costUsd', kind: 'number' },
    { name: 'finishedShare', kind: 'number' },
    { name: 'callsAnswered', kind: 'number' },
    { name: 'callsNotMade', kind: 'number' },
  ],
  partition: { runs: 6, batchRuns: 2, batches: 3, batchesPerPart: 2, parts: 2 },
};
const row = (run: number, change: Partial<Record<string, string | number | null>> = {}): ResultRow => {
  const values = {
    ...{ run, key: `k${run}`, transcript: run % 2 === 0 ? 's' : 'l', gap: 10 * Math.floor(run / 2) },
    ...{ skipped: null, error: null, costUsd: run, finishedShare: 1, callsAnswered: 9, callsNotMade: 0 },
    ...change,
  };
  return {
    run,
    cells: STUDY.columns.map(({ name }) => (values as Record<string, string | number | null>)[name]!),
  };
};
const pause = () => Promise.resolve();
const opened = (study = STUDY, folder = tempFolder()) => {
  const store = new ResultStore(folder, study);
  store.announce();
  return { folder, store };
};
const column = async (store: ResultStore, ...names: readonly string[]) => {
  const found: unknown[] = [];
  for await (const cells of store.rows(names, pause)) found.push(names.length === 1 ? cells[0] : cells);
  return found;
};

describe('the results of a study in a folder', () => {
  it('are rows by batches, and parts where the batches of one are whole', async () => {
    const { folder, store } = opened();
    expect(store.missing()).toEqual([0, 1, 2]);
    await store.finish(1, [row(3), row(2)]);
    expect([store.finishedRuns(), store.missing(), store.missing([1, 2])]).toEqual([2, [0, 2], [2]]);
    expect(store.sources().map(({ kind, place }) => [kind, place])).toEqual([['batch', 1]]);
    await store.finish(0, [row(0), row(1)]);
    expect(readdirSync(join(folder, 'batches'))).toEqual([]);
    expect(readdirSync(join(folder, 'parts'))).toEqual([
      expect.stringMatching(/^abc-000000\.[0-9a-f]{16}\.parquet$/),
    ]);
    await store.finish(2, [row(4), row(5)]);
    expect(store.sources().map(({ kind, place }) => [kind, place])).toEqual([
      ['part', 0],
      ['part', 1],
    ]);
    expect([store.finishedRuns(), store.missing()]).toEqual([6, []]);
    expect(await column(store, 'run')).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await column(new ResultStore(folder, STUDY), 'key', 'nothing', 'gap')).toEqual(
      [0, 1, 2, 3, 4, 5].map((run) => [`k${run}`, null, 10 * Math.floor(run / 2)]),
    );
  });

  it('are in the order of the runs, whether in parts or in batches', async () => {
    const { store } = opened({ ...STUDY, partition: { ...STUDY.partition, batchesPerPart: 1, parts: 3 } });
    const other = opened();
    await store.finish(2, [row(4), row(5)]);
    await store.finish(0, [row(0), row(1)]);
    await other.store.finish(2, [row(4), row(5)]);
    await other.store.finish(1, [row(2), row(3)]);
    expect(await column(store, 'run')).toEqual([0, 1, 4, 5]);
    expect(await column(other.store, 'run')).toEqual([2, 3, 4, 5]);
  });

  it('keep the rows of an unfinished batch, whoever wrote them, and none of another', async () => {
    const { folder, store } = opened();
    store.append(1, row(3));
    store.append(1, row(2));
    store.append(1, row(4));
    const again = new ResultStore(folder, STUDY);
    expect(again.begun(1).map(({ run }) => run)).toEqual([3, 2]);
    expect([again.begun(0), again.isDone(1), again.rowsOf(1)]).toEqual([[], false, null]);
    await again.finish(1, again.begun(1));
    expect(readdirSync(join(folder, 'batches'))).toEqual(['abc-000001.rows']);
    expect(again.rowsOf(1)!.map(({ run }) => run)).toEqual([2, 3]);
    expect(again.begun(1)).toEqual([]);
    expect(new ResultStore(folder, { ...STUDY, id: 'other' }).missing()).toEqual([0, 1, 2]);
  });

  it('that others copied there make parts', async () => {
    const [one, two] = [opened(), opened()];
    await one.store.finish(0, [row(0), row(1)]);
    await two.store.finish(1, [row(2), row(3)]);
    renameSync(join(two.folder, 'batches/abc-000001.rows'), join(one.folder, 'batches/abc-000001.rows'));
    one.store.look();
    await one.store.joinAll();
    expect(one.store.sources().map(({ kind }) => kind)).toEqual(['part']);
    expect(await column(one.store, 'run')).toEqual([0, 1, 2, 3]);
  });

  it('that are damaged are put aside by name and run again; what belongs to others is left', async () => {
    const { folder, store } = opened();
    for (const batch of [0, 1, 2]) await store.finish(batch, [row(2 * batch), row(2 * batch + 1)]);
    const parts = join(folder, 'parts');
    const [first, second] = readdirSync(parts) as [string, string];
    const foreign = ['note.txt', 'xyz-000000.0123456789abcdef.parquet', 'abc-000009.txt'];
    for (const name of foreign) writeFileSync(join(parts, name), 'x');
    writeFileSync(join(parts, 'abc-odd.parquet'), 'x');
    writeFileSync(join(parts, first), readFileSync(join(parts, second)));
    const damaged = store.putDamagedAside().map((path) => path.slice(parts.length + 1));
    expect(damaged.sort()).toEqual([first, 'abc-odd.parquet'].sort());
    expect(readdirSync(parts).sort()).toEqual(
      [`${first}.damaged`, 'abc-odd.parquet.damaged', second, ...foreign].sort(),
    );
    expect(store.missing()).toEqual([0, 1]);
    expect(store.putDamagedAside()).toEqual([]);
    await store.finish(0, [row(0), row(1)]);
    const batch = join(folder, 'batches/abc-000000.rows');
    writeFileSync(batch, readFileSync(batch, 'utf8').split('\n')[1]!);
    expect(store.putDamagedAside()).toEqual([batch]);
    expect(store.missing()).toEqual([0, 1]);
    // The row that is sound is not run again.
    expect(store.begun(0).map(({ run }) => run)).toEqual([1]);
  });

  it('are not joined where a batch lacks rows, and are missing then', async () => {
    const { folder, store } = opened();
    await store.finish(0, [row(0)]);
    await store.finish(1, [row(2), row(3)]);
    expect(store.missing()).toEqual([0, 2]);
    expect(readdirSync(join(folder, 'parts'))).toEqual([]);
  });

  it('are withdrawn where a command failed, with the folders that it made, unless something is finished', async () => {
    const above = tempFolder();
    const { store } = opened(STUDY, join(above, 'out/deep'));
    store.withdraw();
    expect(readdirSync(above)).toEqual([]);
    const kept = opened(STUDY, join(above, 'kept'));
    await kept.store.finish(0, [row(0), row(1)]);
    kept.store.withdraw();
    expect(readdirSync(join(kept.folder, 'studies'))).toEqual(['abc.json']);
    const second = new ResultStore(kept.folder, { ...STUDY, id: 'def' });
    second.announce();
    second.withdraw();
    expect(readdirSync(join(kept.folder, 'studies'))).toEqual(['abc.json']);
  });
});

describe('the studies of a folder', () => {
  it('are those that were announced; what is damaged is named, another layout is an error', () => {
    const { folder } = opened();
    opened({ ...STUDY, id: 'def' }, folder);
    expect(readStudies(folder).studies.map(({ id }) => id)).toEqual(['abc', 'def']);
    expect(readStudies(folder).studies[0]).toMatchObject(STUDY);
    const file = (name: string) => join(folder, 'studies', name);
    writeFileSync(file('note.txt'), '');
    writeFileSync(file('other.json'), readFileSync(file('abc.json')));
    writeFileSync(file('def.json'), '{}');
    expect(readStudies(folder)).toMatchObject({
      studies: [{ id: 'abc' }],
      damaged: [file('def.json'), file('other.json')],
    });
    opened({ ...STUDY, id: 'def' }, folder);
    expect(readStudies(folder).studies.map(({ id }) => id)).toEqual(['abc', 'def']);
    expect(readdirSync(join(folder, 'studies'))).toContain('def.json.damaged');
    expect(readStudies(join(folder, 'nowhere'))).toEqual({ studies: [], damaged: [] });
  });

  it('are listed in one file, with the rows and the bytes of their parts', async () => {
    const { folder, store } = opened();
    for (const batch of [1, 0]) await store.finish(batch, [row(2 * batch), row(2 * batch + 1)]);
    writeManifest(folder);
    const { layout, studies } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    expect(layout).toBe(2);
    expect(studies).toEqual([
      {
        ...{ layout: 2, ...STUDY, finishedRuns: 4 },
        parts: [
          {
            file: expect.stringMatching(/^parts\/abc-000000\.[0-9a-f]{16}\.parquet$/),
            ...{ firstRun: 0, rows: 4, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
          },
        ],
      },
    ]);
  });
});

describe('what is read from results', () => {
  async function finished(change: (run: number) => object = () => ({})) {
    const { store } = opened();
    for (const batch of [0, 1, 2])
      await store.finish(
        batch,
        [2 * batch, 2 * batch + 1].map((run) => row(run, change(run))),
      );
    return store;
  }

  it('is the best points by the mean over their sessions', async () => {
    const cost = findMetric('costUsd')!;
    const store = await finished();
    // Sessions cost 0 and 1, 2 and 3, 4 and 5.
    expect(await rankPoints(store, cost, 2, pause)).toEqual({
      best: [
        { point: 0, value: 0.5 },
        { point: 1, value: 2.5 },
      ],
      ...{ ranked: 3, points: 3, sessions: 2, isAlike: true, isApart: false, rows: 6, failed: 0 },
    });
    const failed = await finished((run) => (run === 1 ? { error: 'x', finishedShare: null } : {}));
    expect(await rankPoints(failed, cost, 2, pause)).toMatchObject({
      best: [{ point: 1 }, { point: 2 }],
      ...{ ranked: 2, points: 3, failed: 1, rows: 6 },
    });
    const reads = findMetric('cacheHitRate')!;
    expect(reads.better).toBe('higher');
    const apart = await finished((run) => (run === 0 ? { transcript: 'other' } : {}));
    expect(await rankPoints(apart, cost, 2, pause)).toMatchObject({ isApart: true, best: [] });
    // A session that none finishes says nothing, unless points broke off at different calls of it.
    const cut = (answered: (run: number) => number) =>
      finished((run) =>
        run % 2 === 0 ? { finishedShare: 0.5, callsAnswered: answered(run), callsNotMade: run } : {},
      );
    expect(await rankPoints(await cut((run) => 9 - run), cost, 1, pause)).toMatchObject({
      ...{ isAlike: true, sessions: 1, best: [{ point: 0, value: 1 }] },
    });
    expect(await rankPoints(await cut(() => 9), cost, 1, pause)).toMatchObject({
      ...{ isAlike: false, sessions: 1, best: [] },
    });
  });

  it('is the settings of points, and the runs that finished', async () => {
    const store = await finished((run) =>
      run === 0 ? { skipped: 'a; b' } : run === 5 ? { error: 'x' } : {},
    );
    expect([...(await settingsOf(store, [0, 2], pause))]).toEqual([
      [0, { gap: 0 }],
      [2, { gap: 20 }],
    ]);
    const results = await storedResults(store, pause);
    expect(results.map(({ key }) => key)).toEqual(['k0', 'k1', 'k2', 'k3', 'k4']);
    expect(results[0]).toEqual({ key: 'k0', metrics: { costUsd: 0 }, skipped: ['a', 'b'] });
    expect(results[1]!.skipped).toEqual([]);
    const unnamed = await finished((run) => (run === 0 ? { key: null } : {}));
    expect(await storedResults(unnamed, pause)).toHaveLength(5);
  });
});

it('a folder that cannot be made is an error with a way out', () => {
  const cwd = tempFolder({ taken: '' });
  mkdirSync(join(cwd, 'free'));
  expect(() => new ResultStore(join(cwd, 'taken'), STUDY).announce()).toThrow('cannot be written');
  const store = new ResultStore(join(cwd, 'free'), STUDY);
  expect(() => store.append(0, row(0))).toThrow('cannot be written');
});
