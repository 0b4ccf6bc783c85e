import { it } from 'vitest';
import { COMPACTED, LUNCH, SHORT, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';

/** Some of its requests have a price. */
const MIXED = Buffer.concat([SHORT, UNPRICED]);

const SCENARIO = `name: lunch
transcript: { synthetic: { workload: refactor, turns: 30, prefixTokens: 8000, text: none } }
model: claude-sonnet-4-5
window: 70000
policy: claude-code/2.1.112
variants:
  - { name: hour, cache: { ttl: 1h } }
  - { name: early, set: { window.percent: 60 } }
  - { name: other, policy: none }
seed: 3
`;

it('diff prints what is kept', async () => {
  await expectOutputs(
    'diff',
    {
      'lunch.yaml': SCENARIO,
      'lunch.jsonl': LUNCH,
      'short.jsonl': SHORT,
      'compacted.jsonl': COMPACTED,
      'mixed.jsonl': MIXED,
    },
    [
      'diff lunch.yaml',
      'diff lunch.yaml lunch.yaml#early --verbose',
      'diff lunch.yaml lunch.yaml#other --rows 2 --verbose',
      'diff lunch.yaml lunch.yaml#base',
      'diff lunch.yaml lunch.yaml#nobody',
      'diff lunch.yaml#early lunch.yaml#hour --json | tolerance aligned a b firstDifference',
      'diff lunch.jsonl',
      'diff lunch.jsonl --tolerance 50 --verbose',
      'diff short.jsonl --verbose',
      'COLUMNS=60 diff short.jsonl',
      'diff lunch.jsonl short.jsonl',
      'diff mixed.jsonl short.jsonl',
      'diff compacted.jsonl --verbose',
      'diff short.jsonl --out page',
      'cat page/diff.html',
    ],
  );
});
