import { appendFileSync, existsSync, lstatSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { sha256Hex } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import { makeFolder } from '../../transcripts/files/make-folder.js';
import { batchesOfPart, type Partition, partOfBatch, runsOfBatch, runsOfPart } from '../batches.js';
import {
  type CellValue,
  checkOf,
  parseRows,
  type ResultColumn,
  type ResultRow,
  sealedLine,
  unsealed,
} from '../result-rows.js';
import {
  encodePart,
  namesIn,
  readPart,
  removeUnfinished,
  unwritable,
  writerName,
  writeWhole,
} from './part-file.js';

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
const LAYOUT = 2;

/** Digits of places in names: names sort as their numbers. */
const DIGITS = 6;

const [STUDIES, PARTS, BATCHES] = ['studies', 'parts', 'batches'] as const;

/** The ending of a file that is not what was written: it is kept to look at, and nothing reads it. */
const DAMAGED = '.damaged';

function putAside(path: string, name = `${path}${DAMAGED}`): void {
  try {
    renameSync(path, name);
  } catch {
    // The folder may be read-only, or another process was faster: whoever calls does not read the file.
  }
}

/** What is in a file, if it is one; links are not followed. */
function contentOf(path: string): Buffer | null {
  try {
    return lstatSync(path).isFile() ? readFileSync(path) : null;
  } catch {
    return null;
  }
}

const PART_NAME = /^(\w+)-(\d+)\.[0-9a-f]+\.parquet$/;
const BATCH_NAME = /^(\w+)-(\d+)\.rows$/;

function numbered(id: string, place: number): string {
  return `${id}-${String(place).padStart(DIGITS, '0')}`;
}

type StoredStudy = StudyRecord & { readonly layout: number };

/** The study of a file: null if it is damaged. Another layout is an error. */
function readStudy(path: string): StudyRecord | null {
  const study = unsealed<StoredStudy>(contentOf(path)?.toString() ?? '');
  if (study === null || basename(path) !== `${study.id}.json`) return null;
  if (study.layout === LAYOUT) return study;
  throw new CcbenchError(
    'not-supported',
    `${path} has layout ${study.layout}, and this ccbench reads ${LAYOUT}`,
    { hint: 'read it with the version that wrote it, or use another folder' },
  );
}

/** The studies of a results folder, and the files that should say one and are damaged. */
export function readStudies(folder: string): {
  readonly studies: readonly StudyRecord[];
  readonly damaged: readonly string[];
} {
  const paths = namesIn(join(folder, STUDIES))
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, STUDIES, name));
  const found = paths.map((path) => ({ path, study: readStudy(path) }));
  return {
    studies: found.flatMap(({ study }) => study ?? []),
    damaged: found.flatMap(({ path, study }) => (study === null ? [path] : [])),
  };
}

/** The folders down to one, the innermost first, of which the outermost was made with it; none if it was there. */
function foldersFrom(path: string, outermost: string | undefined): readonly string[] {
  if (outermost === undefined) return [];
  return path === outermost ? [path] : [path, ...foldersFrom(dirname(path), outermost)];
}

/** The results of one study in a folder that other processes and machines may write into at the same time. */
export class ResultStore {
  readonly folder: string;
  readonly study: StudyRecord;
  /** The files of parts: their names carry the checksum of what is in them. */
  readonly #parts = new Map<number, string>();
  readonly #batches = new Set<number>();
  /** Files that were found damaged. */
  readonly #damaged = new Set<string>();
  /** What `announce` has made: the file of the study, then folders, the outermost last. */
  #made: readonly string[] = [];

  constructor(folder: string, study: StudyRecord) {
    this.folder = folder;
    this.study = study;
    this.look();
  }

  /** Makes the folder and says what the study is; equal for everyone who takes part. */
  announce(): void {
    const made: string[] = [];
    try {
      for (const path of [this.folder, ...[STUDIES, PARTS, BATCHES].map((name) => join(this.folder, name))])
        made.unshift(...foldersFrom(path, makeFolder(path)));
    } catch (error) {
      throw unwritable(this.folder, error);
    }
    for (const name of [STUDIES, PARTS, BATCHES, '.']) removeUnfinished(join(this.folder, name));
    const path = join(this.folder, STUDIES, `${this.study.id}.json`);
    if (existsSync(path) && readStudy(path) === null) putAside(path);
    if (existsSync(path)) return;
    writeWhole(path, sealedLine({ layout: LAYOUT, ...this.study }));
    this.#made = [path, ...made];
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
    this.#parts.clear();
    this.#batches.clear();
    const { id, partition } = this.study;
    for (const name of namesIn(join(this.folder, PARTS))) {
      const [, own, part] = PART_NAME.exec(name) ?? [];
      if (own === id && Number(part) < partition.parts && !this.#damaged.has(name))
        this.#parts.set(Number(part), name);
    }
    for (const name of namesIn(join(this.folder, BATCHES))) {
      const [, own, batch] = BATCH_NAME.exec(name) ?? [];
      if (own === id && Number(batch) < partition.batches && !this.#damaged.has(name))
        this.#batches.add(Number(batch));
    }
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

  #partName(part: number, bytes: Uint8Array): string {
    const name = numbered(this.study.id, part);
    return `${name}.${checkOf(bytes, name)}.parquet`;
  }

  #batchPath(batch: number): string {
    return join(this.folder, BATCHES, `${numbered(this.study.id, batch)}.rows`);
  }

  /** The files that hold rows: parts, and batches of parts that are not whole yet. */
  sources(): readonly { readonly kind: 'part' | 'batch'; readonly place: number; readonly path: string }[] {
    const { partition } = this.study;
    const parts = [...this.#parts].map(([place, name]) => ({
      kind: 'part' as const,
      place,
      path: join(this.folder, PARTS, name),
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

  /**
   * Puts everything aside that is not what was written, and gives its paths: a part whose content is not that of its name, a batch
   * that lacks rows. Sound rows of such a batch stay, as those of one that is not finished.
   */
  putDamagedAside(): readonly string[] {
    const damaged: string[] = [];
    const found = (path: string, as?: string): void => {
      putAside(path, as);
      this.#damaged.add(basename(path));
      damaged.push(path);
    };
    this.look();
    for (const name of namesIn(join(this.folder, PARTS))) {
      const path = join(this.folder, PARTS, name);
      const [, own, part] = PART_NAME.exec(name) ?? [];
      const isForeign =
        own === undefined && name.startsWith(`${this.study.id}-`) && name.endsWith('.parquet');
      if (own !== this.study.id && !isForeign) continue;
      const bytes = contentOf(path);
      if (bytes !== null && name === this.#partName(Number(part), bytes)) continue;
      found(path);
    }
    for (const batch of this.#batches) {
      const path = this.#batchPath(batch);
      if (this.rowsOf(batch) === null) found(path, path.replace(/\.rows$/, `${DAMAGED}.open`));
    }
    if (damaged.length > 0) this.look();
    return damaged;
  }

  /** Rows of an unfinished batch that anyone has written down; those of another one, in a file under its name, are none. */
  begun(batch: number): readonly ResultRow[] {
    const { from, to } = runsOfBatch(this.study.partition, batch);
    const lead = `${numbered(this.study.id, batch)}.`;
    const rows = new Map<number, ResultRow>();
    for (const name of namesIn(join(this.folder, BATCHES))) {
      if (!name.startsWith(lead) || !name.endsWith('.open')) continue;
      for (const row of this.#rowsIn(join(this.folder, BATCHES, name)))
        if (row.run >= from && row.run < to) rows.set(row.run, row);
    }
    return [...rows.values()];
  }

  /** Writes down a row of an unfinished batch: a kill loses none of them. */
  append(batch: number, row: ResultRow): void {
    const path = this.#openPath(batch);
    try {
      appendFileSync(path, this.#lineOf(row));
    } catch (error) {
      throw unwritable(path, error);
    }
  }

  #openPath(batch: number): string {
    return join(this.folder, BATCHES, `${numbered(this.study.id, batch)}.${writerName()}.open`);
  }

  #lineOf(row: ResultRow): string {
    return sealedLine(row, this.study.id);
  }

  /** Keeps a finished batch, and the part it completes. */
  async finish(batch: number, rows: readonly ResultRow[]): Promise<void> {
    const sorted = [...rows].sort((a, b) => a.run - b.run);
    this.#damaged.delete(basename(this.#batchPath(batch)));
    writeWhole(this.#batchPath(batch), sorted.map((row) => this.#lineOf(row)).join(''));
    this.#batches.add(batch);
    this.#removeOpen(`${numbered(this.study.id, batch)}.`);
    await this.join(partOfBatch(this.study.partition, batch));
  }

  #removeOpen(lead: string): void {
    for (const name of namesIn(join(this.folder, BATCHES)))
      if (name.startsWith(lead) && name.endsWith('.open'))
        rmSync(join(this.folder, BATCHES, name), { force: true });
  }

  /** The rows of a finished batch; null if they are gone or damaged. */
  rowsOf(batch: number): readonly ResultRow[] | null {
    const { from, to } = runsOfBatch(this.study.partition, batch);
    const rows = this.#rowsIn(this.#batchPath(batch));
    return rows.length === to - from && rows.every(({ run }, i) => run === from + i) ? rows : null;
  }

  #rowsIn(path: string): readonly ResultRow[] {
    return parseRows(contentOf(path)?.toString() ?? '', this.study.id);
  }

  /** Makes a part of its batches where all of them are there. Whoever comes second writes the same bytes again. */
  async join(part: number): Promise<void> {
    const { from, to } = batchesOfPart(this.study.partition, part);
    const batches = Array.from({ length: to - from }, (_, i) => from + i);
    this.look();
    if (!this.#parts.has(part)) {
      if (!batches.every((batch) => existsSync(this.#batchPath(batch)))) return;
      const rows: ResultRow[] = [];
      for (const batch of batches) {
        const own = this.rowsOf(batch);
        if (own === null) {
          this.putDamagedAside();
          return;
        }
        for (const row of own) rows.push(row);
      }
      const bytes = await encodePart(this.study.columns, rows);
      const name = this.#partName(part, bytes);
      writeWhole(join(this.folder, PARTS, name), bytes);
      this.#damaged.delete(name);
      this.#parts.set(part, name);
    }
    for (const batch of batches) {
      rmSync(this.#batchPath(batch), { force: true });
      this.#batches.delete(batch);
      this.#removeOpen(`${numbered(this.study.id, batch)}.`);
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
  const studies = readStudies(folder).studies.map((study) => {
    const results = new ResultStore(folder, study);
    return {
      ...study,
      finishedRuns: results.finishedRuns(),
      parts: results
        .sources()
        .filter(({ kind }) => kind === 'part')
        .map(({ place, path }) => {
          const { from, to } = runsOfPart(study.partition, place);
          const file = `${PARTS}/${basename(path)}`;
          return { file, firstRun: from, rows: to - from, sha256: sha256Hex(readFileSync(path)) };
        }),
    };
  });
  writeWhole(join(folder, 'manifest.json'), `${JSON.stringify({ layout: LAYOUT, studies }, null, 1)}\n`);
}
