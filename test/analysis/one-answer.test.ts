import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lifetimeChoice } from '../../src/analysis/lifetime/lifetime-report.js';
import { recordedTruth } from '../../src/analysis/validate/truth.js';
import { runWhatIf, whatIfFigures } from '../../src/analysis/validate/validate.js';
import { changedPlan } from '../../src/analysis/what-if.js';
import { ChangedRun, type ChangeName, tryChanges } from '../../src/analysis/why/changes.js';
import { replayUnder } from '../../src/cli/commands/providers/provider-replay.js';
import type { Transcript } from '../../src/core/model/transcript.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { sweepReplayParts } from '../../src/engine/columnar/sweep-replay.js';
import { createMetricsFold } from '../../src/metrics/fold.js';
import { providerRegistry } from '../../src/provider/providers/providers.js';
import { loadTranscript } from '../../src/transcripts/files/transcripts.js';
import { sharedData } from '../helpers/recordings/shared.js';

const NANO = 1e9;

/** What a point of `compare`, `sweep` and `tune` costs, in nano-dollars. */
function pointNano(plan: RunPlan, transcript: Transcript): number {
  const fold = createMetricsFold();
  for (const parts = sweepReplayParts(plan, transcript, fold); parts.next().done !== true; );
  return fold.finish().cost.total;
}

const FOLDERS = ['transcripts/claude-code', 'more/claude-code', 'third/claude-code'];
const recordings = FOLDERS.flatMap((folder) => sharedData.files(folder))
  .filter((path) => path.includes('.jsonl'))
  .map((path) => ({
    name: basename(path),
    read: (): Transcript => loadTranscript(path, { cwd: '/' }).transcript,
  }));

/** What-ifs of the recordings that were read so far, by name: reading takes as long as the run. */
const whatIfs = new Map<string, ReturnType<typeof runWhatIf>>();

describe.skipIf(recordings.length === 0)('one answer per question', () => {
  // Every third: each goes through all the commands.
  it.each(recordings.filter((_, i) => i % 3 === 0))(
    'on $name, whichever command is asked',
    ({ name, read }) => {
      const transcript = read();
      whatIfs.set(name, runWhatIf(transcript));
      const base = pointNano(changedPlan(transcript), transcript);
      const at5m = pointNano(changedPlan(transcript, { lifetime: '5m' }), transcript);
      const at1h = pointNano(changedPlan(transcript, { lifetime: '1h' }), transcript);
      const half = pointNano(changedPlan(transcript, { set: { 'window.percent': 50 } }), transcript);
      const why = new Map(
        tryChanges({
          transcript,
          truth: recordedTruth(transcript),
          requests: [],
          base: new ChangedRun(changedPlan(transcript), transcript),
        }).map(({ name, savedNano, unrecordedNano = 0 }) => [name, savedNano + unrecordedNano] as const),
      );
      const saved = (name: ChangeName): number => why.get(name)!;
      expect([
        saved('5-minute lifetime'),
        saved('1-hour lifetime'),
        saved('compact at half the window'),
      ]).toEqual([base - at5m, base - at1h, base - half]);
      const choice = lifetimeChoice(transcript);
      if (choice !== null) {
        expect(choice.cost5mUsd).toBeCloseTo(at5m / NANO, 9);
        expect(choice.cost1hUsd).toBeCloseTo(at1h / NANO, 9);
      }
      const clearing = { rewritten: 0, freed: 0 };
      const anthropic = replayUnder(providerRegistry.get('anthropic'), transcript, clearing);
      expect(anthropic.costUsd).toBeCloseTo(base / NANO, 9);
    },
  );

  it('starts from what happened: within 0.3 % in the median and 1 % for 90 %', () => {
    const runs = recordings.map(({ name, read }) =>
      whatIfs.has(name) ? whatIfs.get(name) : runWhatIf(read()),
    );
    const figures = whatIfFigures(runs.flatMap((run) => run ?? []));
    expect(figures.costErrorMedian).toBeLessThan(0.003);
    expect(figures.costErrorP90).toBeLessThan(0.01);
    expect(figures.intervalCoverage90).toBeGreaterThanOrEqual(0.85);
    expect(figures.intervalCoverage90).toBeLessThanOrEqual(0.95);
  });
});
