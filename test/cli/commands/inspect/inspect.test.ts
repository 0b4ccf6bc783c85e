import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedData } from '../../../helpers/recordings/shared.js';
import { cli, TRACE, tempFolder } from '../../cli.js';

const START = Date.parse('2026-01-01T10:00:00Z');

function line(
  type: 'user' | 'assistant',
  n: number,
  seconds: number,
  content: unknown,
  extra: object = {},
): string {
  const usage = {
    input_tokens: 3,
    cache_read_input_tokens: n * 1_000,
    cache_creation_input_tokens: 1_000,
    output_tokens: 20,
  };
  const message =
    type === 'user'
      ? { role: 'user', content }
      : {
          id: `msg_${n}`,
          role: 'assistant',
          model: 'claude-sonnet-4-5',
          content,
          usage,
          stop_reason: 'end_turn',
        };
  return JSON.stringify({
    type,
    uuid: `u${n}-${type}`,
    parentUuid:
      n === 1 && type === 'user'
        ? null
        : `u${type === 'user' ? n - 1 : n}-${type === 'user' ? 'assistant' : 'user'}`,
    sessionId: 's',
    version: '2.1.100',
    isSidechain: false,
    timestamp: new Date(START + seconds * 1_000).toISOString(),
    message,
    ...extra,
  });
}

const text = (words: string) => [{ type: 'text', text: words }];

/** Two human prompts and two answers, ten minutes apart. */
function session(extra: object = {}): readonly string[] {
  return [
    line('user', 1, 0, 'first question', extra),
    line('assistant', 1, 5, text('first answer'), extra),
    line('user', 2, 600, 'second question', extra),
    line('assistant', 2, 606, text('second answer'), extra),
  ];
}

async function inspect(cwd: string, ...paths: string[]) {
  const { code, stdout, stderr } = await cli(['inspect', '--json', ...paths], { cwd });
  expect(code).toBe(0);
  return { ...JSON.parse(stdout), stderr };
}

describe('ccbench inspect', () => {
  it('tells turns, prompts, gaps, sizes and billed tokens of a session', async () => {
    const cwd = tempFolder({ 's.jsonl': `${session().join('\n')}\n` });
    const { files, skipped } = await inspect(cwd, 's.jsonl');
    expect(skipped).toEqual([]);
    expect(files).toHaveLength(1);
    expect(files[0]).toMatchObject({
      file: 's.jsonl',
      id: 's',
      format: 'claude-code',
      agentVersion: '2.1.100',
      models: { 'claude-sonnet-4-5': 2 },
      threads: 1,
      turns: 2,
      humanPrompts: 2,
      callsPerPrompt: 1,
      gaps: { overFiveMinutes: 1, overOneHour: 0 },
      firstPromptTokens: 2_003,
      maxPromptTokens: 3_003,
      billed: { calls: 2, cacheRead: 3_000, input: 6, hitRate: 3_000 / 5_006 },
      compactions: [],
    });
  });

  it('takes what no line shows for no human text', async () => {
    const at = (seconds: number) => new Date(START + seconds * 1_000).toISOString();
    const tokens = { input: 12_207, output: 105, cached: 2_558, thoughts: 0, tool: 0, total: 12_312 };
    const messages = [
      { id: 'u', type: 'user', timestamp: at(0), content: 'x'.repeat(69) },
      { id: 'a', type: 'gemini', timestamp: at(4), content: 'done', tokens, model: 'gemini-2.5-flash' },
    ];
    const chat = JSON.stringify({ sessionId: 's', projectHash: 'h', startTime: at(0), messages });
    const cwd = tempFolder({ 's.json': chat });
    const { content } = (await inspect(cwd, 's.json')).files[0];
    // 69 characters are fewer tokens than that, at least one for every five; the rest of what was not read is in no line.
    expect(content.human).toBeGreaterThan(69 / 5);
    expect(content.human).toBeLessThan(69);
    expect(content.human + content.unrecorded).toBe(12_207 - 2_558);
    const { stdout } = await cli(['inspect', 's.json'], { cwd });
    expect(stdout).toMatch(/not recorded: system, tools, … +9,6\d\d /);
  });

  it('skips a broken line in the middle, names it, and uses the rest', async () => {
    const lines = [...session()];
    lines.splice(2, 0, '{"type":"user","uuid":');
    const cwd = tempFolder({ 's.jsonl': `${lines.join('\n')}\n` });
    const { files } = await inspect(cwd, 's.jsonl');
    expect(files[0].turns).toBe(2);
    const broken = files[0].warnings.find((warning: { code: string }) => warning.code === 'broken-lines');
    expect(broken).toMatchObject({ count: 1 });
    expect(broken.message).toContain('line 3');
    expect((await cli(['inspect', 's.jsonl'], { cwd })).stdout).toContain('line 3');
  });

  it('carries the count of skipped lines into the report of a run', async () => {
    const lines = [...session()];
    lines.splice(2, 0, 'not json');
    const cwd = tempFolder({
      's.jsonl': `${lines.join('\n')}\n`,
      'a.yaml': 'name: replay\ntranscript: { file: s.jsonl }\npolicy: none\n',
    });
    const { code, stdout } = await cli(['run', 'a.yaml'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('line 3');
    const json = JSON.parse((await cli(['run', 'a.yaml', '--json'], { cwd })).stdout);
    expect(json.runs[0].warnings).toContainEqual(expect.objectContaining({ code: 'broken-lines', count: 1 }));
  });

  it('joins the subagents that lie beside a session, and leaves a broken one out', async () => {
    const cwd = tempFolder({ 's.jsonl': `${session().join('\n')}\n` });
    mkdirSync(join(cwd, 's', 'subagents'), { recursive: true });
    const agent = session({ isSidechain: true, agentId: 'a1' }).map((item) =>
      item.replaceAll('"u', '"a').replaceAll('msg_', 'msg_a'),
    );
    writeFileSync(join(cwd, 's', 'subagents', 'agent-a1.jsonl'), `${agent.join('\n')}\n`);
    const { files } = await inspect(cwd, 's.jsonl');
    expect(files[0]).toMatchObject({ threads: 2, subagents: 1, turns: 4 });
    writeFileSync(join(cwd, 's', 'subagents', 'agent-a2.jsonl'), '');
    const again = (await inspect(cwd, 's.jsonl')).files[0];
    expect(again).toMatchObject({ threads: 2, turns: 4 });
    expect(again.warnings).toContainEqual(expect.objectContaining({ code: 'agent-file-left-out', count: 1 }));
  });

  it('reads a request trace, and the good one of two files', async () => {
    const cwd = tempFolder({ 'a.json': TRACE, 'b.jsonl': '' });
    const { files, skipped, stderr } = await inspect(cwd, 'a.json', 'b.jsonl');
    expect(files[0]).toMatchObject({
      format: 'request-trace',
      turns: 4,
      firstPromptTokens: 1_000,
      billed: null,
    });
    // gaps of 20, 400 and 4,000 seconds: nine tenths of the way are four fifths of the last step
    expect(files[0].gaps).toMatchObject({
      p50Ms: 400_000,
      p90Ms: expect.closeTo(3_280_000, 3),
      maxMs: 4_000_000,
      overFiveMinutes: 2,
      overOneHour: 1,
    });
    expect(skipped).toHaveLength(1);
    expect(stderr).toContain('1 of 2 files left out');
  });

  it('TOK-8 counts a file read twice in one thread, not once in each of two', async () => {
    const read = (n: number, id: string) => [
      line('assistant', n, n, [{ type: 'tool_use', id, name: 'Read', input: { file_path: '/a.ts' } }]),
      line('user', n + 1, n + 0.5, [{ type: 'tool_result', tool_use_id: id, content: 'x'.repeat(4_000) }]),
    ];
    const lines = [
      line('user', 1, 0, 'go'),
      ...read(1, 't1'),
      ...read(2, 't2'),
      line('assistant', 3, 9, text('done')),
    ];
    const cwd = tempFolder({ 's.jsonl': `${lines.join('\n')}\n` });
    const { content } = (await inspect(cwd, 's.jsonl')).files[0];
    expect(content.duplicateReads).toMatchObject([{ path: '/a.ts', count: 2, thread: 'main' }]);
    expect(content.toolResults).toMatchObject([{ tool: 'Read', count: 2 }]);
  });

  it.skipIf(!sharedData.present)('agrees with the catalogue of the recordings', async () => {
    // Calls, largest prompt, compactions / microcompactions, gaps over 5 min / 1 h as SOURCES.md lists them.
    const listed = [
      ['entireio__cli__v2.0.64-small', 75, 65_485, 0, 0, 3, 0],
      ['entireio__cli__v2.1.17-microcompact-x2-auto155k-ttl1h', 131, 154_508, 1, 2, 3, 0],
      ['entireio__cli__v2.1.42-auto167k-ttl1h-gap10h', 93, 167_551, 1, 0, 4, 3],
    ] as const;
    for (const [name, calls, context, compactions, micro, fiveMinutes, oneHour] of listed) {
      const path = sharedData.path(`transcripts/claude-code/${name}.jsonl.gz`);
      const facts = (await inspect('.', path)).files[0];
      const kinds = facts.compactions.map((item: { kind: string }) => item.kind);
      expect(facts.turns).toBe(calls);
      expect(Math.abs(facts.maxPromptTokens - context)).toBeLessThan(10);
      expect(kinds.filter((kind: string) => kind === 'compact')).toHaveLength(compactions);
      expect(kinds.filter((kind: string) => kind === 'microcompact')).toHaveLength(micro);
      expect([facts.gaps.overFiveMinutes, facts.gaps.overOneHour]).toEqual([fiveMinutes, oneHour]);
    }
  });
});
