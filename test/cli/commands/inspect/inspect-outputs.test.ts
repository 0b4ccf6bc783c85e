import { it } from 'vitest';
import { AGENTS } from '../../../../scripts/damage/agents.mjs';
import { LUNCH, ODD, QUIET, SHORT, SOURCES, UNPRICED } from '../../../helpers/golden/material.js';
import { expectOutputs } from '../../../helpers/golden/outputs.js';
import { claudeSession, codexSession } from '../../../helpers/home.js';

const SESSIONS = {
  'logs/lunch.jsonl': LUNCH,
  'logs/odd.jsonl': ODD,
  'logs/quiet.jsonl': QUIET,
  'logs/short.jsonl': SHORT,
  'logs/sources.jsonl': SOURCES,
  'unpriced.jsonl': UNPRICED,
  'damaged.jsonl': `${LUNCH.toString().slice(0, 9_000)}\n{"type":"user"\n`,
  'empty.jsonl': '',
  'rollout.jsonl': AGENTS.codex,
};

it('inspect prints what is kept', async () => {
  await expectOutputs('inspect', SESSIONS, [
    '',
    'inspect',
    'inspect empty.jsonl',
    'inspect logs/lunch.jsonl',
    'inspect logs/lunch.jsonl --verbose',
    'inspect logs/odd.jsonl --verbose',
    'inspect logs/odd.jsonl --json',
    'inspect logs/odd.jsonl --notes',
    'inspect logs/short.jsonl --verbose --no-cache',
    'inspect unpriced.jsonl --verbose',
    'inspect rollout.jsonl --verbose',
    'inspect damaged.jsonl --verbose',
    'COLUMNS=60 inspect logs/sources.jsonl --verbose',
    'inspect logs/sources.jsonl --uses',
    'inspect logs/lunch.jsonl --uses --verbose',
    'inspect logs/lunch.jsonl --uses --json | files',
    'inspect logs rollout.jsonl unpriced.jsonl',
    'inspect logs rollout.jsonl unpriced.jsonl --verbose',
    'inspect logs damaged.jsonl empty.jsonl --json | total byProvider skipped repeated',
    'COLUMNS=60 inspect logs',
    'inspect logs --uses --verbose',
    'inspect logs/quiet.jsonl --count-with heuristic --verbose',
    'inspect logs --count-with heuristic --verbose',
    'inspect logs --last 1 --verbose',
    'inspect logs --project garden --since 2026-01-04',
  ]);
});

const HOME = {
  'home/.claude/projects/-code-shop/a.jsonl': claudeSession('a', '2026-03-05T10:00:00Z'),
  'home/.claude/projects/-code-shop/b.jsonl': claudeSession('b', '2026-03-09T10:00:00Z', {
    version: '2.0.76',
  }),
  'home/.claude/projects/-code-garden/c.jsonl': claudeSession('c', '2026-03-09T11:00:00Z', {
    cwd: '/code/garden',
  }),
  'home/.codex/sessions/2026/03/03/rollout-d.jsonl': codexSession('d', '2026-03-03'),
};

it('commands without an argument print what is kept', async () => {
  await expectOutputs('machine', HOME, [
    '',
    '--json',
    'inspect',
    'inspect --json',
    'COLUMNS=60 inspect',
    'inspect --last 1',
    'inspect --agent codex',
    'inspect --agent codex --last 3 --json | sessions total',
    'policies --mine',
    'policies --mine --json',
    'why --no-files',
    'ttl',
    'validate',
    'export --format mooncake',
    'compare --policy none --no-files',
    'cache',
    'cache --json',
    'cache clear',
    'cache',
  ]);
});
