import { it } from 'vitest';
import { metricsPage } from '../../src/metrics/metrics-page.js';
import { expectGenerated } from '../helpers/generated.js';

it('docs/metrics.md lists exactly the metrics there are', () => {
  expectGenerated('docs/metrics.md', metricsPage());
});
