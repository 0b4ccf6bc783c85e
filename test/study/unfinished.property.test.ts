import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldLog } from '../../src/metrics/fold.js';
import { findMetric, metricValues } from '../../src/metrics/registry.js';
import { paretoFront } from '../../src/report/charts/pareto.js';
import { compareVariants } from '../../src/study/comparison.js';
import {
  bestRanked,
  completenessOf,
  isFinished,
  type VariantRuns,
  variantMeans,
} from '../../src/study/completeness.js';
import { PointRanking } from '../../src/study/results/read-results.js';
import { chosenOf, judge, rank } from '../../src/study/search.js';
import { forAll } from '../helpers/for-all.js';
import { anyPolicy, anyWindow, buildSession, sessionSteps } from '../helpers/generators/arbitrary-session.js';
import { propertyRuns } from '../helpers/generators/property-runs.js';
import { logFor } from '../helpers/plan.js';
import { variantOf } from '../helpers/variant-runs.js';

const METRICS = ['costUsd', 'contentRetention'];

/** Studies of two to five variants over one to four sessions, in which runs finish, lose calls or fail. */
const studies = fc
  .tuple(
    fc.integer({ min: 2, max: 5 }),
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  )
  .chain(([variants, sessions]) => {
    const run = (calls: number) =>
      fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 2, arbitrary: fc.integer({ min: 0, max: calls }) },
        { weight: 1, arbitrary: fc.constant(null) },
      );
    const cell = (calls: number) =>
      fc
        .tuple(run(calls), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
        .map(([lost, cost, kept]) =>
          lost === null ? null : ([calls - lost, lost, cost, kept / 3] as const),
        );
    return fc.array(fc.tuple(...sessions.map(cell)), { minLength: variants, maxLength: variants });
  })
  .map((rows) =>
    rows.map((cells, i) => variantOf(`v${i}`, Object.fromEntries(cells.map((run, k) => [`s${k}`, run])))),
  );

function answered({ byTranscript }: VariantRuns, session: string): number {
  return byTranscript.get(session)?.callsAnswered ?? -1;
}

/** No variant answered more calls of any session than the winner. */
function expectNoneAhead(name: string, variants: readonly VariantRuns[]): void {
  const winner = variants.find((variant) => variant.name === name)!;
  for (const other of variants) {
    for (const session of winner.byTranscript.keys())
      expect(answered(winner, session)).toBeGreaterThanOrEqual(answered(other, session));
  }
}

/** What every way of ranking puts first. */
function winnersOf(variants: readonly VariantRuns[]): readonly string[] {
  const comparison = compareVariants(variants, variants[0]!.name, METRICS);
  const completeness = completenessOf(variants);
  const points = variants.map((variant, i) => ({
    name: variant.name,
    metrics: variantMeans(variant, completeness),
    completeness: completeness.variants[i]!,
  }));
  const front = paretoFront(
    points.flatMap(({ name, metrics, completeness: { standing } }) => {
      const { costUsd, contentRetention } = metrics;
      if (costUsd == null || contentRetention == null) return [];
      const mark = standing === 'ranked' ? {} : { mark: 'unranked' as const };
      return [{ label: name, x: costUsd, y: contentRetention, ...mark }];
    }),
    { x: 'lower', y: 'higher' },
  );
  const better = comparison.variants.flatMap(({ name, differences }) => {
    const verdicts = Object.values(differences ?? {}).map(({ verdict }) => verdict);
    const worse = verdicts.includes('worse') ? [comparison.baseline] : [];
    return verdicts.includes('better') ? [name, ...worse] : worse;
  });
  const settings = variants.map((variant, index) => ({ ...variant, candidate: { index, values: [] } }));
  const tuned = ([1, -1] as const).flatMap((sign) => {
    const { tried } = judge(settings, { metric: 'costUsd', sign, constraints: [] });
    const [first] = rank(tried.map(({ trial }) => trial));
    return first!.feasible ? [`v${first!.candidate.index}`] : [];
  });
  return [
    ...Object.values(comparison.best).filter((name) => name !== null),
    ...METRICS.flatMap((metric) => bestRanked(points, findMetric(metric)!)?.name ?? []),
    ...front.map(({ label }) => label),
    ...better,
    ...tuned,
  ];
}

describe('unfinished work never wins', () => {
  it('a variant that answers fewer calls of a session than another is put first by nothing', () => {
    forAll({ numRuns: propertyRuns(800) }, studies, (variants) => {
      for (const name of winnersOf(variants)) expectNoneAhead(name, variants);
    });
  });

  it('the best point of Parquet parts and of a search is that of a sweep', () => {
    forAll({ numRuns: propertyRuns(800) }, studies, (variants) => {
      const completeness = completenessOf(variants);
      const points = variants.map((variant, i) => ({
        point: i,
        metrics: variantMeans(variant, completeness),
        completeness: completeness.variants[i]!,
      }));
      const runs = variants.map(({ byTranscript }, point) =>
        [...byTranscript].map(([transcript, record], session) => ({
          point,
          session,
          transcript,
          isFinished: isFinished(record),
          answered: record?.callsAnswered ?? null,
          value: record?.costUsd ?? null,
        })),
      );
      const ranking = new PointRanking(variants[0]!.byTranscript.size);
      for (const run of runs.flat()) ranking.see(run);
      const pass = ranking.start('lower', 1);
      for (const own of runs) pass.add(own);
      const [first] = pass.end().best;
      const best = bestRanked(points, findMetric('costUsd')!)?.point;
      expect(first?.point).toBe(best);
      const settings = variants.map((variant, index) => ({ ...variant, candidate: { index, values: [] } }));
      const goal = { metric: 'costUsd', sign: 1, constraints: [] } as const;
      const { tried } = judge(settings, goal);
      expect(chosenOf(tried, goal)?.trial.candidate.index).toBe(best);
      expect(best === undefined || rank(tried.map(({ trial }) => trial))[0]!.candidate.index === best).toBe(
        true,
      );
    });
  });

  it('a search lists what answers fewer calls in all behind what answers more', () => {
    forAll(studies, (variants) => {
      const settings = variants.map((variant, index) => ({ ...variant, candidate: { index, values: [] } }));
      const { tried } = judge(settings, { metric: 'costUsd', sign: 1, constraints: [] });
      const lost = rank(tried.map(({ trial }) => trial)).map((trial) => trial.callsLost);
      expect(lost).toEqual([...lost].sort((a, b) => (a === b ? 0 : a - b)));
    });
  });

  it('every ranked variant is averaged over the same finished sessions, any other over those of them that it finished', () => {
    forAll(studies, (variants) => {
      const completeness = completenessOf(variants);
      for (const [i, { standing }] of completeness.variants.entries()) {
        if (standing === 'apart') continue;
        const { byTranscript } = variants[i]!;
        const finished = completeness.compared.map((session) => byTranscript.get(session) ?? null);
        const costs = finished.filter((record) => record?.callsLost === 0).map((record) => record!);
        if (standing === 'ranked') expect(costs).toHaveLength(completeness.compared.length);
        expect(completeness.variants[i]!.compared).toBe(costs.length);
        const total = costs.reduce((sum, record) => sum + record.costUsd!, 0);
        expect(variantMeans(variants[i]!, completeness).costUsd).toBe(total / costs.length);
      }
    });
  });

  it('whatever the policies and the window, the best of two replays answered every call the other did', () => {
    const sessions = fc.array(sessionSteps, { minLength: 1, maxLength: 2 });
    forAll(
      { numRuns: propertyRuns(30) },
      sessions,
      fc.uniqueArray(anyPolicy, { minLength: 2, maxLength: 3 }),
      anyWindow,
      (steps, policies, window) => {
        const transcripts = steps.map((list) => buildSession(list));
        const variants = policies.map((policy, index) => ({
          name: `v${index}`,
          byTranscript: new Map(
            transcripts.map((transcript, i) => [
              `s${i}`,
              metricValues(foldLog(logFor({ policy, window }, transcript))),
            ]),
          ),
        }));
        for (const name of winnersOf(variants)) expectNoneAhead(name, variants);
      },
    );
  });
});
