import type { Clock } from '../../src/core/base/clock.js';

/** Creates a clock at a starting time. */
export function createClock(startMs = 0): Clock {
  let now = startMs;
  return {
    get now() {
      return now;
    },
    advanceTo(timeMs) {
      if (timeMs > now) now = Math.round(timeMs);
    },
  };
}
