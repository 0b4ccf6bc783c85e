import { createRandom } from '../../base/random.js';
import type { Capability, Transcript } from '../../model/transcript.js';
import { memoryFilesOf } from './project-memory.js';
import { SessionGenerator } from './session.js';
import { checkSpec, type SyntheticSpec } from './spec.js';
import { generateSteadyThreads } from './steady.js';
import { shapeOf } from './workloads.js';

/** Generates a session from a spec: the same spec gives the same transcript everywhere. */
export function generateTranscript(spec: SyntheticSpec): Transcript {
  checkSpec(spec);
  const shape = shapeOf(spec.workload, spec.overrides);
  const threads =
    spec.steady === undefined
      ? new SessionGenerator(spec, shape, createRandom(spec.seed), {
          id: 'main',
          parentId: null,
          label: 'main',
          startMs: 0,
        }).generate().threads
      : generateSteadyThreads(spec, spec.steady);
  const project = spec.prefixSeed ?? spec.seed;
  const carries: Capability[] = ['timestamps', 'tools', 'output-tokens', 'latency'];
  const memoryFiles = spec.steady === undefined ? memoryFilesOf(shape, createRandom(project)) : null;
  if (spec.text !== 'none') carries.unshift('text');
  if (spec.subagents !== undefined || (spec.forks ?? []).length > 0) carries.push('subagents');
  return {
    id: `synthetic-${spec.workload}-${spec.turns}-${spec.seed}`,
    source: 'synthetic',
    carries,
    agentVersion: null,
    startedAtMs: null,
    threads,
    ...(memoryFiles === null ? {} : { memoryFiles }),
    warnings: [],
  };
}
