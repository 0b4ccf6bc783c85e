import { expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { pageRun } from '../../../src/report/page-data/page-run.js';
import { actedText } from '../../../src/report/text/words.js';
import { layerEntry, requestEntry, runEntry, threadEntry } from '../../helpers/log.js';

function actsOf(...outcomes: readonly ('done' | 'failed' | 'declined')[]): string {
  const acts = outcomes.map((outcome) =>
    layerEntry({ layer: 'dreaming', action: outcome === 'declined' ? 'gates' : 'dream', outcome }),
  );
  const entries = [runEntry(), threadEntry(), requestEntry(), ...acts];
  const run = { name: 'r', entries, facts: foldLog(entries), digest: null, policyInfo: null };
  return actedText(pageRun(run).layers[0]!);
}

it('DRM-1 a layer that only declined did not act', () => {
  expect(actsOf('declined')).toBe('did not act, declined once');
  expect(actsOf('done')).toBe('acted once');
  expect(actsOf('done', 'failed', 'declined', 'declined')).toBe('acted 2 times, declined 2 times');
});
