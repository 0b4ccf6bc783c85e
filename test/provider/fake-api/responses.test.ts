import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import type { FakeApiOptions } from '../../../src/provider/fake-api/fake-api.js';
import { createFaultPlan } from '../../../src/provider/fake-llm/faults.js';
import { fault } from '../fake-llm/build.js';
import { FULL_ANSWER, FULL_TOKENS, setUpRaw } from './raw-client.js';

const KEY = { authorization: 'Bearer any' };
const TOOL = { type: 'function', name: 'read', parameters: { type: 'object', properties: {} } };

function setUp(given: Partial<FakeApiOptions> = {}) {
  const { send, ...rest } = setUpRaw(given);
  const create = (body: object, path = '/v1/responses') =>
    send('POST', path, KEY, { model: 'gpt-5.1', input: 'hello', ...body });
  return { ...rest, send, create };
}

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] });
const said = (text: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});

describe('the Responses API', () => {
  it('answers a text with the documented object', async () => {
    const { create } = setUp();
    const { status, json } = await create({ instructions: 'be brief', max_output_tokens: 100 });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'gpt-5.1',
      instructions: 'be brief',
      max_output_tokens: 100,
      parallel_tool_calls: true,
      store: true,
      tool_choice: 'auto',
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Read 1 turn.', annotations: [] }],
        },
      ],
      // `be brief` and `hello`
      usage: {
        input_tokens: 8 + 5,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 12,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 25,
      },
    });
    expect(json.id).toMatch(/^resp_/);
    expect(json.usage.input_tokens_details).not.toHaveProperty('cache_write_tokens');
  });

  it('is there without /v1 too', async () => {
    const { create } = setUp();
    expect((await create({}, '/responses')).json.object).toBe('response');
  });

  it('streams the documented events, numbered, and ends with the whole response', async () => {
    const { create } = setUp({ answer: () => FULL_ANSWER });
    const settings = { tools: [TOOL], reasoning: { effort: 'low', summary: 'auto' } };
    const { events, type } = await create({ ...settings, stream: true });
    expect(type).toContain('text/event-stream');
    const item = (...inner: string[]) => ['output_item.added', ...inner, 'output_item.done'];
    const call = item('function_call_arguments.delta', 'function_call_arguments.done');
    expect(events.map(({ event }) => event)).toEqual(
      [
        'created',
        'in_progress',
        ...item(
          'reasoning_summary_part.added',
          'reasoning_summary_text.delta',
          'reasoning_summary_text.done',
          'reasoning_summary_part.done',
        ),
        ...item('content_part.added', 'output_text.delta', 'output_text.done', 'content_part.done'),
        ...call,
        ...call,
        'completed',
      ].map((name) => `response.${name}`),
    );
    expect(events.map(({ data }) => data.type)).toEqual(events.map(({ event }) => event));
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, i) => i));
    const done = events.filter(({ event }) => event === 'response.output_item.done');
    const { response } = events.at(-1)!.data;
    expect(response.output).toEqual(done.map(({ data }) => data.item));
    expect(response.output.map((each: { id: string }) => each.id)).toEqual([
      ...new Set(response.output.map((each: { id: string }) => each.id)),
    ]);
    expect(response.output[0]).toMatchObject({ type: 'reasoning', summary: [{ text: 'Hm.' }] });
    expect(response.output[2]).toMatchObject({
      type: 'function_call',
      call_id: 'call_1',
      name: 'read',
      arguments: '{"path":"a.ts"}',
    });
    expect(response.output[3].call_id).not.toBe('call_1');
    expect(response.usage).toMatchObject({
      input_tokens: JSON.stringify(TOOL).length + 5,
      output_tokens: FULL_TOKENS.all,
      output_tokens_details: { reasoning_tokens: FULL_TOKENS.thinking },
    });
    const delta = events.find(({ event }) => event === 'response.output_text.delta')!.data;
    expect(delta).toMatchObject({ output_index: 1, content_index: 0, delta: 'I will look.' });
  });

  it('an answer that does not fit is incomplete', async () => {
    const { create } = setUp({ answer: () => [{ type: 'text', text: 'x'.repeat(50) }] });
    const { json } = await create({ max_output_tokens: 20 });
    expect(json).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(json.usage.output_tokens).toBe(20);
    const { events } = await create({ max_output_tokens: 20, stream: true });
    expect(events.at(-1)!.event).toBe('response.incomplete');
  });

  it('counts every item that clients send, and unknown ones by their JSON', async () => {
    const { create } = setUp();
    const unknown = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
    const { json } = await create({
      input: [
        { role: 'developer', content: 'dev' },
        user('hello'),
        { type: 'reasoning', id: 'rs_9', summary: [], encrypted_content: 'thought' },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c1', output: 'file' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: 'diff' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'ok' }] },
        { type: 'local_shell_call', call_id: 'c3', action: { type: 'exec', command: ['ls'] } },
        { type: 'local_shell_call_output', call_id: 'c3', output: 'a' },
        unknown,
        { role: 'user', content: [{ type: 'input_image', image_url: 'data:' }] },
      ],
    });
    const shell = 'local_shell'.length + JSON.stringify({ type: 'exec', command: ['ls'] }).length;
    const counted = 3 + 5 + 7 + (4 + 2) + 4 + (5 + 4) + 2 + shell + 1 + JSON.stringify(unknown).length;
    expect(json.usage.input_tokens).toBe(counted + 2_000);
  });

  it('calls tools in the shape of their kinds', async () => {
    const { create } = setUp({
      answer: () => [
        { type: 'tool_use', id: 'c1', name: 'apply_patch', input: { input: '*** Begin' } },
        { type: 'tool_use', id: 'c2', name: 'local_shell', input: { command: ['ls'] } },
      ],
    });
    const tools = [{ type: 'custom', name: 'apply_patch' }, { type: 'local_shell' }];
    const { json } = await create({ tools });
    expect(json.output).toMatchObject([
      { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
      { type: 'local_shell_call', call_id: 'c2', action: { type: 'exec', command: ['ls'] } },
    ]);
    const { events } = await create({ tools, stream: true });
    expect(events.map(({ event }) => event)).toContain('response.custom_tool_call_input.done');
  });

  it('shows reasoning as the request asks, and knows it again when it comes back', async () => {
    const answer = () => FULL_ANSWER.slice(0, 2);
    const reasoning = { effort: 'low' };
    const { create } = setUp({ answer });
    const hidden = (await create({ reasoning })).json.output;
    expect(hidden[0]).toEqual({ type: 'reasoning', id: hidden[0].id, summary: [] });
    const include = ['reasoning.encrypted_content'];
    const sealed = (await create({ reasoning, include, store: false })).json.output;
    expect(sealed[0].encrypted_content).toEqual(expect.any(String));
    // GPT-5.6 keeps the reasoning of earlier turns: 5 + 3 + 12 + 4
    const model = 'gpt-5.6-sol';
    const stored = await create({ model, input: [user('hello'), ...hidden, user('more')] });
    expect(stored.json.usage.input_tokens).toBe(24);
    const inline = await create({ model, input: [user('hello'), ...sealed, user('more')] });
    expect(inline.json.usage.input_tokens).toBe(24);
    // GPT-5.1 drops it once the answer was complete, and keeps it while tools are called: `read{}` and `file`
    const dropped = await create({ input: [user('hello'), ...sealed, user('more')] });
    expect(dropped.json.usage.input_tokens).toBe(21);
    const called = [
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'file' },
    ];
    const kept = await create({ input: [user('hello'), sealed[0], ...called] });
    expect(kept.json.usage.input_tokens).toBe(5 + 3 + 6 + 4);
  });
});

describe('conversations that the server keeps', () => {
  it('go on from a stored response, whose instructions are not carried over', async () => {
    const { create } = setUp();
    const first = (await create({ instructions: 'first' })).json;
    const next = (await create({ input: 'more', previous_response_id: first.id })).json;
    expect(next.previous_response_id).toBe(first.id);
    // `hello`, `Read 1 turn.`, `more`
    expect(next.usage.input_tokens).toBe(5 + 12 + 4);
    expect(next.output[0].content[0].text).toBe('Read 3 turns.');
  });

  it('refer to stored items by id', async () => {
    const { create } = setUp();
    const [item] = (await create({})).json.output;
    const input = [user('hello'), { type: 'item_reference', id: item.id }, user('more')];
    expect((await create({ input })).json.usage.input_tokens).toBe(5 + 12 + 4);
  });

  it('are unknown where nothing was stored', async () => {
    const { create } = setUp();
    const { id, output } = (await create({ store: false })).json;
    const lost = await create({ previous_response_id: id });
    expect(lost).toMatchObject({
      status: 400,
      json: {
        error: {
          message: `Previous response with id '${id}' not found.`,
          type: 'invalid_request_error',
          param: 'previous_response_id',
          code: 'previous_response_not_found',
        },
      },
    });
    const input = [{ type: 'item_reference', id: output[0].id }];
    expect(await create({ input })).toMatchObject({ status: 404, json: { error: { param: 'input' } } });
  });
});

describe('compaction on the server', () => {
  it('a trigger is answered with one compaction item, which counts as the summary it holds', async () => {
    const asked: string[] = [];
    const { create } = setUp({
      answer: {
        callsTools: false,
        answer(_request, { kind }) {
          asked.push(kind);
          return { content: [{ type: 'text', text: 'what was done' }] };
        },
      },
    });
    const input = [user('hello'), said('yes'), { type: 'compaction_trigger' }];
    const { events } = await create({ input, stream: true, store: false });
    const { response } = events.at(-1)!.data;
    expect(asked).toEqual(['summary']);
    expect(response.usage.input_tokens).toBe(5 + 3);
    expect(response.output).toEqual([
      { type: 'compaction', id: expect.any(String), encrypted_content: expect.any(String) },
    ]);
    const next = await create({ input: [user('hello'), ...response.output, user('go')] });
    expect(next.json.usage.input_tokens).toBe(5 + 13 + 2);
    expect(asked[1]).toBe('main');
  });

  it('the trigger comes last', async () => {
    const { create } = setUp();
    const { status, json } = await create({ input: [{ type: 'compaction_trigger' }, user('x')] });
    expect({ status, message: json.error.message }).toEqual({
      status: 400,
      message: "The 'compaction_trigger' item must be the final input item.",
    });
  });

  it('/responses/compact gives the items to go on from', async () => {
    const { create } = setUp();
    const { json } = await create({ input: [user('hello')] }, '/v1/responses/compact');
    expect(json).toMatchObject({ object: 'response.compaction', usage: { input_tokens: 5 } });
    expect(json.output).toMatchObject([{ type: 'compaction' }]);
  });
});

describe('the cache of OpenAI', () => {
  const long = (count: number) => [user('x'.repeat(count))];

  it('up to GPT-5.5 reads in steps, the answer included, and tells no writes', async () => {
    const { create } = setUp();
    expect((await create({ input: long(2_040) })).json.usage.input_tokens_details.cached_tokens).toBe(0);
    const input = [...long(2_040), said('Read 1 turn.'), user('more')];
    const { usage } = (await create({ input })).json;
    // 2,040 of the prompt and 12 of the answer: 16 steps of 128
    expect(usage.input_tokens_details).toEqual({ cached_tokens: 2_048 });
    expect(usage.input_tokens).toBe(2_040 + 12 + 4);
  });

  it('from GPT-5.6 on tells what it wrote', async () => {
    const { create } = setUp();
    const body = { model: 'gpt-5.6-sol', input: long(3_000) };
    // reads and writes end at 768 and every 1,024 behind it
    expect((await create(body)).json.usage.input_tokens_details).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 2_816,
    });
    expect((await create(body)).json.usage.input_tokens_details).toEqual({
      cached_tokens: 2_816,
      cache_write_tokens: 0,
    });
  });

  it('is kept apart by prompt_cache_key', async () => {
    const { create } = setUp();
    const cached = async (key: string) =>
      (await create({ input: long(2_048), prompt_cache_key: key })).json.usage.input_tokens_details
        .cached_tokens;
    expect([await cached('a'), await cached('b'), await cached('a')]).toEqual([0, 0, 2_048]);
  });

  it('forgets', async () => {
    const { create, clock } = setUp();
    await create({ input: long(2_048) });
    clock.advanceTo(3_600_001);
    const { usage } = (await create({ input: long(2_048) })).json;
    expect(usage.input_tokens_details.cached_tokens).toBe(0);
  });
});

describe('what the Responses API refuses, in its words', () => {
  it.each<[string, object, object]>([
    [
      'an unknown model',
      { model: 'gpt-nobody' },
      {
        message: 'The model `gpt-nobody` does not exist or you do not have access to it.',
        code: 'model_not_found',
        type: 'invalid_request_error',
      },
    ],
    [
      'a call without its output',
      { input: [{ type: 'function_call', call_id: 'c1', name: 'read', arguments: '{}' }] },
      { message: 'No tool output found for function call c1.', param: 'input', code: null },
    ],
    [
      'an output without its call',
      { input: [{ type: 'function_call_output', call_id: 'c1', output: '' }] },
      { message: 'No tool call found for function call output with call_id c1.', param: 'input', code: null },
    ],
    [
      'a prompt beyond the 272,000 tokens of GPT-5',
      { input: 'x'.repeat(272_001) },
      { code: 'context_length_exceeded', param: 'input', type: 'invalid_request_error' },
    ],
    ['too few output tokens', { max_output_tokens: 5 }, { code: 'integer_below_min_value' }],
    ['no input', { input: [] }, { param: 'input' }],
    ['an input of another type', { input: 7 }, { param: 'input' }],
    ['what is not simulated', { background: true }, { code: 'unsupported_parameter', param: 'background' }],
  ])('%s', async (_name, given, error) => {
    const { create } = setUp();
    const { status, json } = await create(given);
    expect(json.error).toMatchObject(error);
    expect(status).toBe(json.error.code === 'model_not_found' ? 404 : 400);
  });

  it('a call without a key, and a path that is not served', async () => {
    const { send } = setUp();
    const denied = await send('POST', '/v1/responses', {}, { model: 'gpt-5.1', input: 'x' });
    expect(denied.status).toBe(401);
    expect(denied.json.error.message).toMatch(/^You didn't provide an API key/);
    const lost = await send('GET', '/v1/responses/resp_1', KEY);
    expect(lost).toMatchObject({ status: 404, json: { error: { type: 'invalid_request_error' } } });
  });

  it.each([
    ['overloaded', 503, 'server_is_overloaded'],
    ['rate_limited', 429, 'rate_limit_exceeded'],
    ['server_error', 500, 'server_error'],
    ['prompt_too_long', 400, 'context_length_exceeded'],
  ] as const)(
    '%s is its own status, before the answer and in the middle of it',
    async (kind, status, code) => {
      const faults = () => createFaultPlan([fault(kind, { call: 'main' })], createRandom(1));
      const plain = await setUp({ faults: faults() }).create({});
      expect(plain).toMatchObject({ status, json: { error: { code } } });
      const { create } = setUp({ faults: faults(), strike: 'mid-stream' });
      const { events } = await create({ stream: true });
      expect(events.at(-1)).toMatchObject({
        event: 'response.failed',
        data: { type: 'response.failed', response: { status: 'failed', error: { code } } },
      });
    },
  );
});
