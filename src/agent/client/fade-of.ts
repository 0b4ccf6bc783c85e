import type { CachePlan } from '../../core/run/run-plan.js';
import type { FadeMode } from '../../provider/cache/fade.js';
import type { ClientHabits } from './client.js';

/** How five-minute entries end in a run: as its plan says, or as its client's lifetimes do. */
export function fadeOf(fade: CachePlan['fade'], { lifetimes }: ClientHabits): FadeMode {
  if (fade !== 'client') return fade;
  return lifetimes === 'observed' ? 'likely' : 'off';
}
