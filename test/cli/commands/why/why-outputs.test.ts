import { it } from 'vitest';
import { COMPACTED, LUNCH, ODD, QUIET, SHORT, SOURCES, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';

const FILES = {
  'logs/lunch.jsonl': LUNCH,
  'logs/compacted.jsonl': COMPACTED,
  'odd.jsonl': ODD,
  'logs/quiet.jsonl': QUIET,
  'logs/short.jsonl': SHORT,
  'logs/sources.jsonl': SOURCES,
  'unpriced.jsonl': UNPRICED,
  'damaged.jsonl': `${LUNCH.toString().slice(0, 9_000)}\n{"type":"user"\n`,
  'empty.jsonl': '',
};

it('why prints what is kept', async () => {
  await expectOutputs('why', FILES, [
    'why',
    'why nothing-*.jsonl',
    'why empty.jsonl',
    'why unpriced.jsonl --no-files',
    'why unpriced.jsonl --no-files --price their-model=1,5',
    'why logs/quiet.jsonl --no-files',
    'why logs/lunch.jsonl --no-files --verbose',
    'why damaged.jsonl --no-files',
    'why odd.jsonl --no-files --verbose',
    'why logs unpriced.jsonl',
    'cat reports/why/why.html',
    'COLUMNS=60 why logs --no-files --top 2',
    'why logs --no-files --verbose --by kind',
    'why logs --no-files --json',
    'why logs --share',
    'why logs --fix',
    'why logs --trend',
    'why logs --trend --json | trend',
    'why logs --split 2026-01-05',
    'why logs --split 2026-01-05 --json | split',
    'why logs --limits',
    'why logs --limits --json --observed 2026-01-02T00:05=63% --observed weekly:2026-01-02T00:05=40% | limits',
    'why logs --limits',
    'why logs --limits --observed later',
    'why logs --top x',
    'why logs/compacted.jsonl logs/short.jsonl unpriced.jsonl --results out',
    'rows out',
    'results out',
    'results out --columns',
    'why logs unpriced.jsonl empty.jsonl --share --json',
  ]);
});
