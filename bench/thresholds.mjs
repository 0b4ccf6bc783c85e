// Processor time of 1,000 thresholds over recordings, shared runs against the engine on every tenth point, in turns.
// node bench/thresholds.mjs claude-code/2.1.112 window.percent session.jsonl …
// node bench/thresholds.mjs peers/zed rules.compact.when.0.tokens session.jsonl …

import { readFileSync } from 'node:fs';
import { planPolicy, policyRegistry } from '../dist/agent/policies/catalogue.js';
import { benchPlan } from '../dist/cli/commands/bench/plan.js';
import { countCalls } from '../dist/core/model/transcript.js';
import { sweepReplayParts } from '../dist/engine/columnar/sweep-replay.js';
import { replay } from '../dist/engine/run/replay.js';
import { createMetricsFold } from '../dist/metrics/fold.js';
import { readTranscript } from '../dist/transcripts/read-transcript.js';

const POINTS = 1_000;
const [policy, path, ...files] = process.argv.slice(2);
const plans = Array.from({ length: POINTS }, (_, i) => {
  const share = (i + 1) / POINTS;
  const value = path === 'window.percent' ? 100 * share : `>= ${Math.round(20_000 + 180_000 * share)}`;
  return {
    ...benchPlan('unbounded'),
    policy: planPolicy(policyRegistry.get(policy), { [path]: value }),
    cache: { mode: 'on', ttl: 'recorded', subagentTtl: 'recorded', fade: 'off' },
  };
});

function shared(plan, transcript, sink) {
  const parts = sweepReplayParts(plan, transcript, sink);
  while (parts.next().done !== true);
}

function microseconds(road, plan, transcript) {
  const before = process.cpuUsage();
  const fold = createMetricsFold();
  road(plan, transcript, fold);
  fold.finish();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const sums = { engine: 0, engineTurns: 0, sweep: 0, sweepTurns: 0 };
const recordings = files.map(
  (file) => readTranscript(readFileSync(file), { id: file, agents: [] }).transcript,
);
for (let i = 0; i < 60; i++)
  microseconds(replay, plans[(i * 37) % POINTS], recordings[i % recordings.length]);
for (const transcript of recordings) {
  for (const [i, plan] of plans.entries()) {
    sums.sweep += microseconds(shared, plan, transcript);
    sums.sweepTurns += countCalls(transcript);
    if (i % 10 !== 5) continue;
    sums.engine += microseconds(replay, plan, { ...transcript });
    sums.engineTurns += countCalls(transcript);
  }
}
const [engine, sweep] = [sums.engine / sums.engineTurns, sums.sweep / sums.sweepTurns];
console.log(
  `${POINTS} thresholds of ${policy} over ${recordings.length} recordings: engine ${engine.toFixed(1)} µs a turn, ` +
    `sweep ${sweep.toFixed(1)} µs a turn, ratio ${(engine / sweep).toFixed(1)}`,
);
