import { behavioursOf, isBareClient } from '../../agent/client/client.js';
import { recordedClient } from '../../agent/client/recorded-client.js';
import { layersAtWork } from '../../agent/policies/catalogue.js';
import { getOrMake } from '../../core/base/once.js';
import type { Transcript } from '../../core/model/transcript.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { priceTimes } from '../../provider/prices/price.js';
import { providerOf } from '../requests/provider-of.js';
import { NO_TIMING } from '../requests/run-env.js';
import { replayParts } from '../run/replay.js';
import { followsRecording, modeOf, planOver } from '../run/what-if.js';
import { ColumnRecorder, type RequestColumns } from './column-recorder.js';
import { columnarParts } from './columnar-replay.js';
import { sharedParts } from './shared-runs.js';

/** Requests that columns are kept for, per transcript: about eighty megabytes. */
const MAX_REQUESTS = 500_000;

/** Shapes remembered per transcript, those met only once included. */
const MAX_SHAPES = 32;

/** Columns by shape; undefined for one that was met once, null for one that has to go through the engine. */
type Shelf = Map<string, RequestColumns | null | undefined>;

const shelves = new WeakMap<Transcript, Shelf>();

/**
 * Replays one of many plans over a transcript. Plans without layers that differ only in what the cache answers send the same
 * requests: from the second of them on, these are taken from columns instead of being made again. Plans with layers that differ
 * only in thresholds share the runs in which the same happens. The log is the same on every road.
 */
export function* sweepReplayParts(
  planned: RunPlan,
  transcript: Transcript,
  sink: LogSink,
): Generator<void, void, void> {
  const plan = planOver(planned, transcript);
  if (followsRecording(plan, transcript)) {
    yield* replayParts(plan, transcript, sink);
    return;
  }
  if (!isColumnar(plan, transcript)) {
    yield* sharedParts(plan, transcript, sink);
    return;
  }
  const columns = yield* columnsFor(plan, transcript);
  if (columns === null) yield* replayParts(plan, transcript, sink);
  else yield* columnarParts(plan, columns, sink, priceTimes(transcript, plan));
}

/** True when no layer, fault, fork, earlier session or behaviour of a client affects which requests are sent. @internal */
export function isColumnar(plan: RunPlan, transcript: Transcript): boolean {
  const { threads, sessions } = transcript;
  return (
    modeOf(plan, transcript) === 'predict' &&
    plan.timing === 'recorded' &&
    providerOf(plan, transcript) === 'anthropic' &&
    layersAtWork(plan, transcript).supported.length === 0 &&
    plan.llm.faults.length === 0 &&
    sessions === undefined &&
    threads.every(({ fork, continues }) => fork === undefined && continues === undefined) &&
    new Set(threads.map(({ id }) => id)).size === threads.length &&
    isBareClient(behavioursOf(plan.policy.params, recordedClient(transcript)))
  );
}

/** The plan that represents all plans whose requests are the same: what only the cache and the price depend on is fixed. */
function shapeOf(plan: RunPlan): RunPlan {
  return {
    ...plan,
    name: '',
    seed: 0,
    cache: { mode: 'off', ttl: 'recorded', subagentTtl: 'recorded', fade: 'off' },
    llm: { ...plan.llm, fake: { ...plan.llm.fake, latencyScale: 1 } },
  };
}

function* columnsFor(plan: RunPlan, transcript: Transcript): Generator<void, RequestColumns | null, void> {
  const key = JSON.stringify(shapeOf(plan));
  const shelf = getOrMake(shelves, transcript, () => new Map());
  const isKnown = shelf.has(key);
  let columns = shelf.get(key);
  if (isKnown && columns === undefined) {
    const recorded = yield* recordColumns(plan, transcript);
    columns = recorded !== null && recorded.requests <= MAX_REQUESTS ? recorded : null;
  }
  shelf.delete(key);
  shelf.set(key, columns);
  trim(shelf);
  return columns ?? null;
}

/** What a plan sends and all plans of its shape, from one run of the engine; null when columns cannot repeat it. @internal */
export function* recordColumns(
  plan: RunPlan,
  transcript: Transcript,
): Generator<void, RequestColumns | null, void> {
  const recorder = new ColumnRecorder();
  yield* replayParts(shapeOf(plan), transcript, recorder, NO_TIMING, { onRequest: recorder.request });
  return recorder.finish();
}

/** Forgets the shapes that were not used for longest. */
function trim(shelf: Shelf): void {
  let requests = 0;
  for (const columns of shelf.values()) requests += columns?.requests ?? 0;
  for (const [key, columns] of shelf) {
    if (shelf.size <= MAX_SHAPES && requests <= MAX_REQUESTS) return;
    requests -= columns?.requests ?? 0;
    shelf.delete(key);
  }
}
