import { AGENTS } from './agents.mjs';
import { damageBytes, damageJson, damageRecord, damageText } from './mutate.mjs';
import { NAMED_KINDS, RAN, withKnown } from './named.mjs';

const POLICIES = [
  'none',
  'unbounded',
  'baselines/truncate',
  'baselines/prune',
  'claude-code/2.0',
  'claude-code/2.1.112',
  'claude-code/2026',
];

const OVER = (policy, file) => `name: over\ntranscript: { file: ${file} }\npolicy: ${policy}\n`;

/** Commands that read a recording or a trace. */
function overFile(file, random) {
  const json = random.chance(0.3) ? ['--json'] : [];
  const read = [
    ['inspect', file],
    ['inspect', file, '--uses'],
    ['ttl', file],
    ['validate', file],
    ['why', file, '--no-files'],
    ['why', file, '--share'],
    ['diff', file],
    ['run', 'a.yaml', '--no-files'],
    ['run', 'a.yaml', '--no-files'],
    ['compare', 'a.yaml', '--policy', 'none,claude-code/2.1', '--no-files', '--workers', '0'],
    ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--no-files', '--workers', '0'],
  ];
  return [...random.pick(read), ...json];
}

const SWEPT = ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--workers', '0', '--json'];

function jsonDamage(text, random) {
  return random.chance(0.3) ? damageText(text, random) : JSON.stringify(damageJson(JSON.parse(text), random));
}

/** Damage of any sort: what it must come to is known where a copy of the truth is left. */
const ANY_KINDS = {
  scenario: (bases, random) => ({
    files: { 'a.yaml': damageText(random.pick(bases.scenarios), random) },
    argv: ['run', 'a.yaml', '--no-files', ...(random.chance(0.3) ? ['--json'] : [])],
  }),
  recording: (bases, random) => ({
    files: {
      'r.jsonl': damageRecord(random.pick(bases.recordings), random),
      'a.yaml': OVER(random.pick(POLICIES), 'r.jsonl'),
    },
    argv: overFile('r.jsonl', random),
  }),
  trace: (bases, random) => ({
    files: {
      't.json': random.chance(0.7) ? jsonDamage(bases.trace, random) : damageRecord(bases.trace, random),
      'a.yaml': OVER(random.pick(POLICIES), 't.json'),
    },
    argv: overFile('t.json', random),
  }),
  agent: (_bases, random) => {
    const text = random.pick(Object.values(AGENTS));
    return {
      files: {
        'r.jsonl':
          !text.includes('\n') && random.chance(0.5) ? jsonDamage(text, random) : damageRecord(text, random),
        'a.yaml': OVER(random.pick(POLICIES), 'r.jsonl'),
      },
      argv: overFile('r.jsonl', random),
    };
  },
  log: (bases, random) => ({
    files: { 'run.jsonl': damageRecord(bases.log, random) },
    argv: [
      'report',
      'run.jsonl',
      ...(random.chance(0.3) ? ['--json'] : []),
      ...(random.chance(0.1) ? ['--out', 'out', '--no-charts'] : []),
    ],
  }),
  results: (bases, random) => ({
    files: {
      'a.yaml': bases.small,
      'reports/small-sweep/sweep.jsonl': damageRecord(bases.results, random),
    },
    argv: SWEPT,
    // Every line carries a checksum: what is not as it was written is run again.
    right: { is: 'same', as: { files: { 'a.yaml': bases.small }, argv: SWEPT }, leftOut: RAN },
  }),
  baseline: (bases, random) => ({
    files: { 'a.yaml': bases.small, 'before/small/summary.json': jsonDamage(bases.summary, random) },
    argv: ['run', 'a.yaml', '--baseline', 'before', '--no-files'],
  }),
  saved: (bases, random) => ({
    files: { 'r.jsonl': bases.recording, 'saved.json': jsonDamage(bases.saved, random) },
    argv: ['validate', 'r.jsonl', '--baseline', 'saved.json'],
  }),
  compiled: (bases, random) => ({
    files: {
      'big.jsonl': bases.big,
      [`.ccbench/transcripts/${bases.compiled.name}`]: damageBytes(bases.compiled.bytes, random),
    },
    argv: ['inspect', 'big.jsonl'],
    right: { is: 'same', as: { files: { 'big.jsonl': bases.big }, argv: ['inspect', 'big.jsonl'] } },
  }),
};

/** The kinds of damaged input: each gives the files of a case and the command that reads them, or how it is checked. */
export const KINDS = { ...withKnown(ANY_KINDS), ...NAMED_KINDS };

/** How often each kind is drawn, of 100. */
const WEIGHTS = {
  scenario: 12,
  recording: 12,
  agent: 10,
  trace: 6,
  log: 8,
  results: 1,
  baseline: 3,
  saved: 2,
  compiled: 2,
  parts: 3,
  policy: 8,
  provider: 5,
  plugin: 3,
  job: 7,
  request: 18,
};

const DRAWN = Object.entries(WEIGHTS).flatMap(([kind, weight]) => Array(weight).fill(kind));

/** One damaged input with the command that reads it. */
export function makeCase(bases, random) {
  const kind = random.pick(DRAWN);
  return { kind, ...KINDS[kind](bases, random) };
}
