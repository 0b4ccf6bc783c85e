import { layerParams } from '../support/param-reader.js';

/** Parameters of auto memory (AUT). */
export const AUTO_MEMORY_PARAMS = layerParams('auto-memory');
