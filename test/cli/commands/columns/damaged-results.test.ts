import { readdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodePart } from '../../../../src/study/results/part-file.js';
import { propertyRuns } from '../../../helpers/generators/property-runs.js';
import { cli, snapshot } from '../../cli.js';
import { finishedStudy, type Part, SWEEP } from './finished-study.js';

type Damage = (path: string) => void;

const cut =
  (share: number): Damage =>
  (path) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.subarray(0, Math.floor(bytes.length * share)));
  };

const flip =
  (place: number, bit: number): Damage =>
  (path) => {
    const bytes = readFileSync(path);
    const at = Math.floor(place * bytes.length);
    bytes[at] = bytes[at]! ^ (1 << bit);
    writeFileSync(path, bytes);
  };

/** A file that is sound in itself and of something else: as many rows, one column. */
const foreign = async (path: string): Promise<void> => {
  const rows = Array.from({ length: 70 }, (_, run) => ({ run, cells: [run] }));
  writeFileSync(path, await encodePart([{ name: 'costUsd', kind: 'number' }], rows));
};

const link: Damage = (path) => {
  renameSync(path, `${path}.elsewhere`);
  symlinkSync(`${path}.elsewhere`, path);
};

/** A folder with the study, and its files. */
async function study(part?: Part) {
  const cwd = await finishedStudy(part);
  const files = ['parts', 'studies', 'batches'].flatMap((kind) =>
    readdirSync(join(cwd, 'out', kind)).map((name) => join(cwd, 'out', kind, name)),
  );
  return { cwd, files };
}

/** Runs the study again; what it comes to, and the folder without what was put aside. */
async function again(cwd: string) {
  const { code, stdout, stderr } = await cli(SWEEP, { cwd });
  const { ran, ...result } = JSON.parse(stdout);
  const folder = Object.entries(snapshot(join(cwd, 'out'))).filter(
    ([name]) => !/damaged|elsewhere/.test(name),
  );
  return { code, ran, result, folder, stderr };
}

describe('H1 damaged results', () => {
  it('of every kind are put aside and made again, and the folder is as it was', async () => {
    const whole = await again((await study()).cwd);
    const damage = fc.oneof(
      fc.double({ min: 0, max: 0.999, noNaN: true }).map(cut),
      fc
        .tuple(fc.double({ min: 0, max: 0.999_999, noNaN: true }), fc.nat(7))
        .map(([at, bit]) => flip(at, bit)),
      fc.constant(unlinkSync as Damage),
      fc.constant(foreign),
      fc.constant(link),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<Part>('whole', '1/2'),
        fc.nat(),
        damage,
        async (shard, which, change) => {
          const { cwd, files } = await study(shard);
          await change(files[which % files.length]!);
          const { code, result, folder } = await again(cwd);
          expect({ code, result, folder }).toEqual({ code: 0, result: whole.result, folder: whole.folder });
        },
      ),
      { numRuns: propertyRuns(12) },
    );
  });

  it('are named by results, and no answer holds them', async () => {
    const { cwd, files } = await study();
    const part = files.find((path) => path.endsWith('.parquet'))!;
    await foreign(part);
    const answer = await cli(['results', 'out', '--count', '--json'], { cwd });
    expect(JSON.parse(answer.stdout).rows).toBe(0);
    expect(answer.stderr).toContain(`${part} is damaged and left out`);
    expect(answer.stderr).toContain('70 runs are not finished and left out');
  });

  it('are found by --verify, which says what is sound and ends with 2 once', async () => {
    const { cwd, files } = await study();
    const sound = await cli(['results', 'out', '--verify'], { cwd });
    expect([sound.code, sound.stdout]).toEqual([
      0,
      expect.stringMatching(/^tiny-sweep \(\w+\): 1 file as written, with 70 of 70 runs\n$/),
    ]);
    flip(0.5, 3)(files.find((path) => path.endsWith('.parquet'))!);
    const found = await cli(['results', 'out', '--verify', '--json'], { cwd });
    expect([found.code, JSON.parse(found.stdout)]).toEqual([
      2,
      {
        damaged: [expect.stringMatching(/\.parquet$/)],
        studies: [expect.objectContaining({ finished: 0, runs: 70 })],
      },
    ]);
  });
});
