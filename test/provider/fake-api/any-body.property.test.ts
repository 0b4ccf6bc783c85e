import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { setUpRaw } from './raw-client.js';

const KEYS = { authorization: 'Bearer any', 'x-goog-api-key': 'any' };

/** Bodies that are right but for one field of any JSON, where requests have fields of their own. */
const CALLS: readonly (readonly [path: string, body: object, fields: readonly string[]])[] = [
  [
    '/v1/responses',
    { model: 'gpt-5.1', input: 'x' },
    [
      'input',
      'instructions',
      'tools',
      'reasoning',
      'include',
      'text',
      'max_output_tokens',
      'previous_response_id',
    ],
  ],
  [
    '/v1/chat/completions',
    { model: 'gpt-5.1', messages: [{ role: 'user', content: 'x' }] },
    ['messages', 'tools', 'response_format', 'stream_options', 'reasoning_effort', 'max_tokens', 'n'],
  ],
  [
    '/v1beta/models/gemini-2.5-flash:generateContent',
    { contents: [{ parts: [{ text: 'x' }] }] },
    ['contents', 'systemInstruction', 'tools', 'generationConfig', 'cachedContent'],
  ],
];

/** JSON with the names that the APIs know in it. */
const WORDS = [
  'type',
  'role',
  'content',
  'parts',
  'text',
  'name',
  'call_id',
  'function',
  'constructor',
  '__proto__',
];
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, '', 'user', 'model', 'function_call', 'message', 'tool', 'custom'),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...WORDS), tie('json'), { maxKeys: 4 }),
  ),
}));

describe('H2 whatever a body holds', () => {
  it.each(CALLS)('%s answers or refuses it', async (path, body, fields) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...fields), json, fc.boolean(), async (field, value, stream) => {
        const { send } = setUpRaw();
        const { status } = await send('POST', path, KEYS, { ...body, stream, [field]: value });
        expect([200, 400, 403, 404]).toContain(status);
      }),
      { numRuns: propertyRuns(150) },
    );
  });
});
