// Replays every run of a scenario and prints what each cost.
import { loadScenario, replay } from 'ccbench';

const scenario = await loadScenario(`
name: lunch
transcript: { synthetic: { workload: bugfix, turns: 40, text: none } }
policy: none
seed: 3
variants:
  - { name: one-hour, cache: { ttl: 1h } }
`);

for (const { plan, transcript, variant } of scenario.runs) {
  const { metrics, digest, log } = replay(plan, transcript());
  const requests = log.filter((entry) => entry.type === 'request').length;
  console.log(
    `${variant ?? 'base'}: ${requests} requests, $${metrics.costUsd.toFixed(4)}, ${digest.slice(0, 12)}`,
  );
}
