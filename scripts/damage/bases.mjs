import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Lines of the fixture that one recording has. */
const PART_LINES = 16;

/** Longest sessions in scenarios before they are damaged. */
const MOST_TURNS = 10;

/** Recordings from this size on are compiled and kept. */
const CACHED_BYTES = 300_000;

/** A study of six runs, in parts and batches. */
export const STUDY = [
  ...['sweep', 'prune.yaml', '--vary', 'rules.prune.when.piled=2000,4000,6000', '--vary', 'cache.ttl=5m,1h'],
  ...['--workers', '0', '--json'],
];

/** Every file below a folder with its content. */
export function filesIn(folder) {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );
}

function yamlIn(folder) {
  return Object.entries(filesIn(folder))
    .filter(([name]) => name.endsWith('.yaml'))
    .map(([, content]) => content.toString());
}

function scenariosIn(folder) {
  return yamlIn(folder)
    .filter((text) => !text.includes('file:'))
    .map((text) =>
      text.replace(/turns: (\d+)/g, (_found, turns) => `turns: ${Math.min(MOST_TURNS, Number(turns))}`),
    );
}

/** A request trace with reuse, pauses and all kinds of content. */
function trace() {
  return JSON.stringify({
    id: 'trace',
    models: ['claude-sonnet-4-5'],
    block_size: 64,
    requests: [0, 20, 420, 4_420, 4_430].map((t, i) => ({
      t,
      type: i === 3 ? 's' : 'n',
      model: 'claude-sonnet-4-5',
      in: 1_000 + 64 * i,
      out: 10,
      hash_ids: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1_000 + t],
      input_types: ['text'],
      output_types: ['text', 'tool_use'],
      stop: 'end_turn',
    })),
  });
}

/** What `serve --record --keep-text` writes of a conversation with a summary and a side call. */
async function served({ serve }) {
  const { api, recorded } = serve();
  const turns = [
    'Fix it.',
    'Read 1 turn.',
    'And that.',
    'Read 3 turns.',
    'Write a summary of this conversation.',
  ];
  const asked = [
    turns.slice(0, 1),
    turns.slice(0, 3),
    ['A title?'],
    turns,
    ['Summary: fixed', 'Read 1 turn.', 'Go on.'],
  ];
  for (const texts of asked) {
    const messages = texts.map((text, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${text} ${'x'.repeat(4_000)}`,
    }));
    const body = {
      model: 'claude-sonnet-4-5',
      max_tokens: 99,
      cache_control: { type: 'ephemeral' },
      messages,
    };
    const headers = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    await (await api.fetch('http://localhost/v1/messages', init)).text();
  }
  return recorded();
}

async function must(runCli, argv, cwd) {
  const { code, stderr } = await runCli(argv, cwd);
  if (code !== 0) throw new Error(`ccbench ${argv.join(' ')} ended with ${code}: ${stderr}`);
}

/** Sound inputs of every kind: files of the repository, and what the program itself writes. */
export async function prepareBases(root, runCli, work, program) {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const lines = readFileSync(join(root, 'fixtures/bugfix-20-turns.jsonl'), 'utf8').split('\n');
  const parts = [0, PART_LINES, 2 * PART_LINES].map((from) =>
    lines.slice(from, from + PART_LINES).join('\n'),
  );
  const recordings = [...parts, lines.slice(0, 3 * PART_LINES).join('\n'), await served(program)];
  const pad = JSON.stringify({ type: 'system', pad: 'x'.repeat(CACHED_BYTES) });
  const padded = [...lines.slice(0, PART_LINES), pad];
  const scenarios = scenariosIn(join(root, 'scenarios'));
  const small =
    'name: small\ntranscript: { synthetic: { workload: bugfix, turns: 6, text: none } }\npolicy: claude-code/2.1\n';
  const write = (name, text) => writeFileSync(join(work, name), text);
  write('a.yaml', small);
  write('prune.yaml', small.replace('claude-code/2.1', 'baselines/prune'));
  write('r.jsonl', recordings[3]);
  write('big.jsonl', padded.join('\n'));
  const plain = ['--no-charts', '--quiet'];
  await must(runCli, ['run', 'a.yaml', ...plain], work);
  await must(runCli, ['sweep', 'a.yaml', '--vary', 'seed=1,2', '--workers', '0'], work);
  await must(runCli, ['validate', 'r.jsonl', '--save', 'saved.json'], work);
  await must(runCli, ['inspect', 'big.jsonl'], work);
  await must(runCli, [...STUDY, '--results', 'whole'], work);
  await must(runCli, [...STUDY, '--results', 'half', '--shard', '1/2'], work);
  await must(runCli, ['policies', 'new', 'starter'], work);
  const [compiled] = readdirSync(join(work, '.ccbench/transcripts'));
  const read = (name) => readFileSync(join(work, name), 'utf8');
  return {
    scenarios: [...scenarios, small],
    small,
    recordings,
    recording: recordings[3],
    trace: trace(),
    log: read('reports/small/run.jsonl'),
    summary: read('reports/small/summary.json'),
    results: read('reports/small-sweep/sweep.jsonl'),
    saved: read('saved.json'),
    big: read('big.jsonl'),
    ...program,
    prune: read('prune.yaml'),
    studyId: readdirSync(join(work, 'whole/studies'))[0].split('.')[0],
    studies: { whole: filesIn(join(work, 'whole')), half: filesIn(join(work, 'half')) },
    policies: [read('starter.yaml'), ...yamlIn(join(root, 'src/agent/policies/peers'))].map((text) =>
      text.replace(/^name: .*$/m, 'name: tried'),
    ),
    gateway: readFileSync(join(root, 'scenarios/own-provider/own-gateway.yaml'), 'utf8'),
    plugin: readFileSync(join(root, 'docs/examples/clear-old.plugin.mjs'), 'utf8').replace('40_000', '1_000'),
    compiled: { name: compiled, bytes: readFileSync(join(work, '.ccbench/transcripts', compiled)) },
  };
}
