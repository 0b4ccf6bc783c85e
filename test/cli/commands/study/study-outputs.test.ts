import { it } from 'vitest';
import { COMPACTED, LUNCH, QUIET, SHORT, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';

const SCENARIO = `name: lunch
transcript: { synthetic: { workload: bugfix, turns: 30, prefixTokens: 8000, text: none } }
window: 70000
policy: claude-code/2.1.112
variants:
  - { name: hour, cache: { ttl: 1h } }
  - { name: refused, policy: none, window: 30000 }
  - { name: pruned, policy: baselines/prune }
seed: 3
`;
/** Two sessions, of which one variant finishes one. */
const TWO =
  'name: two\ntranscripts: [{ file: logs/lunch.jsonl }, { file: logs/compacted.jsonl }]\npolicy: none\nvariants: [{ name: small, window: 90000 }, { name: tiny, window: 20000 }]\n';

const FILES = {
  'a.yaml': SCENARIO,
  'two.yaml': TWO,
  'b.yaml': SCENARIO.replace('name: lunch', 'name: second').replace(/variants:.*seed: 3/s, 'seed: 4'),
  'logs/compacted.jsonl': COMPACTED,
  'logs/lunch.jsonl': LUNCH,
  'logs/quiet.jsonl': QUIET,
  'logs/short.jsonl': SHORT,
  'logs/unpriced.jsonl': UNPRICED,
};

it('compare prints what is kept', async () => {
  await expectOutputs('compare', FILES, [
    'compare a.yaml --workers 0',
    'compare a.yaml --workers 0 --no-files --verbose',
    'compare a.yaml b.yaml --workers 0 --no-files --baseline hour --metrics costUsd,cacheHitRate,compactions',
    'compare a.yaml --workers 0 --no-files --subject-to "requestsRefused == 0" --subject-to "costUsd < 0.1"',
    'compare a.yaml --workers 0 --no-files --json | variants best compared ranked leftOut',
    'compare a.yaml --workers 0 --no-files --baseline nobody',
    'compare a.yaml --workers 0 --no-files --metrics nothing',
    'compare logs --workers 0 --no-files --set cache.ttl=5m,1h',
    'compare logs --workers 0 --no-files --policy none,claude-code/2026 --verbose',
    'compare logs/lunch.jsonl --workers 0 --no-files --policy none --policy peers/openhands --notes',
    'COLUMNS=60 compare a.yaml --workers 0 --no-files --set seed=1,2',
    'compare two.yaml --workers 0 --no-files --verbose',
    'compare b.yaml --workers 0 --no-files --policy none --set window=12000,13000',
    'compare',
    'cat reports/lunch-compare/report.html | title lead advice cards charts notes table',
  ]);
});

it('sweep prints what is kept', async () => {
  await expectOutputs('sweep', FILES, [
    'sweep b.yaml --vary window.percent=40..90:3 --workers 0',
    'cat reports/second-sweep/report.html | title charts heats',
    'sweep b.yaml --vary window.percent=40..90:3 --workers 0 --verbose',
    'sweep b.yaml --vary cache.ttl=5m,1h --vary seed=1,2 --workers 0 --json | axes best compared ranked fitted',
    'sweep b.yaml --vary window.percent=20,65 --workers 0 --no-files',
    'sweep b.yaml --vary cache.ttl=5m --workers 0 --json --no-files',
    'sweep b.yaml --vary window.explicit=0.3w,0.5w --workers 0 --metrics costUsd,turns ',
    'sweep logs --vary cache.ttl=5m,1h --workers 0 --verbose',
    'sweep b.yaml --vary nothing=1,2 --workers 0',
    'sweep b.yaml --vary window.percent=9..1 --workers 0',
    'COLUMNS=60 sweep b.yaml --vary cache.ttl=5m,1h --workers 0',
    'sweep b.yaml --vary window.percent=40..90:3 --results out --workers 0',
    'sweep b.yaml --vary window.percent=40..90:3 --results out --workers 0',
    'sweep b.yaml --vary window.percent=40..90:3 --results shards --shard 1/2 --workers 0',
    'results out',
    'rows out',
    'results out --best costUsd',
    'results out --best costUsd --top 1 --json',
    'results out --verify',
    'results out --count --where "costUsd > 0"',
    'results out --group window.percent --mean costUsd,turns',
    'results out --mean costUsd --json',
    'results out --best nothing',
    'sweep two.yaml --vary "transcripts=[{file: logs/lunch.jsonl}],[{file: logs/lunch.jsonl},{file: logs/quiet.jsonl}]" --results counts --workers 0',
    'results counts',
    'rows counts',
    'results shards',
    'results nowhere',
  ]);
});

it('tune prints what is kept', async () => {
  await expectOutputs('tune', FILES, [
    'tune b.yaml --minimise costUsd --vary window.percent=30..90 --budget 6 --workers 0',
    'tune b.yaml --maximise cacheHitRate --vary window.percent=30..90 --budget 4 --workers 0 --verbose',
    'tune b.yaml --minimise costUsd --vary window.percent=30..90 --budget 4 --workers 0 --json --no-files',
    'tune b.yaml --minimise costUsd --vary window.percent=30..90 --budget 4 --workers 0 --subject-to "turns == 1"',
    'tune logs/lunch.jsonl --minimise costUsd --vary window.percent=30..90 --budget 4 --workers 0 --no-files',
    'tune b.yaml --minimise costUsd --workers 0',
  ]);
});
