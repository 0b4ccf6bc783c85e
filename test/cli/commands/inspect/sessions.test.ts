import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli, refused, TRACE, tempFolder } from '../../cli.js';

/** One line of a Claude Code session; times in seconds after midnight of a day. */
function line(name: string, n: number, type: 'user' | 'assistant', day: string, extra: object = {}): string {
  const usage = {
    input_tokens: 10,
    cache_read_input_tokens: n * 1_000,
    cache_creation_input_tokens: 500,
    output_tokens: 20,
  };
  const said = [{ type: 'text', text: `${name} ${n}` }];
  const answer = {
    id: `msg_${name}_${n}`,
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content: said,
    usage,
  };
  return JSON.stringify({
    type,
    uuid: `${name}-${type}-${n}`,
    parentUuid: type === 'assistant' ? `${name}-user-${n}` : n === 1 ? null : `${name}-assistant-${n - 1}`,
    sessionId: name,
    cwd: '/code/me/project',
    version: '2.1.100',
    isSidechain: false,
    timestamp: new Date(
      Date.parse(`${day}T00:00:00Z`) + n * 60_000 + (type === 'user' ? 0 : 5_000),
    ).toISOString(),
    message: type === 'user' ? { role: 'user', content: `ask ${n}` } : { ...answer, stop_reason: 'end_turn' },
    ...extra,
  });
}

/** A session of this many calls. Call n reads n × 1,000 tokens, writes 500, sends 10 more and answers with 20. */
function session(name: string, calls: number, day = '2026-03-01', extra: object = {}): string {
  const lines = Array.from({ length: calls }, (_, i) => [
    line(name, i + 1, 'user', day, extra),
    line(name, i + 1, 'assistant', day, extra),
  ]);
  return `${lines.flat().join('\n')}\n`;
}

/** Tokens of a session's first calls by the sentence above. */
function tokensOf(calls: number) {
  const cached = (1_000 * calls * (calls + 1)) / 2;
  return { cached, prompt: cached + 510 * calls, written: 500 * calls, output: 20 * calls };
}

const CODEX = [
  { type: 'session_meta', payload: { id: 'c1', cwd: '/code/me/other', cli_version: '0.140.0' } },
  { type: 'turn_context', payload: { model: 'gpt-5.5', cwd: '/code/me/other' } },
  {
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  },
  {
    type: 'response_item',
    payload: { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] },
  },
  {
    type: 'event_msg',
    payload: {
      type: 'token_count',
      info: {
        total_token_usage: {
          input_tokens: 900,
          cached_input_tokens: 256,
          output_tokens: 30,
          total_tokens: 930,
        },
        last_token_usage: {
          input_tokens: 900,
          cached_input_tokens: 256,
          output_tokens: 30,
          total_tokens: 930,
        },
      },
    },
  },
]
  .map((entry, i) => JSON.stringify({ timestamp: `2026-04-0${i + 1}T10:00:00.000Z`, ...entry }))
  .join('\n');

/** A folder with files at any depth. */
function tree(files: Readonly<Record<string, string>>): string {
  const cwd = tempFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}

async function inspected(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await cli(['inspect', ...argv, '--json'], { cwd, env });
  return { code, stderr, json: JSON.parse(stdout) };
}

const files = (rows: readonly { readonly file: string }[]) => rows.map(({ file }) => file);

describe('naming sessions', () => {
  const TREE = {
    'logs/b.jsonl': session('b', 1),
    'logs/a.jsonl': session('a', 2),
    'logs/deep/er/c.jsonl': session('c', 1),
    'logs/deep/trace.json': TRACE,
    'logs/.hidden/d.jsonl': session('d', 1),
    '-home-me-project/e.jsonl': session('e', 1),
  };

  it.each([
    [['logs'], ['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/er/c.jsonl', 'logs/deep/trace.json']],
    [
      ['logs/b.jsonl', 'logs'],
      ['logs/b.jsonl', 'logs/a.jsonl', 'logs/deep/er/c.jsonl', 'logs/deep/trace.json'],
    ],
    [['logs/*.jsonl'], ['logs/a.jsonl', 'logs/b.jsonl']],
    [['logs/{b,deep/er/c}.jsonl'], ['logs/b.jsonl', 'logs/deep/er/c.jsonl']],
    [
      ['logs/?.jsonl', './logs/a.jsonl'],
      ['logs/a.jsonl', 'logs/b.jsonl'],
    ],
    [['**/er'], ['logs/deep/er/c.jsonl']],
    [['--', '-home-me-project'], ['-home-me-project/e.jsonl']],
    [['--', '-home-me-project/e.jsonl'], ['-home-me-project/e.jsonl']],
    [['./-home-me-project'], ['-home-me-project/e.jsonl']],
  ])('%j', async (argv, expected) => {
    const cwd = tree(TREE);
    const { stdout } = await cli(['inspect', '--json', ...argv], { cwd });
    expect(files(JSON.parse(stdout).sessions)).toEqual(expected);
  });

  it('~ is the home folder, of HOME or of USERPROFILE', async () => {
    const cwd = tree(TREE);
    for (const variable of ['HOME', 'USERPROFILE']) {
      const { json } = await inspected(['~/logs/b.jsonl', '~/logs/d*/**/c.jsonl'], '/', { [variable]: cwd });
      expect(files(json.sessions)).toEqual([join(cwd, 'logs/b.jsonl'), join(cwd, 'logs/deep/er/c.jsonl')]);
    }
  });

  it.each(['-home-me-project', '-Volumes-work', '-Users-me-x'])('says how to write %s', async (name) => {
    const stderr = await refused(['inspect', name], { cwd: tree(TREE) });
    expect(stderr).toContain(`./${name}`);
    expect(stderr).toContain(`-- ${name}`);
  });

  it('a pattern without a file is an error when nothing else is there', async () => {
    const { code, stderr } = await cli(['ttl', 'none/*.jsonl'], { cwd: tree(TREE) });
    expect([code, stderr.includes('no file matches none/*.jsonl')]).toEqual([2, true]);
  });

  it('ttl, validate and compare read the same folders', async () => {
    const cwd = tree({ ...TREE, 's.yaml': 'name: s\ntranscript: { file: x }\npolicy: none\n' });
    const ttl = JSON.parse((await cli(['ttl', 'logs', '--json'], { cwd })).stdout);
    expect(ttl.sessions).toBe(4);
    const validated = JSON.parse((await cli(['validate', 'logs', '--json'], { cwd })).stdout);
    expect(files(validated.files)).toEqual(['logs/a.jsonl', 'logs/b.jsonl', 'logs/deep/er/c.jsonl']);
    const argv = ['compare', 's.yaml', '--json', '--no-files', '--workers', '0', '--transcripts'];
    const compared = JSON.parse(
      (await cli([...argv, 'logs/deep', '--transcripts', '~/logs/a*'], { cwd, env: { HOME: cwd } })).stdout,
    );
    expect(compared.compared).toEqual([
      'logs/deep/er/c.jsonl',
      'logs/deep/trace.json',
      join(cwd, 'logs/a.jsonl'),
    ]);
  });

  it('scenarios take folders and patterns, seen from their own place', async () => {
    const cwd = tree({
      ...TREE,
      'logs/s.yaml':
        'name: s\ntranscripts: [{ file: deep }, { file: "?.jsonl" }, { file: ~/-home-me-project }]\npolicy: none\n',
    });
    const { code, stdout, stderr } = await cli(['run', 'logs/s.yaml', '--no-files', '--json'], {
      cwd,
      env: { HOME: cwd },
    });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).runs.map(({ transcript }: { transcript: string }) => transcript)).toEqual([
      'c',
      'trace',
      'a',
      'b',
      'e',
    ]);
  });

  it('a session among others on one clock is one recording', async () => {
    const cwd = tree({
      ...TREE,
      's.yaml': 'name: s\nsessions: [{ name: one, transcript: { file: logs } }]\npolicy: none\n',
    });
    const { code, stderr } = await cli(['run', 's.yaml', '--no-files'], { cwd });
    expect([code, stderr.includes('4 recordings where one is needed')]).toEqual([2, true]);
  });
});

describe('what a folder holds', () => {
  it('has the figures of each session, and of all together', async () => {
    const cwd = tree({ 'a.jsonl': session('a', 3), 'deep/c.jsonl': CODEX, 'trace.json': TRACE });
    const { json } = await inspected(['.'], cwd);
    const { prompt, cached, written, output } = tokensOf(3);
    // Sonnet 4.5: $3 in, $15 out, read a tenth, written 1.25 times, per million tokens (api.md §1.8).
    const costUsd = (30 * 3 + cached * 0.3 + written * 3.75 + output * 15) / 1e6;
    expect(json.sessions).toMatchObject([
      {
        file: 'a.jsonl',
        agent: 'claude-code',
        provider: 'anthropic',
        models: ['claude-sonnet-4-5'],
        calls: 3,
        promptTokens: prompt,
        cachedTokens: cached,
        writtenTokens: written,
        outputTokens: output,
        costUsd: expect.closeTo(costUsd, 9),
        from: '2026-03-01T00:01:00.000Z',
        to: '2026-03-01T00:03:05.000Z',
        compactions: 0,
      },
      {
        file: 'deep/c.jsonl',
        agent: 'codex',
        provider: 'openai',
        calls: 1,
        promptTokens: 900,
        cachedTokens: 256,
        writtenTokens: null,
        outputTokens: 30,
      },
      {
        file: 'trace.json',
        agent: 'request-trace',
        calls: 4,
        promptTokens: null,
        writtenTokens: null,
        costUsd: null,
      },
    ]);
    expect(json.total).toMatchObject({
      sessions: 3,
      calls: 8,
      promptTokens: prompt + 900,
      writtenTokens: written,
      withoutWrites: 2,
    });
    expect(json.files).toHaveLength(3);
  });

  it('tells the output that it prices, and what of it is estimated', async () => {
    // 275 characters are 100 tokens at the median of 2.75 a token; without a stop reason the count is a placeholder.
    const said = { content: [{ type: 'text', text: 'x'.repeat(275) }] };
    const early = session('old', 1).replaceAll('"stop_reason":"end_turn"', '"stop_reason":null');
    const text = early.replaceAll(/"content":\[\{[^\]]*\]/g, JSON.stringify(said).slice(1, -1));
    const cwd = tree({ 'new.jsonl': session('new', 1), 'old.jsonl': text });
    const { json } = await inspected(['.'], cwd);
    expect(json.sessions).toMatchObject([
      { outputTokens: 20, estimatedOutputTokens: 0 },
      { outputTokens: 100, estimatedOutputTokens: 100, estimatedOutputs: 1 },
    ]);
    expect(json.total).toMatchObject({ outputTokens: 120, estimatedOutputTokens: 100 });
    expect(json.files[1].billed).toMatchObject({ output: 100 });
    const { stdout } = await cli(['inspect', '.'], { cwd });
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('100 of 120 output tokens are estimated');
  });

  it('a model without a known price has no cost', async () => {
    const cwd = tree({
      'a.jsonl': session('a', 2).replaceAll('claude-sonnet-4-5', 'mystery-1'),
      'b.jsonl': session('b', 1),
    });
    const { json } = await inspected(['.'], cwd);
    expect(json.sessions[0]).toMatchObject({
      costUsd: null,
      provider: null,
      promptTokens: tokensOf(2).prompt,
    });
    const { costUsd } = json.sessions[1];
    expect(json.total).toMatchObject({ costUsd, costCalls: 3, unpricedCalls: 2, withoutCost: 1 });
    const { stdout } = await cli(['inspect', '.'], { cwd, columns: 200 });
    expect(stdout).toContain('the cost leaves out 1 of 2 sessions');
    expect(stdout).toContain('the cost is a lower bound: 2 of 3 calls use models without a price');
    expect(stdout).toMatch(
      /2 sessions with 3 calls cost at least \$[\d.]+ as recorded \(2 of 3 calls use models without a price\)/,
    );
    const alone = await cli(['inspect', 'a.jsonl', '--json'], { cwd });
    expect(JSON.parse(alone.stdout).total).toMatchObject({ costUsd: null, unpricedCalls: 2 });
    const text = await cli(['inspect', 'a.jsonl'], { cwd });
    expect(text.stdout).toContain('1 session with 2 calls: no model of the 2 calls has a price');
  });

  it('a session of which some calls have a price cost at least what they cost', async () => {
    const lines = session('a', 3).split('\n');
    const half = lines.map((line, i) => (i < 2 ? line : line.replaceAll('claude-sonnet-4-5', 'mystery-1')));
    const cwd = tree({ 'a.jsonl': half.join('\n'), 'b.jsonl': session('b', 1) });
    const { json } = await inspected(['.'], cwd);
    // the first call of both is the same
    const { costUsd } = json.sessions[1];
    expect(json.sessions[0]).toMatchObject({ costUsd, calls: 3, unpricedCalls: 2 });
    expect(json.total).toMatchObject({ costCalls: 4, unpricedCalls: 2, withoutCost: 0 });
    const { stdout } = await cli(['inspect', '.'], { cwd, columns: 200 });
    expect(stdout).toContain('the cost is a lower bound: 2 of 4 calls use models without a price');
    expect(stdout).toMatch(/2 sessions with 4 calls cost at least \$[\d.]+ as recorded \(2 of 4 calls use/);
    const alone = await cli(['inspect', 'a.jsonl'], { cwd, columns: 200 });
    expect(alone.stdout).toMatch(/as recorded +at least \$[\d.]+: 2 of 3 calls use models without a price/);
  });

  it('counts a call where it is whole: a copy that ends in a response gives way to the session that goes on', async () => {
    // Two lines of one response: 275 characters each are 100 tokens at the median; no stop reason, so the count is a placeholder.
    const text = (letter: string) => [{ type: 'text', text: letter.repeat(275) }];
    const early = session('s', 1)
      .replaceAll('"stop_reason":"end_turn"', '"stop_reason":null')
      .trimEnd()
      .split('\n');
    const first = JSON.parse(early.at(-1)!);
    const more = { ...first, uuid: `${first.uuid}-2`, parentUuid: first.uuid };
    const part = (line: typeof first, letter: string) =>
      JSON.stringify({ ...line, message: { ...line.message, content: text(letter) } });
    const cut = [...early.slice(0, -1), part(first, 'x')].join('\n');
    const cwd = tree({
      'a-cut.jsonl': `${cut}\n`,
      'b-full.jsonl': `${cut}\n${part(more, 'y')}\n${session('t', 1)}`,
    });
    const { json } = await inspected(['.'], cwd);
    expect(json.sessions).toHaveLength(1);
    expect(json.sessions[0].file).toBe('b-full.jsonl');
    const alone = await inspected(['b-full.jsonl'], cwd);
    expect(json.total.costUsd).toBe(alone.json.total.costUsd);
    expect(json.repeated).toMatchObject([{ file: 'a-cut.jsonl', calls: 1 }]);
  });

  it('several sessions are one table with a total, which fits a narrow terminal and says what it leaves out', async () => {
    const long = '0123456789abcdef0123456789abcdef0123456789abcdef';
    const cwd = tree({ [`${long}.jsonl`]: session('a', 12), 'b.jsonl': session('b', 2) });
    const { stdout } = await cli(['inspect', '.'], { cwd, columns: 60 });
    const lines = stdout.trimEnd().split('\n');
    for (const each of lines) expect(each.length, each).toBeLessThanOrEqual(60);
    expect(lines.find((each) => each.startsWith('  2 sessions'))).toMatch(/^ {2}2 sessions +14 /);
    expect(stdout).toContain('not shown in 60 columns: ');
    expect(stdout.replace(/\s+/g, ' ')).toContain('compactions');
  });

  it('lists what is no session with a reason, and reads the rest', async () => {
    const cwd = tree({
      'a.jsonl': session('a', 1),
      'notes.md': 'words',
      'x1.json': '{"a":1}',
      'x2.json': '[]',
      'x3.json': '{"b":[]}',
      'x4.json': '{"c":2}',
      'empty.jsonl': '',
      'broken.jsonl': `${session('z', 1).split('\n')[0]!.slice(0, 40)}\n`,
    });
    const { code, json, stderr } = await inspected(['.'], cwd);
    expect(code).toBe(0);
    expect(files(json.sessions)).toEqual(['a.jsonl']);
    expect(files(json.skipped)).toEqual([
      'broken.jsonl',
      'empty.jsonl',
      'notes.md',
      'x1.json',
      'x2.json',
      'x3.json',
      'x4.json',
    ]);
    expect(json.skipped.every(({ reason }: { reason: string }) => reason !== '')).toBe(true);
    expect(stderr).toContain('left out: notes.md: ');
    expect(stderr).toMatch(/left out: \d files: .*, x\d\.json … and \d more: the file is not a transcript/);
  });

  it('is an error when nothing is a session', async () => {
    const cwd = tree({ 'x1.json': '{"a":1}', 'notes.md': 'words' });
    for (const command of ['inspect', 'ttl', 'validate']) {
      const { code, stderr } = await cli([command, '.'], { cwd });
      expect([command, code]).toEqual([command, 2]);
      expect(stderr).toContain('not a transcript in a known format');
    }
  });

  it('half a last line, a response without usage and a clock that goes back only warn', async () => {
    const bare = session('b', 2).replace(/,"usage":\{[^}]*\}/, '');
    const [first, ...rest] = session('c', 2).split('\n');
    const cwd = tree({
      'a.jsonl': session('a', 2).slice(0, -40),
      'b.jsonl': bare,
      'c.jsonl': [first!.replace('2026-03-01', '2026-03-02'), ...rest].join('\n'),
    });
    const { code, json } = await inspected(['.'], cwd);
    expect(code).toBe(0);
    expect(json.sessions).toMatchObject([{ calls: 1 }, { calls: 1, withoutUsage: 1 }, { calls: 2 }]);
    expect(json.files.flatMap(({ warnings }: { warnings: unknown[] }) => warnings).length).toBeGreaterThan(1);
  });

  it('counts what forks and resumed sessions copied once, and says so', async () => {
    const whole = session('a', 3);
    const copied = whole.split('\n').slice(0, 4).join('\n').replaceAll('"sessionId":"a"', '"sessionId":"b"');
    const cwd = tree({
      'a.jsonl': whole,
      'b.jsonl': `${copied}\n${line('b', 3, 'user', '2026-03-05', { parentUuid: 'a-assistant-2' })}\n${line('b', 3, 'assistant', '2026-03-05')}\n`,
      'copy/a.jsonl': whole,
    });
    const { json, stderr } = await inspected(['.'], cwd);
    expect(json.sessions).toMatchObject([
      { file: 'a.jsonl', calls: 3, promptTokens: tokensOf(3).prompt, repeatedCalls: 0 },
      { file: 'b.jsonl', calls: 1, promptTokens: 3_510, repeatedCalls: 2 },
    ]);
    expect(json.total).toMatchObject({ sessions: 2, calls: 4, promptTokens: tokensOf(3).prompt + 3_510 });
    expect(json.repeated).toEqual([{ file: 'copy/a.jsonl', calls: 3 }]);
    expect(stderr).toContain('counted once: 2 calls of b.jsonl are in an earlier session too\n');
    const ttl = await cli(['ttl', '.', '--json'], { cwd });
    expect(JSON.parse(ttl.stdout).sessions).toBe(2);
    expect(ttl.stderr).toContain('left out: copy/a.jsonl: all of its 3 calls are in a.jsonl too');
    // A replay needs the calls of the fork in the fork: sums over both have them twice, and it is said.
    const shared = [{ file: 'b.jsonl', calls: 2 }];
    expect(JSON.parse(ttl.stdout).sharedCalls).toEqual(shared);
    const twice = 'counted in each: 2 calls of b.jsonl are in an earlier session too; ccbench inspect counts';
    expect(ttl.stderr).toContain(twice);
    const validated = await cli(['validate', '.', '--json'], { cwd });
    expect(JSON.parse(validated.stdout).sharedCalls).toEqual(shared);
    expect(validated.stderr).toContain(twice);
    const why = await cli(['why', '.', '--json'], { cwd });
    expect(why.stderr).toContain('counted once: 2 calls of b.jsonl are in an earlier session too\n');
  });

  it('subagents belong to their sessions, in a folder of their own or beside them', async () => {
    const agent = (name: string, of: string) =>
      session(name, 1, '2026-03-01', { isSidechain: true, agentId: name, sessionId: of });
    const cwd = tree({
      'p/one.jsonl': session('one', 2),
      'p/agent-x.jsonl': agent('x', 'one'),
      'p/one/subagents/agent-y.jsonl': agent('y', 'one'),
      'p/agent-z.jsonl': agent('z', 'gone'),
    });
    const { json } = await inspected(['p'], cwd);
    expect(json.sessions).toMatchObject([{ file: 'p/one.jsonl', calls: 4 }]);
    expect(json.files[0]).toMatchObject({ subagents: 2 });
    expect(json.skipped).toMatchObject([
      { file: 'p/agent-z.jsonl', reason: expect.stringContaining('session is missing') },
    ]);
    const named = await inspected(['p/one.jsonl', 'p/agent-x.jsonl', 'p/agent-z.jsonl'], cwd);
    expect(files(named.json.sessions)).toEqual(['p/one.jsonl', 'p/agent-z.jsonl']);
  });
});

describe('ccbench inspect without an argument', () => {
  const HOME = {
    '.claude/projects/-home-me-project/one.jsonl': session('one', 2, '2026-03-01'),
    '.claude/projects/-home-me-project/two.jsonl': session('two', 1, '2026-03-09'),
    '.claude/projects/-home-me-project/agent-x.jsonl': session('x', 1, '2026-01-01', { sessionId: 'one' }),
    '.codex/sessions/2026/04/01/rollout-2026-04-01-c1.jsonl': CODEX,
    '.claude/projects/-home-me-project/sessions-index.jsonl': '{"version":1}\n',
  };

  it('lists the sessions of every known agent by project, with days and size', async () => {
    const home = tree(HOME);
    const { code, json, stderr } = await inspected([], '/', { HOME: home });
    expect(code).toBe(0);
    const bytes =
      HOME['.claude/projects/-home-me-project/one.jsonl'].length +
      HOME['.claude/projects/-home-me-project/two.jsonl'].length;
    expect(json.projects).toEqual([
      {
        agent: 'claude-code',
        project: '/code/me/project',
        folder: join(home, '.claude/projects/-home-me-project'),
        sessions: 2,
        from: '2026-03-01',
        to: '2026-03-09',
        bytes,
      },
      {
        agent: 'codex',
        project: '/code/me/other',
        folder: join(home, '.codex/sessions/2026/04/01'),
        sessions: 1,
        from: '2026-04-01',
        to: '2026-04-05',
        bytes: CODEX.length,
      },
    ]);
    expect(stderr).toContain('sessions-index.jsonl');
    const { stdout } = await cli(['inspect'], { cwd: '/', env: { HOME: home }, columns: 60 });
    for (const each of stdout.split('\n').filter((text) => !text.includes('/')))
      expect(each.length, each).toBeLessThanOrEqual(60);
    expect(stdout).toMatch(/claude-code +\S*e\/project +2 +2026-03-01–03-09/);
    expect(stdout).toMatch(/all +2 projects +3 +2026-03-01–04-05/);
  });

  it('looks where the environment says that agents keep their sessions', async () => {
    const home = tree({});
    const other = tree({
      'c/projects/p/one.jsonl': session('one', 1),
      'x/sessions/2026/04/01/rollout-c1.jsonl': CODEX,
    });
    const env = { HOME: home, CLAUDE_CONFIG_DIR: join(other, 'c'), CODEX_HOME: join(other, 'x') };
    const { json } = await inspected([], '/', env);
    expect(json.projects.map(({ agent }: { agent: string }) => agent)).toEqual(['claude-code', 'codex']);
    expect(json.looked).not.toContainEqual(expect.stringContaining('.codex'));
  });

  it('says where it looked when there is nothing', async () => {
    const stderr = await refused(['inspect'], { cwd: '/', env: { HOME: tree({}) } });
    expect(stderr).toContain('~/.claude/projects');
    expect(stderr).toContain('~/.codex/sessions');
    expect(stderr).toContain('ccbench inspect <path>');
  });
});
