import Anthropic, { type APIError } from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming, MessageParam } from '@anthropic-ai/sdk/resources/messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPromptCache } from '../../../src/provider/cache/prompt-cache.js';
import { minimalValue } from '../../../src/provider/fake-api/api-request.js';
import { createFakeApi, type FakeApiOptions } from '../../../src/provider/fake-api/fake-api.js';
import { createClock } from '../../helpers/clock.js';
import { forAll } from '../../helpers/for-all.js';
import { hideWarnings } from '../../helpers/hide-warnings.js';

hideWarnings();

type Body = Partial<MessageCreateParamsNonStreaming>;

const hello: MessageParam = { role: 'user', content: 'hello' };

function setUp(said = 'I say this and then that.', given: Partial<FakeApiOptions> = {}) {
  const { fetch } = createFakeApi({
    clock: createClock(),
    counter: { count: (text) => text.length },
    cache: createPromptCache(),
    answer: () => [{ type: 'text', text: said }],
    ...given,
  });
  const client = new Anthropic({ apiKey: 'test', fetch, maxRetries: 0, baseURL: 'http://fake.test' });
  const bodyOf = (more: Body): MessageCreateParamsNonStreaming => ({
    model: 'claude-sonnet-4-5',
    max_tokens: 5_000,
    messages: [hello],
    ...more,
  });
  const send = (more: Body = {}, headers: Record<string, string> = {}) =>
    client.messages.create(bodyOf(more), { headers });
  const refusal = (more: Body = {}, headers: Record<string, string> = {}) =>
    send(more, headers).then(
      () => null,
      ({ status, apiMessage }: APIError) => `${status} ${apiMessage}`,
    );
  return { client, send, refusal, bodyOf, fetch };
}

const weather = {
  name: 'weather',
  input_schema: {
    type: 'object' as const,
    properties: {
      city: { type: 'string', minLength: 6 },
      days: { type: 'integer', minimum: 2 },
      unit: { enum: ['celsius', 'fahrenheit'] },
      note: { type: 'string' },
    },
    required: ['city', 'days', 'unit'],
  },
};
const other = { name: 'other', input_schema: { type: 'object' as const } };

describe('what a request demands of its answer', () => {
  it.each([
    ['any', { type: 'any' as const }, 'other', {}],
    [
      'tool',
      { type: 'tool' as const, name: 'weather' },
      'weather',
      { city: 'text..', days: 2, unit: 'celsius' },
    ],
  ])(
    'tool_choice %s is a call with an input that the tool takes',
    async (_name, tool_choice, name, input) => {
      const { content, stop_reason } = await setUp().send({ tools: [other, weather], tool_choice });
      expect(content.at(-1)).toMatchObject({ type: 'tool_use', name, input });
      expect(stop_reason).toBe('tool_use');
    },
  );

  it('tool_choice none calls no tool, and parallel calls can be forbidden', async () => {
    const calls = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'other', input: {} }) as const);
    const { send } = setUp('', { answer: () => [{ type: 'text', text: 'hi' }, ...calls] });
    const none = await send({ tools: [other], tool_choice: { type: 'none' } });
    expect(none.content.map(({ type }) => type)).toEqual(['text']);
    expect(none.stop_reason).toBe('end_turn');
    const one = await send({
      tools: [other],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    });
    expect(one.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  });

  it('output_config.format is JSON of the schema; words that are JSON already stay', async () => {
    const schema = { ...weather.input_schema, additionalProperties: false };
    const output_config = { format: { type: 'json_schema' as const, schema } };
    const { content } = await setUp().send({ output_config });
    expect(JSON.parse((content[0] as { text: string }).text)).toEqual({
      city: 'text..',
      days: 2,
      unit: 'celsius',
    });
    const kept = await setUp('{"city":"Berlin"}').send({ output_config });
    expect(kept.content).toEqual([{ type: 'text', text: '{"city":"Berlin"}' }]);
  });

  it('stop_sequences end the text before the first that occurs, streamed too', async () => {
    const { send, client, bodyOf } = setUp();
    const stop_sequences = ['that', 'this'];
    const expected = {
      stop_reason: 'stop_sequence',
      stop_sequence: 'this',
      content: [{ type: 'text', text: 'I say ' }],
    };
    expect(await send({ stop_sequences })).toMatchObject({ ...expected, usage: { output_tokens: 6 } });
    expect(await client.messages.stream(bodyOf({ stop_sequences })).finalMessage()).toMatchObject(expected);
    expect(await send({ stop_sequences: ['nowhere'] })).toMatchObject({
      stop_reason: 'end_turn',
      stop_sequence: null,
    });
  });

  /** Schemas whose smallest values are checked by hand below. */
  const schemas = fc.letrec((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: fc.constant('integer'), minimum: fc.integer({ min: -5, max: 5 }) }),
      fc.record({ type: fc.constant('string'), minLength: fc.nat(8) }),
      fc.record({ enum: fc.array(fc.string(), { minLength: 1 }) }),
      fc.record({ type: fc.constant('array'), minItems: fc.nat(3), items: tie('schema') }),
      fc
        .dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { noNullPrototype: true })
        .map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2) })),
    ),
  })).schema as fc.Arbitrary<Record<string, unknown>>;

  function isValid(schema: Record<string, unknown>, value: unknown): boolean {
    if (Array.isArray(schema.enum)) return schema.enum.includes(value);
    const items = schema.items as Record<string, unknown>;
    const properties = schema.properties as Record<string, Record<string, unknown>>;
    switch (schema.type) {
      case 'integer':
        return Number.isInteger(value) && (value as number) >= (schema.minimum as number);
      case 'string':
        return typeof value === 'string' && value.length >= (schema.minLength as number);
      case 'array': {
        const list = value as unknown[];
        return list.length >= (schema.minItems as number) && list.every((item) => isValid(items, item));
      }
      default: {
        const made = value as Record<string, unknown>;
        const required = schema.required as string[];
        return (
          required.every((name) => name in made) &&
          Object.entries(made).every(([name, inner]) => isValid(properties[name]!, inner))
        );
      }
    }
  }

  it('the smallest value of a schema is valid by it', () => {
    forAll(schemas, (schema) => isValid(schema, minimalValue(schema)));
    const list = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    };
    expect(minimalValue(list)).toEqual({});
  });
});

describe('what else the API refuses', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'other', input: {} } as const;
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' } as const;

  it.each<[string, Body]>([
    [
      'messages.3.content.0: `tool_use` ids must be unique',
      {
        messages: [
          hello,
          { role: 'assistant', content: [use] },
          { role: 'user', content: [result] },
          { role: 'assistant', content: [use] },
          { role: 'user', content: [result] },
        ],
      },
    ],
    [
      '`max_tokens` must be greater than `thinking.budget_tokens`.',
      { thinking: { type: 'enabled', budget_tokens: 5_000 } },
    ],
    [
      'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
      { thinking: { type: 'enabled', budget_tokens: 1_000 } },
    ],
    [
      'Thinking may not be enabled when tool_choice forces tool use.',
      { thinking: { type: 'enabled', budget_tokens: 2_000 }, tools: [other], tool_choice: { type: 'any' } },
    ],
    [
      "tool_choice: Tool 'lost' not found in provided tools",
      { tools: [other], tool_choice: { type: 'tool', name: 'lost' } },
    ],
  ])('%s', async (message, body) => {
    expect(await setUp().refusal(body)).toBe(`400 ${message}`);
  });

  it('a budget above max_tokens is fine where thinking goes on between calls', async () => {
    const body: Body = { thinking: { type: 'enabled', budget_tokens: 9_000 } };
    expect(await setUp().refusal(body, { 'anthropic-beta': 'interleaved-thinking-2025-05-14' })).toBeNull();
  });

  it('an unknown version and an empty key', async () => {
    const { fetch } = setUp();
    const statusOf = async (headers: Record<string, string>) => {
      const body = JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 9, messages: [hello] });
      const answer = await fetch('http://fake.test/v1/messages', { method: 'POST', headers, body });
      return answer.status;
    };
    expect(await statusOf({ 'x-api-key': 'k', 'anthropic-version': '2023-06-01' })).toBe(200);
    expect(await statusOf({ authorization: 'Bearer k', 'anthropic-version': '2023-06-01' })).toBe(200);
    expect(await statusOf({ 'x-api-key': 'k', 'anthropic-version': '2024-01-01' })).toBe(400);
    expect(await statusOf({ 'x-api-key': '', 'anthropic-version': '2023-06-01' })).toBe(401);
    expect(await statusOf({ authorization: 'Bearer ', 'anthropic-version': '2023-06-01' })).toBe(401);
  });
});

describe('images', () => {
  const be32 = (n: number) => [n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255];
  const png = (width: number, height: number) => [
    0x89,
    0x50,
    0x4e,
    0x47,
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    73,
    72,
    68,
    82,
    ...be32(width),
    ...be32(height),
  ];
  const jpeg = (width: number, height: number) => [
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 17, 8],
    ...[height >> 8, height & 255, width >> 8, width & 255, 3, 1, 0x22],
  ];

  // width × height / 750, the longer edge at most 1,568, and at most 1,600 tokens (documentation of vision)
  it.each([
    ['a small PNG', 'image/png', png(1, 1), 1],
    ['a PNG', 'image/png', png(1_000, 750), 1_000],
    ['a JPEG', 'image/jpeg', jpeg(300, 250), 100],
    ['a long one', 'image/png', png(3_136, 750), 784],
    ['a large one', 'image/png', png(1_500, 1_500), 1_600],
    ['one that cannot be read', 'image/png', [1, 2, 3], 2_000],
  ] as const)('%s counts by its size', async (_name, media_type, bytes, tokens) => {
    const image = {
      type: 'image',
      source: { type: 'base64', media_type, data: Buffer.from(bytes).toString('base64') },
    } as const;
    const { send } = setUp();
    const { usage } = await send({ messages: [{ role: 'user', content: [image] }] });
    expect(usage.input_tokens).toBe(tokens);
  });
});

describe('edits of the prompt that the API carries out', () => {
  const long = 'r'.repeat(1_000);
  /** Five calls of one tool, each with a result of 1,000 characters; every other call is of another tool. */
  const messages: MessageParam[] = [hello];
  for (let n = 0; n < 5; n++)
    messages.push(
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${n}`, name: n % 2 === 0 ? 'read' : 'keep', input: { a: n } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${n}`, content: long }] },
    );
  const CALL = 'read{"a":0}'.length;
  const PROMPT = 5 + 5 * (CALL + 1_000);
  const GONE = 1_000 - '[Old tool result content cleared]'.length;

  const edited = async (edit: object, given: Body = { messages }) => {
    const { client, bodyOf } = setUp();
    const body = { ...bodyOf(given), context_management: { edits: [edit] } };
    const answer = await client.beta.messages.create(body as never);
    const { max_tokens: _max, ...counted } = body;
    const count = await client.beta.messages.countTokens(counted as never);
    expect(count.input_tokens).toBe(answer.usage.input_tokens);
    return { ...answer, count };
  };
  const tokens = (value: number) => ({ type: 'input_tokens', value });

  it.each([
    ['all but three', { trigger: tokens(1_000) }, 2, 2 * GONE],
    [
      'all but one',
      { trigger: { type: 'tool_uses', value: 4 }, keep: { type: 'tool_uses', value: 1 } },
      4,
      4 * GONE,
    ],
    [
      'excluded tools stay',
      { trigger: tokens(1_000), keep: { type: 'tool_uses', value: 0 }, exclude_tools: ['keep'] },
      3,
      3 * GONE,
    ],
    [
      'inputs too',
      { trigger: tokens(1_000), clear_tool_inputs: true },
      2,
      2 * GONE + 2 * ('{"a":0}'.length - '{}'.length),
    ],
  ])('MIC-4 tool results: %s', async (_name, edit, uses, gone) => {
    const answer = await edited({ type: 'clear_tool_uses_20250919', ...edit });
    expect(answer.context_management).toEqual({
      applied_edits: [
        { type: 'clear_tool_uses_20250919', cleared_tool_uses: uses, cleared_input_tokens: gone },
      ],
    });
    expect(answer.usage.input_tokens).toBe(PROMPT - gone);
    expect(answer.count.context_management).toEqual({ original_input_tokens: PROMPT });
  });

  it.each([
    ['below the trigger', {}],
    ['below what it must clear', { trigger: tokens(1_000), clear_at_least: tokens(5_000) }],
  ])('MIC-4 nothing is cleared %s', async (_name, edit) => {
    const answer = await edited({ type: 'clear_tool_uses_20250919', ...edit });
    expect(answer.context_management).toEqual({ applied_edits: [] });
    expect(answer.usage.input_tokens).toBe(PROMPT);
  });

  it('thinking of all but the latest turns; a loop of calls is one turn', async () => {
    const thought = (n: number) =>
      ({ type: 'thinking', thinking: 't'.repeat(100), signature: `s${n}` }) as const;
    const turns: MessageParam[] = [
      hello,
      { role: 'assistant', content: [thought(1), { type: 'tool_use', id: 'u', name: 'read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'u', content: 'ok' }] },
      { role: 'assistant', content: [thought(2), { type: 'text', text: 'a' }] },
      { role: 'user', content: 'more' },
      { role: 'assistant', content: [thought(3), { type: 'text', text: 'b' }] },
      { role: 'user', content: 'more' },
    ];
    const keep = { type: 'thinking_turns', value: 1 };
    const answer = await edited({ type: 'clear_thinking_20251015', keep }, { messages: turns });
    expect(answer.context_management?.applied_edits).toEqual([
      { type: 'clear_thinking_20251015', cleared_thinking_turns: 1, cleared_input_tokens: 200 },
    ]);
    const all = await edited({ type: 'clear_thinking_20251015', keep: 'all' }, { messages: turns });
    expect(all.usage.input_tokens - answer.usage.input_tokens).toBe(200);
  });

  it('the stream tells them at its end', async () => {
    const { client, bodyOf } = setUp();
    const edits = [{ type: 'clear_tool_uses_20250919', trigger: tokens(1_000) }];
    const stream = client.beta.messages.stream({
      ...bodyOf({ messages }),
      context_management: { edits },
    } as never);
    expect((await stream.finalMessage()).context_management?.applied_edits).toHaveLength(1);
  });

  it('what is not carried out is refused', async () => {
    await expect(edited({ type: 'odd' })).rejects.toThrow('context_management.edits.0.type');
    await expect(edited({ type: 'clear_tool_uses_20250919', keep: { type: 'odd' } })).rejects.toThrow(
      'edits.0.keep.type',
    );
  });
});
