import { damageJson, damageText } from './mutate.mjs';

const TEXT = 'The build of the parser fails in the second test of the suite. '.repeat(200);

/** A sound request of every part that the API bills by. */
function soundBody() {
  const marked = { cache_control: { type: 'ephemeral' } };
  return {
    model: 'claude-sonnet-4-5',
    max_tokens: 1_024,
    stream: false,
    metadata: { user_id: 'u' },
    thinking: { type: 'disabled' },
    tool_choice: { type: 'auto' },
    tools: [{ name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' } }],
    system: [{ type: 'text', text: TEXT, ...marked }],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Fix it.' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a.ts' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: TEXT, ...marked }] },
    ],
  };
}

/** Values that a place of a request must not have; undefined takes it out. */
const WRONG = {
  model: [undefined, 7, null, 'no-such-model', {}],
  max_tokens: [undefined, -1, 1.5, 'x', 1e9, {}],
  stream: ['yes', 7, {}],
  thinking: [7, 'on', [], { type: 'odd' }],
  tool_choice: [7, 'auto', [], { type: 'odd' }],
  tools: [7, 'x', {}, [7], [{}], [{ name: 7 }]],
  system: [7, {}, [7], [{ text: 'x' }]],
  messages: [
    undefined,
    7,
    {},
    [],
    [7],
    [{}],
    [{ role: 'odd', content: 'x' }],
    [{ role: 'assistant', content: 'x' }],
  ],
  'system.0.cache_control': [7, 'x', {}, { type: 'odd' }, { type: 'ephemeral', ttl: '7m' }],
  'messages.0.content': [
    undefined,
    7,
    {},
    [7],
    [{}],
    [{ type: 'text', text: '' }],
    [{ type: 'text', text: 7 }],
  ],
  'messages.0.role': [undefined, 7, 'assistant', 'odd'],
  'messages.1.content.0.id': [undefined, 7, 'other'],
  'messages.1.content.0.name': [undefined, 7, { toString: 3 }],
  'tools.0.description': [7, [], { toString: 3 }],
  'messages.1.content.0.input': [7, 'x', []],
  'messages.2.content.0.tool_use_id': [undefined, 7, 'other'],
  'messages.2.content.0.content': [7, {}, true],
  'messages.2.content.0.type': [undefined, 7],
  max_token: [7, null],
  constructor: [{}, 'x'],
};

function put(body, path, value) {
  const keys = path.split('.');
  const parent = keys.slice(0, -1).reduce((item, key) => item[key], body);
  if (value === undefined) delete parent[keys.at(-1)];
  else parent[keys.at(-1)] = value;
  return body;
}

const HEADERS = { 'x-api-key': 'any', 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
const SOUND = { path: '/v1/messages', method: 'POST', headers: HEADERS };

/** A request, and what must come of it: the same answer, a refusal that names the place, or anything but a fault. */
function makeRequest(random) {
  const kind = random.below(10);
  if (kind < 2) {
    const body = JSON.stringify(soundBody(), null, random.pick([0, 1, '\t']));
    const headers = { ...HEADERS, ...random.pick([{}, { 'x-other': 'y' }, { 'user-agent': 'z' }]) };
    return { is: 'same', request: { ...SOUND, headers, body: random.pick([body, `\n${body}\r\n`]) } };
  }
  if (kind < 6) {
    const place = random.pick(Object.keys(WRONG));
    const body = put(soundBody(), place, random.pick(WRONG[place]));
    return { is: 'named', place, request: { ...SOUND, body: JSON.stringify(body) } };
  }
  const body =
    kind < 9
      ? JSON.stringify(damageJson(soundBody(), random))
      : damageText(JSON.stringify(soundBody()), random);
  const path = random.pick([
    '/v1/messages',
    '/v1/messages',
    '/v1/messages/count_tokens',
    '/v1/models/%E0',
    '/x',
    '/v1/messages/',
  ]);
  const headers = random.chance(0.8)
    ? HEADERS
    : random.pick([
        {},
        { 'x-api-key': 'a' },
        { ...HEADERS, 'anthropic-beta': ',,context-1m-x' },
        { ...HEADERS, 'content-length': '1e99' },
      ]);
  return {
    is: 'any',
    request: { path, method: random.pick(['POST', 'POST', 'POST', 'GET', 'PUT']), headers, body },
  };
}

async function send(api, { path, method, headers, body }) {
  const response = await api.fetch(`http://127.0.0.1${path}`, { method, headers, body });
  return { status: response.status, text: await response.text() };
}

/** The counts of an answer; null for a refusal. */
function usageOf({ text }) {
  try {
    return JSON.parse(text).usage ?? null;
  } catch {
    return null;
  }
}

const isCount = (value) => value === undefined || (Number.isSafeInteger(value) && value >= 0 && value <= 2e7);

function problemOf(given, is, place, sound) {
  const { status, text } = given;
  if (status !== 200 && (status < 400 || status > 499)) return `status ${status}: ${text}`;
  if (/\bNaN\b|\bundefined\b|\[object |Infinity/.test(text)) return `a value that is none: ${text}`;
  if (status !== 200 && JSON.parse(text).type !== 'error') return `no error of the API: ${text}`;
  if (status !== 200 && text.length > 12_000) return 'a refusal without an end';
  if (is === 'same' && text !== sound) return 'another answer without a word';
  if (is === 'named' && status === 200)
    return `answered, with a wrong ${place}: ${JSON.stringify(usageOf(given))}`;
  if (is === 'named' && !text.includes(place.split('.')[0])) return `refused without ${place}: ${text}`;
  const usage = usageOf(given) ?? {};
  if (
    ![
      usage.input_tokens,
      usage.cache_read_input_tokens,
      usage.cache_creation_input_tokens,
      usage.output_tokens,
    ].every(isCount)
  )
    return `counts that no request has: ${JSON.stringify(usage)}`;
  return null;
}

/** A request to `serve` without its socket. What is refused must leave no trace: the next answer bills as if it had not been. */
export function request(bases, random) {
  const { is, place, request: damaged } = makeRequest(random);
  return {
    async check() {
      const base = { ...SOUND, body: JSON.stringify(soundBody()) };
      bases.served ??= await send(bases.serve().api, base);
      const server = bases.serve();
      let given;
      try {
        given = await send(server.api, damaged);
      } catch (error) {
        return { code: 'thrown', problem: `${error}`.slice(0, 500) };
      }
      let problem = problemOf(given, is, place, bases.served.text);
      const next = await send(server.api, base);
      if (given.status !== 200 && JSON.stringify(usageOf(next)) !== JSON.stringify(usageOf(bases.served)))
        problem ??= `a refused request changes the next answer: ${JSON.stringify(usageOf(next))}`;
      problem ??= server.problem();
      return {
        code: given.status,
        problem:
          problem === null
            ? null
            : `${problem}\n  ${damaged.method} ${damaged.path} ${damaged.body.length < 600 ? damaged.body : ''}`,
      };
    },
  };
}
