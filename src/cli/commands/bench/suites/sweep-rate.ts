import type { Transcript } from '../../../../core/model/transcript.js';
import type { LogSink } from '../../../../core/run/run-log.js';
import type { CachePlan, RunPlan } from '../../../../core/run/run-plan.js';
import { sweepReplayParts } from '../../../../engine/columnar/sweep-replay.js';
import { replay } from '../../../../engine/run/replay.js';
import { createMetricsFold } from '../../../../metrics/fold.js';
import { interleave, timeOf } from '../measure.js';
import { benchPlan, benchTranscript, NOWHERE } from '../plan.js';
import type { BenchResult, SuiteOptions } from '../result.js';

/** Points of a sweep over lifetimes and fading under a policy without layers. */
function sweepPoints(mode: CachePlan['mode']): readonly RunPlan[] {
  const plan = benchPlan('unbounded', mode);
  const settings = (['5m', '1h'] as const).flatMap((ttl) =>
    (['off', 'expected', 'sampled'] as const).map((fade) => ({ ttl, fade })),
  );
  return settings.map(({ ttl, fade }, seed) => ({ ...plan, seed, cache: { ...plan.cache, ttl, fade } }));
}

function viaColumns(plan: RunPlan, transcript: Transcript, sink: LogSink): void {
  const parts = sweepReplayParts(plan, transcript, sink);
  while (parts.next().done !== true);
}

/** Turns a second of a sweep on one thread: points from columns of requests against the same points through the engine. */
export function sweepRate({ quick }: SuiteOptions): Partial<BenchResult> {
  const turns = quick ? 500 : 10_000;
  const transcript = benchTranscript(turns);
  const points = sweepPoints('on');
  const cacheless = sweepPoints('off');
  const measured = (road: typeof replay, plans: readonly RunPlan[]): void => {
    for (const plan of plans) {
      const fold = createMetricsFold();
      road(plan, transcript, fold);
      fold.finish();
    }
  };
  viaColumns(points[0]!, transcript, NOWHERE);
  const firstMs = timeOf(() => viaColumns(points[1]!, transcript, NOWHERE));
  const times = interleave(
    [
      () => measured(replay, points),
      () => measured(viaColumns, points),
      () => {
        for (const plan of points) viaColumns(plan, transcript, NOWHERE);
      },
      () => measured(viaColumns, cacheless),
    ],
    { untimed: 2, timed: quick ? 3 : 9 },
  );
  const [engine, columns, unmeasured, uncached] = times.map(({ median }) => median) as [
    number,
    number,
    number,
    number,
  ];
  const rate = (ms: number): string => Math.round((points.length * turns) / (ms / 1_000)).toString();
  const share = (part: number): string => `${Math.round((100 * Math.max(0, part)) / columns)} %`;
  return {
    ratios: [
      {
        name: 'sweep-rate',
        ratio: engine / columns,
        promised: null,
        detail:
          `${points.length} points of ${turns} turns on one core: engine ${rate(engine)} turns/s, columns ${rate(columns)} turns/s; ` +
          `of these, cache ${share(columns - uncached)}, metrics ${share(columns - unmeasured)}, ` +
          `prices and entries ${share(unmeasured + uncached - columns)}; columns are made once in ${firstMs.toFixed(0)} ms`,
      },
    ],
  };
}
