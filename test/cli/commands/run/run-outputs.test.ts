import { it } from 'vitest';
import { LUNCH, ODD } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';

const head = (name: string, turns: number): string =>
  `name: ${name}\ntranscript: { synthetic: { workload: bugfix, turns: ${turns}, prefixTokens: 8000, text: none } }\nseed: 3\n`;

const FILES = {
  'lunch.jsonl': LUNCH,
  'odd.jsonl': ODD,
  'tiny.yaml': `${head('tiny', 6)}policy: none\n`,
  'small.yaml': `${head('small', 40)}policy: claude-code/2.1.112
window: 70000
expect: [costUsd < 5, compactions >= 1, callsLost == 0]
variants:
  - { name: hour, cache: { ttl: 1h } }
  - { name: unkept, policy: none, expect: [requestsRefused == 0] }
`,
  'pair.yaml': `${head('pair', 3)}policy: none\nvariants: [{ name: hour, cache: { ttl: 1h } }]\n`,
  'failing.yaml': `${head('failing', 6)}policy: none\nexpect: [costUsd < 0.001, turns == 6]\n`,
  'faulty.yaml': `${head('faulty', 30)}policy: claude-code/2026
window: 70000
llm: { faults: [{ call: compact, error: overloaded, nth: 1 }, { call: main, error: rate_limited, every: 7 }] }
`,
  'recorded.yaml': 'name: recorded\ntranscript: { file: lunch.jsonl }\npolicy: claude-code/2.1.112\n',
  'broken.yaml': 'name: broken\npolicy: nothing-known\n',
};

it('run, report and open print what is kept', async () => {
  await expectOutputs('run', FILES, [
    'run tiny.yaml --no-files',
    'run tiny.yaml --no-files --verbose',
    'run tiny.yaml --json --no-files | digest mode runs',
    'run missing.yaml',
    'run broken.yaml',
    'run tiny.yaml --no-charts',
    'run small.yaml --no-charts',
    'run small.yaml --no-files --verbose',
    'run small.yaml --no-files --variant hour --seed 8',
    'run small.yaml --no-files --variant other',
    'COLUMNS=60 run failing.yaml --no-files --verbose',
    'run small.yaml tiny.yaml --quiet --out second --no-charts --baseline reports',
    'run small.yaml --set cache.ttl=1h --out third --no-charts --baseline reports --guard costUsd,cacheHitRate',
    'run small.yaml --no-files --baseline reports --guard turns',
    'run tiny.yaml --no-files --set cache.ttl=1h --baseline reports --github',
    'run small.yaml --no-files --baseline reports --tolerance 50 --json --set cache.ttl=1h --variant hour | runs',
    'run failing.yaml --no-files',
    'run failing.yaml tiny.yaml --no-files --verbose --junit junit.xml --quiet',
    'cat junit.xml',
    'run failing.yaml tiny.yaml --no-files --github',
    'run faulty.yaml --no-files --verbose',
    'run recorded.yaml --no-files --verbose',
    'run lunch.jsonl --no-files',
    'run odd.jsonl --no-files --notes',
    'run odd.jsonl --predict --no-files',
    'cat reports/small/summary.json',
    'run pair.yaml',
    'cat reports/pair/index.html | kind title conclusion table charts rows links',
    'report reports/small/run.jsonl --verbose',
    'report reports/small/run.jsonl --out again --no-charts',
    'report tiny.yaml',
    'open --print',
    'open reports/small --print',
    'open nothing',
  ]);
});
