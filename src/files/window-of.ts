import { modelsOf, resolveWindow } from '../cache/models.js';
import { firstModel } from '../model/transcript.js';
import type { CompiledRun } from '../scenario/compile.js';
import { openRef } from './open-ref.js';
import type { InputOptions } from './read-input.js';

/** The window that a fraction such as 0.3w is taken of: the scenario's, or that of the model it runs. */
export function windowOf(run: CompiledRun, options: InputOptions): number {
  const { plan, transcript } = run;
  if (plan.window !== null) return plan.window;
  const beta1m = plan.policy.params['window.beta1m'] === true ? 'on' : 'off';
  const models = modelsOf(plan);
  if (plan.model !== null) return resolveWindow(plan.model, { beta1m, models });
  const { threads } = openRef(transcript, options);
  const model = threads.map(firstModel).find((name) => name !== null) ?? null;
  return resolveWindow(model !== null && models.find(model) !== null ? model : 'unknown', { beta1m, models });
}
