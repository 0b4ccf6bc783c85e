import { layerParams } from '../support/param-reader.js';

/** Parameters of forks and of the traffic between agents (AGT). */
export const AGENTS_PARAMS = layerParams('agents');
