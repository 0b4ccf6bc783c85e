import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { count, meta, say, turn } from '../../../helpers/recordings/rollout.js';
import { cli, scenario, TRACE, tempFolder } from '../../cli.js';

/** A generated session of Claude Code 2.1.217, for whose version the profile 2.1.325 speaks. */
const SESSION = readFileSync(join(import.meta.dirname, '../../../../fixtures/bugfix-20-turns.jsonl'));

/** What a user would have to write to run the same. */
const WRITTEN = `name: s
transcript: { file: s.jsonl }
policy:
  use: claude-code/2.1.325
  set:
    client.use: recorded
    restore.announced: [deferred_tools_delta, agent_listing_delta, mcp_instructions_delta] # no list of skills before 2.1.228
`;

const ROLLOUT = [
  meta(0),
  turn(1),
  say(2, 'user', 'Fix the parser, please.'),
  say(10, 'assistant', 'Done.'),
  count(11, 9_000, { input: 9_000, output: 40 }),
  say(20, 'user', 'And the lexer.'),
  say(30, 'assistant', 'Done as well.'),
  count(31, 18_200, { input: 9_200, cached: 8_900, output: 50 }),
].join('\n');

/** A session of pi: one question and its answer. */
const PI = [
  { type: 'session', version: 3, id: 'a', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/x' },
  {
    type: 'message',
    id: 'u1',
    parentId: null,
    timestamp: '2026-01-01T00:00:01.000Z',
    message: { role: 'user', content: [{ type: 'text', text: 'Fix the parser.' }] },
  },
  {
    type: 'message',
    id: 'a1',
    parentId: 'u1',
    timestamp: '2026-01-01T00:00:09.000Z',
    message: {
      role: 'assistant',
      content: [{ type: 'text', text: 'Done.' }],
      api: 'anthropic-messages',
      provider: 'anthropic',
      model: 'claude-opus-4-5',
      usage: {
        input: 10,
        output: 20,
        cacheRead: 0,
        cacheWrite: 9_000,
        totalTokens: 9_030,
        cost: { total: 1 },
      },
      stopReason: 'stop',
      timestamp: Date.UTC(2026, 0, 1),
    },
  },
]
  .map((line) => JSON.stringify(line))
  .join('\n');

interface RunJson {
  readonly runs: readonly {
    readonly name: string;
    readonly policy: string;
    readonly digest: string;
    readonly metrics: Readonly<Record<string, number>>;
  }[];
}

async function run(cwd: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await cli(['run', ...argv, '--json', '--no-files'], {
    cwd,
  });
  expect(code, stderr).toBe(0);
  return { stderr, runs: (JSON.parse(stdout) as RunJson).runs };
}

describe('a recording in the place of a scenario', () => {
  it('is run as its own client would, packed or not, and says so', async () => {
    const cwd = tempFolder({
      's.jsonl': SESSION,
      's.jsonl.gz': gzipSync(SESSION),
      's.yaml': WRITTEN,
    });
    const written = await run(cwd, 's.yaml');
    for (const file of ['s.jsonl', 's.jsonl.gz']) {
      const recorded = await run(cwd, file);
      expect(recorded.runs[0]).toMatchObject({ name: 's', policy: 'claude-code/2.1.325' });
      expect(recorded.runs[0]!.digest).toBe(written.runs[0]!.digest);
      expect(recorded.stderr).toContain(
        `${file} is a recording: run as its own client (claude-code/2.1.325,`,
      );
    }
  });

  it('takes the changes of the command line', async () => {
    const cwd = tempFolder({ 's.jsonl': SESSION, 's.yaml': WRITTEN });
    for (const change of [
      ['--set', 'window.percent=12'],
      ['--set', 'cache.ttl=1h'],
      ['--policy', 'none'],
      ['--model', 'claude-opus-4-5'],
      ['--seed', '7'],
    ]) {
      const [recorded, written] = [await run(cwd, 's.jsonl', ...change), await run(cwd, 's.yaml', ...change)];
      expect(recorded.runs[0]!.digest, change.join(' ')).toBe(written.runs[0]!.digest);
    }
    // 30 % of the window are fewer than the 67,000 tokens that the session comes to; this client does not compact on its model.
    const early = ['--set', 'window.percent=30', '--set', 'autoCompact.exceptModels=[]'];
    expect((await run(cwd, 's.jsonl', ...early)).runs[0]!.metrics.compactions).toBeGreaterThan(0);
  });

  it('is compared, swept and tuned like a scenario', async () => {
    const cwd = tempFolder({ 's.jsonl': SESSION });
    const compared = await cli(['compare', 's.jsonl', '--policy', 'none,baselines/truncate', '--json'], {
      cwd,
    });
    expect(compared.code, compared.stderr).toBe(0);
    const { variants } = JSON.parse(compared.stdout) as { variants: readonly { name: string }[] };
    expect(variants.map(({ name }) => name)).toEqual(['as recorded', 'base', 'none', 'baselines/truncate']);
    const vary = ['--vary', 'window.percent=12,95'];
    const swept = await cli(['sweep', 's.jsonl', ...vary, '--json', '--no-files', '--workers', '1'], { cwd });
    expect(swept.code, swept.stderr).toBe(0);
    const search = ['--minimise', 'costUsd', '--budget', '2', '--workers', '1', '--no-files', '--json'];
    const tuned = await cli(['tune', 's.jsonl', ...vary, ...search], { cwd });
    expect([0, 99], tuned.stderr).toContain(tuned.code);
  });

  it('of Codex has the policy of Codex, of another agent that of its sources, of nobody known none, and says so', async () => {
    const cwd = tempFolder({ 'rollout.jsonl': ROLLOUT, 't.json': TRACE, 'pi.jsonl': PI });
    const codex = await run(cwd, 'rollout.jsonl');
    expect(codex.runs[0]!.policy).toMatch(/^peers\/codex/);
    const trace = await run(cwd, 't.json');
    expect(trace.runs[0]!.policy).toBe('none');
    expect(trace.stderr).toContain('no policy is known to be that of its client');
    const pi = await run(cwd, 'pi.jsonl');
    expect(pi.runs[0]!.policy).toBe('peers/pi');
    expect(pi.stderr).toContain('no policy was measured on its client, so it is run with peers/pi');
  });

  it('stands alone beside scenarios in a comparison: several are sessions to compare on', async () => {
    const cwd = tempFolder({ 'a.jsonl': SESSION, 'b.jsonl': SESSION, 's.yaml': scenario('tiny') });
    const { code, stderr } = await cli(['compare', 's.yaml', 'a.jsonl', 'b.jsonl'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('ccbench compare a.jsonl --transcripts a.jsonl b.jsonl');
  });

  it('that cannot be read is reported beside the problems of other files', async () => {
    const cwd = tempFolder({
      's.jsonl.gz': gzipSync(SESSION).subarray(0, 3_000),
      'a.yaml': 'name: a\ncach: 1\n',
    });
    const { code, stderr } = await cli(['run', 's.jsonl.gz', 'a.yaml'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('s.jsonl.gz');
    expect(stderr).toContain('a.yaml:2:1');
  });
});

describe('a recording', () => {
  it('of the longest name that a file may have, in whatever letters, is run', async () => {
    const name = `${'ä-very-long-name'.repeat(15).slice(0, 233)}.jsonl`;
    expect(Buffer.byteLength(name)).toBeGreaterThan(250);
    const cwd = tempFolder({ [name]: SESSION });
    for (const argv of [
      ['run', name],
      ['compare', name, '--set', 'cache.ttl=5m,1h'],
      ['sweep', name, '--vary', 'cache.ttl=5m,1h'],
    ])
      expect(await cli(argv, { cwd })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('report.html'),
      });
  });

  it('among several names no study over them all', async () => {
    const other = `${SESSION}`.replaceAll('"main-call-', '"other-call-');
    const cwd = tempFolder({ 's.jsonl': SESSION, 't.jsonl': other });
    const sessions = ['--transcripts', '*.jsonl', '--workers', '0'];
    const named = async (...argv: readonly string[]) =>
      /reports\/(\S+)\/report.html/.exec((await cli([...argv, ...sessions], { cwd })).stdout)?.[1];
    const swept = await named('sweep', 's.jsonl', '--vary', 'cache.ttl=5m,1h');
    expect(swept).toMatch(/^2-sessions-[0-9a-f]{8}-sweep$/);
    expect(await named('sweep', 't.jsonl', '--vary', 'cache.ttl=5m,1h')).toBe(swept);
    expect(await named('compare', 's.jsonl', '--set', 'cache.ttl=5m,1h')).toBe(
      swept!.replace('sweep', 'compare'),
    );
    const columns = ['sweep', 's.jsonl', '--vary', 'cache.ttl=5m,1h', '--results', 'out', '--json'];
    const { stdout } = await cli([...columns, ...sessions], { cwd });
    expect(JSON.parse(stdout).name).toBe(swept);
  });

  it('of Claude under another provider says in its first line which model it became', async () => {
    const cwd = tempFolder({ 's.jsonl': SESSION });
    for (const argv of [
      ['run', 's.jsonl', '--set', 'provider=openai'],
      ['compare', 's.jsonl', '--set', 'provider=anthropic,openai'],
      ['sweep', 's.jsonl', '--vary', 'provider=anthropic,openai'],
    ]) {
      const { stdout } = await cli([...argv, '--no-files'], { cwd });
      expect(stdout).toMatch(
        /^OpenAI .* serves none of the models of the session: gpt-\S+ stands for them\n/,
      );
    }
  });
});
