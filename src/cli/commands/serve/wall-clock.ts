import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../../core/base/clock.js';
import type { Host } from '../../host.js';

/** The host's clock from now on: it cannot be moved, so whoever wants a later time waits for it, or for the stop. */
export function createWallClock(host: Host, stop: AbortSignal): Clock {
  const zero = host.now();
  let latest = 0;
  const now = (): number => {
    latest = Math.max(latest, Math.round(host.now() - zero));
    return latest;
  };
  return {
    get now() {
      return now();
    },
    advanceTo(timeMs) {
      const leftMs = timeMs - now();
      if (leftMs > 0) return sleep(leftMs, undefined, { signal: stop });
    },
  };
}
