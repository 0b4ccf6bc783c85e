import type { LayerContext } from '../../../core/run/layer.js';
import type { Limit } from '../../../core/run/limit.js';
import type { ParamValues } from '../../../core/run/params.js';
import { param } from '../support/param-reader.js';

/** What of a model decides the limits of its client. */
export interface ModelLimits {
  readonly window: number;
  /** Longest answer of the model; null if nobody knows. */
  readonly maxOutput: number | null;
}

/** Longest answer that clients ask for by themselves (WIN-2, measured: max_tokens of main requests). */
const CLIENT_MAX_OUTPUT = 32_000;

/** The limits a client works with, in tokens; null if it has none. */
export interface Thresholds {
  readonly window: number;
  /** Window minus what is kept free for the answer (WIN-2). */
  readonly effective: number;
  readonly warning: number | null;
  readonly error: number | null;
  readonly autoCompact: number | null;
  readonly blocking: number | null;
}

/** Whether automatic compaction may run (WIN-7). */
export function autoCompactEnabled(params: ParamValues): boolean {
  if (!param.isOn(params, 'compact.enabled')) return false;
  if (param.isOn(params, 'autoCompact.disabled') && param.isOn(params, 'autoCompact.honoursDisable'))
    return false;
  return param.isOn(params, 'autoCompact.enabled');
}

/** Longest answer of main requests: what the user set, else the model's own up to the client's cap (WIN-2, C25). */
function outputLimit(params: ParamValues, { maxOutput }: ModelLimits): number {
  const set = param.numberOrNull(params, 'window.maxOutput');
  return set ?? Math.min(maxOutput ?? CLIENT_MAX_OUTPUT, CLIENT_MAX_OUTPUT);
}

/** Effective window: window − reserve (WIN-2). */
export function effectiveWindow(params: ParamValues, model: ModelLimits): number {
  const { window } = model;
  switch (param.text(params, 'window.reserve')) {
    case 'max-output':
      return window - outputLimit(params, model);
    case 'capped':
      return window - Math.min(outputLimit(params, model), param.number(params, 'window.reserveCap'));
    case 'fixed':
      return window - param.number(params, 'window.reserveCap');
    default:
      return window;
  }
}

/** Where auto-compaction fires: WIN-3, or earlier by the percentage override (WIN-4). */
export function autoCompactThreshold(params: ParamValues, model: ModelLimits): number {
  const effective = effectiveWindow(params, model);
  const threshold = effective - param.number(params, 'window.compactOffset');
  const percent = param.numberOrNull(params, 'window.percent');
  if (percent === null || !(percent > 0 && percent <= 100)) return threshold;
  return Math.min(Math.floor(effective * (percent / 100)), threshold); // WIN-4: in this order
}

/** What of a layer's knowledge a threshold is found by. */
type LimitContext = Pick<LayerContext, 'limits' | 'model'>;

/** The auto-compact threshold for the model in use (WIN-3, WIN-4). */
export function compactLimit({ limits, model }: LimitContext): Limit {
  const { window, maxOutput } = model();
  return limits.of(`auto-compact ${window} ${maxOutput}`, 'reached', ({ params }) =>
    autoCompactThreshold(params, { window, maxOutput }),
  );
}

/** The warning threshold for the model in use (WIN-5). */
export function warningLimit({ limits, model }: LimitContext): Limit {
  const { window, maxOutput } = model();
  return limits.of(
    `warning ${window} ${maxOutput}`,
    'reached',
    ({ params }) => thresholds(params, { window, maxOutput }).warning ?? Number.POSITIVE_INFINITY,
  );
}

/** All limits of a policy for a window (WIN-2 … WIN-6). */
export function thresholds(params: ParamValues, model: ModelLimits): Thresholds {
  const effective = effectiveWindow(params, model);
  const enabled = autoCompactEnabled(params);
  const autoCompact = enabled ? autoCompactThreshold(params, model) : null;
  const limit = autoCompact ?? effective;
  const blockingOffset = param.numberOrNull(params, 'window.blockingOffset');
  return {
    window: model.window,
    effective,
    warning: limit - param.number(params, 'window.warningOffset'),
    error: limit - param.number(params, 'window.errorOffset'),
    autoCompact,
    blocking: blockingOffset === null ? null : effective - blockingOffset,
  };
}
