import { describe, expect, it } from 'vitest';
import { Contender, workersRatios } from '../../bench/suites/workers.js';
import { benchPlan } from '../../src/cli/commands/bench/plan.js';
import { syntheticInput } from '../../src/transcripts/files/transcript-input.js';

describe('sweeps on threads', () => {
  it('have a cold time once, and the least of the later ones as warm time', async () => {
    const input = syntheticInput({ workload: 'refactor', turns: 5, seed: 1, model: 'claude-sonnet-4-5' });
    const sweep = (points: number) =>
      contender.sweep(
        Array.from({ length: points }, (_, index) => ({
          index,
          plan: { ...benchPlan('claude-code/2.1.112'), seed: index },
          transcript: input.key,
          metrics: [],
        })),
        input,
      );
    const contender = new Contender(1);
    await sweep(2);
    const { coldMs, firstResultMs } = contender;
    expect(coldMs).toBeGreaterThan(0);
    expect(firstResultMs).toBeGreaterThan(0);
    expect(firstResultMs).toBeLessThan(coldMs);
    expect([contender.warmMs, contender.busyMs]).toEqual([Infinity, Infinity]);
    const before = performance.now();
    await sweep(2);
    const least = contender.warmMs;
    expect(least).toBeGreaterThan(0);
    expect(least).toBeLessThanOrEqual(performance.now() - before);
    expect(contender.busyMs).toBeGreaterThanOrEqual(0);
    expect(contender.busyMs).toBeLessThan(60_000);
    await sweep(60);
    expect(contender.warmMs).toBeLessThanOrEqual(least);
    expect([contender.coldMs, contender.firstResultMs]).toEqual([coldMs, firstResultMs]);
    await contender.close();
  });

  it('are told as one against two: warm, and with the start', () => {
    const times = (coldMs: number, warmMs: number) => ({
      coldMs,
      warmMs,
      firstResultMs: coldMs / 10,
      busyMs: warmMs / 2,
    });
    // 60 points of 2,000 turns in half a second are 240,000 turns a second
    expect(
      workersRatios(times(3_000, 900), times(2_000, 500), { points: 60, coldPoints: 200, turns: 2_000 }),
    ).toEqual([
      {
        name: 'workers',
        ratio: 1.8,
        promised: 1.8,
        detail:
          '60 points of 2000 turns on warm threads: 900 ms on one worker, 500 ms on two (240000 turns/s); processor time 450 and 250 ms',
      },
      {
        name: 'workers-cold',
        ratio: 1.5,
        promised: 1.8,
        detail:
          '200 points of 2000 turns with the start of the threads: 3000 ms on one worker, 2000 ms on two; first result after 300 and 200 ms, and each thread compiles the hot code for itself',
      },
    ]);
  });
});
