import { it } from 'vitest';
import { LUNCH, SHORT } from '../helpers/golden/material.js';
import { expectOutputs } from '../helpers/golden/outputs.js';

const POLICY = `name: mine
use: baselines/prune
set: { rules.prune.when.piled: 30000 }
`;

it('lists print what is kept', async () => {
  await expectOutputs('lists', { 'mine.yaml': POLICY, 'bad.yaml': 'use: nothing\nlayers: 3\n', 'short.jsonl': SHORT }, [
    'policies',
    'policies show baselines/prune',
    'COLUMNS=60 policies show peers/openhands --window 128000 --max-output 32000',
    'policies show claude-code/2.1 --set window.percent=50 --json | thresholds layers',
    'policies show nothing',
    'policies check mine.yaml',
    'policies check bad.yaml',
    'policies new own',
    'policies new own',
    'policies check own.yaml',
    'policies clients',
    'models sonnet-4-5',
    'models sonnet-4-5 --history',
    'COLUMNS=60 models gemini-2.5',
    'models --provider nobody',
    'models opus-4-5 --json',
    'providers deepseek --model deepseek-v4-flash',
    'providers anthropic --rewritten 60k --freed 30k --json',
    'COLUMNS=60 providers',
    'providers nobody',
    'init',
    'init',
    'init x/y',
    'schema nothing',
    'completion nothing',
    'why --help',
    'nothing',
    'run --nothing',
  ]);
});

it('providers --session prints what is kept', async () => {
  await expectOutputs('providers', { 'lunch.jsonl': LUNCH }, [
    'providers --session lunch.jsonl',
    'providers openai --session lunch.jsonl --json',
    'providers --session nothing.jsonl',
  ]);
});
