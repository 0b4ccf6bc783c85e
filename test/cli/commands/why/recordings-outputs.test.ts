import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { AGENTS } from '../../../../scripts/damage/agents.mjs';
import { writeClaudeCode } from '../../../../src/transcripts/write-claude-code.js';
import { ROOT } from '../../../helpers/architecture/tree.js';
import { withSimulatedUsage } from '../../../helpers/generators/make-fixture.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';
import { BUSY } from '../../../helpers/situations/transcripts.js';

const fixture = (name: string): string => readFileSync(join(ROOT, 'fixtures', name), 'utf8');
const busy = (ttl: '5m' | '1h'): string =>
  writeClaudeCode(withSimulatedUsage(BUSY, { policy: 'claude-code/2.1.112', cache: { ttl } })).files[0]!.text;

const FILES = {
  ...Object.fromEntries(Object.entries(AGENTS).map(([name, text]) => [`agents/${name}.jsonl`, text])),
  'made/bugfix.jsonl': fixture('bugfix-20-turns.jsonl'),
  'made/memory.jsonl': fixture('memory-sentences.jsonl'),
  'made/rounds.jsonl': fixture('tracelab-3-sessions.jsonl'),
  'made/busy.jsonl': busy('5m'),
  'made/hour.jsonl': busy('1h'),
};

it('sessions of every agent and longer ones are explained as kept', async () => {
  await expectOutputs('recordings', FILES, [
    'inspect agents',
    'why agents --no-files --verbose',
    'validate agents --verbose',
    'ttl agents --verbose --per-session',
    'inspect made --uses --verbose',
    'why made --no-files --verbose --by tool',
    'why made --no-files --json | byCause byModel compactions changes',
    'why made --limits',
    'why made --fix',
    'validate made --verbose',
    'validate made --json | total',
    'validate made --forward --verbose',
    'ttl made --json | curve cost',
    'diff made/busy.jsonl --verbose --rows 8',
    'diff made/bugfix.jsonl made/busy.jsonl --verbose --rows 8',
  ]);
});
