import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../../cli/cli.js';
import { serving } from '../../cli/commands/serve/serving.js';

const MODEL = 'gpt-5.5';

async function setUp() {
  const { url, stop } = await serving(tempFolder(), ['--json']);
  return { client: new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 }), stop };
}

describe('the official SDK of OpenAI over a socket', () => {
  it('gets a response and a streamed one, whose prompts are read from the cache in steps', async () => {
    const { client, stop } = await setUp();
    const input = 'x'.repeat(16_000); // four characters a token
    const plain = await client.responses.create({ model: MODEL, input });
    expect(plain.output_text).toBe('Read 1 turn.');
    expect(plain.usage).toMatchObject({ input_tokens: 4_000, input_tokens_details: { cached_tokens: 0 } });
    const events: string[] = [];
    const stream = await client.responses.create({ model: MODEL, input, stream: true });
    let cached = -1;
    for await (const event of stream) {
      events.push(event.type);
      if (event.type === 'response.completed')
        cached = event.response.usage!.input_tokens_details.cached_tokens;
    }
    expect(events[0]).toBe('response.created');
    expect(events.at(-1)).toBe('response.completed');
    expect(cached % 128).toBe(0); // steps of 128 tokens up to GPT-5.5
    const { totals } = JSON.parse((await stop()).stdout);
    expect(totals).toMatchObject({ answered: 2, refused: 0 });
  });

  it('gets a chat completion, and a streamed one with its usage', async () => {
    const { client } = await setUp();
    const messages = [{ role: 'user' as const, content: 'hello, how are you?!' }]; // 20 characters
    const plain = await client.chat.completions.create({ model: MODEL, messages });
    expect(plain.choices[0]!.message.content).toBe('Read 1 turn.');
    expect(plain.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
    const stream = await client.chat.completions.create({
      model: MODEL,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let usage = null;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe('Read 1 turn.');
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
  });

  it('throws its own errors for an unknown model and a wrong request', async () => {
    const { client } = await setUp();
    await expect(client.responses.create({ model: 'gpt-0', input: 'x' })).rejects.toMatchObject({
      status: 404,
    });
    await expect(client.chat.completions.create({ model: MODEL, messages: [] })).rejects.toBeInstanceOf(
      OpenAI.BadRequestError,
    );
  });

  it('lists models', async () => {
    const { client } = await setUp();
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toContain(MODEL);
  });
});
