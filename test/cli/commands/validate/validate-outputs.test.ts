import { it } from 'vitest';
import { AGENTS } from '../../../../scripts/damage/agents.mjs';
import { COMPACTED, LUNCH, QUIET, SHORT, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';

const FILES = {
  'logs/lunch.jsonl': LUNCH,
  'logs/compacted.jsonl': COMPACTED,
  'logs/quiet.jsonl': QUIET,
  'logs/short.jsonl': SHORT,
  'unpriced.jsonl': UNPRICED,
  'rollout.jsonl': AGENTS.codex,
  'empty.jsonl': '',
  'better.json': '{}',
};

it('validate prints what is kept', async () => {
  await expectOutputs('validate', FILES, [
    'validate empty.jsonl',
    'validate logs/quiet.jsonl',
    'validate logs/short.jsonl --verbose',
    'validate logs/short.jsonl --json | files total worst',
    'validate unpriced.jsonl',
    'validate rollout.jsonl --verbose',
    'validate logs rollout.jsonl unpriced.jsonl --verbose --worst 2',
    'COLUMNS=60 validate logs --notes',
    'validate logs/quiet.jsonl logs/lunch.jsonl --save saved.json',
    'cat saved.json',
    'validate logs/quiet.jsonl logs/lunch.jsonl --baseline saved.json',
    'validate logs/quiet.jsonl logs/short.jsonl --baseline saved.json',
    'validate logs/quiet.jsonl logs/short.jsonl --baseline saved.json --json | regressions',
    'validate logs/quiet.jsonl --baseline better.json',
    'validate logs/quiet.jsonl --forward',
    'validate logs rollout.jsonl --forward --verbose',
    'validate logs rollout.jsonl --forward --json | forward',
    'validate logs rollout.jsonl --results out',
    'rows out',
    'validate logs --out page',
    'cat page/validate.html',
  ]);
});
