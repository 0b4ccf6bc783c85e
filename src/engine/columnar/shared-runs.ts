import type { Transcript } from '../../core/model/transcript.js';
import type { LogSink } from '../../core/run/run-log.js';
import type { RunPlan } from '../../core/run/run-plan.js';
import { replayParts } from '../run/replay.js';
import { OpenShape } from './open-shape.js';
import { isSumming, SharedRun } from './shared-run.js';
import type { Way } from './way.js';

/** What is kept of runs per transcript, in entries or parts of them: about thirty megabytes where they are summed up. */
const MAX_ITEMS = 200_000;

/** What is kept of ways per transcript, in entries that they and their copies hold: some tens of megabytes. */
const MAX_WAY_ITEMS = 100_000;

/** Shapes remembered per transcript, those met only once included. */
const MAX_SHAPES = 64;

/** The runs of one shape, those used last behind the others. */
interface Family {
  readonly shape: OpenShape;
  readonly runs: SharedRun[];
  /** The way of the run that was made last. */
  way: Way | null;
}

/** The runs over a transcript, the shapes used last in front. */
class Shelf {
  private readonly families: Family[] = [];
  private items = 0;

  /** The runs of plans of a shape; null when it is met for the first time. */
  familyOf(plan: RunPlan): Family | null {
    const { families } = this;
    const at = families.findIndex(({ shape }) => shape.fits(plan));
    if (at < 0) {
      families.unshift({ shape: new OpenShape(plan), runs: [], way: null });
      for (const run of families.length > MAX_SHAPES ? families.pop()!.runs : []) this.items -= run.size;
      return null;
    }
    const family = families[at]!;
    if (at > 0) {
      families.splice(at, 1);
      families.unshift(family);
    }
    return family;
  }

  /** Keeps the way of the run that was made last, and forgets those of shapes that were not used for longest. */
  keepWay(way: Way | null, family: Family): void {
    family.way = way;
    let items = 0;
    for (const other of this.families) {
      items += other.way?.size ?? 0;
      if (items > MAX_WAY_ITEMS) other.way = null;
    }
  }

  /** Keeps a run, and forgets those that were not used for longest. */
  add(run: SharedRun, family: Family): void {
    if (run.size > MAX_ITEMS || !this.families.includes(family)) return;
    family.runs.push(run);
    this.items += run.size;
    for (let i = this.families.length - 1; i >= 0; i--) {
      const { runs } = this.families[i]!;
      while (this.items > MAX_ITEMS && runs.length > 0) this.items -= runs.shift()!.size;
    }
  }
}

/** Runs whose entries were kept, and runs that were summed up. */
const shelves = { entries: new WeakMap<Transcript, Shelf>(), sum: new WeakMap<Transcript, Shelf>() };

/**
 * Replays a plan, or tells the run of another plan anew in which the same happens. From the second plan of a shape on the runs
 * are kept.
 */
export function* sharedParts(
  plan: RunPlan,
  transcript: Transcript,
  sink: LogSink,
): Generator<void, void, void> {
  const keeps = isSumming(sink) ? 'sum' : 'entries';
  const shelf = shelfOf(transcript, keeps);
  const family = shelf.familyOf(plan);
  if (family === null) {
    yield* replayParts(plan, transcript, sink);
    return;
  }
  const { runs } = family;
  const known = new Map<string, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const run = runs[i]!;
    const limits = run.limitsUnder(plan, known);
    if (limits === null) continue;
    runs.splice(i, 1);
    runs.push(run);
    yield* run.retell(plan, limits, sink);
    return;
  }
  const run = new SharedRun(plan, keeps);
  const branch = family.way?.branchFor(plan, known) ?? null;
  family.way = null; // a copy goes on once, and may be stopped on its way
  const way = branch === null ? run.record(transcript, sink) : run.recordFrom(branch, transcript, sink);
  shelf.keepWay(yield* way, family);
  shelf.add(run, family);
}

function shelfOf(transcript: Transcript, keeps: keyof typeof shelves): Shelf {
  let shelf = shelves[keeps].get(transcript);
  if (shelf === undefined) {
    shelf = new Shelf();
    shelves[keeps].set(transcript, shelf);
  }
  return shelf;
}
