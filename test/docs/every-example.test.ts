import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../scripts/damage/agents.mjs';
import { cli, tempFolder } from '../cli/cli.js';
import { ROOT } from '../helpers/architecture/tree.js';
import { cliPage } from '../helpers/pages/cli-page.js';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'bench/README.md'],
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .sort(),
];

/** Commands of the shell that pages and help show, each once, without comments and without where their output goes. */
function examples(): readonly string[] {
  const lines = PAGES.map(read).flatMap((page) => [
    ...[...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
      block!.replaceAll('\\\n', '').split('\n'),
    ),
    ...[...page.matchAll(/^ +\$ (ccbench .*)$/gm)].map(([, line]) => line!),
  ]);
  const commands = lines.flatMap((line) => line.replace(/ +(?:# .*|>+ [^"]*)$/, '').split(' && '));
  return [...new Set(commands.map((line) => line.trim()).filter((line) => /^[^#]/.test(line)))];
}

/** What is not run below: the test that runs it, or why none can. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^npm run |^npm test|^npm ci && npm run quickstart/, 'the table of scripts'],
  [/^node bench\/|^ccbench bench/, 'test/bench/suites.test.ts'],
  [/^(?:npm|npx|git|aws|export|\(cd )/, 'needs a network or another checkout'],
  [/^(?:ANTHROPIC|OPENAI|GOOGLE_GEMINI)_BASE_URL/, 'test/cli/commands/serve/serve.test.ts'],
  [/^ccbench(?: policies --mine)?$/, 'test/cli/overview.test.ts'],

  [/--project shop|--since 2026-10-01|--agent codex --since/, 'test/cli/files/chosen-sessions.test.ts'],
  [
    /^ccbench (?:why|validate) .*--results|^ccbench results out --columns/,
    'test/cli/commands/why/why-results.test.ts',
  ],
  [/--price my-model/, 'test/cli/commands/why/given-prices.test.ts'],
  [/^ccbench exec/, 'test/cli/commands/exec/exec.test.ts'],
  [/ my\.yaml/, 'test/cli/commands/run/live-summaries.test.ts'],
  [/^ccbench serve/, 'test/cli/commands/serve/serve.test.ts'],
  [/^ccbench fleet/, 'test/cli/commands/fleet/fleet.test.ts'],
  [/^ccbench (?:run|compare) scenarios\/(?:\*|complaints|questions|own)/, 'test/scenarios/all.test.ts'],
  [/^eval |^ccbench completion/, 'test/cli/completion.test.ts'],
  [/--sql/, 'test/cli/commands/columns/results.test.ts'],
  [/--count-with gpt-tokenizer,api/, 'needs the API'],
  [/--watch/, 'test/cli/commands/run/watch.test.ts'],
  [/^ccbench open(?! --print)/, 'test/cli/commands/open.test.ts'],
];

/** How each script of package.json is run by the full suite or by `npm run check`, which runs that suite. */
const SCRIPTS: Readonly<Record<string, string>> = {
  build: 'npm run check',
  prepare: 'npm run check',
  test: 'npm run check',
  typecheck: 'npm run check',
  lint: 'npm run check',
  site: 'npm run check',
  deadcode: 'npm run check',
  check: 'npm run check',
  'release-check': 'npm run check',
  format: 'npm run check', // lint with --write
  soak: 'test/engine/replays/all-layers.property.test.ts', // a runner of the property tests
  mutate: 'test/scripts/mutation-copy.test.ts',
  bench: 'test/bench/suites.test.ts',
  damage: 'test/cli/robustness/damage.test.ts',
  clients: 'test/scripts/clients.test.ts', // the clients themselves need a network
  drill: 'test/scripts/drill.test.ts', // the clients themselves need a network
  kills: 'test/cli/robustness/kills.test.ts',
  example: 'test/docs/example-report.test.ts',
  quickstart: 'test/docs/mechanisms-page.test.ts',
};

const STUDY =
  'name: study\ntranscript: { synthetic: { workload: bugfix, turns: 6, text: none } }\npolicy: claude-code/2.1\n';

/** A folder with everything that examples name, and sessions in their usual places. */
async function exampleFolder(): Promise<string> {
  const lunch = /```yaml\n([\s\S]*?)```/.exec(read('README.md'))![1]!;
  const mine = /```yaml\n(# mine[\s\S]*?)```/.exec(read('docs/tutorial.md'))![1]!;
  const cwd = tempFolder({ 'lunch.yaml': lunch, 'mine.yaml': mine, 'study.yaml': STUDY });
  for (const name of ['scenarios', 'fixtures']) symlinkSync(join(ROOT, name), join(cwd, name));
  const session = read('fixtures/bugfix-20-turns.jsonl')
    .replaceAll('2026-01-01T', '2026-08-01T')
    .split('\n')
    .slice(0, 40)
    .join('\n');
  const trace = { id: 't', models: ['claude-sonnet-4-5'], block_size: 64, tool_tokens: 64, system_tokens: 0 };
  const requests = [0, 400].map((t) => ({
    t,
    type: 'n',
    model: 'claude-sonnet-4-5',
    in: 128,
    out: 5,
    hash_ids: [1, 2],
  }));
  const files: Readonly<Record<string, string | Uint8Array>> = {
    ...Object.fromEntries(
      ['session', 'recordings/a', 'sessions/a', 'logs/a', 'path/to/session', '-home-me-project/a'].map(
        (name) => [`${name}.jsonl`, session],
      ),
    ),
    'home/.claude/projects/p/a.jsonl': session,
    'home/.codex/sessions/2026/01/rollout-a.jsonl': AGENTS.codex,
    'traces/a.json.gz': gzipSync(JSON.stringify({ ...trace, hash_id_scope: 'local', requests })),
  };
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
  copyFileSync(join(ROOT, 'scenarios/own-provider/own-gateway.yaml'), join(cwd, 'my-provider.yaml'));
  const plain = ['--no-charts', '--quiet'];
  for (const argv of [
    ['init'],
    ['policies', 'new', 'my-agent'],
    ['run', 'study.yaml', ...plain],
    ['run', 'lunch.yaml', ...plain, '--out', 'reports-of-main'],
    ['validate', 'recordings/', '--save', 'fidelity.json'],
    ['sweep', 'study.yaml', '--vary', 'cache.ttl=5m,1h', '--results', 'out', '--workers', '0'],
  ])
    expect([argv, (await cli(argv, { cwd })).code]).toEqual([argv, 0]);
  for (const name of ['before', 'after'])
    cpSync(join(cwd, 'reports/study'), join(cwd, 'reports', name), { recursive: true });
  copyFileSync(join(cwd, 'reports/study/run.jsonl'), join(cwd, 'run.jsonl'));
  return cwd;
}

/** The words of a command in its smallest form: two points of a thousand, few steps of a search, no page. */
function smallest(line: string): readonly string[] {
  const small = line
    .replace(/^ccbench /, '')
    .replaceAll(/:1\d*(?=[ :]|$)/g, ':2')
    .replace('"$SLURM_ARRAY_TASK_ID/16"', '1/2')
    .replace('3/16', '1/2')
    .replace(/--results \S+/, '--results made')
    .replace('FILE', 'session.jsonl');
  const words = [...small.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
  const [command] = words;
  const isPage =
    /^(?:run|compare|sweep|tune|why)$/.test(command!) && !/--(?:share|no-files|results)\b/.test(small);
  const isKept = /--out|quickstart\.yaml$/.test(small); // another example reads it
  return [
    ...words,
    ...(command === 'tune' ? ['--budget', '4'] : []),
    ...(!isPage ? [] : [isKept ? '--no-charts' : '--no-files']),
  ];
}

describe('every example of the pages and of the help', () => {
  const isElsewhere = (line: string): boolean => ELSEWHERE.some(([pattern]) => pattern.test(line));

  it('works, or is run by another test', async () => {
    const folder = await exampleFolder();
    const lines = examples().filter((line) => !isElsewhere(line));
    expect(lines.length).toBeGreaterThan(80);
    const failed: unknown[] = [];
    for (const line of lines) {
      const cwd = /^ccbench (?:init|policies new)/.test(line) ? tempFolder() : folder;
      const { code, stderr } = await cli(smallest(line), { cwd, env: { HOME: join(folder, 'home') } });
      // These sessions hardly compact: what tune varies makes none of them cheaper.
      const isAnswer = code === 99 && stderr.includes('no setting is better than the unchanged scenario');
      if (code !== 0 && !isAnswer) failed.push([line, code, stderr]);
    }
    expect(failed).toEqual([]);
  });

  it('that another test runs is named with it, and has options that exist', () => {
    const all = examples();
    const help = cliPage();
    for (const line of all.filter((one) => /ccbench|^node bench\/run/.test(one)))
      for (const [option] of line.replace(/ -- .*/, '').matchAll(/(?<= )--[a-z][a-z-]+/g))
        expect(help, line).toMatch(new RegExp(`${option}\\b`));
    for (const [pattern, where] of ELSEWHERE) {
      expect(
        all.some((line) => pattern.test(line)),
        String(pattern),
      ).toBe(true);
      if (where.startsWith('test/')) expect(existsSync(join(ROOT, where)), where).toBe(true);
    }
  });
});

it('every script of package.json is run by the full suite', () => {
  const { scripts } = JSON.parse(read('package.json'));
  expect(Object.keys(SCRIPTS).sort()).toEqual(Object.keys(scripts).sort());
  for (const where of Object.values(SCRIPTS).filter((one) => one.startsWith('test/')))
    expect(existsSync(join(ROOT, where)), where).toBe(true);
  for (const [, name] of PAGES.map(read)
    .join('\n')
    .matchAll(/npm run ([a-z-]+)/g))
    expect(scripts).toHaveProperty(name!);
});
