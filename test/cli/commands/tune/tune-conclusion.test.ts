import { describe, expect, it } from 'vitest';
import {
  type FoundSaving,
  holdoutNotes,
  tuneConclusion,
} from '../../../../src/cli/commands/tune/tune-conclusion.js';
import type { OutOfSample } from '../../../../src/study/out-of-sample.js';

describe('what a search comes to', () => {
  const held = (low: number | null, high: number | null, share: number | null = 0.1): OutOfSample => ({
    searched: ['a', 'b'],
    heldOut: ['c', 'd'],
    inSample: null,
    settings: { gap: '7' },
    promised: { mean: 3, share: 0.2, low: 2, high: 4, sessions: 2 },
    realised: { mean: 2, share, low, high, sessions: 2 },
    isWithin: null,
    refusal: null,
  });
  const best = { settings: 'gap=5', value: 2 };
  const found: FoundSaving = {
    refusal: null,
    saving: null,
    delta: null,
    baseRefetchUsd: null,
    held: null,
    isValued: true,
    settings: 76,
    sessions: 4,
  };
  /** It saves half of $4.00 on one session. */
  const saving = { mean: 2, share: 0.5, low: null, high: null, sessions: 1 };

  it.each([
    [1, 3, 0.1, true, /^Take it: .* is the one to expect/],
    [1, 3, 0.005, false, /^There is no difference worth acting on: .* the saving is 0.5%/],
    [1, 3, 0.01, false, /^There is no difference worth acting on: .* the saving is 1.0%/],
    [-1, 3, 0.1, false, /^There is no difference worth acting on: .* contains 0/],
    [0, 3, 0.1, false, /^There is no difference worth acting on: .* contains 0/],
    [-3, -1, 0.1, false, /^Do not take it: .* worse than the unchanged scenario/],
    [null, null, 0.1, false, /^There is no difference worth acting on: .* only one comparison/],
  ])('recommends on a realised saving from %s to %s of %s: %s', (low, high, share, isRecommended, advice) => {
    const held_ = held(low, high, share);
    expect(tuneConclusion('costUsd', best, { ...found, held: held_ })).toMatchObject({
      isRecommended,
      advice: expect.stringMatching(advice),
    });
  });

  it('has the optimum, what half of the sessions choose, and the reason for what it recommends', () => {
    expect(tuneConclusion('costUsd', best, { ...found, held: held(1, 3) }).result).toBe(
      'The best cost of 76 settings is $2.00, at gap=5, the mean over 4 sessions. Chosen on 2 of them alone, it is gap=7, which saves $3.00 (20.0%) a session there and $2.00 (10.0%; 95 %: $1.00 to $3.00) on the 2 others.',
    );
    const refused = { ...held(1, 3), refusal: 'so it is' };
    expect(tuneConclusion('costUsd', best, { ...found, refusal: 'so it is', held: refused })).toMatchObject({
      isRecommended: false,
      result: expect.stringContaining('at gap=5'),
      advice: 'Stay with the unchanged scenario: so it is.',
    });
    const none = { ...held(1, 3), settings: null, promised: null, realised: null };
    expect(tuneConclusion('costUsd', best, { ...found, held: none })).toMatchObject({
      result: expect.stringContaining('2 of them alone lead to no choice.'),
      advice: expect.stringContaining('nothing can be compared'),
    });
  });

  it('is none where all settings are as good, with the reason that none compacts', () => {
    const same = { ...best, equal: 75 };
    expect(tuneConclusion('costUsd', same, { ...found, sessions: 1 })).toMatchObject({
      isRecommended: false,
      result: 'All 76 settings have the same cost, $2.00.',
      advice: expect.stringMatching(/^The varied settings had no effect/),
    });
    const idle = { ...same, idleAt: 63_722 };
    expect(tuneConclusion('costUsd', idle, { ...found, sessions: 1 }).result).toBe(
      'All 76 settings have the same cost, $2.00. No setting compacts: the largest context is 63,722.',
    );
    expect(tuneConclusion('costUsd', idle, found).result).toBe(
      'All 76 settings have the same cost, $2.00, the mean over 4 sessions. No setting compacts.',
    );
    expect(tuneConclusion('costUsd', { ...best, equal: 74 }, { ...found, sessions: 1 }).isRecommended).toBe(
      true,
    );
  });

  it('is the best setting and what its promise is worth, or why none is chosen', () => {
    const one = { ...found, saving, sessions: 1 };
    expect(tuneConclusion('costUsd', best, one)).toMatchObject({
      isRecommended: true,
      result:
        'The best cost of 76 settings is $2.00, at gap=5. It is better than the unchanged scenario by $2.00 (50.0%).',
      advice: expect.stringMatching(/^It was chosen and judged on the same sessions/),
    });
    expect(tuneConclusion('costUsd', best, { ...one, saving: null })).toMatchObject({
      isRecommended: true,
      result: 'The best cost of 76 settings is $2.00, at gap=5.',
      advice: expect.stringMatching(/^No saving can be shown/),
    });
    expect(tuneConclusion('costUsd', null, { ...found, refusal: 'so it is' })).toMatchObject({
      isRecommended: false,
      result: 'No setting is chosen: so it is.',
      advice: expect.stringMatching(/^Relax --subject-to/),
    });
    expect(tuneConclusion('costUsd', null, { ...found, refusal: 'so it is', isValued: false }).advice).toBe(
      'To choose one, name another goal, such as --maximise cacheHitRate.',
    );
  });

  it('is not the best of settings that are all worse than the unchanged scenario', () => {
    const worse = { ...saving, mean: -2, share: -1 };
    const refused = { ...found, saving: worse, refusal: 'no setting is better', sessions: 1 };
    expect(tuneConclusion('costUsd', best, refused)).toMatchObject({
      isRecommended: false,
      result:
        'The best cost of 76 settings is $2.00, at gap=5. It is worse than the unchanged scenario by $2.00.',
      advice: 'Stay with the unchanged scenario: no setting is better.',
    });
    // All alike, and all worse: what was varied did have an effect.
    expect(tuneConclusion('costUsd', { ...best, equal: 75 }, refused).advice).toMatch(/^Stay with/);
  });

  it.each([
    [{ saving: { ...saving, mean: 0.02, share: 0.01 } }, /the saving is 1\.0%/],
    [{ saving: { ...saving, low: -1, high: 5, sessions: 2 } }, /the interval of the saving contains 0/],
    [
      { delta: { deltaUsd: -2, deltaLowUsd: -4.5, deltaHighUsd: 0.5, baseUsd: 4 } },
      /the simulator may be off by more than the saving/,
    ],
    // Of the $2.00 saved, $1.97 more is fetched again than as it is: 3 cents of $4.00 are left.
    [{ baseRefetchUsd: 0.03 }, /fetching forgotten content again would use up the saving/],
  ])('is not worth acting on where %j', (change, advice) => {
    const costly = { ...best, refetchUsd: 2 };
    const told = tuneConclusion('costUsd', costly, {
      ...found,
      saving,
      baseRefetchUsd: 2,
      sessions: 1,
      ...change,
    });
    expect(told).toMatchObject({ isRecommended: false, advice: expect.stringMatching(advice) });
    expect(told.advice).toMatch(/^There is no difference worth acting on: /);
  });

  it('recommends nothing whose cost leaves out more requests without a price than another setting', () => {
    const unsure = { ...best, atLeast: 'at least $2.00', unsure: true };
    expect(tuneConclusion('costUsd', unsure, { ...found, saving })).toEqual({
      isRecommended: false,
      result:
        'What costs least is unknown: some requests of gap=5 use models without a price; it costs at least $2.00.',
      advice: 'Give these models a price, with `models:` in a scenario.',
    });
  });

  it('leaves fetching again out of the saving, and says so on both sides', () => {
    const costly = { ...best, refetchUsd: 0.5 };
    const said = 'Not counted: fetching forgotten content again, about ';
    const one = { ...found, saving, baseRefetchUsd: 0.25, sessions: 1 };
    expect(tuneConclusion('costUsd', costly, one)).toMatchObject({
      isRecommended: true,
      advice: expect.stringContaining(
        ` the most to expect. ${said}$0.2500 for the unchanged scenario, $0.5000 for gap=5.`,
      ),
    });
    // Nothing is missing where nothing was forgotten, where the runs fetch it again, or where no money is compared.
    for (const refetchUsd of [0, null])
      expect(
        tuneConclusion('costUsd', { ...best, refetchUsd }, { ...one, baseRefetchUsd: null }).advice,
      ).not.toContain(said);
    expect(tuneConclusion('turns', costly, one).advice).not.toContain(said);
    // On sessions that were held out as well: $1.95 of the $2.00 saved is fetched again.
    const ahead = { ...held(1, 3), realised: { mean: 2, share: 0.1, low: 1, high: 3, sessions: 2 } };
    expect(
      tuneConclusion('costUsd', { ...best, refetchUsd: 1.95 }, { ...found, saving, held: ahead }),
    ).toMatchObject({ isRecommended: false, advice: expect.stringContaining('would use up the saving') });
  });
});

const RESULT: OutOfSample = {
  searched: ['a', 'b'],
  heldOut: ['c', 'd', 'e'],
  inSample: { mean: 3, share: 0.3, low: 2, high: 4, sessions: 5 },
  settings: { gap: '7' },
  promised: { mean: 2, share: 0.25, low: 1, high: 3, sessions: 2 },
  realised: { mean: 1.5, share: null, low: -1, high: 4, sessions: 2 },
  isWithin: true,
  refusal: null,
};

it('a search says what it promised and what came of it', () => {
  expect(holdoutNotes(RESULT, 'costUsd')).toEqual([
    'savings against the unchanged scenario (cost); chosen on 2 sessions, tested on 3 others:',
    '  the best setting, over all sessions: $3.00 a session (30.0%), 95 % interval for the mean of such sessions $2.00 to $4.00, over 5 sessions',
    '  promised saving: $2.00 a session (25.0%), 95 % interval for the mean of the 2 others $1.00 to $3.00, over 2 sessions',
    '  realised saving: $1.50 a session, 95 % interval for the mean of such sessions −$1.00 to $4.00, over 2 sessions',
    '  the realised saving lies within the promised interval',
  ]);
  expect(holdoutNotes({ ...RESULT, isWithin: false }, 'costUsd').at(-1)).toContain('outside the promised');
  expect(holdoutNotes({ ...RESULT, realised: null, isWithin: null }, 'costUsd').slice(3)).toEqual([
    '  realised saving: nothing to compare',
  ]);
});
