import { describe, expect, it } from 'vitest';
import { createRandom } from '../../../src/core/base/random.js';
import type { FakeApiOptions } from '../../../src/provider/fake-api/fake-api.js';
import { createFaultPlan } from '../../../src/provider/fake-llm/faults.js';
import { fault } from '../fake-llm/build.js';
import { FULL_ANSWER, FULL_TOKENS, setUpRaw } from './raw-client.js';

const KEY = { 'x-goog-api-key': 'any' };
const MODEL = 'gemini-2.5-flash';
const contents = [{ role: 'user', parts: [{ text: 'hello' }] }];

function setUp(given: Partial<FakeApiOptions> = {}) {
  const { send, ...rest } = setUpRaw(given);
  const ask = (body: object, verb = 'generateContent', model = MODEL) =>
    send('POST', `/v1beta/models/${model}:${verb}`, KEY, { contents, ...body });
  return { ...rest, send, ask };
}

/** Thoughts are asked for, and shown. */
const THINKING = { generationConfig: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } } };

describe('the Gemini API', () => {
  it('answers with the documented object', async () => {
    const { ask } = setUp();
    expect((await ask({})).json).toEqual({
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Read 1 turn.' }] }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 12, totalTokenCount: 17 },
      modelVersion: MODEL,
      responseId: expect.any(String),
    });
  });

  it('thoughts and calls are parts; a signature follows the thoughts', async () => {
    const { ask } = setUp({ answer: () => FULL_ANSWER });
    const { candidates, usageMetadata } = (await ask(THINKING)).json;
    const { parts } = candidates[0].content;
    expect(parts).toEqual([
      { text: 'Hm.', thought: true },
      { text: 'I will look.', thoughtSignature: expect.any(String) },
      { functionCall: { id: 'call_1', name: 'read', args: { path: 'a.ts' } } },
      { functionCall: { id: expect.any(String), name: 'read', args: { path: 'b.ts' } } },
    ]);
    expect(parts[3].functionCall.id).not.toBe('call_1');
    expect(usageMetadata).toEqual({
      promptTokenCount: 5,
      candidatesTokenCount: FULL_TOKENS.all - FULL_TOKENS.thinking,
      thoughtsTokenCount: FULL_TOKENS.thinking,
      totalTokenCount: 5 + FULL_TOKENS.all,
    });
    const hidden = (await ask({ generationConfig: { thinkingConfig: { thinkingBudget: -1 } } })).json;
    expect(hidden.candidates[0].content.parts).toHaveLength(3);
    expect(hidden.usageMetadata.thoughtsTokenCount).toBe(FULL_TOKENS.thinking);
  });

  it('streams events without names where alt=sse asks for them, an array otherwise', async () => {
    const text = 'word '.repeat(40);
    const { ask } = setUp({ answer: () => [{ type: 'text', text }] });
    const { events, text: raw } = await ask({}, 'streamGenerateContent?alt=sse');
    expect(events.length).toBeGreaterThan(1);
    expect(raw).not.toContain('event:');
    const textOf = (
      chunks: readonly { candidates: readonly { content: { parts: { text: string }[] } }[] }[],
    ) => chunks.map(({ candidates }) => candidates[0]!.content.parts[0]!.text).join('');
    expect(textOf(events.map(({ data }) => data))).toBe(text);
    const reasons = events.map(({ data }) => data.candidates[0].finishReason);
    expect(reasons).toEqual([...reasons.slice(1).map(() => undefined), 'STOP']);
    expect(events.at(-1)!.data.usageMetadata.totalTokenCount).toBe(205);
    const array = await ask({}, 'streamGenerateContent');
    expect(array.type).toContain('application/json');
    expect(array.json).toHaveLength(events.length);
    expect(textOf(array.json)).toBe(text);
  });

  it('an answer that does not fit ends with MAX_TOKENS', async () => {
    const { ask } = setUp({ answer: () => [{ type: 'text', text: 'x'.repeat(50) }] });
    const { candidates } = (await ask({ generationConfig: { maxOutputTokens: 20 } })).json;
    expect(candidates[0]).toMatchObject({
      finishReason: 'MAX_TOKENS',
      content: { parts: [{ text: 'x'.repeat(20) }] },
    });
  });

  it('counts the system prompt, tools and every part, and bills nothing for it', async () => {
    const { ask, calls } = setUp();
    const declared = { name: 'read', parameters: { type: 'OBJECT' } };
    const body = {
      systemInstruction: { parts: [{ text: 'sys' }] },
      tools: [{ functionDeclarations: [declared] }],
      contents: [
        ...contents,
        {
          role: 'model',
          parts: [{ text: 'hm', thought: true }, { functionCall: { name: 'read', args: {} } }],
        },
        { role: 'user', parts: [{ functionResponse: { name: 'read', response: { output: 'file' } } }] },
        { role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] },
      ],
    };
    const counted =
      JSON.stringify(declared).length + 3 + 5 + 2 + (4 + 2) + '{"output":"file"}'.length + 2_000;
    expect((await ask(body, 'countTokens')).json).toEqual({ totalTokens: counted });
    expect(calls[0]!.usage).toBeNull();
    const nested = { contents: undefined, generateContentRequest: { model: MODEL, ...body } };
    expect((await ask(nested, 'countTokens')).json).toEqual({ totalTokens: counted });
    expect((await ask(body)).json.usageMetadata.promptTokenCount).toBe(counted);
  });

  it('reads what it has stored from the smallest size on', async () => {
    const { ask } = setUp();
    const of = (count: number) => ({ contents: [{ parts: [{ text: 'x'.repeat(count) }] }] });
    const cached = async (count: number) => (await ask(of(count))).json.usageMetadata.cachedContentTokenCount;
    expect([await cached(1_023), await cached(1_023)]).toEqual([undefined, undefined]);
    expect([await cached(1_024), await cached(1_024)]).toEqual([undefined, 1_024]);
  });

  it('lists models', async () => {
    const { send } = setUp();
    const { models } = (await send('GET', '/v1beta/models', KEY)).json;
    const row = models.find(({ name }: { name: string }) => name === `models/${MODEL}`);
    expect(row).toMatchObject({ inputTokenLimit: 1_048_576, outputTokenLimit: 65_536 });
    expect(models.every(({ name }: { name: string }) => name.startsWith('models/gemini'))).toBe(true);
    expect((await send('GET', `/v1beta/models/${MODEL}`, KEY)).json).toEqual(row);
  });
});

describe('what the Gemini API refuses, in its words', () => {
  const call = { functionCall: { name: 'read', args: {} } };
  const UNEQUAL =
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

  it.each<[string, object, string]>([
    [
      'a call without its response',
      { contents: [...contents, { role: 'model', parts: [call] }, ...contents] },
      UNEQUAL,
    ],
    [
      'a response without its call',
      { contents: [{ role: 'user', parts: [{ functionResponse: { name: 'read', response: {} } }] }] },
      UNEQUAL,
    ],
    [
      'another role',
      { contents: [{ role: 'robot', parts: [{ text: 'x' }] }] },
      'Please use a valid role: user, model.',
    ],
    [
      'a prompt beyond the window',
      { contents: [{ parts: [{ text: 'x'.repeat(1_048_577) }] }] },
      'The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).',
    ],
    ['nothing said', { contents: [] }, '* GenerateContentRequest.contents: contents is not specified'],
  ])('%s', async (_name, given, message) => {
    const { ask } = setUp();
    const { status, json } = await ask(given);
    expect(status).toBe(400);
    expect(json).toEqual({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } });
  });

  it('an unknown model, cached content that nobody made, a path that is not served', async () => {
    const { ask, send } = setUp();
    expect((await ask({}, 'generateContent', 'gemini-nobody')).json.error).toMatchObject({
      code: 404,
      message: expect.stringMatching(/^models\/gemini-nobody is not found for API version v1beta/),
      status: 'NOT_FOUND',
    });
    expect((await ask({ cachedContent: 'cachedContents/1' })).json.error.status).toBe('PERMISSION_DENIED');
    expect((await send('POST', '/v1beta/cachedContents', KEY, {})).json.error.status).toBe('NOT_FOUND');
    expect((await send('POST', `/v1beta/models/${MODEL}:embedContent`, KEY, {})).status).toBe(404);
  });

  it('a call without a key; one in the query will do', async () => {
    const { send, calls } = setUp();
    const path = `/v1beta/models/${MODEL}:generateContent`;
    const denied = await send('POST', path, {}, { contents });
    expect(denied.json.error).toMatchObject({ code: 403, status: 'PERMISSION_DENIED' });
    expect((await send('POST', `${path}?key=secret`, {}, { contents })).status).toBe(200);
    expect(JSON.stringify(calls)).not.toContain('secret');
  });

  it.each([
    ['overloaded', 503, 'UNAVAILABLE'],
    ['rate_limited', 429, 'RESOURCE_EXHAUSTED'],
    ['server_error', 500, 'INTERNAL'],
  ] as const)('%s is its own status', async (kind, code, status) => {
    const faults = createFaultPlan([fault(kind, { call: 'main' })], createRandom(1));
    const answer = await setUp({ faults }).ask({});
    expect(answer).toMatchObject({ status: code, json: { error: { code, status } } });
  });
});
