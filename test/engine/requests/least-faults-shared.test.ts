import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { logFor } from '../../helpers/plan.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { sharedData } from '../../helpers/recordings/shared.js';

const POLICIES = [
  'bounds/oracle',
  'baselines/mask',
  'baselines/truncate',
  'claude-code/2026',
  'peers/codex-local',
];

describe('the fewest faults in recorded sessions', () => {
  it.skipIf(!sharedData.present).each(sharedData.sessions)(
    'are never more than the faults of a policy: %s',
    (name, path) => {
      const transcript = readAny(gunzipSync(readFileSync(path)), { id: name });
      for (const policy of POLICIES) {
        for (const window of [60_000, 200_000]) {
          const { faults } = foldLog(logFor({ policy, window }, transcript));
          if (faults?.least == null) continue;
          expect(faults.least, `${policy} in ${window}`).toBeLessThanOrEqual(faults.none);
          // Blocks that are needed later have at most 86,000 tokens at any call (docs/faults.md).
          if (window === 200_000) expect(faults.least, policy).toBe(0);
        }
      }
    },
  );
});
