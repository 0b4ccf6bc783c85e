import { CcbenchError } from '../../core/base/errors.js';
import type { ParamValues } from '../../core/run/params.js';

/** Refuses what cannot be on together (FLG-2). */
export function checkExclusive(values: ParamValues): void {
  const collapses = values['collapse.enabled'] === true;
  if (!collapses || values['autoCompact.enabled'] !== true || values['compact.enabled'] !== true) return;
  throw new CcbenchError('bad-value', 'collapse.enabled and autoCompact.enabled exclude each other (FLG-2)', {
    hint: 'turn one of them off, for instance autoCompact.enabled: false',
  });
}
