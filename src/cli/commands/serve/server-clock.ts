import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../core/base/clock.js';
import type { Host } from '../../host.js';

/** The clock of a server: real time from its start, or faster. */
export interface ServerClock extends Clock {
  /** Lets simulated time pass at once. */
  skip(ms: number): void;
}

/**
 * A clock that goes `speed` times as fast as the host's. It cannot be moved by those who wait: they wait for their time, or for
 * the stop.
 */
export function createServerClock(host: Host, speed: number): ServerClock {
  const zero = host.now();
  let skipped = 0;
  let latest = 0;
  const now = (): number => {
    latest = Math.max(latest, Math.round((host.now() - zero) * speed) + skipped);
    return latest;
  };
  return {
    get now() {
      return now();
    },
    advanceTo(timeMs) {
      const leftMs = (timeMs - now()) / speed;
      if (leftMs > 0) return sleep(leftMs, undefined, { signal: host.interrupt });
    },
    skip(ms) {
      skipped += ms;
    },
  };
}
