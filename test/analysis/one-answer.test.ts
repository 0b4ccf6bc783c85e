import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lifetimeChoice } from '../../src/analysis/lifetime/lifetime-choice.js';
import { recordedTruth } from '../../src/analysis/validate/truth.js';
import { runWhatIf, whatIfFigures } from '../../src/analysis/validate/what-if-figures.js';
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

describe.skipIf(recordings.length === 0)('one answer per question', () => {
  it.each(recordings)('on $name, whichever command is asked', ({ read }) => {
    const transcript = read();
    const base = pointNano(changedPlan(transcript), transcript);
    const at = (lifetime: '5m' | '1h'): number =>
      pointNano(changedPlan(transcript, { lifetime }), transcript);
    const half = pointNano(changedPlan(transcript, { set: { 'window.percent': 50 } }), transcript);
    const why = new Map(
      tryChanges({
        transcript,
        truth: recordedTruth(transcript),
        requests: [],
        base: new ChangedRun(changedPlan(transcript), transcript),
      }).map(({ name, savedNano }) => [name, savedNano] as const),
    );
    const saved = (name: ChangeName): number => why.get(name)!;
    expect([
      saved('5-minute lifetime'),
      saved('1-hour lifetime'),
      saved('compact at half the window'),
    ]).toEqual([base - at('5m'), base - at('1h'), base - half]);
    const choice = lifetimeChoice(transcript);
    if (choice !== null) {
      expect(choice.cost5mUsd).toBeCloseTo(at('5m') / NANO, 9);
      expect(choice.cost1hUsd).toBeCloseTo(at('1h') / NANO, 9);
    }
    const clearing = { rewritten: 0, freed: 0 };
    const anthropic = replayUnder(providerRegistry.get('anthropic'), transcript, clearing);
    expect(anthropic.costUsd).toBeCloseTo(base / NANO, 9);
  });

  it('starts from what happened: within 0.3 % in the median and 1 % in nine of ten', () => {
    const figures = whatIfFigures(recordings.flatMap(({ read }) => runWhatIf(read()) ?? []));
    expect(figures.costErrorMedian).toBeLessThan(0.003);
    expect(figures.costErrorP90).toBeLessThan(0.01);
    expect(figures.intervalCoverage90).toBeGreaterThanOrEqual(0.85);
    expect(figures.intervalCoverage90).toBeLessThanOrEqual(0.95);
  });
});
