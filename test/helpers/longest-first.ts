import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The test files that take longest, in about that order; a fresh checkout knows no times, and goes by the size of files. */
export const LONGEST: readonly string[] = [
  'test/cli/kills.test.ts',
  'test/cli/fleet/study-kills.test.ts',
  'test/policies/every-peer-value.test.ts',
  'test/cli/one-price.test.ts',
  'test/browser/report-page.test.ts',
  'test/browser/command-pages.test.ts',
  'test/policies/every-parameter.test.ts',
  'test/docs/mechanisms-page.test.ts',
  'test/docs/example-report.test.ts',
  'test/engine/shared-runs.test.ts',
  'test/engine/all-layers.property.test.ts',
  'test/cli/fleet/fleet.test.ts',
  'test/cli/fleet/fleet-tune.test.ts',
  'test/browser/study-page.test.ts',
  'test/browser/why-page.test.ts',
  'test/browser/charts.test.ts',
  'test/browser/chart-layout.test.ts',
  'test/browser/run-details.test.ts',
  'test/cli/bombs.test.ts',
  'test/library/examples.test.ts',
  'test/cli/standard-input.test.ts',
  'test/engine/shared-runs-recorded-parts.test.ts',
  'test/engine/shared-runs-recorded-tiers.test.ts',
  'test/engine/shared-runs-parts.test.ts',
  'test/fidelity/shared.test.ts',
  'test/scenarios/all.test.ts',
  'test/parts/policy-file.property.test.ts',
  'test/study/many-sessions.test.ts',
  'test/cli/process.test.ts',
  'test/cli/why.test.ts',
  'test/cli/damage.test.ts',
  'test/cli/compare-peers.test.ts',
  'test/cli/output-robust.test.ts',
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
