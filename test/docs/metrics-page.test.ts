import { it } from 'vitest';
import { expectGenerated } from '../helpers/pages/generated.js';
import { metricsPage } from '../helpers/pages/metrics-page.js';

it('docs/metrics.md lists exactly the metrics there are', () => {
  expectGenerated('docs/metrics.md', metricsPage());
});
