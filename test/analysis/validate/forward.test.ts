import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lifetimeChoice } from '../../../src/analysis/lifetime/lifetime-report.js';
import { containedFiles } from '../../../src/analysis/validate/contained.js';
import { type ForwardSession, forwardPlan, runForward } from '../../../src/analysis/validate/forward.js';
import { forwardFigures } from '../../../src/analysis/validate/forward-figures.js';
import { recordedTruth } from '../../../src/analysis/validate/truth.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { begun, RecordingBuilder, toolUse } from './recording.js';

function forward(transcript: Transcript): ForwardSession {
  const outcome = runForward(transcript, recordedTruth(transcript), 'test');
  if (outcome.kind !== 'ran') throw new Error(JSON.stringify(outcome));
  return outcome.session;
}

/** $5 a million for claude-opus-4-6: reads at a tenth, five-minute writes at 1.25; nano-dollars. */
const READ = 500;
const WRITE = 6_250;

describe('a recording run forward', () => {
  it('costs what it cost where it only grew: the first request is as warm as recorded (K11)', () => {
    const recording = begun('2.0.64', undefined, { read: 16_000, write: 14_000 })
      .say('and then', 20)
      .answer({ at: 25, read: 30_000, write: 500 });
    const session = forward(recording.read());
    const nano = 16_000 * READ + 14_000 * WRITE + 30_000 * READ + 500 * WRITE;
    expect(session.cost).toEqual({ predicted: nano, recorded: nano });
    expect(session).toMatchObject({ requests: 2, callsLost: 0, client: 'claude-code/1.0' });
    expect(session.compactions).toEqual({ predicted: 0, recorded: 0 });
  });

  it('pays for a lifetime that ran out like the recording', () => {
    const recording = begun('2.0.64').say('and then', 400).answer({ at: 405, read: 0, write: 30_500 });
    const { cost } = forward(recording.read());
    expect(cost.predicted).toBe(30_000 * WRITE + 30_500 * WRITE);
    expect(cost.predicted).toBe(cost.recorded);
  });

  it('does not look at recorded automatic compactions: the profile compacts by itself', () => {
    const recording = new RecordingBuilder('2.1.42').say('go on', 0);
    for (const [i, prompt] of [100_000, 140_000, 167_100].entries()) {
      recording
        .answer({ at: 10 + i * 10, read: 20_000, write: prompt - 20_000, blocks: [toolUse(`t${i}`)] })
        .result(`t${i}`, 'ok', 15 + i * 10);
    }
    const without = recording.lines.length;
    recording.compact(36, 'auto', 167_100).answer({ at: 40, read: 20_000, write: 20_000 });
    const recorded = forward(recording.read());
    expect(recorded.compactions).toEqual({ predicted: 1, recorded: 1 });
    expect(recorded.contextAfter).toHaveLength(1);
    expect(recorded.firstReadAfter[0]).toEqual({ predicted: 20_000, recorded: 20_000 });
    recording.lines.splice(without, 2);
    expect(forward(recording.read()).compactions).toEqual({ predicted: 1, recorded: 0 });
  });

  it('C1 a compaction by hand happens although the threshold is far', () => {
    const recording = begun('2.1.42', undefined, { read: 16_000, write: 24_000 })
      .compact(60, 'manual', 40_000)
      .say('and then', 61)
      .answer({ at: 65, read: 16_000, write: 10_000 });
    expect(forward(recording.read()).compactions).toEqual({ predicted: 1, recorded: 1 });
  });

  it('uses the profile of the version, the client of the recording, its lifetimes and times', () => {
    const plan = forwardPlan(begun('2.1.29').read());
    expect(plan.policy.name).toBe('claude-code/2.1.112');
    expect(plan.policy.params['client.use']).toBe('recorded');
    expect(plan.policy.params['storage.stubRepeatedReads']).toBe(false);
    expect([plan.cache.ttl, plan.timing, plan.model, plan.window]).toEqual([
      'recorded',
      'recorded',
      null,
      null,
    ]);
  });

  it('a file with a single request tells nothing', () => {
    const transcript = begun().read();
    expect(runForward(transcript, recordedTruth(transcript), 'test').kind).toBe('empty');
  });

  it('K14 states an interval that holds what it costs without a break and with one', () => {
    const recording = begun('2.1.42', undefined, { read: 16_000, write: 84_000 });
    for (let i = 1; i <= 30; i++)
      recording.say('and then', i * 120).answer({ at: i * 120 + 5, read: 100_000, write: 500 * i });
    const { cost, interval } = forward(recording.read());
    // A break at any of the prompts: 84,000 tokens and more written again in the place of read.
    expect(interval.expected - cost.predicted).toBeGreaterThan(0.04 * 84_000 * (WRITE - READ));
    expect(interval.low).toBeLessThanOrEqual(cost.predicted);
    expect(interval.high).toBeGreaterThanOrEqual(cost.predicted + 84_000 * (WRITE - READ));
  });
});

function session(predicted: number, recorded: number, changes: Partial<ForwardSession> = {}): ForwardSession {
  return {
    file: 'a',
    version: '2.1.42',
    profile: 'p',
    client: 'c',
    requests: 10,
    callsLost: 0,
    cost: { predicted, recorded },
    recordedWrites: 'told',
    interval: { expected: predicted, low: predicted * 0.98, high: predicted * 1.1 },
    hitRate: { predicted: 0.95, recorded: 0.94 },
    compactions: { predicted: 1, recorded: 1 },
    compactedAt: { predicted: [], recorded: [] },
    contextAfter: [{ predicted: 50, recorded: 40 }],
    firstReadAfter: [{ predicted: 20, recorded: 25 }],
    ...changes,
  };
}

describe('figures of sessions run forward', () => {
  it('follow by arithmetic', () => {
    const figures = forwardFigures(
      [
        session(110, 100),
        session(90, 100, { compactions: { predicted: 0, recorded: 1 } }),
        session(100, 100),
      ],
      [{ file: 'x', version: null, message: 'broken' }],
    );
    expect(figures).toMatchObject({ sessions: 3, crashed: 1, unfinished: 0 });
    expect(figures.costErrorMedian).toBeCloseTo(0.1);
    expect(figures.costErrorMax).toBeCloseTo(0.1);
    expect(figures.netError).toBeCloseTo(0);
    expect(figures.hitRatePointsMedian).toBeCloseTo(1);
    expect(figures.compactionCountRight).toBeCloseTo(2 / 3);
    expect(figures.contextAfterError).toBeCloseTo(30 / 120);
    expect(figures.firstReadAfterError).toBeCloseTo(15 / 75);
    // 100 lies in 107.8 … 121, 88.2 … 99 and 98 … 110: only in the last.
    expect(figures.intervalCoverage90).toBeCloseTo(1 / 3);
  });

  it('are null, never 0, where there is nothing', () => {
    expect(forwardFigures([], [])).toMatchObject({ sessions: 0, costErrorMedian: null, netError: null });
  });
});

describe('copies of sessions', () => {
  const file = (name: string, ids: readonly string[]) => ({ file: name, callIds: new Set(ids) });

  it('are found when another file holds all their responses; of equal ones the first stays', () => {
    const files = [file('a', ['1', '2']), file('b', ['1', '2', '3']), file('c', ['4']), file('d', ['4'])];
    expect(containedFiles(files)).toEqual([
      { file: 'a', within: 'b', responses: 2 },
      { file: 'd', within: 'c', responses: 1 },
    ]);
  });

  it('leave at least one holder of every response', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 6 }).map(String), { maxLength: 6 });
    forAll(fc.array(ids, { maxLength: 6 }), (lists) => {
      const files = lists.map((list, i) => file(`f${i}`, list));
      const gone = new Set(containedFiles(files).map((contained) => contained.file));
      const left = new Set(files.filter(({ file: name }) => !gone.has(name)).flatMap((f) => [...f.callIds]));
      for (const id of lists.flat()) expect(left.has(id)).toBe(true);
    });
  });
});

describe('the choice of a lifetime', () => {
  const session = () =>
    begun('2.0.64', undefined, { read: 16_000, write: 14_000 })
      .say('and then', 600)
      .answer({ at: 605, read: 0, write: 30_500 });

  it('writes again what five minutes have lost, and pays twice the input price for an hour', () => {
    const choice = lifetimeChoice(session().read())!;
    const short = 16_000 * READ + 44_500 * WRITE;
    const long = 46_000 * READ + 14_500 * 10_000;
    expect(choice.cost1hUsd - choice.cost5mUsd).toBeCloseTo((long - short) / 1e9, 9);
    expect(choice).toMatchObject({ cheaper: '1h', rescuedTokens: 30_000 });
    expect(choice.cost1hUsd - choice.cost5mUsd).toBeCloseTo(choice.premiumUsd - choice.savedUsd, 9);
  });

  it('saves exactly nothing for an hour where no pause is longer than five minutes', () => {
    const quick = begun('2.0.64', undefined, { read: 16_000, write: 14_000 })
      .say('and then', 20)
      .answer({ at: 25, read: 30_000, write: 500 });
    // 14,500 tokens written for an hour instead of five minutes
    expect(lifetimeChoice(quick.read())).toMatchObject({
      savedUsd: 0,
      premiumUsd: (14_500 * (10_000 - WRITE)) / 1e9,
    });
  });

  it('counts what a request of the client itself reads apart from what an hour rescues', () => {
    // 2.1.112 renews five-minute entries with the summary for a user who was away, but not one-hour entries (K17).
    const away = begun('2.1.112', undefined, { read: 16_000, write: 14_000, ttl: '5m' })
      .line('system', 192, { subtype: 'away_summary', content: 'so far' })
      .say('and then', 400)
      .answer({ at: 405, read: 30_000, write: 500, ttl: '5m' });
    const choice = lifetimeChoice(away.read())!;
    // Five minutes read the prompt of 30,000 tokens once more for the summary: an hour rescues nothing, and saves that.
    expect(choice).toMatchObject({ rescuedTokens: 0, savedUsd: 0 });
    expect(choice.unrecordedUsd).toBeGreaterThan((29_000 * READ) / 1e9);
    const more = choice.cost1hUsd - choice.cost5mUsd;
    expect(more).toBeCloseTo(choice.premiumUsd - choice.savedUsd - choice.unrecordedUsd, 9);
  });

  it('gives breaks that nothing explains to both lifetimes', () => {
    const recording = begun('2.0.64', undefined, { read: 16_000, write: 84_000 })
      .say('and then', 20)
      .answer({ at: 25, read: 16_000, write: 84_500, reason: 'system_changed' });
    const { cost5mUsd, cost1hUsd } = lifetimeChoice(recording.read())!;
    const written = 84_000 + 84_500;
    expect(cost1hUsd - cost5mUsd).toBeCloseTo((written * (10_000 - WRITE)) / 1e9, 6);
  });

  it('cannot be told without usage', () => {
    const recording = new RecordingBuilder()
      .say('go on', 0)
      .answer({ at: 5, read: 0, write: 0, usage: 'absent' });
    expect(lifetimeChoice(recording.read())).toBeNull();
  });
});

it('a compaction of the run answers one recorded one, and a recorded one is answered once', () => {
  const placeShare = (predicted: readonly number[], recorded: readonly number[]): number | null => {
    const places = (requests: readonly number[]) => requests.map((request) => ({ thread: 'main', request }));
    const compactedAt = { predicted: places(predicted), recorded: places(recorded) };
    return forwardFigures([session(1, 1, { compactedAt })], []).compactionPlaceRight;
  };
  expect(placeShare([5], [5, 6])).toBe(1 / 2);
  expect(placeShare([5, 6], [5])).toBe(1);
  expect(placeShare([5, 6], [5, 6])).toBe(1);
});
