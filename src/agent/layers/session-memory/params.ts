import type { ParamValues } from '../../../core/run/params.js';
import { layerParams, param } from '../support/param-reader.js';

/** Parameters of session memory (SES). */
export const SESSION_MEMORY_PARAMS = layerParams('session-memory');

/** Limits of the notes themselves (SES-4). */
export interface NotesLimits {
  readonly sectionTokens: number;
  readonly totalTokens: number;
}

/** How much of the conversation a compaction from notes keeps (SES-6). */
export interface KeepLimits {
  readonly minTokens: number;
  readonly minMessages: number;
  readonly maxTokens: number;
}

/** The limits of the notes, from the parameters. */
export function notesLimits(params: ParamValues): NotesLimits {
  return {
    sectionTokens: param.number(params, 'sessionMemory.sectionTokens'),
    totalTokens: param.number(params, 'sessionMemory.totalTokens'),
  };
}

/** The limits of the kept tail, from the parameters. */
export function keepLimits(params: ParamValues): KeepLimits {
  return {
    minTokens: param.number(params, 'sessionMemory.keepMinTokens'),
    minMessages: param.number(params, 'sessionMemory.keepMinMessages'),
    maxTokens: param.number(params, 'sessionMemory.keepMaxTokens'),
  };
}
