import { describe, expect, it } from 'vitest';
import { fitHitChance, SessionLuck } from '../../../../src/analysis/validate/providers/hit-fit.js';
import { createRandom } from '../../../../src/core/base/random.js';
import type { HitChance } from '../../../../src/core/run/provider.js';
import { chanceOfShort } from '../../../../src/provider/cache/cache-rules.js';
import { IN_FULL } from '../../../helpers/setup/in-full.js';
import { simulatedSession } from './session.js';

const TRUE: HitChance = { logOdds: -4, perLogSecond: 0.8, sessions: [1], partial: [0.1, 0.5, 0.9] };

function sessionsOf(seed: string, count: number, hit: HitChance = TRUE) {
  const random = createRandom(seed);
  return Array.from({ length: count }, (_, i) =>
    simulatedSession({ hit, requests: 100, random: random.split(`session ${i}`) }),
  );
}

describe('the fitted chance of coming up short', () => {
  it.runIf(IN_FULL)(
    'is the one the sessions were drawn by, as often within its errors as a normal error is',
    () => {
      let within = 0;
      const RUNS = 60;
      for (let run = 0; run < RUNS; run++) {
        const { chance, errors } = fitHitChance(sessionsOf(`fit ${run}`, 20))!;
        if (Math.abs(chance.logOdds + 4) < 2 * errors.logOdds) within++;
        if (Math.abs(chance.perLogSecond - 0.8) < 2 * errors.perLogSecond) within++;
      }
      // 95.4 % of 120 are 114.5; three standard deviations are 6.9.
      expect(within).toBeGreaterThanOrEqual(107);
      expect(within).toBeLessThan(120);
    },
  );

  it('has smaller errors the more sessions there are: half of them with four times as many', () => {
    const few = fitHitChance(sessionsOf('errors', 15))!.errors;
    const many = fitHitChance(sessionsOf('errors', 60))!.errors;
    expect(many.logOdds / few.logOdds).toBeGreaterThan(0.4);
    expect(many.logOdds / few.logOdds).toBeLessThan(0.6);
  });

  it('knows what is read all the same', () => {
    const { partial } = fitHitChance(sessionsOf('partial', 60))!.chance;
    expect(partial).toHaveLength(10);
    const mean = partial.reduce((sum, value) => sum + value, 0) / 10;
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
    expect(partial[0]).toBeLessThan(0.11);
    expect(partial[9]).toBeGreaterThan(0.88);
  });

  it('goes by tokens: short requests that are shorter than the others lose what they lost, not what an average one would', () => {
    const random = createRandom('small ones');
    const sessionOf = (name: string, requests: number, logOdds: number) => {
      const hit = { ...TRUE, logOdds, perLogSecond: 0 };
      return simulatedSession({ hit, requests, random: random.split(name) });
    };
    const sessions = Array.from({ length: 20 }, (_, i) => [
      sessionOf(`short ${i}`, 10, -1),
      sessionOf(`long ${i}`, 100, -60),
    ]).flat();
    const { chance } = fitHitChance(sessions)!;
    const left = chance.partial.reduce((sum, value) => sum + value, 0) / 10;
    let expected = 0;
    let lost = 0;
    for (const { request, reachable, gapMs } of sessions.flat()) {
      expected += chanceOfShort(chance, gapMs, 1) * (1 - left) * reachable;
      lost += reachable - request.read;
    }
    expect(expected / lost).toBeGreaterThan(0.9);
    expect(expected / lost).toBeLessThan(1.1);
  });

  it('knows whether sessions differ', () => {
    const spread = (hit: HitChance): number => {
      const { sessions } = fitHitChance(sessionsOf('spread', 60, hit))!.chance;
      return sessions[9]! / sessions[0]!;
    };
    expect(spread({ ...TRUE, sessions: [0.1, 1, 8] })).toBeGreaterThan(4 * spread(TRUE));
  });

  it('is null where nothing came up short, or everything did', () => {
    expect(fitHitChance([])).toBeNull();
    expect(fitHitChance(sessionsOf('never', 3, { ...TRUE, logOdds: -60 }))).toBeNull();
    expect(fitHitChance(sessionsOf('always', 3, { ...TRUE, logOdds: 60, partial: [0] }))).toBeNull();
  });

  it('leaves out what compactions, other models and the end of the lifetime explain', () => {
    const sessions = sessionsOf('causes', 20);
    const spoilt = sessions.map((requests) =>
      requests.flatMap((each, i) => {
        const missed = { ...each, request: { ...each.request, read: 0 } };
        return i % 10 > 0
          ? [each]
          : [
              each,
              { ...missed, cause: 'compaction' as const },
              { ...missed, cause: 'model' as const },
              { ...missed, gapMs: 3_600_000 },
            ];
      }),
    );
    expect(fitHitChance(spoilt)).toEqual(fitHitChance(sessions));
  });

  it('the luck of a session is learnt: more short than expected is a larger factor', () => {
    const luck = new SessionLuck();
    expect(luck.factor).toBe(1);
    const [first] = sessionsOf('luck', 1)[0]!;
    // What could be read is the unit of weight.
    const request = { ...first!, reachable: 100_000 };
    const short = { ...request, request: { ...request.request, read: 0 } };
    luck.learn(short, 0.1);
    // Odds of 1/9: the factor f with f/5 + f/(9 + f) = 1.2, which is √70 − 4.
    expect(luck.factor).toBeCloseTo(Math.sqrt(70) - 4, 6);
    const whole = { ...request, request: { ...request.request, read: request.reachable } };
    luck.learn(whole, 0.5);
    const { factor } = luck;
    expect(factor / 5 + factor / (9 + factor) + factor / (1 + factor)).toBeCloseTo(1.2, 6);
    luck.learn({ ...short, cause: 'compaction' }, 0.1);
    expect(luck.factor).toBe(factor);
  });
});
