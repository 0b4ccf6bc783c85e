import { describe, expect, it } from 'vitest';
import type { RecordedCall } from '../../../src/core/model/transcript.js';
import { detectFormat } from '../../../src/transcripts/readers/readers.js';
import { servedReader } from '../../../src/transcripts/readers/served.js';
import { callsIn, eventsIn, type Fields, jsonl, warningCodes } from '../../helpers/session.js';

const HEAD = {
  format: 'ccbench-serve',
  version: 1,
  startedAt: '2026-11-01T10:00:00.000Z',
  counter: 'heuristic',
  text: 'digests',
};

const block = (digest: string, tokens: number, fields: Fields = {}): Fields => ({
  kind: 'text',
  role: 'user',
  tokens,
  digest,
  ...fields,
});
const TOOLS = block('a0', 400, { kind: 'tools', role: 'tools', tool: 'Read' });
const SYSTEM = block('a1', 600, { kind: 'text', role: 'system' });
const FIRST = block('b1', 100);
const said = (digest: string, tokens: number): Fields => block(digest, tokens, { role: 'assistant' });
const called = (digest: string, id: string): Fields =>
  block(digest, 20, { kind: 'tool_use', role: 'assistant', tool: 'Read', id });
const result = (digest: string, id: string, tokens: number): Fields =>
  block(digest, tokens, { kind: 'tool_result', id });

const usage = (input: number, cacheRead = 0, cacheWrite5m = 0, output = 10): Fields => ({
  input,
  cacheRead,
  cacheWrite5m,
  cacheWrite1h: 0,
  output,
});

let at = 0;
function request(n: number, fields: Fields): Fields {
  at = n * 10_000;
  return {
    n,
    atMs: at,
    api: 'messages',
    conversation: 1,
    kind: 'main',
    model: 'claude-sonnet-4-5',
    answer: [],
    stop: 'end_turn',
    latencyMs: 500,
    ...fields,
  };
}

const OPENING = request(1, {
  parts: [TOOLS, SYSTEM, FIRST],
  answer: [called('c1', 't1')],
  stop: 'tool_use',
  usage: usage(1_100),
});
const GROWN = request(2, {
  base: 1,
  same: 3,
  parts: [called('c1', 't1'), result('d1', 't1', 500)],
  answer: [said('e1', 10)],
  usage: usage(20, 1_600),
});
const SPOKEN = request(3, {
  base: 2,
  same: 5,
  parts: [said('e1', 10), block('f1', 30)],
  answer: [said('e2', 10)],
  usage: usage(60, 1_600),
});

const read = (...lines: Fields[]) => servedReader.read(jsonl([HEAD, ...lines]), { id: 'r.jsonl' });

describe('a recording of ccbench serve', () => {
  it('is known by its first line', () => {
    const head = (...lines: Fields[]): string => jsonl(lines).toString('utf8');
    expect(detectFormat(head(HEAD, OPENING))).toBe('served');
    expect(detectFormat(head(HEAD))).toBe('served');
    expect(detectFormat(head({ format: 'another', version: 1 }))).toBeNull();
  });

  it('has exact sizes, times and usage; a digest stands for a text', () => {
    const transcript = read(OPENING, GROWN, SPOKEN);
    const [main] = transcript.threads;
    expect(transcript.startedAtMs).toBe(Date.parse('2026-11-01T10:00:00Z'));
    expect(transcript.carries).not.toContain('text');
    expect(main!.prefix.map(({ role, tokens }) => [role, tokens])).toEqual([
      ['tools', 400],
      ['system', 600],
    ]);
    const calls = callsIn(transcript);
    expect(calls.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [10_000, 10_500],
      [20_000, 20_500],
      [30_000, 30_500],
    ]);
    expect(calls[1]!.usage).toEqual(usage(20, 1_600));
    expect(calls[0]!.response.blocks).toMatchObject([{ kind: 'tool_use', tool: 'Read', toolUseId: 't1' }]);
    const results = main!.steps.flatMap((step) =>
      step.kind === 'message' && step.message.origin === 'tool' ? step.message.blocks : [],
    );
    expect(results).toMatchObject([{ tokens: 500, tool: 'Read', toolUseId: 't1', digest: 0xd1 }]);
    expect(eventsIn(transcript)).toEqual([]);
  });

  it('tells writes of the Messages API, even where there are none, and of another where one is billed', () => {
    const tells = (api: string, own: Fields) =>
      read({ ...OPENING, api, usage: own }).carries.includes('cache-writes');
    expect(tells('messages', usage(1_100))).toBe(true);
    expect(tells('responses', usage(1_100))).toBe(false);
    expect(tells('responses', usage(100, 0, 1_000))).toBe(true);
  });

  it('what was billed counts, and prompts are as long as that', () => {
    const billed = { ...OPENING, billed: usage(100, 0, 2_100) }; // twice as long as counted
    const next = { ...GROWN, billed: usage(40, 2_200, 1_000) }; // 1,040 more for 520 counted tokens
    const transcript = read(billed, next);
    expect(callsIn(transcript).map((call) => call.usage)).toEqual([
      usage(100, 0, 2_100),
      usage(40, 2_200, 1_000),
    ]);
    expect(transcript.threads[0]!.prefix.map(({ tokens }) => tokens)).toEqual([800, 1_200]);
    expect(callsIn(transcript)[0]!.response.blocks[0]!.tokens).toBe(40);
  });

  it('emptied results are a microcompaction, a changed message goes back, a changed tool changes the prefix', () => {
    const emptied = request(3, {
      base: 2,
      same: 4,
      parts: [result('d2', 't1', 5), said('e1', 10), block('f1', 30)],
      usage: usage(1_165),
    });
    expect(eventsIn(read(OPENING, GROWN, emptied))).toMatchObject([
      { kind: 'recorded-microcompact', toolUseIds: ['t1'], tokensSaved: 495 },
    ]);
    const edited = request(3, {
      base: 2,
      same: 2,
      parts: [block('b2', 100), block('f1', 900)],
      usage: usage(2_000),
    });
    expect(eventsIn(read(OPENING, GROWN, edited))).toMatchObject([{ kind: 'rewind', lastId: null }]);
    const retooled = request(3, {
      base: 2,
      same: 0,
      parts: [{ ...TOOLS, digest: 'a9' }, [1, 4], said('e1', 10), block('f1', 30)],
      usage: usage(1_660),
    });
    expect(eventsIn(read(OPENING, GROWN, retooled))).toMatchObject([
      { kind: 'prefix-change', what: 'tools', tools: ['Read'] },
    ]);
    const changed = (...requests: Fields[]) => callsIn(read(...requests)).map(({ missReason }) => missReason);
    expect(changed(OPENING, GROWN, SPOKEN)).toEqual([null, null, null]);
    expect(changed(OPENING, GROWN, edited)).toEqual([null, null, 'messages_changed']);
    expect(changed(OPENING, GROWN, retooled)).toEqual([null, null, 'tools_changed']);
    // A tool more shifts the system prompt: the tools changed.
    const more = request(2, {
      base: 1,
      same: 1,
      parts: [{ ...TOOLS, digest: 'a8' }, [1, 2]],
      usage: usage(1_500),
    });
    const told = request(2, {
      base: 1,
      same: 1,
      parts: [{ ...SYSTEM, digest: 'a7' }, [2, 1]],
      usage: usage(1_100),
    });
    expect([changed(OPENING, more), changed(OPENING, told)]).toEqual([
      [null, 'tools_changed'],
      [null, 'system_changed'],
    ]);
  });

  it('K5 thinking that the model drops once the user speaks is no change of the conversation', () => {
    const thinking = block('9a', 50, { kind: 'thinking', role: 'assistant' });
    const thought = { ...OPENING, answer: [thinking, called('c1', 't1')] };
    const parts = [thinking, called('c1', 't1'), result('d1', 't1', 500)];
    const kept = { ...GROWN, parts, usage: usage(20, 1_650) };
    const dropped = { ...SPOKEN, same: 3, parts: [[4, 2], said('e1', 10), block('f1', 30)] };
    const transcript = read(thought, kept, dropped);
    expect(eventsIn(transcript)).toEqual([]);
    const answered = ({ response }: RecordedCall) => response.blocks.map(({ kind }) => kind);
    expect(answered(callsIn(transcript)[0]!)).toEqual(['thinking', 'tool_use']);
    // nor is it where the client leaves it out itself: it was answered all the same
    expect(answered(callsIn(read(thought, GROWN))[0]!)).toEqual(['thinking', 'tool_use']);
  });

  it('an answer that does not come back is gone', () => {
    const again = request(3, { base: 2, same: 5, parts: [], usage: usage(20, 1_600) });
    expect(eventsIn(read(OPENING, GROWN, again))).toMatchObject([
      { kind: 'rewind', lastId: expect.any(String) },
    ]);
  });

  it('a prompt that lost two fifths without a summary was compacted', () => {
    const cut = request(3, {
      base: 2,
      same: 2,
      parts: [block('f2', 50), block('f1', 30)],
      usage: usage(80, 0),
    });
    const transcript = read(OPENING, GROWN, { ...cut, usage: usage(900) });
    expect(eventsIn(transcript)).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 1_630, postTokens: 900 },
    ]);
    expect(warningCodes(transcript)).toContain('compaction-inferred');
  });

  it('tool results that only the summary request shows belong to the conversation', () => {
    const summary = request(2, {
      base: 1,
      same: 3,
      kind: 'summary',
      parts: [called('c1', 't1'), result('d1', 't1', 500), block('f9', 12)],
      answer: [said('e9', 50)],
      usage: usage(1_632),
    });
    const after = request(3, {
      base: 2,
      same: 2,
      parts: [block('f2', 60), block('f3', 7)],
      usage: usage(1_067),
    });
    const transcript = read(OPENING, summary, after);
    const [main, side] = transcript.threads;
    expect([side!.label, side!.parentId]).toEqual(['compaction', 'main']);
    expect(main!.steps.map((step) => (step.kind === 'message' ? step.message.origin : step.kind))).toEqual([
      'human',
      'call',
      'tool',
      'event',
      'attachment', // the loop goes on: the user said nothing
      'call',
    ]);
    expect(eventsIn(transcript)).toMatchObject([
      { kind: 'recorded-compaction', preTokens: 1_632, postTokens: 1_067, durationMs: 500, keptIds: [] },
    ]);
  });
});

describe('what Claude Code appends to a tool result', () => {
  const NOTE = '\n\n<system-reminder>\nThe list is all empty\n</system-reminder>';
  const held = (digest: string, tokens: number, text: string): Fields => ({
    ...result(digest, 't1', tokens),
    text,
  });
  const texts = (transcript: ReturnType<typeof read>): readonly (readonly [string, number, string])[] =>
    transcript.threads[0]!.steps.flatMap((step) =>
      step.kind === 'message'
        ? step.message.blocks.map(({ kind, tokens, text }) => [kind, tokens, text?.read() ?? ''] as const)
        : [],
    );

  it('is a text of its own that stays when the result is cleared', () => {
    const whole = 'a'.repeat(400) + NOTE;
    const grown = { ...GROWN, parts: [called('c1', 't1'), held('d1', 200, whole)] };
    const cleared = request(3, {
      base: 2,
      same: 4,
      parts: [held('d2', 16, `[cleared]${NOTE}`), said('e1', 10), block('f1', 30)],
      usage: usage(1_180),
    });
    const transcript = read(OPENING, grown, cleared);
    // A note of 60 characters is 15 tokens.
    expect(NOTE).toHaveLength(60);
    expect(texts(transcript)).toContainEqual(['tool_result', 185, 'a'.repeat(400)]);
    expect(texts(transcript)).toContainEqual(['text', 15, NOTE]);
    expect(eventsIn(transcript)).toMatchObject([
      { kind: 'recorded-microcompact', toolUseIds: ['t1'], tokensSaved: 185 - 1 },
    ]);
  });

  it("is part of the result where it is the tool's own", () => {
    const whole = `a${NOTE.replace('The list is all empty', 'Whenever you read a file, think')}`;
    const transcript = read(OPENING, { ...GROWN, parts: [called('c1', 't1'), held('d1', 200, whole)] });
    expect(texts(transcript)).toContainEqual(['tool_result', 200, whole]);
  });

  it('holds what is restored behind a compaction that keeps the last round', () => {
    const asked = request(2, {
      base: 1,
      same: 3,
      kind: 'summary',
      parts: [block('f9', 12)],
      answer: [{ ...said('e9', 50), text: '<summary>It reads one file.</summary>' }],
      usage: usage(1_112, 0, 0, 50),
    });
    const after = request(3, {
      base: 2,
      same: 2,
      parts: [
        block('f4', 49, { text: 'The day is Monday.' }),
        block('f5', 90, { text: 'What happened: It reads one file.' }),
        called('c1', 't1'),
        held('d3', 400, 'a'.repeat(60) + NOTE),
      ],
      usage: usage(1_559),
    });
    const transcript = read(OPENING, asked, after);
    expect(eventsIn(transcript)).toMatchObject([
      { kind: 'recorded-compaction', keptIds: ['response-1'], summary: { blocks: [{ tokens: 90 }] } },
    ]);
    const steps = transcript.threads[0]!.steps.flatMap((step) =>
      step.kind === 'message' ? [[step.message.origin, step.message.blocks[0]!.tokens]] : [],
    );
    // Result and note are as long as each other, and share the 400 tokens.
    expect(steps).toEqual([
      ['human', 100],
      ['attachment', 49],
      ['tool', 200],
      ['attachment', 200],
    ]);
  });
});

describe('a damaged recording of ccbench serve', () => {
  const whole = jsonl([HEAD, OPENING, GROWN, SPOKEN]);
  const readText = (text: Uint8Array) => servedReader.read(text, { id: 'r.jsonl' });

  it('is known however its JSON is spaced, with and without its first line', () => {
    for (const lines of [[HEAD, OPENING], [OPENING]])
      for (const text of [
        lines.map((line) => JSON.stringify(line)).join('\n'),
        lines
          .map(
            (line) =>
              `  ${JSON.stringify(line)
                .replace('{', '{\t')
                .replaceAll(/(":|,)/g, '$1 ')}`,
          )
          .join('\n'),
      ])
        expect(detectFormat(text)).toBe('served');
  });

  it('without its first line the times of day are unknown', () => {
    const text = jsonl([OPENING, GROWN]);
    expect(detectFormat(text.toString('utf8'))).toBe('served');
    const transcript = readText(text);
    expect(transcript.startedAtMs).toBeNull();
    expect(transcript.carries).not.toContain('timestamps');
  });

  it('a cut last line is left out', () => {
    const transcript = readText(whole.slice(0, -40));
    expect(callsIn(transcript)).toHaveLength(2);
    expect(warningCodes(transcript)).toEqual(['truncated-file']);
  });

  it('what a lost line told of later prompts counts as one block', () => {
    const transcript = readText(jsonl([HEAD, OPENING, SPOKEN]));
    expect(callsIn(transcript)).toHaveLength(2);
    expect(warningCodes(transcript)).toEqual(['lost-prompt-parts']);
    // 1,660 tokens of the prompt, less what the two lines tell: 1,100 and 40
    const lost = transcript.threads[0]!.steps.flatMap((step) =>
      step.kind === 'message' ? step.message.blocks : [],
    );
    expect(lost.map(({ tokens }) => tokens)).toContain(520);
  });

  it.each<[string, Fields]>([
    ['an unknown kind', { kind: 'other' }],
    ['a block without a digest', { parts: [{ ...FIRST, digest: 'xyz' }] }],
    ['a negative count', { usage: usage(-1) }],
    ['no model', { model: 7 }],
    ['billed that is none', { billed: { input: 1 } }],
    ['a stretch that is none', { parts: [[-1, 2]] }],
  ])('%s: the line is named and left out', (_, fields) => {
    const transcript = read(OPENING, { ...GROWN, ...fields });
    expect(callsIn(transcript)).toHaveLength(1);
    expect(transcript.warnings).toMatchObject([
      { code: 'broken-lines', message: 'r.jsonl: not a request and left out: line 3' },
    ]);
  });

  it('a request for a summary that asks for none changes nothing', () => {
    const empty = { ...GROWN, kind: 'summary', parts: [] };
    expect(read(OPENING, empty).threads.map(({ label }) => label)).toEqual(['main', 'compaction']);
  });

  it('repeated lines count once, unread requests are told of', () => {
    const transcript = read(OPENING, OPENING, { n: 2, atMs: 5, unread: 'model: x', billed: usage(3) });
    expect(callsIn(transcript)).toHaveLength(1);
    expect(warningCodes(transcript)).toEqual(['repeated-rows', 'unread-requests']);
  });

  it('another version and a file without requests are errors', () => {
    expect(() => readText(jsonl([{ ...HEAD, version: 2 }, OPENING]))).toThrow(
      'version 2 of a serve recording is not known',
    );
    expect(() => readText(jsonl([HEAD]))).toThrow('without an answered request');
  });
});
