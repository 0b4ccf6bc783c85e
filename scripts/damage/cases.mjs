import { damageBytes, damageJson, damageRecord, damageText } from './mutate.mjs';

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
    ['ttl', file],
    ['validate', file],
    ['run', 'a.yaml', '--no-files'],
    ['run', 'a.yaml', '--no-files'],
    ['compare', 'a.yaml', '--policy', 'none,claude-code/2.1', '--no-files', '--workers', '0'],
    ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--no-files', '--workers', '0'],
  ];
  return [...random.pick(read), ...json];
}

function jsonDamage(text, random) {
  return random.chance(0.3) ? damageText(text, random) : JSON.stringify(damageJson(JSON.parse(text), random));
}

/** The kinds of damaged input: each gives the files of a case and the command that reads them. */
export const KINDS = {
  scenario: (bases, random) => ({
    files: { 'a.yaml': damageText(random.pick(bases.scenarios), random) },
    argv: ['run', 'a.yaml', '--no-files', ...(random.chance(0.3) ? ['--json'] : ['--no-timings'])],
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
    argv: [
      'sweep',
      'a.yaml',
      '--vary',
      'seed=1,2',
      '--workers',
      '0',
      ...(random.chance(0.3) ? ['--json'] : []),
    ],
  }),
  baseline: (bases, random) => ({
    files: { 'a.yaml': bases.small, 'before/small/summary.json': jsonDamage(bases.summary, random) },
    argv: ['run', 'a.yaml', '--baseline', 'before', '--no-files', '--no-timings'],
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
  }),
};

/** How often each kind is drawn, of 100. */
const WEIGHTS = {
  scenario: 30,
  recording: 30,
  trace: 12,
  log: 16,
  results: 2,
  baseline: 4,
  saved: 3,
  compiled: 3,
};

const DRAWN = Object.entries(WEIGHTS).flatMap(([kind, weight]) => Array(weight).fill(kind));

/** One damaged input with the command that reads it. */
export function makeCase(bases, random) {
  const kind = random.pick(DRAWN);
  return { kind, ...KINDS[kind](bases, random) };
}
