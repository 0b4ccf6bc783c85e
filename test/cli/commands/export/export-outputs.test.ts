import { it } from 'vitest';
import { QUIET, SHORT } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';
import { TRACE } from '../../cli.js';

const SCENARIO = `name: tiny
transcript: { synthetic: { workload: bugfix, turns: 3, text: none, prefixTokens: 2000 } }
policy: none
variants: [{ name: hour, cache: { ttl: 1h } }]
seed: 3
`;

it('export prints what is kept', async () => {
  await expectOutputs(
    'export',
    { 'trace.json': TRACE, 'short.jsonl': SHORT, 'quiet.jsonl': QUIET, 'a.yaml': SCENARIO },
    [
      'export trace.json --format mooncake',
      'export trace.json --format aiperf',
      'export trace.json --format weka --out traces',
      'cat traces/trace.json',
      'export trace.json --format otel',
      'export a.yaml --format aiperf',
      'export a.yaml --variant hour --format otel --out spans.jsonl',
      'export a.yaml --variant day --format otel',
      'export short.jsonl quiet.jsonl --format weka',
      'export short.jsonl quiet.jsonl --format aiperf --out conversations.jsonl',
      'export short.jsonl --format parquet',
      'export short.jsonl',
    ],
  );
});
