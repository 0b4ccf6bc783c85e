import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader } from '../../../../../src/transcripts/readers/claude-code/lines/session-line-reader.js';
import { forAll } from '../../../../helpers/for-all.js';
import { propertyRuns } from '../../../../helpers/generators/property-runs.js';

type Fields = Readonly<Record<string, unknown>>;

function read(line: string): unknown {
  const bytes = Buffer.from(line);
  return createLineReader()(bytes, 0, bytes.length);
}

const ENVELOPE = {
  parentUuid: 'p',
  isSidechain: false,
  userType: 'external',
  sessionId: 's',
  version: '2.1.0',
};
const STAMP = { uuid: 'u', timestamp: '2026-01-01T00:00:00.000Z' };
const RESULT = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'ok' }] };

/** The order in which clients write a tool result. */
function resultLine(toolUseResult: unknown, behind: Fields = {}): Fields {
  return { ...ENVELOPE, type: 'user', message: RESULT, ...STAMP, toolUseResult, ...behind };
}

function without(line: Fields, key: string): Fields {
  return Object.fromEntries(Object.entries(line).filter(([name]) => name !== key));
}

describe('reader of Claude Code lines', () => {
  it.each([
    ['an object', { stdout: 'a "b" \\" \\\\', nested: [{ toolUseResult: { deep: 1 } }] }],
    ['a list', [{ type: 'text', text: ']}' }]],
  ])('leaves out the copy of a result for the terminal: %s', (_name, payload) => {
    const line = resultLine(payload, { sourceToolAssistantUUID: 'a', gitBranch: 'main' });
    expect(read(JSON.stringify(line))).toEqual(without(line, 'toolUseResult'));
    expect(read(`${JSON.stringify(line)}\r`)).toEqual(without(line, 'toolUseResult'));
  });

  it('keeps the texts behind it, with whatever quotes and backslashes', () => {
    const line = resultLine({ a: 1 }, { agentId: 'a', cwd: 'C:\\dev\\', gitBranch: '"\\"' });
    expect(read(JSON.stringify(line))).toEqual(without(line, 'toolUseResult'));
  });

  it('leaves out the data of progress', () => {
    const ids = { toolUseID: 't', parentToolUseID: 't', ...STAMP };
    const line = { ...ENVELOPE, type: 'progress', data: { type: 'bash_progress', output: '"}' }, ...ids };
    expect(read(JSON.stringify(line))).toEqual(without(line, 'data'));
  });

  it('reads a line whole when the key belongs to something deeper, or when the rest is written behind the payload', () => {
    const input = { a: 1, toolUseResult: { b: 2 }, c: '3' };
    const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'Probe', input }] };
    const lines: readonly Fields[] = [
      { ...ENVELOPE, type: 'assistant', message: call, ...STAMP },
      { ...ENVELOPE, toolUseResult: { x: 1 }, type: 'user', message: RESULT, ...STAMP },
      { ...ENVELOPE, type: 'user', toolUseResult: { x: 1 }, ...STAMP, message: RESULT },
      { toolUseResult: 1, type: 'user', message: RESULT },
    ];
    for (const line of lines) expect(read(JSON.stringify(line))).toEqual(line);
  });

  it('does not join the start of one object with the end of another on the same line', () => {
    const row = `${JSON.stringify(resultLine({ a: 1 }))}${JSON.stringify(resultLine({ b: 2 }))}`;
    expect(read(row)).toBeNull();
  });

  it.each(['{"type":"user","toolUseResult":{"a":', '[1]', '17', '{"a":1}}', ''])(
    'finds no object in %s',
    (text) => {
      expect(read(text)).toBeNull();
    },
  );

  it('finds in any line what JSON finds there, but for the payload', () => {
    const key = fc.constantFrom('toolUseResult', 'data', 'type', 'uuid', 'note', 'message', 'UseResult');
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.string({ unit: 'binary', maxLength: 12 }),
        fc.constantFrom(',"toolUseResult":', '}{"', '\\', '"', 'progress', '"type":"progress","data":'),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(true, false, null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    const plain = fc.dictionary(
      fc.constantFrom('gitBranch', 'slug', 'agentId', 'parentToolUseID'),
      fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), fc.boolean(), fc.integer()),
    );
    forAll(
      { numRuns: propertyRuns(500) },
      value,
      value,
      plain,
      fc.constantFrom('user', 'progress'),
      (content, payload, behind, type) => {
        const name = type === 'user' ? 'toolUseResult' : 'data';
        const message = { role: 'user', content };
        const line = { ...ENVELOPE, type, message, ...STAMP, [name]: payload, ...behind };
        const progress = { ...ENVELOPE, type, [name]: payload, ...behind, ...STAMP };
        for (const each of [line, progress]) {
          const text = JSON.stringify(each);
          const found = read(text) as Fields;
          const expected = JSON.parse(text) as Fields;
          expect(without(found, name)).toEqual(without(expected, name));
          if (name in found) expect(found[name]).toEqual(expected[name]);
        }
      },
    );
  });
});
