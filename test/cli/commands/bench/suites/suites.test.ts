import { describe, expect, it } from 'vitest';
import { SUITES } from '../../../../../src/cli/commands/bench/bench.js';
import type { BenchResult, RatioResult } from '../../../../../src/cli/commands/bench/result.js';
import { cli, tempFolder } from '../../../cli.js';

async function measured(suite: string): Promise<BenchResult> {
  const { code, stdout } = await cli(['bench', suite, '--quick', '--json'], { cwd: tempFolder() });
  expect(code).toBe(0);
  return JSON.parse(stdout) as BenchResult;
}

type Expected = readonly [promised: number | null, says: RegExp, ratio: (...numbers: number[]) => number];

const firstBySecond = (first: number, second: number): number => first / second;
const secondByFirst = (first: number, second: number): number => second / first;
const firstByLargest = (first: number, ...others: number[]): number => first / Math.max(...others);
const sweep = (policy: string, turns: number): RegExp =>
  new RegExp(
    `^25 thresholds of ${policy}, 1 sessions of ${turns} turns together, one core: engine (\\d+) turns/s, sweep (\\d+) turns/s$`,
  );

/** Promises as bench/README.md has them; sizes of the quick form; the ratio by the numbers that its sentence gives. */
const RATIOS: Readonly<Record<string, Expected>> = {
  'naive-replay': [200, /^1000 turns: (\d+) ms naive \(.* 30 turns\), (\d+) ms here$/, firstBySecond],
  'quiet-rules': [
    0.77,
    /^500 turns, µs each: claude-code\/2\.1\.112 (\S+), \S+ (\S+), \S+ (\S+), \S+ (\S+), \S+ (\S+)$/,
    firstByLargest,
  ],
  // Without layers a turn is a request.
  'replay-limit': [
    0.33,
    /^500 turns: bare (\d+) turns\/s, \1 requests\/s; claude-code\/2026 (\d+) turns\/s, \d+ requests\/s$/,
    secondByFirst,
  ],
  'sweep-rate': [
    null,
    /^6 points of 500 turns .*engine (\d+) turns\/s, columns (\d+) turns\/s;/,
    secondByFirst,
  ],
  'quiet-turns': [5, sweep('claude-code/2.1.112', 60), secondByFirst],
  'quiet-turns of codex-local': [null, sweep('peers/codex-local', 60), secondByFirst],
  'quiet-turns of zed': [null, sweep('peers/zed', 60), secondByFirst],
  'quiet-2026': [2, sweep('claude-code/2026', 60), secondByFirst],
  'quiet-rare': [null, sweep('claude-code/2.1.112', 200), secondByFirst],
  'compaction-cost': [
    1,
    /^(100) µs .*: claude-code\/2\.1\.112 (\S+) µs, peers\/codex-local (\S+) µs, peers\/zed (\S+) µs$/,
    (limit, ...micros) => firstByLargest(limit, ...micros, 1),
  ],
  'trace-limit': [
    0.25,
    /^\d+ block ids: bare loop (\d+) M ids\/s, lifetime curve (\d+) M ids\/s$/,
    secondByFirst,
  ],
  ingest: [0.75, /^2 MB: JSON.parse (\d+) MB\/s, ingestion (\d+) MB\/s$/, secondByFirst],
  uses: [0.2, /: (\d+) MB\/s of the file, against JSON.parse (\d+) MB\/s$/, firstBySecond],
  'serve-streams': [1, /^(\d+) of (50) concurrent/, firstBySecond],
  'bpe-guard': [0.9, /^the tokenizer .* (1)00000 characters of prose/, (whole) => whole],
  'bpe-worst': [
    0.1,
    /^one letter (\S+) ×, spaces (\S+) ×, newlines (\S+) ×, base64 (\S+) ×, CJK (\S+) × the time of prose$/,
    (...times) => 1 / Math.max(...times),
  ],
  'compiled-cache': [5, /^2 MB to the first turn: (\d+) ms at first, (\d+) ms from then on$/, firstBySecond],
  workers: [
    1.8,
    /^8 points of 200 turns on warm threads: (\d+) ms on one worker, (\d+) ms on two/,
    firstBySecond,
  ],
  'workers-cold': [1.8, /^16 points of 200 turns .*: (\d+) ms on one worker, (\d+) ms on two/, firstBySecond],
};

/** What the server adds, of which five milliseconds are promised: both times are rounded to a tenth. */
function checkLatency({ ratio, promised, detail }: RatioResult): void {
  const says = /^p99 at 50 requests\/s: (\S+) ms, a server that does nothing (\S+) ms; 5 ms may be added$/;
  expect(detail).toMatch(says);
  const [served, plain] = says.exec(detail)!.slice(1).map(Number);
  expect(promised).toBe(1);
  expect(Math.abs(5 / ratio - Math.max(0.01, served! - plain!))).toBeLessThan(0.11);
}

function check({ name, ratio, promised, detail }: RatioResult): void {
  const [expectedPromise, says, ratioOf] = RATIOS[name]!;
  expect(promised, name).toBe(expectedPromise);
  expect(detail).toMatch(says);
  const said = says.exec(detail)!.slice(1);
  // A number is said as rounded to its last figure.
  const tolerance = said.reduce((sum, text) => {
    const half = 0.5 / 10 ** (text.split('.')[1]?.length ?? 0);
    return sum + (Number(text) === 0 ? 0 : half / Math.abs(Number(text)));
  }, 0.001);
  const expected = ratioOf(...said.map(Number));
  expect(Math.abs(ratio / expected - 1), `${name} ${ratio}: ${detail}`).toBeLessThan(tolerance);
}

describe('a suite in its smallest form', () => {
  it.each(Object.keys(SUITES))(
    '%s measures what it says, or says that it needs the built program',
    async (suite) => {
      const { results, growth, ratios, notes } = await measured(suite);
      expect(results.length + growth.length + ratios.length + notes.length).toBeGreaterThan(0);
      for (const ratio of ratios) (ratio.name === 'serve-latency' ? checkLatency : check)(ratio);
      for (const { promised, wholeWindow } of growth) expect(promised).toBe(wholeWindow ? null : 1.1);
      for (const { size, p50Ms, p99Ms, opsPerSec } of results) {
        expect([10_000, 100_000]).toContain(size);
        expect(p99Ms).toBeGreaterThanOrEqual(p50Ms);
        expect(opsPerSec).toBeGreaterThan(0);
      }
    },
  );
});
