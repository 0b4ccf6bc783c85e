import { statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { type Counted, countNew } from '../../../analysis/why/count-once.js';
import type { SourceBy } from '../../../analysis/why/name-sources.js';
import type { SessionWhy, Uncounted } from '../../../analysis/why/session-why.js';
import { type SummedSession, summedSession, sumsOf } from '../../../analysis/why/sum-up.js';
import { builtModule } from '../../../core/base/built.js';
import { type DigestSet, digestText } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import type { Warning } from '../../../core/run/warning.js';
import { ThreadPool } from '../../../study/worker-pool.js';
import { COMPILED_FOLDER, tidyEntries, WHY_FOLDER } from '../../../transcripts/files/compiled-store.js';
import { FileDigests } from '../../../transcripts/files/file-digests.js';
import { STDIN, sessionPath } from '../../../transcripts/files/read-input.js';
import type { ReadAll } from '../../files/each-file.js';
import type { CliSession } from '../../session.js';
import { runInterruptible, yieldToEventLoop } from '../../terminal/interrupt.js';
import {
  callKeysOf,
  type ExplainOptions,
  explainFile,
  type FoundWhy,
  knownKey,
  openBytes,
  openKept,
  WHY_MODULE,
} from './explain-file.js';
import type { KeptWhy, OpenedWhy } from './kept-why.js';
import { drawnSession, type PageSession } from './why-page-data.js';
import type { WhyProblem, WhyWorkerResult, WhyWorkerSetup } from './why-worker.js';

/** Fewer bytes than this are explained before threads have started. */
const FEW_BYTES = 6_000_000;
/** Files that are looked up between two looks at signals. */
const LOOKED_UP = 64;
/**
 * Threads run much code a few hundred times each: compiling long functions would cost them more than calls that are not inlined.
 * An eighth less processor time over 200 sessions, 7 % over 1,000.
 */
const INLINES_LITTLE = '--max-inlined-bytecode-size-cumulative=200';
/**
 * Old memory is collected when it has grown to two and a half times of what was left, not to four times: now and then a thread
 * held 130 MB of garbage longer than the rest. It takes no more time.
 */
const COLLECTS_EARLIER = '--heap-growing-percent=150';
/** Files that a thread has at hand, so that it does not wait for the next one. */
const AT_HAND = 2;

/** A session leaves little behind. With less room a tenth more time goes into collecting it; with more it is only held. */
const YOUNG_MB = 24;

/** A session as a report counts it. */
export interface CountedFile {
  readonly file: string;
  /** What it adds. It is read or computed each time: over many sessions it would be most of the memory. */
  summed(): SummedSession;
  readonly drawn: PageSession['drawn'];
}

/** A session with what is known of it; everything else is read on demand. */
export class ExplainedFile {
  readonly file: string;
  /** Digests of the keys of its calls and compactions, those that something is counted of first. */
  readonly callKeys: Float64Array;
  readonly warnings: readonly Warning[];
  readonly project: string;
  /** Why nothing of it can be counted; null if something can. */
  readonly uncounted: Uncounted | null;
  readonly #counted: number;
  readonly #again: Pick<Explainer, 'again'>;
  #kept: KeptWhy;

  constructor(file: string, { kept, head }: OpenedWhy, again: Pick<Explainer, 'again'>) {
    const { callKeys, uncountedKeys, warnings, project, reason } = head;
    const uncounted = new Set(uncountedKeys);
    const counted = callKeys.filter((key) => !uncounted.has(key));
    this.file = file;
    this.#kept = kept;
    this.#again = again;
    this.callKeys = Float64Array.from([...counted, ...uncounted], (key) => digestText(key));
    this.#counted = counted.length;
    this.warnings = warnings;
    this.project = project ?? basename(dirname(file));
    this.uncounted = reason === null ? null : { file, reason };
  }

  /** All of it. What others removed meanwhile, and what is damaged, is made again. */
  session(): SessionWhy {
    const { file, project } = this;
    return this.#part((kept) =>
      kept.session({ file, project }, () => this.#openAgain().session({ file, project }, none)!.tape),
    );
  }

  /** What it adds to a report of which some calls are counted already. */
  counted(seen: DigestSet, by: SourceBy): CountedFile {
    const { file, project } = this;
    const keys = this.callKeys.subarray(0, this.#counted);
    const before = new Set(keys.filter((key) => seen.has(key)));
    for (const key of keys) seen.add(key);
    const own = (): Counted => {
      const session = this.session();
      const all = [...session.requests.map(({ key }) => key), ...session.compactionKeys];
      return countNew(session, new Set(all.filter((key) => before.has(digestText(key)))));
    };
    return {
      file,
      summed: () => {
        const summed = { ...this.#part((kept) => kept.summed()), file, project };
        return before.size === 0 && by === 'source' ? summed : summedSession(summed, sumsOf(own(), by));
      },
      drawn: (most) => (before.size === 0 ? this.#part((kept) => kept.drawn()) : drawnSession(own(), most)),
    };
  }

  #part<T>(read: (kept: KeptWhy) => T | null): T {
    return read(this.#kept) ?? read(this.#openAgain())!;
  }

  #openAgain(): KeptWhy {
    this.#kept = this.#again.again(this.file).kept;
    return this.#kept;
  }
}

function none(): never {
  throw new CcbenchError('internal', 'a result was removed while it was being replaced');
}

function errorOf({ code, message, hint, place }: WhyProblem, file: string): CcbenchError {
  if (code === null) return new CcbenchError('internal', `${file} could not be explained: ${message}`);
  return new CcbenchError(code, message, {
    ...(hint === null ? {} : { hint }),
    ...(place === null ? {} : { place }),
  });
}

/** Explains files: what is known is looked up, the rest is made, in threads where it is much. */
export class Explainer {
  readonly #session: CliSession;
  readonly #options: ExplainOptions;
  readonly #digests: FileDigests;

  constructor(session: CliSession, options: Pick<ExplainOptions, 'models' | 'changedUsage'>) {
    const { cache, host, priceDay } = session;
    this.#session = session;
    this.#options = { cwd: host.cwd, cache, ...(priceDay === undefined ? {} : { priceDay }), ...options };
    const folder = cache === 'off' ? null : cache.folder;
    this.#digests = new FileDigests(folder, host.epochMs());
    if (folder !== null) for (const name of [COMPILED_FOLDER, WHY_FOLDER]) tidyEntries(join(folder, name));
  }

  readonly all: ReadAll<ExplainedFile> = async (files, update) => {
    const { interrupt } = this.#session.host;
    const found = new Map<string, ExplainedFile | CcbenchError>();
    for (const [i, file] of files.entries()) {
      if (i % LOOKED_UP === 0) await yieldToEventLoop(interrupt);
      const key = knownKey(file, this.#options, this.#digests);
      const kept = key === null ? null : openKept(key, this.#options);
      if (kept !== null) found.set(file, new ExplainedFile(file, kept, this));
      update(found.size);
    }
    const missing = files.filter((file) => !found.has(file));
    const take = (file: string, own: ExplainedFile | CcbenchError): void => {
      found.set(file, own);
      update(found.size);
    };
    try {
      await this.#make(missing, take);
    } finally {
      this.#digests.save();
    }
    return files.map((file) => found.get(file)!);
  };

  /** Whether a file was read as one session and is as it was. */
  readonly isKnown = (path: string): boolean => this.#digests.isSession(path);

  /** The keys of the calls of a session; none if it cannot be read, which is reported when it is explained. */
  readonly callKeys = (file: string): readonly string[] => {
    try {
      return callKeysOf(file, this.#options, this.#digests);
    } catch (error) {
      if (error instanceof CcbenchError) return [];
      throw error;
    }
  };

  /** Explains a file whose kept result cannot be read: that may be there, and its beginning whole. */
  again(file: string): OpenedWhy {
    return this.#openedAs(file, explainFile(file, this.#options, this.#digests, 'replaced'));
  }

  #open(found: FoundWhy): OpenedWhy | null {
    return 'key' in found ? openKept(found.key, this.#options) : openBytes(found.bytes);
  }

  #openedAs(file: string, found: FoundWhy): OpenedWhy {
    return (
      this.#open(found) ?? this.#open(explainFile(file, { ...this.#options, cache: 'off' }, this.#digests))!
    );
  }

  #opened(file: string, found: FoundWhy): ExplainedFile {
    return new ExplainedFile(file, this.#openedAs(file, found), this);
  }

  async #make(
    missing: readonly string[],
    take: (file: string, own: ExplainedFile | CcbenchError) => void,
  ): Promise<void> {
    const entry = builtModule(WHY_MODULE);
    const sizes = new Map(missing.map((file) => [file, this.#sizeOf(file)]));
    // The longest first, so that all threads end together.
    const shared = missing
      .filter((file) => sizes.get(file)! > 0)
      .toSorted((a, b) => sizes.get(b)! - sizes.get(a)!);
    const bytes = shared.reduce((sum, file) => sum + sizes.get(file)!, 0);
    const isMuch = entry !== null && shared.length > 1 && bytes >= FEW_BYTES && availableParallelism() > 1;
    if (isMuch) await this.#makeInThreads(entry, shared, take);
    const { interrupt } = this.#session.host;
    for (const file of isMuch ? missing.filter((each) => sizes.get(each) === 0) : missing) {
      await yieldToEventLoop(interrupt);
      try {
        take(
          file,
          await runInterruptible(interrupt, () =>
            this.#opened(file, explainFile(file, this.#options, this.#digests)),
          ),
        );
      } catch (error) {
        if (!(error instanceof CcbenchError)) throw error;
        take(file, error);
      }
    }
  }

  async #makeInThreads(
    entry: URL,
    files: readonly string[],
    take: (file: string, own: ExplainedFile | CcbenchError) => void,
  ): Promise<void> {
    const { interrupt, epochMs } = this.#session.host;
    const workerData: WhyWorkerSetup = { options: this.#options, nowMs: epochMs() };
    const failures: CcbenchError[] = [];
    const stop = new AbortController();
    for (const flag of [INLINES_LITTLE, COLLECTS_EARLIER]) setFlagsFromString(flag);
    const pool = new ThreadPool<string, WhyWorkerResult>({
      entry,
      size: undefined,
      workerData,
      youngMb: YOUNG_MB,
      lost: (file, error) => ({
        file,
        problem: { code: null, message: String(error), hint: null, place: null },
      }),
    });
    const finish = (result: WhyWorkerResult): void => {
      const { file } = result;
      if ('problem' in result) {
        const error = errorOf(result.problem, file);
        if (error.code !== 'internal') {
          take(file, error);
          return;
        }
        failures.push(error);
        stop.abort();
        return;
      }
      this.#digests.learn(result.learned);
      take(file, this.#opened(file, result.found));
    };
    try {
      const signal = AbortSignal.any([interrupt, stop.signal]);
      await pool.run(files, signal, { atHand: AT_HAND, order: (file) => file, finish });
    } finally {
      await pool.close();
    }
    if (failures.length > 0) throw failures[0]!;
    await yieldToEventLoop(interrupt);
  }

  /** Bytes of a file; 0 for what no thread can read: what is piped in, one session of several in a file, and what is not there. */
  #sizeOf(file: string): number {
    if (file === STDIN || sessionPath(file).session !== null) return 0;
    return statSync(resolve(this.#options.cwd, file), { throwIfNoEntry: false })?.size ?? 0;
  }
}
