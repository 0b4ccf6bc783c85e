import { describe, expect, it } from 'vitest';
import { errorKind, readRealAnswer } from '../../../../src/cli/commands/serve/real-answer.js';

const sse = (...events: readonly object[]): string =>
  `${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\n`;

const CALL = { type: 'tool_use', id: 'c1', name: 'read', input: { path: 'a' } };

describe('the answer of a real API', () => {
  it('Messages: the counts of the start, the output of the end', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 30,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 1,
    };
    const billed = { input: 5, cacheRead: 100, cacheWrite5m: 10, cacheWrite1h: 20, output: 42 };
    const body = sse(
      { type: 'message_start', message: { usage, content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'hm' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_start', index: 2, content_block: { ...CALL, input: {} } },
      {
        type: 'content_block_delta',
        index: 2,
        delta: { type: 'input_json_delta', partial_json: '{"path":' },
      },
      { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '"a"}' } },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 42 } },
    );
    const content = [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'Hello' },
      CALL,
    ];
    expect(readRealAnswer(body)).toEqual({ content, stopReason: 'tool_use', usage: billed });
    const plain = {
      content: [{ type: 'text', text: 'Hello' }, CALL],
      stop_reason: 'tool_use',
      usage: { ...usage, output_tokens: 42 },
    };
    expect(readRealAnswer(JSON.stringify(plain))).toEqual({
      content: content.slice(1),
      stopReason: 'tool_use',
      usage: billed,
    });
  });

  it('Responses: the last event tells everything; cached tokens are part of the input', () => {
    const response = {
      object: 'response',
      status: 'completed',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'Hello' }] },
        { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"path":"a"}' },
      ],
      usage: { input_tokens: 135, input_tokens_details: { cached_tokens: 100 }, output_tokens: 42 },
    };
    const expected = {
      content: [{ type: 'text', text: 'Hello' }, CALL],
      stopReason: 'completed',
      usage: { input: 35, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 42 },
    };
    const begun = { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } };
    expect(readRealAnswer(sse(begun, { type: 'response.completed', response }))).toEqual(expected);
    expect(readRealAnswer(JSON.stringify(response))).toMatchObject({
      content: expected.content,
      usage: expected.usage,
    });
  });

  it('Chat Completions: the last chunk has the counts, if the client asks for them', () => {
    const usage = {
      prompt_tokens: 135,
      prompt_tokens_details: { cached_tokens: 100 },
      completion_tokens: 42,
    };
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      choices: [{ delta, finish_reason }],
      usage: null,
    });
    const chunks = [
      chunk({ role: 'assistant', content: 'Hel' }),
      chunk({ content: 'lo' }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', function: { name: 'read', arguments: '{"path"' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: ':"a"}' } }] }, 'tool_calls'),
    ];
    const content = [{ type: 'text', text: 'Hello' }, CALL];
    const billed = { input: 35, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 42 };
    expect(readRealAnswer(sse(...chunks, { choices: [], usage }))).toEqual({
      content,
      stopReason: 'tool_calls',
      usage: billed,
    });
    expect(readRealAnswer(sse(...chunks)).usage).toBeNull();
  });

  it('Gemini: the counts of the last chunk, as events or as a list', () => {
    const chunks = [
      {
        candidates: [{ content: { parts: [{ text: 'Hel' }] } }],
        usageMetadata: { promptTokenCount: 135, totalTokenCount: 135 },
      },
      {
        candidates: [
          {
            content: {
              parts: [{ text: 'lo' }, { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } } }],
            },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: {
          promptTokenCount: 135,
          cachedContentTokenCount: 100,
          candidatesTokenCount: 40,
          thoughtsTokenCount: 2,
          totalTokenCount: 177,
        },
      },
    ];
    const expected = {
      content: [{ type: 'text', text: 'Hello' }, CALL],
      stopReason: 'STOP',
      usage: { input: 35, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 42 },
    };
    expect(readRealAnswer(sse(...chunks))).toEqual(expected);
    expect(readRealAnswer(JSON.stringify(chunks))).toEqual(expected);
  });

  it('what is no answer says nothing', () => {
    for (const body of ['', 'oops', '[1]', '{"usage":{"input_tokens":-5,"output_tokens":1}}', 'data: {"a"'])
      expect(readRealAnswer(body)).toEqual({ content: [], stopReason: null, usage: null });
  });

  it('an error is named by its kind alone', () => {
    expect(errorKind('{"error":{"type":"overloaded_error","message":"sk-1"}}')).toBe('overloaded_error');
    expect(errorKind('[{"error":{"status":"RESOURCE_EXHAUSTED"}}]')).toBe('RESOURCE_EXHAUSTED');
    expect(errorKind('{"error":{"type":"sk-1234 leaked"}}')).toBeNull();
    expect(errorKind('<html>')).toBeNull();
  });
});
