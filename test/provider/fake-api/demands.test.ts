import { describe, expect, it } from 'vitest';
import { setUpRaw } from './raw-client.js';

const weather = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 6 }, days: { type: 'integer', minimum: 2 } },
  required: ['city', 'days'],
};
const SMALLEST = { city: 'text..', days: 2 };

/** A text and two calls are what the model wants to answer. */
const WANTED = [
  { type: 'text', text: 'I look. Then I tell.' },
  { type: 'tool_use', id: 'a', name: 'other', input: {} },
  { type: 'tool_use', id: 'b', name: 'weather', input: { city: 'Berlin', days: 3 } },
] as const;

/** What a request demands, in the words of one API. */
interface Demand {
  readonly choice?: 'none' | 'required' | { readonly only: readonly string[] };
  readonly one?: boolean;
  readonly schema?: object;
  readonly json?: boolean;
  readonly stop?: string;
  readonly tools?: readonly string[];
}

interface Got {
  readonly status: number;
  readonly text: string;
  readonly calls: readonly (readonly [name: string, input: unknown])[];
}

const bearer = { authorization: 'Bearer any' };
const parameters = (name: string): object => (name === 'weather' ? weather : { type: 'object' });

// biome-ignore lint/suspicious/noExplicitAny: JSON of other APIs
type Json = any;

const APIS: Readonly<Record<string, (demand: Demand, answer: readonly object[]) => Promise<Got>>> = {
  async chat({ choice, one, schema, json, stop, tools = ['other', 'weather'] }, answer) {
    const named = (name: string) => ({ type: 'function', function: { name } });
    const { status, json: body } = await setUpRaw({ answer: () => answer as never }).send(
      'POST',
      '/v1/chat/completions',
      bearer,
      {
        model: 'gpt-5.5',
        messages: [{ role: 'user', content: 'hello' }],
        tools: tools.map((name) => ({
          type: 'function',
          function: { name, parameters: parameters(name) },
        })),
        ...(one ? { parallel_tool_calls: false } : {}),
        ...(stop === undefined ? {} : { stop }),
        ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } } : {}),
        ...(json ? { response_format: { type: 'json_object' } } : {}),
        ...(choice === undefined
          ? {}
          : typeof choice === 'string'
            ? { tool_choice: choice }
            : choice.only.length === 1
              ? { tool_choice: named(choice.only[0]!) }
              : {
                  tool_choice: {
                    type: 'allowed_tools',
                    allowed_tools: { mode: 'required', tools: choice.only.map(named) },
                  },
                }),
      },
    );
    const { content, tool_calls: calls = [] } = body.choices?.[0].message ?? {};
    return {
      status,
      text: content ?? '',
      calls: calls.map((call: Json) => [call.function.name, JSON.parse(call.function.arguments)]),
    };
  },
  async responses({ choice, one, schema, json, tools = ['other', 'weather'] }, answer) {
    const named = (name: string) => ({ type: 'function', name });
    const { status, json: body } = await setUpRaw({ answer: () => answer as never }).send(
      'POST',
      '/v1/responses',
      bearer,
      {
        model: 'gpt-5.5',
        input: 'hello',
        tools: tools.map((name) => ({ type: 'function', name, parameters: parameters(name) })),
        ...(one ? { parallel_tool_calls: false } : {}),
        ...(schema ? { text: { format: { type: 'json_schema', name: 'x', schema } } } : {}),
        ...(json ? { text: { format: { type: 'json_object' } } } : {}),
        ...(choice === undefined
          ? {}
          : typeof choice === 'string'
            ? { tool_choice: choice }
            : choice.only.length === 1
              ? { tool_choice: named(choice.only[0]!) }
              : { tool_choice: { type: 'allowed_tools', mode: 'required', tools: choice.only.map(named) } }),
      },
    );
    const items: Json[] = body.output ?? [];
    return {
      status,
      text: items
        .filter(({ type }) => type === 'message')
        .map(({ content }) => content[0].text)
        .join(''),
      calls: items
        .filter(({ type }) => type === 'function_call')
        .map(({ name, arguments: input }) => [name, JSON.parse(input)]),
    };
  },
  async gemini({ choice, schema, json, stop, tools = ['other', 'weather'] }, answer) {
    const mode = choice === 'none' ? 'NONE' : 'ANY';
    const only = typeof choice === 'object' ? { allowedFunctionNames: choice.only } : {};
    const { status, json: body } = await setUpRaw({ answer: () => answer as never }).send(
      'POST',
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { 'x-goog-api-key': 'any' },
      {
        contents: [{ role: 'user', parts: [{ text: 'hello' }] }],
        tools: [
          { functionDeclarations: tools.map((name) => ({ name, parametersJsonSchema: parameters(name) })) },
        ],
        ...(choice === undefined ? {} : { toolConfig: { functionCallingConfig: { mode, ...only } } }),
        generationConfig: {
          ...(stop === undefined ? {} : { stopSequences: [stop] }),
          ...(schema ? { responseMimeType: 'application/json', responseSchema: schema } : {}),
          ...(json ? { responseMimeType: 'application/json' } : {}),
        },
      },
    );
    const parts: Json[] = body.candidates?.[0].content.parts ?? [];
    return {
      status,
      text: parts.map(({ text }) => text ?? '').join(''),
      calls: parts.flatMap(({ functionCall: call }) => (call === undefined ? [] : [[call.name, call.args]])),
    };
  },
};

const [text, other, look] = WANTED;

describe.each(Object.entries(APIS))('what a request to %s demands of its answer', (name, ask) => {
  const names = async (demand: Demand) => (await ask(demand, WANTED)).calls.map(([called]) => called);

  it('may call tools where it says nothing', async () => {
    expect(await names({})).toEqual(['other', 'weather']);
  });

  it('calls none where it must not', async () => {
    expect(await ask({ choice: 'none' }, WANTED)).toMatchObject({ text: text.text, calls: [] });
  });

  it('calls one where it must, with the smallest input that the tool takes', async () => {
    expect(await ask({ choice: 'required', tools: ['weather'] }, [text])).toMatchObject({
      calls: [['weather', SMALLEST]],
    });
    expect(await names({ choice: 'required' })).toEqual(['other', 'weather']);
  });

  it('calls the one that is named, or one of those', async () => {
    expect(await names({ choice: { only: ['weather'] } })).toEqual(['weather']);
    const forced = await ask({ choice: { only: ['weather'] } }, [text, other]);
    expect(forced.calls).toEqual([['weather', SMALLEST]]);
    expect(await names({ choice: { only: ['weather', 'other'] } })).toEqual(['other', 'weather']);
  });

  it('refuses a tool that is not defined', async () => {
    expect(await ask({ choice: { only: ['lost'] } }, WANTED)).toMatchObject({ status: 400 });
  });

  it('follows the schema of a structured format; JSON that is said stays', async () => {
    const made = await ask({ schema: weather }, [text]);
    expect(JSON.parse(made.text)).toEqual(SMALLEST);
    const said = await ask({ schema: weather }, [{ type: 'text', text: '{"city":"Berlin","days":3}' }]);
    expect(JSON.parse(said.text)).toEqual(look.input);
    expect(JSON.parse((await ask({ json: true }, [text])).text)).toEqual({});
  });

  // Gemini has no word for one call at once, Responses none for stop sequences.
  if (name !== 'gemini')
    it('makes one call at once where several are not allowed', async () => {
      expect(await names({ one: true })).toEqual(['other']);
    });

  if (name !== 'responses')
    it('ends where a stop sequence would occur', async () => {
      expect(await ask({ stop: ' Then' }, WANTED)).toMatchObject({ text: 'I look.', calls: [] });
    });
});
