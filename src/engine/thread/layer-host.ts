import { type Copied, restoreState } from '../../core/base/checkpoint.js';
import type { Files } from '../../core/base/files.js';
import { addTo } from '../../core/base/groups.js';
import type { Message } from '../../core/model/message.js';
import type { ManualCompaction } from '../../core/model/transcript.js';
import type { Action, Outcome } from '../../core/run/action.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
  QuerySource,
  Unfolded,
} from '../../core/run/layer.js';
import type { Hook } from '../../core/run/policy-rules.js';
import type { TimingSink } from '../requests/run-env.js';

/** A layer at work, with its name for timings; what is asked of it often is held here, whatever its own shape. */
interface HostedLayer {
  readonly name: string;
  readonly layer: LayerDefinition['layer'];
  readonly instance: LayerInstance;
  readonly due: LayerInstance['due'];
  readonly act: LayerInstance['act'];
}

/** Hears what is asked of the layers of a thread. */
export interface AskListener {
  beforeDue(): void;
  /** The layer at a position among those of the point is about to act. */
  beforeAct(layer: number): void;
}

/** The moment layers are asked at, reused from call to call: asking allocates nothing. */
export class MutableHookContext implements HookContext {
  point: Hook = 'before-request';
  now = 0;
  turn = 0;
  prompt = 0;
  lastResponseMs: number | null = null;
  manual: ManualCompaction | null = null;

  constructor(readonly source: QuerySource) {}
}

/** The layers of one thread in the policy's order, asked at the points of the loop (LOP-1). */
export class LayerHost {
  private readonly byPoint = new Map<Hook, HostedLayer[]>();
  /** The points of every turn, at hand. */
  private readonly atResults: readonly HostedLayer[];
  private readonly beforeRequest: readonly HostedLayer[];
  private readonly afterResponse: readonly HostedLayer[];
  private readonly all: HostedLayer[] = [];
  private readonly observers: Readonly<Record<Message['role'], ((message: Message) => void)[]>> = {
    user: [],
    assistant: [],
  };

  constructor(
    definitions: readonly LayerDefinition[],
    context: LayerContext,
    private readonly timing: TimingSink,
  ) {
    for (const definition of definitions) {
      const instance = definition.create(context);
      const hosted: HostedLayer = {
        name: definition.name,
        layer: definition.layer,
        instance,
        due: instance.due.bind(instance),
        act: instance.act.bind(instance),
      };
      this.all.push(hosted);
      if (instance.observe !== undefined) {
        const observe = instance.observe.bind(instance);
        if (instance.observes !== 'assistant') this.observers.user.push(observe);
        if (instance.observes !== 'user') this.observers.assistant.push(observe);
      }
      for (const point of definition.points) addTo(this.byPoint, point, hosted);
    }
    this.atResults = this.byPoint.get('results') ?? [];
    this.beforeRequest = this.byPoint.get('before-request') ?? [];
    this.afterResponse = this.byPoint.get('after-response') ?? [];
  }

  private layersAt(point: Hook): readonly HostedLayer[] {
    if (point === 'results') return this.atResults;
    if (point === 'before-request') return this.beforeRequest;
    if (point === 'after-response') return this.afterResponse;
    return this.byPoint.get(point) ?? [];
  }

  /** Whether copies of all of them can continue from here. */
  get canCheckpoint(): boolean {
    return this.all.every(({ instance }) => instance.canCheckpoint === true);
  }

  /** Takes over the state of another copy of the same layers; one that is no class has none. */
  restoreFrom(other: LayerHost, copied: Copied): void {
    this.all.forEach(({ instance }, i) => {
      if (instance.constructor !== Object) restoreState(instance, other.all[i]!.instance, copied);
    });
  }

  /** Tells the layers of a message that joined the context. */
  observe(message: Message): void {
    const observers = message.role === 'user' ? this.observers.user : this.observers.assistant;
    for (let i = 0; i < observers.length; i++) observers[i]!(message);
  }

  /** The history was replaced: what layers knew about messages is stale (CLN-1). */
  reset(messages: readonly Message[]): void {
    const history = [...messages];
    for (const { instance } of this.all) instance.reset?.(history);
  }

  /** What a layer put away with a message among it, read back; null if none did. */
  unfold(messageId: string, files: Files): Unfolded | null {
    for (const { instance } of this.all) {
      const unfolded = instance.unfold?.(messageId, files) ?? null;
      if (unfolded !== null) return unfolded;
    }
    return null;
  }

  /** The process was restarted. */
  resume(messages: readonly Message[], view: ContextView): void {
    const history = [...messages];
    for (const { instance } of this.all) instance.resume?.(history, view);
  }

  /**
   * Asks the layers of a point in order, from one on; each that is due acts through `apply` until `stopped` says otherwise. A
   * listener hears of each question, and of each that is about to act. With `only`, the others of the point are not asked.
   */
  ask(
    moment: HookContext,
    view: ContextView,
    apply: (action: Action) => Outcome,
    stopped: () => boolean,
    from = 0,
    listener: AskListener | null = null,
    only: LayerDefinition['layer'] | null = null,
  ): void {
    const layers = this.layersAt(moment.point);
    for (let i = from; i < layers.length; i++) {
      const layer = layers[i]!;
      if (only !== null && layer.layer !== only) continue;
      this.timing.begin(layer.name);
      listener?.beforeDue();
      const isDue = layer.due(moment, view);
      if (isDue) listener?.beforeAct(i);
      if (isDue) drive(layer.act(moment, view), apply, stopped);
      this.timing.end(layer.name);
      if (isDue && stopped()) return;
    }
  }
}

/** Runs a layer's coroutine: every action it proposes is carried out, every outcome handed back. */
function drive(
  actions: Generator<Action, void, Outcome>,
  apply: (action: Action) => Outcome,
  stopped: () => boolean,
): void {
  let step = actions.next();
  while (step.done !== true) {
    const outcome = apply(step.value);
    if (stopped()) {
      actions.return();
      return;
    }
    step = actions.next(outcome);
  }
}
