import type { TestModule } from 'vitest/node';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What the full suite (`npm run check`) runs and the fast one (`npm test`) leaves out: a browser, a Redis, kills, every value of
 * every policy, every scenario, whole folders of recordings, long stored outputs, memory, pages that show what commands print, and properties that count what they reached.
 * The longest come first: they start first, so that none of them runs alone at the end.
 */
export const FULL_ONLY: readonly string[] = [
  'test/cli/robustness/kills.test.ts',
  'test/cli/commands/fleet/study-kills.test.ts',
  'test/agent/policies/every-peer-value.test.ts',
  'test/cli/commands/study/tune-grid.test.ts',
  'test/cli/one-price.test.ts',
  'test/browser/report-page.test.ts',
  'test/browser/command-pages.test.ts',
  'test/agent/policies/every-parameter.test.ts',
  'test/docs/mechanisms-page.test.ts',
  'test/docs/every-example.test.ts',
  'test/bench/suites.test.ts',
  'test/bench/built-suites.test.ts',
  'test/bench/figures.test.ts',
  'test/docs/example-report.test.ts',
  'test/engine/columnar/shared-runs.test.ts',
  'test/cli/commands/fleet/fleet.test.ts',
  'test/cli/commands/fleet/fleet-tune.test.ts',
  'test/browser/study-page.test.ts',
  'test/browser/why-page.test.ts',
  'test/browser/live-page.test.ts',
  'test/browser/charts.test.ts',
  'test/browser/chart-layout.test.ts',
  'test/browser/run-details.test.ts',
  'test/cli/robustness/bombs.test.ts',
  'test/engine/columnar/shared-runs-recorded.test.ts',
  'test/analysis/validate/shared.test.ts',
  'test/analysis/validate/providers/best-effort.test.ts',
  'test/cli/commands/why/recordings-outputs.test.ts',
  'test/analysis/one-answer.test.ts',
  'test/analysis/why/sources-shared.test.ts',
  'test/cli/robustness/damage.test.ts',
  'test/cli/commands/study/compare-peers.test.ts',
  'test/scenarios/all.test.ts',
  'test/agent/policies/logs.test.ts',
  'test/library/examples.test.ts',
  'test/engine/columnar/checkpoints.property.test.ts',
  'test/agent/policy-file/policy-file.property.test.ts',
  'test/cli/robustness/process.test.ts',
  'test/cli/commands/columns/sweep-results.test.ts',
  'test/cli/robustness/standard-input.test.ts',
  'test/study/many-sessions.test.ts',
  'test/agent/policies/peers.test.ts',
  'test/cli/robustness/lost-lines.test.ts',
  'test/study/coverage.test.ts',
  'test/cli/robustness/output-robust.test.ts',
  'test/cli/robustness/hostile-plugins.test.ts',
  'test/docs/policies-page.test.ts',
  'test/architecture/foreign-names.test.ts',
  'test/docs/readme.test.ts',
  'test/scenarios/saved-and-prevented.test.ts',
  'test/engine/requests/least-faults-shared.test.ts',
  'test/engine/replays/invariant-faults.test.ts',
  'test/engine/replays/all-layers.property.test.ts',
  'test/transcripts/synthetic/synthetic-features.test.ts',
  'test/transcripts/readers/claude-code/recordings.test.ts',
  'test/transcripts/readers/shared-counts.test.ts',
  'test/study/closed-forms.test.ts',
  'test/study/compression-arms.test.ts',
  'test/cli/robustness/unfinished.test.ts',
  'test/cli/commands/study/held-runs.test.ts',
  'test/docs/questions-page.test.ts',
  'test/docs/licences-page.test.ts',
  'test/agent/policy-file/outputs.test.ts',
  'test/scripts/mutation-copy.test.ts',
];

/** Long files of both suites, in about the order of their times. */
const LONG: readonly string[] = [
  'test/transcripts/synthetic/synthetic.test.ts',
  'test/cli/commands/why/why.test.ts',
  'test/cli/commands/study/sweep.test.ts',
  'test/engine/columnar/columnar.test.ts',
  'test/core/tokens/counter.test.ts',
  'test/cli/commands/inspect/count-check.test.ts',
  'test/analysis/validate/providers/hit-fit.test.ts',
  'test/engine/replays/odd-recordings.property.test.ts',
  'test/architecture/edge.test.ts',
  'test/cli/commands/columns/damaged-results.test.ts',
  'test/cli/commands/why/kept.property.test.ts',
];

/** The test files that start first. */
export const FIRST: readonly string[] = [...FULL_ONLY, ...LONG];

/** Starts the long files first. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = FIRST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? FIRST.length : place;
    };
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b));
  }
}

const SHOWN = 10;

/** Prints the slowest test files at the end of a run. */
export class SlowestFiles {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const times = modules
      .map((module) => ({ file: module.relativeModuleId, ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN);
    console.log(`\nThe ${times.length} slowest test files:`);
    for (const { file, ms } of times) console.log(`${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`);
  }
}
