import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { growthExponent, timeOf } from '../../src/cli/commands/bench/measure.js';
import type { BenchResult, SuiteOptions } from '../../src/cli/commands/bench/result.js';
import { builtModule } from '../../src/core/base/built.js';
import { corpusFiles } from '../sessions/corpus.js';

/** Sessions of each corpus, and bytes of a session. */
interface Sizes {
  readonly sessions: readonly number[];
  readonly bytes: number;
  readonly rounds: number;
}

const FULL: Sizes = { sessions: [50, 100, 200], bytes: 1_000_000, rounds: 3 };
const QUICK: Sizes = { sessions: [3, 6, 12], bytes: 60_000, rounds: 1 };

/** How often the first answer takes as long as the second one, over the largest corpus. */
const PROMISED_RATIO = 10;
/** Growth of either with the number of sessions. */
const PROMISED_EXPONENT = 1.05;

/** A corpus on disk, and the time of each answer over it. */
interface Corpus {
  readonly folder: string;
  readonly sessions: number;
  first: number;
  second: number;
}

function writeCorpus(folder: string, sessions: number, bytes: number): Corpus {
  for (const { path, text } of corpusFiles({ sessions, bytes: sessions * bytes })) {
    const file = join(folder, 'projects', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return { folder, sessions, first: Number.POSITIVE_INFINITY, second: Number.POSITIVE_INFINITY };
}

function answer(main: string, { folder }: Corpus): void {
  const { status } = spawnSync(process.execPath, [main, 'why', 'projects', '--verbose'], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, CCBENCH_CACHE: join(folder, 'kept') },
  });
  if (status !== 0) throw new Error(`ccbench why ended with ${status}`);
}

/** The first answer of `why` over a corpus of sessions against the second, and how both grow with the number of sessions. */
export async function whyCorpus(options: SuiteOptions): Promise<Partial<BenchResult>> {
  const built = builtModule('cli/main');
  if (built === null) return { notes: ['why-corpus: needs the built program'] };
  const main = fileURLToPath(built);
  const { sessions, bytes, rounds } = options.quick ? QUICK : FULL;
  const root = mkdtempSync(join(tmpdir(), 'ccbench-corpus-'));
  try {
    const corpora = sessions.map((count) => {
      options.onProgress(`writing ${count} sessions`);
      return writeCorpus(join(root, String(count)), count, bytes);
    });
    for (let round = 0; round < rounds; round++)
      for (const corpus of corpora) {
        options.onProgress(`${corpus.sessions} sessions`);
        rmSync(join(corpus.folder, 'kept'), { recursive: true, force: true });
        corpus.first = Math.min(
          corpus.first,
          timeOf(() => answer(main, corpus)),
        );
        corpus.second = Math.min(
          corpus.second,
          timeOf(() => answer(main, corpus)),
        );
      }
    return resultOf(corpora, bytes);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function resultOf(corpora: readonly Corpus[], bytes: number): Partial<BenchResult> {
  const largest = corpora.at(-1)!;
  const growth = (name: string, msOf: (corpus: Corpus) => number) => ({
    name,
    exponent: growthExponent(corpora.map((each) => ({ size: each.sessions, ms: msOf(each) }))),
    wholeWindow: false,
    promised: PROMISED_EXPONENT,
    input: corpora.map((each) => `${each.sessions} sessions ${msOf(each).toFixed(0)} ms`).join(', '),
  });
  return {
    growth: [
      growth('why, first answer', ({ first }) => first),
      growth('why, second answer', ({ second }) => second),
    ],
    ratios: [
      {
        name: 'why-corpus',
        ratio: largest.first / largest.second,
        promised: PROMISED_RATIO,
        detail: `${largest.sessions} sessions of ${(bytes / 1e6).toFixed(2)} MB: ${largest.first.toFixed(0)} ms at first, ${largest.second.toFixed(0)} ms from then on`,
      },
    ],
  };
}
