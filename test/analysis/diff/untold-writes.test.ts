import { describe, expect, it } from 'vitest';
import { type Lane, laneOfRecording } from '../../../src/analysis/diff/lane.js';
import { call, count, meta, read, result, say, turn } from '../../helpers/recordings/rollout.js';

function laneOf(model: string, written = 0): Lane {
  return laneOfRecording(
    read([
      meta(0),
      turn(0, model),
      say(1, 'user', 'look'),
      call(3, 'a'),
      result(4, 'a'),
      count(4, 22_000, { input: 22_000, cached: 6_912, written, output: 10 }),
    ]),
  );
}

describe('a recording that tells no writes, beside a run', () => {
  it('has those that the rules of its provider bill, and says so', () => {
    const { title, requests } = laneOf('gpt-5.6-sol');
    // Steps of 1,024 from 768 on end at 21,248. Per token before the cut of August 2026: input 5,000 nano-dollars, writes 6,250, reads 500,
    // output 30,000.
    const written = 21_248 - 6_912;
    expect(title).toBe('rollout as recorded, with writes that it does not report');
    expect(requests).toMatchObject([
      {
        written,
        read: 6_912,
        input: 22_000 - 21_248,
        costNano: written * 6_250 + 6_912 * 500 + (22_000 - 21_248) * 5_000 + 10 * 30_000,
      },
    ]);
  });

  it('is taken at its word where it tells some, and where none are billed', () => {
    expect(laneOf('gpt-5.6-sol', 1_000)).toMatchObject({
      title: 'rollout as recorded',
      requests: [{ written: 1_000, input: 22_000 - 6_912 - 1_000 }],
    });
    expect(laneOf('gpt-5.4')).toMatchObject({ title: 'rollout as recorded', requests: [{ written: 0 }] });
  });
});
