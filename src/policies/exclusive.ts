import { CcbenchError } from '../base/errors.js';
import type { ParamSpec, ParamValues } from '../model/params.js';

/** Switches of systems that the analyses name but do not describe (FLG-1). */
export const NAMED_ONLY_PARAMS: readonly ParamSpec[] = [
  {
    path: 'contextCollapse.enabled',
    kind: { type: 'switch' },
    default: false,
    unit: null,
    help: 'Context collapse: named by the analyses, not described, hence not simulated; it excludes auto-compaction (FLG-2).',
  },
  {
    path: 'historySnip.enabled',
    kind: { type: 'switch' },
    default: false,
    unit: null,
    help: 'History snip: named by the analyses, not described, hence not simulated (FLG-1).',
  },
];

/** Refuses what cannot be on together, and what cannot be simulated at all (FLG-2). */
export function checkExclusive(values: ParamValues): void {
  const collapse = values['contextCollapse.enabled'] === true;
  if (collapse && values['autoCompact.enabled'] === true && values['compact.enabled'] === true) {
    throw new CcbenchError(
      'bad-value',
      'contextCollapse.enabled and autoCompact.enabled exclude each other (FLG-2)',
      {
        hint: 'turn one of them off',
      },
    );
  }
  for (const path of ['contextCollapse.enabled', 'historySnip.enabled']) {
    if (values[path] !== true) continue;
    throw new CcbenchError('not-supported', `${path} cannot be simulated: no description of it is known`, {
      hint: `leave ${path} off`,
    });
  }
}
