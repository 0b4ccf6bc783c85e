import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import { batchesOfPart, type Partition, partOfBatch, runsOfBatch, runsOfPart } from '../batches.js';
import { type CellValue, parseRows, type ResultColumn, type ResultRow, sealedLine } from '../result-rows.js';
import { countRows, encodePart, readPart } from './part-file.js';
import { namesIn, removeUnfinished, unwritable, writerName, writeWhole } from './write-whole.js';

/** A study as its results name it: everything that decides what a row holds is in its id. */
export interface StudyRecord {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly axes: readonly { readonly path: string; readonly values: number }[];
  /** The sessions of a point, in order. */
  readonly transcripts: readonly string[];
  readonly metrics: readonly string[];
  readonly columns: readonly ResultColumn[];
  readonly partition: Partition;
}

/** Version of the layout; a folder of another one is not touched. */
const LAYOUT = 1;

/** Digits of places in names: names sort as their numbers. */
const DIGITS = 6;

const [STUDIES, PARTS, BATCHES] = ['studies', 'parts', 'batches'] as const;

function numbered(id: string, place: number): string {
  return `${id}-${String(place).padStart(DIGITS, '0')}`;
}

/** The studies of a results folder. */
export function readStudies(folder: string): readonly StudyRecord[] {
  return namesIn(join(folder, STUDIES))
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const path = join(folder, STUDIES, name);
      const value = JSON.parse(readFileSync(path, 'utf8')) as StudyRecord & { readonly layout: number };
      if (value.layout === LAYOUT) return [value];
      throw new CcbenchError(
        'not-supported',
        `${path} has layout ${value.layout}, and this ccbench reads ${LAYOUT}`,
        {
          hint: 'read it with the version that wrote it, or use another folder',
        },
      );
    });
}

/** The folders down to one, the innermost first, of which the outermost was made with it; none where it was there. */
function foldersFrom(path: string, outermost: string | undefined): readonly string[] {
  if (outermost === undefined) return [];
  return path === outermost ? [path] : [path, ...foldersFrom(dirname(path), outermost)];
}

/** The results of one study in a folder that other processes and machines may write into at the same time. */
export class ResultStore {
  readonly folder: string;
  readonly study: StudyRecord;
  readonly #parts: Set<number>;
  readonly #batches: Set<number>;
  /** What `announce` has made: the file of the study, then folders, the outermost last. */
  #made: readonly string[] = [];

  constructor(folder: string, study: StudyRecord) {
    this.folder = folder;
    this.study = study;
    this.#parts = new Set();
    this.#batches = new Set();
    this.look();
  }

  /** Makes the folder and says what the study is; equal for everyone who takes part. */
  announce(): void {
    const made: string[] = [];
    try {
      for (const path of [this.folder, ...[STUDIES, PARTS, BATCHES].map((name) => join(this.folder, name))])
        made.unshift(...foldersFrom(path, mkdirSync(path, { recursive: true })));
    } catch (error) {
      throw unwritable(this.folder, error);
    }
    for (const name of [STUDIES, PARTS, BATCHES, '.']) removeUnfinished(join(this.folder, name));
    const path = join(this.folder, STUDIES, `${this.study.id}.json`);
    if (!existsSync(path)) {
      writeWhole(path, `${JSON.stringify({ layout: LAYOUT, ...this.study }, null, 1)}\n`);
      this.#made = [path, ...made];
    }
  }

  /** Takes back a study that was announced here and of which nothing is finished: a command that failed leaves none. */
  withdraw(): void {
    this.look();
    if (this.#batches.size > 0 || this.#parts.size > 0) return;
    for (const path of this.#made)
      try {
        if (path.endsWith('.json')) rmSync(path, { force: true });
        else rmdirSync(path);
      } catch {
        // Something else is in it.
      }
  }

  /** Sees what others have finished meanwhile. */
  look(): void {
    const placesIn = (kind: string, ending: string): readonly number[] =>
      namesIn(join(this.folder, kind)).flatMap((name) =>
        name.startsWith(`${this.study.id}-`) && name.endsWith(ending)
          ? Number(name.slice(this.study.id.length + 1, -ending.length))
          : [],
      );
    this.#parts.clear();
    this.#batches.clear();
    for (const part of placesIn(PARTS, '.parquet')) this.#parts.add(part);
    for (const batch of placesIn(BATCHES, '.rows')) if (Number.isInteger(batch)) this.#batches.add(batch);
  }

  isDone(batch: number): boolean {
    return this.#batches.has(batch) || this.#parts.has(partOfBatch(this.study.partition, batch));
  }

  /** The batches nobody has finished, of all or of some. */
  missing(among: Iterable<number> = this.#all()): readonly number[] {
    return [...among].filter((batch) => !this.isDone(batch));
  }

  *#all(): Iterable<number> {
    for (let batch = 0; batch < this.study.partition.batches; batch++) yield batch;
  }

  /** Runs that are finished, as far as whole batches go. */
  finishedRuns(): number {
    const { partition } = this.study;
    let runs = 0;
    for (const batch of this.#all()) {
      if (!this.isDone(batch)) continue;
      const { from, to } = runsOfBatch(partition, batch);
      runs += to - from;
    }
    return runs;
  }

  partPath(part: number): string {
    return join(this.folder, PARTS, `${numbered(this.study.id, part)}.parquet`);
  }

  #batchPath(batch: number): string {
    return join(this.folder, BATCHES, `${numbered(this.study.id, batch)}.rows`);
  }

  /** The files that hold rows: parts, and batches of parts that are not whole yet. */
  sources(): readonly { readonly kind: 'part' | 'batch'; readonly place: number; readonly path: string }[] {
    const { partition } = this.study;
    const parts = [...this.#parts].map((place) => ({
      kind: 'part' as const,
      place,
      path: this.partPath(place),
    }));
    const batches = [...this.#batches]
      .filter((batch) => !this.#parts.has(partOfBatch(partition, batch)))
      .map((place) => ({ kind: 'batch' as const, place, path: this.#batchPath(place) }));
    const start = ({ kind, place }: { readonly kind: string; readonly place: number }): number =>
      kind === 'part' ? batchesOfPart(partition, place).from : place;
    return [...parts, ...batches].sort((a, b) => start(a) - start(b));
  }

  /** Some columns of all rows in the order of the runs, one file in memory at a time; `pause` is called before each. */
  async *rows(names: readonly string[], pause: () => Promise<void>): AsyncGenerator<readonly CellValue[]> {
    const at = names.map((name) => this.study.columns.findIndex((column) => column.name === name));
    for (const { kind, place, path } of this.sources()) {
      await pause();
      if (kind === 'part') yield* await readPart(path, names);
      else for (const { cells } of this.rowsOf(place) ?? []) yield at.map((i) => cells[i] ?? null);
    }
  }

  /** Parts whose file is not whole: they are taken away and done again. */
  async dropDamaged(): Promise<readonly string[]> {
    const dropped: string[] = [];
    for (const part of [...this.#parts]) {
      const { from, to } = runsOfPart(this.study.partition, part);
      if ((await countRows(this.partPath(part))) === to - from) continue;
      rmSync(this.partPath(part), { force: true });
      dropped.push(this.partPath(part));
    }
    if (dropped.length > 0) this.look();
    return dropped;
  }

  /** Rows of an unfinished batch that anyone has written down. */
  begun(batch: number): readonly ResultRow[] {
    const lead = `${numbered(this.study.id, batch)}.`;
    const rows = new Map<number, ResultRow>();
    for (const name of namesIn(join(this.folder, BATCHES))) {
      if (!name.startsWith(lead) || !name.endsWith('.open')) continue;
      for (const row of this.#rowsIn(join(this.folder, BATCHES, name))) rows.set(row.run, row);
    }
    return [...rows.values()];
  }

  /** Writes down a row of an unfinished batch: a kill loses none of them. */
  append(batch: number, row: ResultRow): void {
    const path = join(this.folder, BATCHES, `${numbered(this.study.id, batch)}.${writerName()}.open`);
    try {
      appendFileSync(path, sealedLine(row));
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  /** Keeps a finished batch, and the part it completes. */
  async finish(batch: number, rows: readonly ResultRow[]): Promise<void> {
    const sorted = [...rows].sort((a, b) => a.run - b.run);
    writeWhole(this.#batchPath(batch), sorted.map(sealedLine).join(''));
    this.#batches.add(batch);
    this.#remove(`${numbered(this.study.id, batch)}.`, '.open');
    await this.join(partOfBatch(this.study.partition, batch));
  }

  #remove(lead: string, ending: string): void {
    for (const name of namesIn(join(this.folder, BATCHES)))
      if (name.startsWith(lead) && name.endsWith(ending))
        rmSync(join(this.folder, BATCHES, name), { force: true });
  }

  /** The rows of a finished batch; null where they are gone or damaged. */
  rowsOf(batch: number): readonly ResultRow[] | null {
    const { from, to } = runsOfBatch(this.study.partition, batch);
    const rows = this.#rowsIn(this.#batchPath(batch));
    return rows.length === to - from ? rows : null;
  }

  #rowsIn(path: string): readonly ResultRow[] {
    try {
      return parseRows(readFileSync(path, 'utf8'), this.study.columns);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  /** Makes a part of its batches where all of them are there. Whoever comes second writes the same bytes again. */
  async join(part: number): Promise<void> {
    const { from, to } = batchesOfPart(this.study.partition, part);
    const batches = Array.from({ length: to - from }, (_, i) => from + i);
    if (existsSync(this.partPath(part))) {
      this.#parts.add(part);
    } else {
      if (!batches.every((batch) => existsSync(this.#batchPath(batch)))) return;
      const rows: ResultRow[] = [];
      for (const batch of batches) {
        const own = this.rowsOf(batch);
        if (own === null) {
          if (!existsSync(this.partPath(part))) rmSync(this.#batchPath(batch), { force: true });
          this.look();
          return;
        }
        for (const row of own) rows.push(row);
      }
      writeWhole(this.partPath(part), await encodePart(this.study.columns, rows));
      this.#parts.add(part);
    }
    for (const batch of batches) {
      rmSync(this.#batchPath(batch), { force: true });
      this.#batches.delete(batch);
      this.#remove(`${numbered(this.study.id, batch)}.`, '.open');
    }
  }

  /** Makes the parts that copied batches complete. */
  async joinAll(): Promise<void> {
    const parts = new Set([...this.#batches].map((batch) => partOfBatch(this.study.partition, batch)));
    for (const part of [...parts].sort((a, b) => a - b)) await this.join(part);
  }
}

/** Lists everything in the folder in one file; what it says can be seen from the folder at any time. */
export function writeManifest(folder: string): void {
  const studies = readStudies(folder).map((study) => {
    const results = new ResultStore(folder, study);
    return {
      ...study,
      finishedRuns: results.finishedRuns(),
      parts: results
        .sources()
        .filter(({ kind }) => kind === 'part')
        .map(({ place, path }) => {
          const { from, to } = runsOfPart(study.partition, place);
          const file = `${PARTS}/${path.slice(join(folder, PARTS).length + 1)}`;
          return { file, firstRun: from, rows: to - from, sha256: sha256Hex(readFileSync(path)) };
        }),
    };
  });
  writeWhole(join(folder, 'manifest.json'), `${JSON.stringify({ layout: LAYOUT, studies }, null, 1)}\n`);
}
