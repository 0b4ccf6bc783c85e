import type { ParamSpec } from '../../core/run/params.js';
import { CLIENT_PARAMS } from '../client/client.js';
import { layerParams } from '../layers/support/param-reader.js';

/** Parameters of the client itself: its habits towards the cache, how it counts and tries again. */
export const CORE_PARAMS: readonly ParamSpec[] = [...CLIENT_PARAMS, ...layerParams('core')];
