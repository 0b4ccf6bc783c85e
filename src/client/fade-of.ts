import type { FadeMode } from '../cache/fade.js';
import type { CachePlan } from '../model/run-plan.js';
import type { ClientHabits } from './habits.js';

/** How five-minute entries end in a run: as its plan says, or as its client's lifetimes do. */
export function fadeOf(fade: CachePlan['fade'], { lifetimes }: ClientHabits): FadeMode {
  if (fade !== 'client') return fade;
  return lifetimes === 'observed' ? 'likely' : 'off';
}
