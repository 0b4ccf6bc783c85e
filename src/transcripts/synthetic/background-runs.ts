import type { Random } from '../../core/base/random.js';
import type { Sampler } from './distribution.js';
import { FACTS } from './synthetic.generated.js';

/** An agent or a command that runs beside the conversation. */
export interface BackgroundRun {
  readonly task: string;
  readonly kind: 'agent' | 'command';
  readonly label: string;
  readonly toolUseId: string;
  readonly endMs: number;
}

/** What runs in the background of a session, the first to end first. */
export class BackgroundRuns {
  readonly #running: BackgroundRun[] = [];
  #started = 0;

  constructor(
    private readonly random: Random,
    private readonly seconds: Sampler,
  ) {}

  /** What would be started next. */
  choose(): Pick<BackgroundRun, 'task' | 'kind' | 'label'> {
    const kind = this.random.chance(FACTS.backgroundAgentShare) ? 'agent' : 'command';
    const n = ++this.#started;
    return kind === 'agent'
      ? { kind, task: `a${n}`, label: `Look into part ${n}` }
      : { kind, task: `b${n}`, label: `Run check ${n}` };
  }

  start(run: Omit<BackgroundRun, 'endMs'>, startMs: number): void {
    const endMs = startMs + Math.round(this.seconds(this.random.next()) * 1_000);
    const behind = this.#running.findIndex((other) => other.endMs > endMs);
    this.#running.splice(behind === -1 ? this.#running.length : behind, 0, { ...run, endMs });
  }

  /** The next to report; null when nothing runs, or nothing that has ended by then. */
  next(untilMs: number): BackgroundRun | null {
    const first = this.#running[0];
    return first === undefined || first.endMs > untilMs ? null : this.#running.shift()!;
  }
}
