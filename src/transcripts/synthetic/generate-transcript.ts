import { createRandom } from '../../core/base/random.js';
import { createRegistry, type Registry } from '../../core/base/registry.js';
import type { Block } from '../../core/model/block.js';
import type { Step, StepFlow, Thread, Transcript } from '../../core/model/transcript.js';
import type { Capability } from '../../core/run/capability.js';
import { SessionGenerator } from './session.js';
import type { SyntheticSpec } from './spec.js';
import { generateSteadyThreads, steadySession } from './steady.js';
import {
  RECORDED_SHAPE,
  type SessionShape,
  SHIPPED_WORKLOADS,
  type Workload,
} from './synthetic.generated.js';
import type { SessionSource } from './thread-writer.js';
import { memoryFilesOf } from './tools/file-tree.js';

/** The workloads by name. */
export const WORKLOADS: Registry<Workload> = createRegistry(
  'workload',
  SHIPPED_WORKLOADS.map((workload) => [workload.name, workload]),
);

/** The shape of a workload with overrides: tool weights are merged, everything else replaced. */
function shapeOf(workload: string, overrides: Partial<SessionShape> = {}): SessionShape {
  const { shape } = WORKLOADS.get(workload);
  const toolWeights = { ...RECORDED_SHAPE.toolWeights, ...shape.toolWeights, ...overrides.toolWeights };
  return { ...RECORDED_SHAPE, ...shape, ...overrides, toolWeights };
}

/** A generated thread whose steps are made as they are taken. Copies of it, by spread, hold all steps and no flow. */
class FlowingThread implements Thread {
  readonly id: string;
  readonly parentId: string | null;
  readonly label: string;
  readonly prefix: readonly Block[];
  declare readonly steps: readonly Step[];
  readonly #flow: StepFlow;

  constructor(source: () => SessionSource, calls: number) {
    this.#flow = { calls, steps: () => stepsOf(source()) };
    const opening = source();
    opening.write().next();
    const { id, parentId, label, prefix } = opening.thread();
    this.id = id;
    this.parentId = parentId;
    this.label = label;
    this.prefix = prefix;
    let steps: readonly Step[] | null = null;
    Object.defineProperty(this, 'steps', {
      enumerable: true,
      get: () => {
        steps ??= [...this.#flow.steps()];
        return steps;
      },
    });
  }

  get flow(): StepFlow {
    return this.#flow;
  }
}

function* stepsOf(source: SessionSource): Generator<Step, void, void> {
  for (const _part of source.write()) yield* source.takeSteps();
  yield* source.takeSteps();
}

/** Generates a session from a spec: the same spec gives the same transcript everywhere. */
export function generateTranscript(spec: SyntheticSpec): Transcript {
  const threads =
    spec.steady === undefined
      ? sessionGenerator(spec).generate().threads
      : generateSteadyThreads(spec, spec.steady);
  return transcriptOf(spec, threads);
}

/** Turns from which on a session is made while it is replayed: that many take 100 MB and more. */
const FLOWING_TURNS = 50_000;

/** The same for whoever goes through it once: of a long session without other agents nothing is kept. */
export function generateFlowing(spec: SyntheticSpec, least = FLOWING_TURNS): Transcript {
  const hasOthers =
    spec.subagents !== undefined || (spec.forks ?? []).length > 0 || (spec.messages ?? []).length > 0;
  if (spec.turns < least || hasOthers) return generateTranscript(spec);
  const source = (): SessionSource =>
    spec.steady === undefined ? sessionGenerator(spec) : steadySession(spec, spec.steady);
  return transcriptOf(spec, [new FlowingThread(source, spec.turns)]);
}

function sessionGenerator(spec: SyntheticSpec): SessionGenerator {
  return new SessionGenerator(spec, shapeOf(spec.workload, spec.overrides), createRandom(spec.seed), {
    id: 'main',
    parentId: null,
    label: 'main',
    startMs: 0,
  });
}

function transcriptOf(spec: SyntheticSpec, threads: readonly Thread[]): Transcript {
  const shape = shapeOf(spec.workload, spec.overrides);
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
