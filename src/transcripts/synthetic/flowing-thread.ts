import type { Block } from '../../core/model/block.js';
import type { Step, StepFlow, Thread } from '../../core/model/transcript.js';
import type { SessionSource } from './session-source.js';

/** A generated thread whose steps are made as they are taken. Copies of it, by spread, hold all steps and no flow. */
export class FlowingThread implements Thread {
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
