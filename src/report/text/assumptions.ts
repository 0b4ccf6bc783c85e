import type { PlannedPlugin } from '../../core/run/run-plan.js';
import type { RunFacts } from '../../metrics/facts.js';
import { billNotes } from './as-recorded.js';

/** What every replay assumes (C3). */
export const OPEN_LOOP =
  'A replay is open-loop: recorded answers stay the same, whatever the policy removes from the context.';

/** What the reader must know to read the numbers of a run. */
export function assumptionsOf({ run }: RunFacts): readonly string[] {
  const bill = run?.transcript.recorded;
  return [OPEN_LOOP, ...pluginNotes(run?.plugins ?? []), ...billNotes(bill === undefined ? [] : [bill])];
}

/** Figures of a digest that tell files apart. */
const DIGEST_FIGURES = 12;

function pluginNotes(plugins: readonly PlannedPlugin[]): readonly string[] {
  if (plugins.length === 0) return [];
  const named = plugins.map(({ name, sha256 }) =>
    sha256 === null ? `${name} (no file)` : `${name} (SHA-256 ${sha256.slice(0, DIGEST_FIGURES)}…)`,
  );
  return [
    `The run was made with ${plugins.length === 1 ? 'the plug-in' : 'the plug-ins'} ${named.join(', ')}.`,
  ];
}
