import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import type { FakeApiOptions } from '../../../src/provider/fake-api/fake-api.js';
import { createFaultPlan } from '../../../src/provider/fake-llm/faults.js';
import { fault } from '../fake-llm/build.js';
import { FULL_ANSWER, FULL_TOKENS, setUpRaw } from './raw-client.js';

const KEY = { authorization: 'Bearer any' };
const HELLO = [{ role: 'user', content: 'hello' }];

function setUp(given: Partial<FakeApiOptions> = {}) {
  const { send, ...rest } = setUpRaw(given);
  const create = (body: object, path = '/v1/chat/completions') =>
    send('POST', path, KEY, { model: 'gpt-5.1', messages: HELLO, ...body });
  return { ...rest, send, create };
}

describe('Chat Completions', () => {
  it('answers with the documented object', async () => {
    const { create } = setUp();
    const { json } = await create({});
    expect(json).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-5.1',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Read 1 turn.', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 5,
        completion_tokens: 12,
        total_tokens: 17,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
    expect(json.id).toMatch(/^chatcmpl/);
    expect((await create({}, '/chat/completions')).status).toBe(200);
  });

  it('calls tools; the reasoning of OpenAI is counted and not shown', async () => {
    const { create } = setUp({ answer: () => FULL_ANSWER });
    const [{ message, finish_reason }] = (await create({})).json.choices;
    expect(finish_reason).toBe('tool_calls');
    expect(message.content).toBe('I will look.');
    expect(message).not.toHaveProperty('reasoning_content');
    expect(message.tool_calls[0]).toEqual({
      id: 'call_1',
      type: 'function',
      function: { name: 'read', arguments: '{"path":"a.ts"}' },
    });
    expect(message.tool_calls[1].id).not.toBe('call_1');
    const { usage } = (await create({})).json;
    expect(usage.completion_tokens).toBe(FULL_TOKENS.all);
    expect(usage.completion_tokens_details).toEqual({ reasoning_tokens: FULL_TOKENS.thinking });
  });

  it('streams chunks that end with [DONE], the usage before it where it is asked for', async () => {
    const { create } = setUp({ answer: () => FULL_ANSWER });
    const { events } = await create({ stream: true, stream_options: { include_usage: true } });
    expect(events.every(({ event }) => event === null)).toBe(true);
    expect(events.at(-1)!.data).toBe('[DONE]');
    const chunks = events.slice(0, -1).map(({ data }) => data);
    expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
    expect(chunks[0]).toMatchObject({
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
      usage: null,
    });
    const usage = chunks.at(-1);
    expect(usage).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: FULL_TOKENS.all },
    });
    expect(chunks.at(-2).choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
    const deltas = chunks.slice(0, -2).map(({ choices }) => choices[0].delta);
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe('I will look.');
    const calls = deltas.flatMap(({ tool_calls }) => tool_calls ?? []);
    const second = calls.filter(({ index }) => index === 1);
    expect(second[0]).toMatchObject({ type: 'function', function: { name: 'read', arguments: '' } });
    expect(second.map((call) => call.function.arguments).join('')).toBe('{"path":"b.ts"}');
    const bare = await create({ stream: true });
    expect(bare.events.at(-2)!.data.choices).toHaveLength(1);
    expect(bare.events.at(-2)!.data).not.toHaveProperty('usage');
  });

  it('an answer that does not fit ends with length, whichever name limits it', async () => {
    const { create } = setUp({ answer: () => [{ type: 'text', text: 'x'.repeat(50) }] });
    for (const limit of [{ max_tokens: 20 }, { max_completion_tokens: 20, max_tokens: 40 }]) {
      const { choices, usage } = (await create(limit)).json;
      expect([choices[0].finish_reason, usage.completion_tokens]).toEqual(['length', 20]);
    }
  });

  it('counts every role, tools and calls', async () => {
    const { create } = setUp();
    const tools = [{ type: 'function', function: { name: 'read', parameters: {} } }];
    const { json } = await create({
      tools,
      messages: [
        { role: 'system', content: 'sys' },
        { role: 'developer', content: [{ type: 'text', text: 'dev' }] },
        ...HELLO,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: 'file' },
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] },
      ],
    });
    const counted = JSON.stringify(tools[0]).length + 3 + 3 + 5 + (4 + 2) + 4 + 2_000;
    expect(json.usage.prompt_tokens).toBe(counted);
    expect(json.choices[0].message.content).toBe('Read 3 turns.');
  });

  it('keeps reading what it has stored', async () => {
    const { create } = setUp();
    const messages = [{ role: 'user', content: 'x'.repeat(2_048) }];
    await create({ messages });
    const { usage } = (await create({ messages })).json;
    expect(usage.prompt_tokens_details).toEqual({ cached_tokens: 2_048 });
  });

  it('DeepSeek names hits and misses, and shows its reasoning', async () => {
    const { create, clock } = setUp({ answer: () => FULL_ANSWER.slice(0, 2) });
    const asked = { model: 'deepseek-chat', messages: [{ role: 'user', content: 'x'.repeat(1_000) }] };
    await create(asked);
    clock.advanceTo(clock.now + 60_000);
    const { usage, choices } = (await create(asked)).json;
    expect(choices[0].message.reasoning_content).toBe('Hm.');
    expect(usage.prompt_cache_hit_tokens).toBeGreaterThan(0);
    expect(usage.prompt_cache_hit_tokens + usage.prompt_cache_miss_tokens).toBe(1_000);
    const { events } = await create({ ...asked, stream: true });
    expect(events.map(({ data }) => data.choices?.[0]?.delta.reasoning_content ?? '').join('')).toBe('Hm.');
  });

  it('Claude behind such an API is cached where the request marks it', async () => {
    const { create } = setUp();
    const ask = (cache_control?: object) => {
      const content = [{ type: 'text', text: 'x'.repeat(2_000), cache_control }];
      return create({ model: 'anthropic/claude-sonnet-4.5', messages: [{ role: 'user', content }] });
    };
    await ask();
    expect((await ask()).json.usage.prompt_tokens_details.cached_tokens).toBe(0);
    await ask({ type: 'ephemeral' });
    const { usage } = (await ask({ type: 'ephemeral' })).json;
    expect(usage.prompt_tokens_details.cached_tokens).toBe(2_000);
  });
});

describe('models', () => {
  it('of other servers are served whatever their names; one that OpenAI would have is refused', async () => {
    const { create } = setUp();
    expect((await create({ model: 'my-own-model' })).status).toBe(200);
    expect(await create({ model: 'gpt-nobody' })).toMatchObject({
      status: 404,
      json: { error: { code: 'model_not_found', type: 'invalid_request_error', param: 'model' } },
    });
  });

  it('are listed as OpenAI lists them, unless the call is one of the Messages API', async () => {
    const { send } = setUp();
    const { json } = await send('GET', '/v1/models', KEY);
    expect(json.object).toBe('list');
    expect(json.data).toContainEqual({ id: 'gpt-5.1', object: 'model', created: 0, owned_by: 'openai' });
    expect((await send('GET', '/v1/models/gpt-5.1', KEY)).json).toMatchObject({
      id: 'gpt-5.1',
      object: 'model',
    });
    expect((await send('GET', '/v1/models/gpt-nobody', KEY)).json.error.code).toBe('model_not_found');
    const theirs = await send('GET', '/v1/models', { 'x-api-key': 'any', 'anthropic-version': '2023-06-01' });
    expect(theirs.json).toHaveProperty('has_more');
  });
});

describe('what Chat Completions refuses, in its words', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } };

  it.each<[string, object, object]>([
    [
      'a call without its result',
      { messages: [...HELLO, { role: 'assistant', tool_calls: [call] }] },
      {
        message:
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: c1",
        type: 'invalid_request_error',
        param: 'messages',
      },
    ],
    [
      'a result without its call',
      { messages: [{ role: 'tool', tool_call_id: 'c1', content: 'x' }] },
      { message: expect.stringContaining("messages with role 'tool' must be a response") },
    ],
    ['a role nobody has', { messages: [{ role: 'robot', content: 'x' }] }, { param: 'messages[0].role' }],
    ['no messages', { messages: undefined }, { param: 'messages' }],
    ['no message of the user', { messages: [{ role: 'system', content: 'x' }] }, { param: 'messages' }],
    [
      'a result that names no call',
      { messages: [{ role: 'tool', content: 'x' }] },
      { param: 'messages[0].tool_call_id' },
    ],
    ['a tool without a name', { tools: [{ type: 'function' }] }, { param: 'tools[0].function.name' }],
    ['no output at all', { max_tokens: 0 }, { code: 'integer_below_min_value', param: 'max_tokens' }],
    ['several choices', { n: 2 }, { param: 'n' }],
    [
      'a prompt beyond the window',
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'x'.repeat(128_001) }] },
      { code: 'context_length_exceeded' },
    ],
  ])('%s', async (_name, given, error) => {
    const { create } = setUp();
    const { status, json } = await create(given);
    expect(json.error).toMatchObject(error);
    expect(status).toBe(400);
  });

  it('a call without a key', async () => {
    const { send } = setUp();
    expect((await send('POST', '/v1/chat/completions', {}, {})).status).toBe(401);
    expect((await send('POST', '/v1/chat/completions', { authorization: 'Bearer ' }, {})).status).toBe(401);
  });

  it('a path that is not served', async () => {
    const { send } = setUp();
    const lost = await send('POST', '/v1/embeddings', KEY, {});
    expect(lost).toMatchObject({
      status: 404,
      json: { error: { type: 'invalid_request_error', param: null } },
    });
    const theirs = { ...KEY, 'anthropic-version': '2023-06-01' };
    expect((await send('POST', '/v1/nothing', theirs, {})).json.error.type).toBe('not_found_error');
    const keyed = await send('POST', '/v1beta/models/gemini-2.5-flash:generateContent', KEY, {});
    expect(keyed.json.error.status).toBe('INVALID_ARGUMENT');
  });

  it('an error in the middle of a stream', async () => {
    const faults = createFaultPlan([fault('server_error', { call: 'main' })], createRandom(1));
    const { create } = setUp({ faults, strike: 'mid-stream' });
    const { events } = await create({ stream: true });
    expect(events.at(-1)!.data).toMatchObject({ error: { type: 'server_error' } });
  });
});
