import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { otelReader } from '../../../src/transcripts/readers/otel/read.js';
import { detectReader } from '../../../src/transcripts/readers/readers.js';
import { countTranscript } from '../../helpers/recordings/count-raw.js';
import { callsIn, type Fields } from '../../helpers/session.js';

const START = 1_767_225_600;

function wrap(value: unknown): Fields {
  if (typeof value === 'number') return { intValue: String(value) };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(wrap) } };
  return { stringValue: String(value) };
}

/** A span as OTLP writes it. */
function span(second: number, spanId: string, attributes: Fields, more: Fields = {}): Fields {
  return {
    traceId: 't1',
    spanId,
    name: 'chat m',
    startTimeUnixNano: `${START + second}000000000`,
    endTimeUnixNano: `${START + second + 2}500000000`,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: wrap(value) })),
    ...more,
  };
}

const usage = (input: number, output: number, cached?: number, written?: number): Fields => ({
  'gen_ai.usage.input_tokens': input,
  'gen_ai.usage.output_tokens': output,
  ...(cached === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': cached }),
  ...(written === undefined ? {} : { 'gen_ai.usage.cache_creation.input_tokens': written }),
});

const chat = (id: string, more: Fields): Fields => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.provider.name': 'openai',
  'gen_ai.request.model': 'auto',
  'gen_ai.response.model': 'gpt-5.5',
  'gen_ai.response.id': id,
  'gen_ai.conversation.id': 'c1',
  ...more,
});

const document = (...spans: readonly Fields[]): Fields => ({
  resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ scope: { name: 'x' }, spans }] }],
});

function read(...values: readonly unknown[]): Transcript {
  const text = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n');
  return otelReader.read(Buffer.from(text), { id: 'spans' });
}

const FIRST = span(0, 's1', chat('r1', usage(10_000, 100, 0)));
const SECOND = span(20, 's2', chat('r2', usage(12_000, 200, 9_984)));

describe('OpenTelemetry export', () => {
  it.each([
    ['includes the cache', [20_010, 46_000, 46_100]],
    ['leaves out what was written', [10, 45_000, 46_100]],
    ['leaves out the cache', [10, 25_000, 3]],
  ])('reads input that %s by all calls of a conversation', (_how, inputs) => {
    // 20,000 written; 20,000 read, 25,000 sent plain and 1,000 written; 46,097 read and 3 sent plain.
    const cache = [
      [0, 20_000],
      [20_000, 1_000],
      [46_097, 0],
    ] as const;
    const spans = inputs.map((input, i) =>
      span(20 * i, `s${i}`, chat(`r${i}`, usage(input, 9, ...cache[i]!))),
    );
    expect(callsIn(read(document(...spans))).map((call) => call.usage)).toMatchObject([
      { input: 10, cacheRead: 0, cacheWrite5m: 20_000 },
      { input: 25_000, cacheRead: 20_000, cacheWrite5m: 1_000 },
      { input: 3, cacheRead: 46_097, cacheWrite5m: 0 },
    ]);
  });

  it('dates a compaction that nobody told before the request that shows it', () => {
    const short = span(20, 's2', chat('r2', usage(4_000, 200, 0)));
    const [first, second] = callsIn(read(document(FIRST, short)));
    expect([first!.startMs, first!.endMs]).toEqual([0, 2_500]);
    expect([second!.startMs, second!.endMs]).toEqual([20_000, 22_500]);
  });

  it('reads a document, also over many lines, and a document a line', () => {
    const one = read(document(FIRST, SECOND));
    expect(countTranscript(one)).toMatchObject({ calls: 2, prompt: 22_000, cached: 9_984, output: 300 });
    expect(
      otelReader.read(Buffer.from(JSON.stringify(document(FIRST, SECOND), null, 2)), { id: 'spans' }),
    ).toEqual(one);
    expect(read(document(FIRST), document(SECOND))).toEqual(one);
    expect(detectReader(JSON.stringify(document(FIRST)), { id: 'a' })).toBe('otel');
  });

  it('takes what was read out of the input, which includes it by convention', () => {
    const transcript = read(document(FIRST, SECOND));
    const [, second] = callsIn(transcript);
    expect(second).toMatchObject({
      model: 'gpt-5.5',
      usage: { input: 2_016, cacheRead: 9_984, cacheWrite5m: 0 },
    });
    expect(second).toMatchObject({ startMs: 20_000, endMs: 22_500 });
    expect(transcript).toMatchObject({ provider: 'openai' });
    expect(transcript.carries).toEqual(['timestamps', 'usage', 'output-tokens', 'latency']);
  });

  it('adds the cache to an input that is too small to hold it', () => {
    const transcript = read(document(span(0, 's1', chat('r1', usage(16, 5, 1_000, 200)))));
    expect(callsIn(transcript)[0]!.usage).toMatchObject({ input: 16, cacheRead: 1_000, cacheWrite5m: 200 });
    expect(transcript.carries).toContain('cache-writes');
  });

  it('does not take an untold cache for an empty one', () => {
    const transcript = read(document(span(0, 's1', chat('r1', usage(1_000, 5)))));
    expect(callsIn(transcript)[0]!.usage).toBeNull();
    expect(transcript.carries).not.toContain('usage');
  });

  it('reads OpenInference attributes', () => {
    const attributes = {
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'gpt-5.5',
      'llm.token_count.prompt': 2_000,
      'llm.token_count.completion': 50,
      'llm.token_count.prompt_details.cache_read': 1_024,
      'session.id': 'c9',
    };
    const chain = span(0, 'p', { ...attributes, 'openinference.span.kind': 'CHAIN' });
    const transcript = read(document(chain, span(0, 's1', attributes, { name: 'OpenAI' })));
    expect(countTranscript(transcript)).toMatchObject({ calls: 1, prompt: 2_000, cached: 1_024, output: 50 });
    expect(transcript.threads[0]!.id).toBe('c9');
  });

  it('reads what file exporters write a line, and counts a call once though four records tell of it', () => {
    const line = (
      type: string,
      name: string,
      second: number,
      attributes: Fields,
      more: Fields = {},
    ): Fields => ({
      type,
      name,
      traceId: 't1',
      spanId: `${name}-${second}`,
      startTime: [START + second, 500_000_000],
      endTime: [START + second + 1, 0],
      attributes,
      ...more,
    });
    const told = chat('r1', usage(1_000, 10, 512));
    const records = [
      line('span', 'chat auto', 0, told),
      line('log', 'gen_ai.client.inference.operation.details', 1, told, { hrTime: [START + 1, 0] }),
      line('span', 'agent_turn 1', 0, { ...told, 'gen_ai.operation.name': 'turn' }),
      line('span', 'invoke_agent', 0, { ...usage(1_000, 10, 512), 'gen_ai.operation.name': 'invoke_agent' }),
    ];
    for (let first = 0; first < records.length; first++)
      expect(countTranscript(read(...records.slice(first)))).toMatchObject({
        calls: 1,
        prompt: 1_000,
        cached: 512,
      });
    expect(countTranscript(read(...[...records].reverse()))).toMatchObject({ calls: 1 });
    expect(callsIn(read(...records))[0]).toMatchObject({ id: 'r1', startMs: 0, endMs: 500 });
  });

  it('makes a thread of each conversation, and of agents inside agents', () => {
    const agent = (spanId: string, parentSpanId?: string) =>
      span(
        0,
        spanId,
        { 'gen_ai.operation.name': 'invoke_agent' },
        parentSpanId === undefined ? {} : { parentSpanId },
      );
    const transcript = read(
      document(
        agent('main'),
        { ...FIRST, parentSpanId: 'main' },
        agent('sub', 'main'),
        span(5, 's3', chat('r3', usage(500, 5, 0)), { parentSpanId: 'sub' }),
        span(9, 's4', { ...chat('r4', usage(700, 5, 0)), 'gen_ai.conversation.id': 'c2' }),
      ),
    );
    expect(transcript.threads.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['c1', null],
      ['c1/sub', 'c1'],
      ['c2', null],
    ]);
  });

  it('has words and tools where content was recorded', () => {
    const asked = { role: 'user', parts: [{ type: 'text', content: 'list the files' }] };
    const called = {
      role: 'assistant',
      parts: [{ type: 'tool_call', id: 'k1', name: 'ls', arguments: { path: '.' } }],
    };
    const came = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'k1', response: 'a.txt' }] };
    const answer = { role: 'assistant', parts: [{ type: 'text', content: 'one file' }] };
    const content = (input: readonly Fields[], output: Fields): Fields => ({
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([output]),
    });
    const transcript = read(
      document(
        span(0, 's1', { ...chat('r1', usage(1_000, 10, 0)), ...content([asked], called) }),
        span(5, 's2', { ...chat('r2', usage(1_050, 10, 512)), ...content([asked, called, came], answer) }),
      ),
    );
    const order = transcript.threads[0]!.steps.map((step) =>
      step.kind === 'message' ? step.message.origin : step.kind,
    );
    expect(order.filter((each) => each !== 'context')).toEqual(['human', 'call', 'tool', 'call']);
    expect(callsIn(transcript)[0]!.response.blocks[0]).toMatchObject({
      kind: 'tool_use',
      tool: 'ls',
      toolUseId: 'k1',
    });
    expect(transcript.carries).toEqual(expect.arrayContaining(['text', 'tools']));
  });

  it('leaves out half a line, sorts by time, and says when no record tells of a call', () => {
    const transcript = read(document(SECOND), document(FIRST), '{"resourceSpans":[{"sco');
    expect(callsIn(transcript).map(({ id }) => id)).toEqual(['r1', 'r2']);
    expect(transcript.warnings.map(({ code }) => code)).toContain('truncated-file');
    expect(() => read(document(span(0, 's1', { 'gen_ai.operation.name': 'execute_tool' })))).toThrow(
      /without a response/,
    );
  });
});
