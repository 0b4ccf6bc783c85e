import { it } from 'vitest';
import { expectGenerated } from '../helpers/generated.js';
import { metricsPage } from '../helpers/metrics-page.js';

it('docs/metrics.md lists exactly the metrics there are', () => {
  expectGenerated('docs/metrics.md', metricsPage());
});
