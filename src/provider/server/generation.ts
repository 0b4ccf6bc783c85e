import type { ModelRow } from '../prices/model-row.js';

/** How the API treats what depends on a model's generation. */
export interface Generation {
  /** Prompt and max_tokens beyond the window: refused before 4.5, from there on the answer stops at the window. */
  readonly overWindow: 'refused' | 'stops';
  /** An assistant message at the end: refused from 4.6 on. */
  readonly prefill: 'accepted' | 'refused';
}

const BEFORE_45 = /^claude-(3-|(opus|sonnet|haiku)-4(-1)?$)/;
const BEFORE_46 = /^claude-(3-|(opus|sonnet|haiku)-4(-[15])?$)/;

/** The generation of a model. */
export function generationOf(row: ModelRow): Generation {
  return {
    overWindow: BEFORE_45.test(row.id) ? 'refused' : 'stops',
    prefill: BEFORE_46.test(row.id) ? 'accepted' : 'refused',
  };
}
