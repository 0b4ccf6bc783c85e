import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/transcripts/lines/narrow.js';
import {
  IDLE_LINE,
  SessionLineReader,
} from '../../../../../src/transcripts/readers/claude-code/lines/session-line-reader.js';
import { forAll } from '../../../../helpers/for-all.js';
import { propertyRuns } from '../../../../helpers/generators/property-runs.js';

type Fields = Readonly<Record<string, unknown>>;

/** Reads lines that stand one behind another in a buffer, as objects with all their members. */
function readAll(lines: readonly string[], reader: SessionLineReader): (Fields | null)[] {
  const buffer = Buffer.from(lines.join('\n'));
  let start = 0;
  return lines.map((line) => {
    const end = start + Buffer.byteLength(line);
    const value = reader.read(buffer, start, end);
    start = end + 1;
    return value === null || value === IDLE_LINE ? value : { ...reader.head, ...value };
  });
}

const never = (): boolean => false;
const always = (): boolean => true;

function read(lines: readonly string[], isIdle: (head: JsonObject) => boolean = never): (Fields | null)[] {
  return readAll(lines, new SessionLineReader(isIdle));
}

const HEAD = { isSidechain: false, userType: 'external', cwd: '/a', sessionId: 's', version: '2.1.0' };
const STAMP = { uuid: 'u-1', timestamp: '2026-01-01T00:00:00.000Z' };
const IDS = { toolUseID: 't', parentToolUseID: 't' };

function userLine(parentUuid: unknown, content: unknown, behind: Fields = {}): Fields {
  return { parentUuid, ...HEAD, type: 'user', message: { role: 'user', content }, ...STAMP, ...behind };
}

function progressLine(parentUuid: string, data: unknown, behind: Fields = {}): Fields {
  return { parentUuid, ...HEAD, type: 'progress', data, ...IDS, ...STAMP, ...behind };
}

function texts(lines: readonly Fields[]): string[] {
  return lines.map((line) => JSON.stringify(line));
}

describe('reader of the lines of a session', () => {
  it('gives lines that begin alike all their members, and only the second time from the first', () => {
    const lines = [userLine('a', 'one'), userLine('b', 'two → "2"'), userLine(null, 'three')];
    expect(read(texts(lines))).toEqual(lines);
    const reader = new SessionLineReader(never);
    readAll(texts(lines.slice(0, 2)), reader);
    expect(reader.head).toEqual({ ...HEAD, type: 'user' });
  });

  it('leaves out the copy of a result for the terminal', () => {
    const result = { toolUseResult: { stdout: '"x"' }, sourceToolAssistantUUID: 'a' };
    const lines = [userLine('a', [{ type: 'tool_result' }], result), userLine('b', 'x', result)];
    const short = lines.map(({ toolUseResult: _left, ...line }) => line);
    expect(read(texts(lines))).toEqual(short);
  });

  it('K3 never leaves out lines of progress that tell of a new process', () => {
    const stop = { type: 'hook_progress', hookName: 'Stop' };
    const start = { type: 'hook_progress', hookName: 'SessionStart:resume' };
    const lines = [progressLine('a', stop), progressLine('b', stop), progressLine('c', start)];
    const [first, second, third] = read(texts(lines), always);
    expect(first).not.toHaveProperty('data');
    expect(second).toBe(IDLE_LINE);
    expect(third).toEqual(lines[2]);
    expect(read(texts([lines[2]!]), always)).toEqual([lines[2]]);
  });

  it('takes members that stand behind from the line, not from what it shares', () => {
    const [first] = texts([userLine('a', 'one')]);
    const second = first!.replace(/\}$/, ',"version":"2.1.1"}');
    expect(read([first!, second])[1]).toMatchObject({ version: '2.1.1' });
  });

  it('does not look into progress that is idle', () => {
    const lines = texts(['a', 'b', 'c'].map((parent) => progressLine(parent, { output: '"}' })));
    expect(read(lines, always).slice(1)).toEqual([IDLE_LINE, IDLE_LINE]);
    expect(read(lines)[1]).not.toBe(IDLE_LINE);
  });

  it.each([
    ['a member behind its data', JSON.stringify(progressLine('b', { a: 1 }, { agentId: 'x' }))],
    ['an odd parent', JSON.stringify(progressLine('b\\', { a: 1 }))],
    ['a second object', JSON.stringify(progressLine('b', { a: 1 })).repeat(2)],
    ['a cut end', JSON.stringify(progressLine('b', { a: 1 })).slice(0, -1)],
  ])('looks into progress with %s', (_name, line) => {
    const first = JSON.stringify(progressLine('a', {}));
    expect(read([first, line], always)[1]).not.toBe(IDLE_LINE);
  });

  it.each([
    ['a parent that is deeper than it looks', (line: string) => line.replace('"b"', '{"c":"b"').concat('}')],
    ['a parent that is a list', (line: string) => line.replace('"b"', '["b"')],
    ['a cut end', (line: string) => line.slice(0, -1)],
    ['two objects', (line: string) => line.repeat(2)],
  ])('reads a line with %s as JSON does', (_name, change) => {
    const [first, second] = texts([userLine('a', 'one'), userLine('b', 'two')]);
    const odd = change(second!);
    let expected: unknown = null;
    try {
      expected = JSON.parse(odd);
    } catch {}
    expect(read([first!, odd])[1]).toEqual(expected);
  });

  it('bears a chunk that ends within the key of a result', () => {
    const line = JSON.stringify(userLine('a', 'one'));
    for (const rest of [',"toolUseResu', ',"toolUseResult"', 'UseResu', '}{']) {
      const buffer = Buffer.from(`${line}\n{"type":"user"${rest}`);
      expect(new SessionLineReader(never).read(buffer, 0, line.length)).toEqual(JSON.parse(line));
    }
  });

  it('finds in the lines of a file what JSON finds there, but for payloads', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        'a',
        'b',
        '"',
        '\\',
        ',"message":{',
        ',"data":{',
        '}{"',
        'progress',
        ',"toolUseResult":',
      ),
    );
    const head = fc.record(
      {
        isSidechain: fc.boolean(),
        agentId: fc.constantFrom('x', 'y'),
        sessionId: fc.constantFrom('s', 't', null),
        version: fc.constantFrom('2.1.0', '2.1.1'),
        message: fc.constantFrom('m', { a: 1 }),
        isMeta: fc.boolean(),
        cwd: text,
      },
      { requiredKeys: ['isSidechain', 'sessionId', 'version'] },
    );
    const behind = fc.record(
      { agentId: text, type: text, toolUseResult: fc.anything() },
      { requiredKeys: [] },
    );
    const line = fc
      .tuple(
        fc.oneof(text, fc.constant(null)),
        head,
        fc.constantFrom('user', 'assistant', 'progress'),
        text,
        behind,
      )
      .map(([parentUuid, members, type, content, more]): Fields => {
        const body = type === 'progress' ? { data: { content } } : { message: { content: [content] } };
        return { parentUuid, ...members, type, ...body, ...STAMP, ...more };
      });
    forAll(
      { numRuns: propertyRuns(300) },
      fc.array(line, { maxLength: 8 }),
      fc.array(fc.nat(7), { maxLength: 12 }),
      (made, order) => {
        const lines = texts([...made, ...order.flatMap((i) => made.slice(i, i + 1))]);
        const found = read(lines);
        for (const [i, json] of lines.entries()) {
          const expected = JSON.parse(json) as Record<string, unknown>;
          const members = found[i]!;
          for (const payload of ['toolUseResult', 'data'])
            if (!(payload in members)) delete expected[payload];
          expect(members).toEqual(expected);
        }
      },
    );
  });
});
