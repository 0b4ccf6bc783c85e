import { it } from 'vitest';
import { AGENTS } from '../../../../scripts/damage/agents.mjs';
import { COMPACTED, LUNCH, QUIET, SHORT, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';
import { TRACE } from '../../cli.js';

const FILES = {
  'logs/lunch.jsonl': LUNCH,
  'logs/compacted.jsonl': COMPACTED,
  'logs/quiet.jsonl': QUIET,
  'logs/short.jsonl': SHORT,
  'unpriced.jsonl': UNPRICED,
  'trace.json': TRACE,
  'rollout.jsonl': AGENTS.codex,
  'empty.jsonl': '',
};

it('ttl prints what is kept', async () => {
  await expectOutputs('ttl', FILES, [
    'ttl empty.jsonl',
    'ttl trace.json --verbose',
    'ttl trace.json --json',
    'ttl logs/quiet.jsonl',
    'ttl logs/lunch.jsonl --verbose',
    'ttl logs/short.jsonl --ttl 45,600',
    'ttl logs rollout.jsonl --verbose',
    'ttl logs rollout.jsonl --per-session',
    'ttl logs --main-only --per-session --json',
    'COLUMNS=60 ttl logs rollout.jsonl unpriced.jsonl',
    'ttl unpriced.jsonl',
    'ttl rollout.jsonl',
    'ttl logs --ttl 0',
    'ttl logs rollout.jsonl --out page --no-charts',
    'ttl logs rollout.jsonl --out page',
    'cat page/ttl.html',
  ]);
});
