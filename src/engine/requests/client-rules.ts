import type { ClientBehaviour } from '../../agent/client/client.js';
import type { LayerDefinition } from '../../core/run/layer.js';
import type { ParamValues } from '../../core/run/params.js';

/** How a policy's client goes about its requests: read from the parameters once, asked at every request. */
export interface ClientRules {
  /** How often a transient error is tried again. */
  readonly retries: number;
  /** A prompt refused as too long is sent once more without streaming. */
  readonly resends: boolean;
  /** The model's own rule for thinking of earlier turns holds (api.md 1.7). */
  readonly dropsThinking: boolean;
  /** Where cache breakpoints go. */
  readonly breakpoints: ClientBehaviour['breakpoints'];
  /** A fork marks the end of what its siblings share. */
  readonly marksSharedEnd: boolean;
  /** Deleted content is billed no more (MIC-3). */
  readonly deletedIsFree: boolean;
  /** The session's record is kept up to date for dreams (DRM-1). */
  readonly keepsRecord: boolean;
}

/** The rules that parameters and layers describe. */
export function clientRules(
  params: ParamValues,
  layers: readonly LayerDefinition[],
  behaviours: ClientBehaviour,
): ClientRules {
  return {
    retries: params['client.retries'] as number,
    resends: params['client.resendWithoutStreaming'] === true,
    dropsThinking: behaviours.thinking === 'model',
    breakpoints: behaviours.breakpoints,
    marksSharedEnd: params['agents.mark'] === 'shared-end',
    deletedIsFree: params['microcompact.cached.billDeleted'] !== 'read',
    keepsRecord: layers.some(({ name }) => name === 'dreaming'),
  };
}
