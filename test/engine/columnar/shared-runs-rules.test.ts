import { describe, it } from 'vitest';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { expectSameOverWorkloads, SWEPT } from './swept.js';

const RUNS = Math.floor((propertyRuns(18) * 2) / 3);

describe('runs that plans of policy files with other limits share', () => {
  it(
    'give the log of the engine and its sums for every policy file, workload and fault plan',
    () => {
      expectSameOverWorkloads(SWEPT.rules, RUNS);
    },
    Math.max(180_000, RUNS * 6_000),
  );
});
