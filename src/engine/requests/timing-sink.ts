/**
 * Hears when a part of the loop begins and ends. The engine never reads a clock: whoever wants timings passes a sink
 * that does, and keeps them beside the log, never in it.
 */
export interface TimingSink {
  begin(part: string): void;
  end(part: string): void;
}

/** A sink that does nothing. */
export const NO_TIMING: TimingSink = { begin() {}, end() {} };
