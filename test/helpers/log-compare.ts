import type { Transcript } from '../../src/core/model/transcript.js';
import type { LogEntry } from '../../src/core/run/run-log.js';
import type { RunPlan } from '../../src/core/run/run-plan.js';
import { replay } from '../../src/engine/run/replay.js';

/** Thrown at the first entry that differs: the rest of the run tells nothing more. */
class Changed extends Error {}

/** An entry without its sentences: a setting that is only quoted in one has changed nothing. */
function withoutWords(entry: LogEntry): unknown {
  const { reason: _reason, message: _message, ...rest } = entry as LogEntry & Record<string, unknown>;
  return rest;
}

function walk(plan: RunPlan, transcript: Transcript, write: (line: string) => void): void {
  replay(plan, transcript, {
    write(entry) {
      if (entry.type !== 'run') write(JSON.stringify(withoutWords(entry)));
    },
  });
}

/** The log of a plan, held against those of others over the same transcript. */
export class LogCompare {
  #lines: readonly string[] | null = null;

  constructor(
    readonly plan: RunPlan,
    private readonly transcript: Transcript,
  ) {}

  #expected(): readonly string[] {
    if (this.#lines === null) {
      const lines: string[] = [];
      walk(this.plan, this.transcript, (line) => lines.push(line));
      this.#lines = lines;
    }
    return this.#lines;
  }

  /** Whether the log of another plan is another one. */
  isChangedBy(plan: RunPlan): boolean {
    const expected = this.#expected();
    let place = 0;
    try {
      walk(plan, this.transcript, (line) => {
        if (line !== expected[place++]) throw new Changed();
      });
    } catch (error) {
      if (error instanceof Changed) return true;
      throw error;
    }
    return place !== expected.length;
  }
}
