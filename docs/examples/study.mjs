// Varies a setting over a grid, on two worker threads.
import { runStudy } from 'ccbench';

const study = await runStudy({
  scenario: `
name: lifetimes
transcript: { synthetic: { workload: bugfix, turns: 60, text: none } }
policy: none
seed: 3
`,
  vary: ['cache.ttl=5m,1h'],
  metrics: ['costUsd', 'cacheHitRate'],
  workers: 2,
});

for (const { name, metrics, standing } of study.rows)
  console.log(
    `${name}: $${metrics.costUsd.toFixed(4)}, hit rate ${metrics.cacheHitRate.toFixed(3)}, ${standing}`,
  );
console.log(`cheapest: ${study.best.costUsd}`);
