import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam, Tool } from '@anthropic-ai/sdk/resources/messages';
import { describe, expect, it } from 'vitest';
import { servedReader } from '../../../../src/transcripts/readers/served.js';
import { hideWarnings } from '../../../helpers/hide-warnings.js';
import { cli, tempFolder } from '../../cli.js';
import { serving } from './serving.js';

const MODEL = 'claude-sonnet-4-5';

hideWarnings();

const tool = (name: string): Tool => ({ name, description: 'd', input_schema: { type: 'object' } });

/** A request of a conversation with 3,000 tokens of system prompt; four characters a token. */
function asked(messages: MessageParam[], system = 's', tools: Tool[] = [tool('Read')]) {
  const cache_control = { type: 'ephemeral' } as const;
  const body = { model: MODEL, max_tokens: 500, cache_control, tools, messages };
  return { ...body, system: [{ type: 'text' as const, text: system.repeat(12_000), cache_control }] };
}

const user = (...content: string[]): MessageParam => ({
  role: 'user',
  content: content.map((text) => ({ type: 'text', text })),
});
const ANSWER = { role: 'assistant', content: 'Read 1 turn.' } as const;

/** Two prompts, a summary and what follows it, and beside them a subagent of two requests. */
async function converse(url: string, pass: (seconds: number) => void): Promise<void> {
  const client = new Anthropic({ apiKey: 'sk-secret', baseURL: url, maxRetries: 0 });
  const send = (body: ReturnType<typeof asked>) => client.messages.create(body);
  const first = user('reminder', `first ${'m'.repeat(20_000)}`);
  await send(asked([first]));
  pass(20);
  await send(asked([first, ANSWER, user('second')]));
  pass(20);
  await send(asked([user('look at this')], 'a'));
  pass(20);
  await send(asked([user('look at this'), ANSWER, user('go on')], 'a'));
  pass(400);
  const history = [first, ANSWER, user('second'), { ...ANSWER, content: 'Read 3 turns.' }];
  await send(asked([...history, user('Write a summary of this conversation.')]));
  pass(20);
  await send(asked([user('reminder', 'Summary: first and second', 'third')]));
}

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

describe('ccbench serve --record', () => {
  it('records every request as it is answered, for its owner alone, without texts', async () => {
    const cwd = tempFolder({ 'out.jsonl': 'an earlier one' });
    const { url, pass, stop } = await serving(cwd, ['--record', 'out.jsonl']);
    const path = join(cwd, 'out.jsonl');
    expect(readFileSync(path, 'utf8')).toBe('an earlier one'); // until there is something to record
    await converse(url, pass);
    const text = readFileSync(path, 'utf8'); // before the server ends
    expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const secret of ['sk-secret', 'mmmm', 'ssss', 'Summary', 'Read 1 turn'])
      expect(text).not.toContain(secret);
    const [head, ...lines] = linesOf(path);
    expect(head).toEqual({
      format: 'ccbench-serve',
      version: 1,
      startedAt: '2026-11-17T12:00:00.000Z',
      counter: 'heuristic',
      text: 'digests',
    });
    expect(lines.map(({ n, atMs, conversation, kind }) => [n, atMs, conversation, kind])).toEqual([
      [1, 0, 1, 'main'],
      [2, 20_000, 1, 'main'],
      [3, 40_000, 2, 'agent'],
      [4, 60_000, 2, 'agent'],
      [5, 460_000, 1, 'summary'],
      [6, 480_000, 1, 'main'],
    ]);
    // tools, system, two texts; then the answer and the next prompt alone
    expect(lines[0].parts.map(({ role, tokens }: Record<string, unknown>) => [role, tokens])).toEqual([
      ['tools', expect.any(Number)],
      ['system', 3_000],
      ['user', 2],
      ['user', 5_002],
    ]);
    expect(lines[1]).toMatchObject({
      base: 1,
      same: 4,
      parts: [{ role: 'assistant', tokens: 3 }, { role: 'user' }],
    });
    expect(lines[1]).toMatchObject({
      api: 'messages',
      model: MODEL,
      stop: 'end_turn',
      marks: [
        [1, 300],
        [5, 300],
      ],
    });
    // the subagent's second request is told by its first
    expect(lines[3]).toMatchObject({ base: 3, same: 3 });
    expect(lines[5]).toMatchObject({ base: 5, same: 3, miss: 'compaction' });
    expect((await stop()).stderr).toContain('6 requests recorded in out.jsonl');
    expect(readFileSync(path, 'utf8')).toBe(text);
    expect(readdirSync(cwd)).toEqual(['out.jsonl']);
  });

  it('--keep-text records the texts, each once in its conversation', async () => {
    const cwd = tempFolder();
    const { url, pass } = await serving(cwd, ['--record', 'out.jsonl', '--keep-text']);
    await converse(url, pass);
    const text = readFileSync(join(cwd, 'out.jsonl'), 'utf8');
    expect(text.split('"first mmm')).toHaveLength(2);
    expect(text.split('Summary: first and second')).toHaveLength(2);
    expect(text).not.toContain('sk-secret');
  });

  it('a block that moves behind an edit is told by its place', async () => {
    const cwd = tempFolder();
    const { url } = await serving(cwd, ['--record', 'out.jsonl', '--keep-text']);
    const client = new Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
    const turns = ['one', 'two', 'three', 'four'].flatMap((text) => [user(text), ANSWER]);
    await client.messages.create(asked([user('date 1'), ANSWER, ...turns, user('end')]));
    await client.messages.create(
      asked([user('date 1'), { ...ANSWER, content: 'Other.' }, ...turns, user('end')]),
    );
    const [, , second] = linesOf(join(cwd, 'out.jsonl'));
    expect(second).toMatchObject({ base: 1, same: 3, parts: [{ text: 'Other.' }, [4, 9]] });
  });

  it('inspect shows the calls, tokens and dollars that the server came to', async () => {
    const cwd = tempFolder();
    const { url, pass, stop } = await serving(cwd, ['--json', '--record', 'out.jsonl']);
    await converse(url, pass);
    const { totals } = JSON.parse((await stop()).stdout);
    const inspected = await cli(['inspect', 'out.jsonl', '--json'], { cwd });
    expect({ code: inspected.code, stderr: inspected.stderr }).toEqual({ code: 0, stderr: '' });
    const facts = JSON.parse(inspected.stdout);
    const { usage } = totals;
    expect(facts.total).toMatchObject({
      calls: 6,
      compactions: 1,
      promptTokens: usage.input + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h,
      cachedTokens: usage.cacheRead,
      writtenTokens: usage.cacheWrite5m + usage.cacheWrite1h,
      outputTokens: usage.output,
    });
    // $3 in, $15 out, $0.30 read, $3.75 written per million, in billionths of a dollar
    const nano =
      usage.input * 3_000 + usage.cacheRead * 300 + usage.cacheWrite5m * 3_750 + usage.output * 15_000;
    expect(Math.round(facts.total.costUsd * 1e9)).toBe(nano);
    expect(facts.total.costUsd).toBe(totals.costUsd);
  });

  it.each([
    ['why', ['why', 'out.jsonl', '--json']],
    ['ttl', ['ttl', 'out.jsonl', '--json']],
    ['validate', ['validate', 'out.jsonl', '--json']],
    ['diff', ['diff', 'out.jsonl', 'out.jsonl', '--json']],
    ['run', ['run', 'a.yaml', '--no-files', '--json']],
    [
      'compare',
      ['compare', 'a.yaml', '--policy', 'none,claude-code/2.1', '--no-files', '--workers', '0', '--json'],
    ],
  ])('%s reads it', async (_, argv) => {
    const cwd = tempFolder({ 'a.yaml': 'name: a\ntranscript: { file: out.jsonl }\npolicy: none\n' });
    const { url, pass, stop } = await serving(cwd, ['--record', 'out.jsonl']);
    await converse(url, pass);
    await stop();
    const { code, stdout, stderr } = await cli(argv, { cwd });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  });

  it('is a main conversation with its compaction, and a subagent beside it', async () => {
    const cwd = tempFolder();
    const { url, pass, stop } = await serving(cwd, ['--record', 'out.jsonl', '--keep-text']);
    await converse(url, pass);
    await stop();
    const { threads, carries, startedAtMs } = servedReader.read(readFileSync(join(cwd, 'out.jsonl')), {
      id: 'out',
    });
    expect(startedAtMs).toBe(Date.parse('2026-11-17T12:00:00Z'));
    expect(carries).toContain('text');
    expect(threads.map(({ id, parentId, label }) => [id, parentId, label])).toEqual([
      ['main', null, 'main'],
      ['summary-5', 'main', 'compaction'],
      ['conversation-2', 'main', 'subagent'],
    ]);
    const [main] = threads;
    const told = main!.steps.map((step) => {
      if (step.kind === 'event') return step.event.kind;
      const { origin, blocks } = step.kind === 'call' ? step.call.response : step.message;
      return `${origin}: ${blocks.map(({ text }) => text?.read().slice(0, 16)).join('|')}`;
    });
    expect(told).toEqual([
      'meta: reminder',
      'human: first mmmmmmmmmm',
      'model: Read 1 turn.',
      'human: second',
      'model: Read 3 turns.',
      'recorded-compaction',
      'human: third',
      'model: Read 1 turn.',
    ]);
    const compaction = main!.steps.flatMap((step) =>
      step.kind === 'event' && step.event.kind === 'recorded-compaction' ? [step.event] : [],
    );
    expect(compaction[0]).toMatchObject({ trigger: 'auto', at: 480_000, keptIds: ['main-1'] });
    expect(compaction[0]!.summary!.blocks[0]!.text!.read()).toBe('Summary: first and second');
  });
});
