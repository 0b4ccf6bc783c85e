import { expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { effective } from '../../helpers/effective.js';
import { logLines } from '../../helpers/golden/log-lines.js';
import { expectKept } from '../../helpers/golden/outputs.js';
import { planOf, runLog } from '../../helpers/plan.js';
import { SITUATIONS } from '../../helpers/situations/situations.js';
import { BUSY, WORK } from '../../helpers/situations/transcripts.js';

it('the log of each situation is as kept', () => {
  const policy = 'claude-code/2026';
  const logs = SITUATIONS.map(({ name, transcript, init, set = {} }) => {
    const plan = planOf({ ...init, policy, set: effective(policy, set) });
    return `# ${name}\n${logLines(runLog(plan, transcript))}`;
  });
  expectKept('logs/situations', logs.join('\n'));
});

it('the log of each policy is as kept', () => {
  const logs = policyRegistry.names.map((policy) => {
    const plan = planOf({ policy, window: 70_000 });
    return `# ${policy}\n${logLines(runLog(plan, WORK))}\n# ${policy}, busy\n${logLines(runLog(plan, BUSY))}`;
  });
  expectKept('logs/policies', logs.join('\n'));
  expect(logs.length).toBeGreaterThan(50);
});
