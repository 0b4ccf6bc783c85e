import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest, in about that order; a fresh checkout knows no times, and goes by the size of files. */
export const LONGEST: readonly string[] = [
  'test/cli/robustness/kills.test.ts',
  'test/cli/commands/fleet/study-kills.test.ts',
  'test/agent/policies/every-peer-value.test.ts',
  'test/cli/one-price.test.ts',
  'test/browser/report-page.test.ts',
  'test/browser/command-pages.test.ts',
  'test/agent/policies/every-parameter.test.ts',
  'test/docs/mechanisms-page.test.ts',
  'test/docs/example-report.test.ts',
  'test/engine/columnar/shared-runs.test.ts',
  'test/engine/replays/all-layers.property.test.ts',
  'test/cli/commands/fleet/fleet.test.ts',
  'test/cli/commands/fleet/fleet-tune.test.ts',
  'test/browser/study-page.test.ts',
  'test/browser/why-page.test.ts',
  'test/browser/charts.test.ts',
  'test/browser/chart-layout.test.ts',
  'test/browser/run-details.test.ts',
  'test/cli/robustness/bombs.test.ts',
  'test/library/examples.test.ts',
  'test/cli/robustness/standard-input.test.ts',
  'test/engine/columnar/shared-runs-recorded-parts.test.ts',
  'test/engine/columnar/shared-runs-recorded-tiers.test.ts',
  'test/engine/columnar/shared-runs-parts.test.ts',
  'test/analysis/validate/shared.test.ts',
  'test/scenarios/all.test.ts',
  'test/agent/policy-file/policy-file.property.test.ts',
  'test/study/many-sessions.test.ts',
  'test/cli/robustness/process.test.ts',
  'test/cli/commands/why/why.test.ts',
  'test/cli/robustness/damage.test.ts',
  'test/cli/commands/study/compare-peers.test.ts',
  'test/cli/robustness/output-robust.test.ts',
  'test/study/coverage.test.ts',
];

/** Starts the long files first, so that none of them stands alone at the end while the other threads have nothing to do. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}`));
      return place === -1 ? LONGEST.length : place;
    };
    return [...(await super.sort(files))].sort((a, b) => rank(a) - rank(b));
  }
}
