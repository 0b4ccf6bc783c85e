import type { HookPlan } from '../../core/run/run-plan.js';
import type { ScenarioHooks } from '../schema/schema-hooks.js';

/** Hooks with nothing left open; undefined when there are none. */
export function normaliseHooks(written: ScenarioHooks | undefined): readonly HookPlan[] | undefined {
  if (written === undefined || written.length === 0) return undefined;
  return written.map(({ event, on, tokens, prints, seconds, fails }) => ({
    event,
    on: on ?? 'both',
    tokens: tokens ?? 0,
    prints: prints ?? 'context',
    seconds: seconds ?? 0,
    fails: Number(fails ?? 0),
  }));
}
