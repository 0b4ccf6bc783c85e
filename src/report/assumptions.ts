import type { RunFacts } from '../metrics/facts.js';
import { billNotes } from './as-recorded.js';

/** What every replay assumes (C3). */
export const OPEN_LOOP =
  'A replay is open-loop: the answers of the transcript come whatever the policy has taken out of the context.';

/** What the reader must know to read the numbers of a run. */
export function assumptionsOf({ run }: RunFacts): readonly string[] {
  const bill = run?.transcript.recorded;
  return [OPEN_LOOP, ...billNotes(bill === undefined ? [] : [bill])];
}
