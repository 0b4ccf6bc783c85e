import { mainWindow } from '../../agent/client/window.js';
import { firstModel } from '../../core/model/transcript.js';
import { modelsOf, resolveWindow } from '../../provider/prices/models.js';
import type { InputOptions } from '../../transcripts/files/read-input.js';
import type { CompiledRun } from '../compile.js';
import { openRef } from './open-ref.js';

/** The window that a fraction such as 0.3w is taken of: the scenario's, the one its recording tells, or that of the model it runs. */
export function windowOf(run: CompiledRun, options: InputOptions): number {
  const { plan } = run;
  if (plan.window !== null) return plan.window;
  const beta1m = plan.policy.params['window.beta1m'] === true ? 'on' : 'off';
  const models = modelsOf(plan);
  const name = modelOf(run, options) ?? 'unknown';
  const recorded = plan.model === null ? mainWindow(openRef(run.transcript, options), name, models) : null;
  return recorded ?? resolveWindow(name, { beta1m, models });
}

/** The prompt lengths from which a request to the model costs more. */
export function priceStepsOf(run: CompiledRun, options: InputOptions): readonly number[] {
  const name = modelOf(run, options);
  const row = name === null ? null : modelsOf(run.plan).find(name);
  return row?.priceSteps.map(({ overPromptTokens }) => overPromptTokens) ?? [];
}

/** The model that a run is for: the scenario's, or the first known one of its session. */
function modelOf({ plan, transcript }: CompiledRun, options: InputOptions): string | null {
  if (plan.model !== null) return plan.model;
  const { threads } = openRef(transcript, options);
  const model = threads.map(firstModel).find((name) => name !== null) ?? null;
  return model !== null && modelsOf(plan).find(model) !== null ? model : null;
}
