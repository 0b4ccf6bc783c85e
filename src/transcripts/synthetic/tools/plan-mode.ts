import type { Random } from '../../../core/base/random.js';
import { FACTS } from '../synthetic.generated.js';

/** What a turn in plan mode does besides its work. */
export type PlanStep = 'enter' | 'write' | 'exit';

/** Plan mode of a session: a prompt begins it, an accepted plan ends it. */
export class PlanMode {
  #plans = 0;
  #isOn = false;
  #entersByTool = false;
  #inFile = false;
  #isWritten = false;
  /** Calls that are left of the prompt when the plan is presented. */
  #presentAt = 0;

  constructor(
    private readonly random: Random,
    private readonly share: number,
  ) {}

  get isOn(): boolean {
    return this.#isOn;
  }

  /** File of the current plan. */
  get path(): string {
    return `/user/.claude/plans/plan-${this.#plans}.md`;
  }

  /** The plan is in the file, not in the call. */
  get isInFile(): boolean {
    return this.#inFile;
  }

  /** A prompt that leads to this many calls; true when the client tells the model that plan mode is on. */
  prompt(calls: number): boolean {
    const begins = this.random.chance(this.share);
    const byTool = this.random.chance(FACTS.planByToolShare);
    const inFile = this.random.chance(FACTS.planInFileShare);
    this.#presentAt = Math.ceil(calls / 2);
    if (this.#isOn) return true;
    if (!begins) return false;
    this.#plans++;
    this.#isOn = true;
    this.#entersByTool = byTool;
    this.#inFile = inFile;
    this.#isWritten = false;
    return !byTool;
  }

  /** What a turn that leaves this many calls of the prompt does; null for plain work. */
  step(callsLeft: number): PlanStep | null {
    if (!this.#isOn || callsLeft === 0) return null;
    if (this.#entersByTool) {
      this.#entersByTool = false;
      return 'enter';
    }
    if (callsLeft > this.#presentAt) return null;
    if (!this.#inFile || this.#isWritten) return 'exit';
    this.#isWritten = true;
    return 'write';
  }

  /** The plan was accepted. */
  accept(): void {
    this.#isOn = false;
  }
}
