import { afterEach, describe, expect, it, vi } from 'vitest';
import { bpeSuite } from '../../bench/suites/bpe.js';
import { compactionCost } from '../../bench/suites/compaction-cost.js';
import { compiledCacheSuite, ingestSuite } from '../../bench/suites/ingest.js';
import { quietRules, quietTurns, sweepRate } from '../../bench/suites/quiet-turns.js';
import { naiveReplay, naiveReplayRatio, replayLimit } from '../../bench/suites/replay.js';
import { traceLimit } from '../../bench/suites/trace-limit.js';
import { benchTranscript } from '../../src/cli/commands/bench/plan.js';
import { replayGrowth } from '../../src/cli/commands/bench/replay-growth.js';
import type { BenchResult, RatioResult } from '../../src/cli/commands/bench/result.js';

const said: string[] = [];
const QUICK = { quick: true, onProgress: (what: string) => void said.push(what) };

const first = ({ ratios }: Partial<BenchResult>): RatioResult => ratios![0]!;

/** A clock by which what is timed takes these milliseconds, one after the other, again and again. */
function taking(...durations: readonly number[]): void {
  let calls = 0;
  let atMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    if (++calls % 2 === 0) atMs += durations[(calls / 2 - 1) % durations.length]!;
    return atMs;
  });
}

afterEach(() => {
  vi.restoreAllMocks();
  said.length = 0;
});

describe('the figures of a suite, by the times of what it runs', () => {
  it('trace-limit: the bare loop against the curve, by the same ids', () => {
    taking(2, 8);
    const { detail, ...rest } = first(traceLimit(QUICK));
    const ids = Number(/^(\d+) block ids/.exec(detail)![1]);
    // ten traces of 120 requests that grow from 240 ids by 21 in the mean, up to 2,400
    expect(ids).toBeGreaterThan(10 * 120 * 800);
    expect(ids).toBeLessThan(10 * 120 * 1_500);
    expect(rest).toEqual({ name: 'trace-limit', ratio: 0.25, promised: 0.25 });
    const rate = (ms: number) => `${Math.round(ids / ms / 1_000)} M ids/s`;
    expect(detail).toBe(`${ids} block ids: bare loop ${rate(2)}, lifetime curve ${rate(8)}`);
  });

  it('replay-limit: turns and requests a second without layers and with all', () => {
    taking(1, 4);
    const { detail, ...rest } = first(replayLimit(QUICK));
    expect(rest).toEqual({ name: 'replay-limit', ratio: 0.25, promised: 0.33 });
    // Without layers a turn is a request.
    expect(detail).toMatch(
      /^500 turns: bare 500000 turns\/s, 500000 requests\/s; claude-code\/2026 125000 turns\/s, \d+ requests\/s$/,
    );
    expect(Number(/(\d+) requests\/s$/.exec(detail)![1])).toBeGreaterThan(125_000);
  });

  it('quiet-rules: the slowest policy file against hand-written layers', () => {
    taking(10, 20, 5, 40, 8);
    expect(quietRules(QUICK).ratios).toEqual([
      {
        name: 'quiet-rules',
        ratio: 0.25,
        promised: 0.77,
        detail:
          '500 turns, µs each: claude-code/2.1.112 20.0, peers/codex-local 40.0, peers/kimi-code 10.0, peers/opencode-1 80.0, baselines/prune 16.0',
      },
    ]);
  });

  it('sweep-rate: points through the engine against points from columns, and what these go into', () => {
    taking(7, 30, 10, 6, 8);
    // six points of 500 turns in 30 and in 10 ms; 2, 4 and 4 of the 10 are for the cache, metrics, and the rest
    expect(sweepRate(QUICK).ratios).toEqual([
      {
        name: 'sweep-rate',
        ratio: 3,
        promised: null,
        detail:
          '6 points of 500 turns on one core: engine 100000 turns/s, columns 300000 turns/s; of these, cache 20 %, metrics 40 %, prices and entries 40 %; columns are made once in 7 ms',
      },
    ]);
  });

  it('quiet-turns: all thresholds with what they share against one of 25 through the engine', () => {
    taking(10, 50);
    const row = (name: string, policy: string, turns: number, promised: number | null) => ({
      name,
      // 25 times as many points in five times the time
      ratio: 5,
      promised,
      detail: `25 thresholds of ${policy}, 1 sessions of ${turns} turns together, one core: engine ${turns * 100} turns/s, sweep ${turns * 500} turns/s`,
    });
    const ratios = [
      row('quiet-turns', 'claude-code/2.1.112', 60, 5),
      row('quiet-turns of codex-local', 'peers/codex-local', 60, null),
      row('quiet-turns of zed', 'peers/zed', 60, null),
      row('quiet-2026', 'claude-code/2026', 60, 2),
      row('quiet-rare', 'claude-code/2.1.112', 200, null),
    ];
    expect(quietTurns(QUICK).ratios).toEqual(ratios);
    expect(said).toEqual(ratios.map(({ name }) => name));
  });

  it('compaction-cost: 100 µs over the most expensive compaction', () => {
    // Runs with many compactions take a second more than runs with few.
    const times = [3, 2];
    vi.spyOn(process, 'cpuUsage').mockImplementation((before) => {
      if (before === undefined) return { user: 0, system: 0 };
      times.push(times.shift()!);
      return { user: times.at(-1)! * 900_000, system: times.at(-1)! * 100_000 };
    });
    const { detail, ...rest } = first(compactionCost(QUICK));
    const micros = [...detail.matchAll(/(\d+) µs(?:,|$)/g)].map(([, text]) => Number(text));
    expect(detail).toMatch(
      /^100 µs over the most expensive compaction: claude-code\/2\.1\.112 \d+ µs, peers\/codex-local \d+ µs, peers\/zed \d+ µs$/,
    );
    expect(rest).toMatchObject({ name: 'compaction-cost', promised: 1 });
    expect(rest.ratio).toBeCloseTo(100 / Math.max(...micros), 6);
    // A second over some tens of compactions of four runs.
    for (const each of micros) {
      expect(1e6 / each).toBeGreaterThan(8);
      expect(1e6 / each).toBeLessThan(200);
    }
    expect(said).toEqual(['claude-code/2.1.112', 'peers/codex-local', 'peers/zed']);
  });

  it('compiled-cache: the first load against the second', () => {
    taking(20, 4);
    expect(compiledCacheSuite(QUICK).ratios).toEqual([
      {
        name: 'compiled-cache',
        ratio: 5,
        promised: 5,
        detail: '2 MB to the first turn: 20 ms at first, 4 ms from then on',
      },
    ]);
  });

  it('bpe: the guard and the worst inputs against the tokenizer on prose', async () => {
    taking(10, 1, 5, 20, 15, 40, 30);
    expect((await bpeSuite(QUICK)).ratios).toEqual([
      {
        name: 'bpe-guard',
        ratio: 0.9,
        promised: 0.9,
        detail: 'the tokenizer alone against the guarded count of 100000 characters of prose (10.0 ms)',
      },
      {
        name: 'bpe-worst',
        ratio: 0.25,
        promised: 0.1,
        detail: 'one letter 0.5 ×, spaces 2.0 ×, newlines 1.5 ×, base64 4.0 ×, CJK 3.0 × the time of prose',
      },
    ]);
  });

  it('ingest: reading and finding uses against JSON.parse, in megabytes of the file a second', async () => {
    taking(10, 20, 4, 40);
    expect(await ingestSuite(QUICK)).toEqual({
      ratios: [
        {
          name: 'ingest',
          ratio: 0.5,
          promised: 0.75,
          // 2 MB, and up to the end of the line that reaches them
          detail: expect.stringMatching(/^2 MB: JSON\.parse 20\d MB\/s, ingestion 10\d MB\/s$/),
        },
        {
          name: 'uses',
          ratio: 0.1,
          promised: 0.2,
          detail: expect.stringMatching(
            /^what calls need of earlier content: 5\d MB\/s of the file, against JSON\.parse 5\d\d MB\/s$/,
          ),
        },
      ],
    });
    expect(said).toEqual(['memory']);
  });

  it('replay: the least of three times at each size, and how it grows under each profile', async () => {
    taking(3, 2, 4, 9, 6, 8);
    const { growth, notes } = await replayGrowth(QUICK);
    const names = growth!.slice(1).map(({ name }) => name.replace('replay ', ''));
    expect(names).toEqual(expect.arrayContaining(['unbounded', 'bounds/oracle', 'claude-code/2026']));
    expect(names.join()).not.toMatch(/none|peers|baselines/);
    expect(said).toEqual(names);
    // Three times the turns take three times as long.
    expect(growth![0]).toMatchObject({ name: 'replay', input: 'the profile that grows fastest' });
    for (const { exponent, promised, wholeWindow } of growth!) {
      expect(exponent).toBeCloseTo(1, 9);
      expect([promised, wholeWindow]).toEqual([1.1, false]);
    }
    const played = '100 turns 2 ms (20.0 µs a turn), 300 turns 6 ms (20.0 µs a turn)';
    const refused =
      /^replay \S+: 100 turns 2 ms \(20\.0 µs a turn\), 1\d\d of 300 turns 6 ms, the others refused$/;
    for (const [i, name] of names.entries()) {
      const isStuck = growth![i + 1]!.input === 'turns until all are refused';
      expect(isStuck || growth![i + 1]!.input === 'every turn').toBe(true);
      if (isStuck) expect(notes![i]).toMatch(refused);
      else expect(notes![i]).toBe(`replay ${name}: ${played}`);
    }
    expect(notes!.filter((note) => refused.test(note)).length).toBeGreaterThan(0);
    expect(notes).toHaveLength(names.length);
  });

  it('naive-replay: the least of three, extrapolated from thirty turns', () => {
    // thirty turns take 30, 60 and 90 ms beyond the first thirty; the replay itself 5, 4 and 6
    taking(10, 40, 5, 10, 70, 4, 10, 100, 6);
    expect(naiveReplayRatio(QUICK).ratios).toEqual([
      {
        name: 'naive-replay',
        ratio: 250,
        promised: 200,
        detail: '1000 turns: 1000 ms naive (extrapolated from 30 turns), 4 ms here',
      },
    ]);
  });
});

it('the naive replay hashes every request anew, up to the turn that is asked for', () => {
  const transcript = benchTranscript(5);
  const sums = [1, 2, 3].map((turns) => naiveReplay(transcript, turns));
  // The first byte of a digest is added at each turn.
  for (const [i, sum] of sums.entries()) {
    const added = sum - (sums[i - 1] ?? 0);
    expect(added).toBeGreaterThanOrEqual(0);
    expect(added).toBeLessThan(256);
  }
  expect(new Set(sums).size).toBe(3);
  expect(naiveReplay(transcript, 9)).toBe(naiveReplay(transcript, 5));
});
