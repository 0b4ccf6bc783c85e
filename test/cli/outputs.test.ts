import { it } from 'vitest';
import { COMPACTED, LUNCH, SHORT } from '../helpers/golden/material.js';
import { expectOutputs } from '../helpers/golden/outputs.js';

const POLICY = `name: mine
rules:
  - name: drop
    at: after-response
    when: { piled: 30k }
    select: { what: tool-results, keep: { tokens: 10k } }
    replace: { with: placeholder }
`;

it('lists print what is kept', async () => {
  await expectOutputs(
    'lists',
    { 'mine.yaml': POLICY, 'bad.yaml': 'rules: []\nlayers: 3\nuse: x\n', 'short.jsonl': SHORT },
    [
      'policies show baselines/prune',
      'COLUMNS=60 policies show peers/openhands --window 128000 --max-output 32000',
      'policies show claude-code/2.1 --set window.percent=50 --json | thresholds layers',
      'policies show nothing',
      'policies check mine.yaml',
      'policies check bad.yaml',
      'policies new own',
      'policies new own',
      'policies check own.yaml',
      'models sonnet-4-5',
      'models sonnet-4-5 --history',
      'COLUMNS=60 models gemini-2.5',
      'models --provider nobody',
      'models opus-4-5 --json',
      'providers deepseek --model deepseek-v4-flash',
      'providers anthropic --rewritten 60k --freed 30k --json',
      'providers nobody',
      'init',
      'init',
      'init x/y',
      'schema nothing',
      'completion nothing',
      'why --help',
      'nothing',
      'run --nothing',
    ],
  );
});

it('providers --session prints what is kept', async () => {
  await expectOutputs('providers', { 'lunch.jsonl': LUNCH, 'compacted.jsonl': COMPACTED }, [
    'providers --session lunch.jsonl',
    'COLUMNS=60 providers anthropic --session compacted.jsonl',
    'providers openai --session lunch.jsonl --json',
    'providers --session nothing.jsonl',
  ]);
});
