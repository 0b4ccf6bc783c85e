import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { piReader } from '../../../src/transcripts/readers/pi.js';
import { countPi, countTranscript } from '../../helpers/recordings/count-raw.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { callsIn, eventsIn, type Fields, warningCodes } from '../../helpers/session.js';

const START = Date.UTC(2026, 0, 1);
const iso = (second: number) => new Date(START + second * 1_000).toISOString();

const header = { type: 'session', version: 3, id: 'a', timestamp: iso(0), cwd: '/x' };

function entry(type: string, id: string, parentId: string | null, second: number, more: Fields): Fields {
  return { type, id, parentId, timestamp: iso(second), ...more };
}

const user = (id: string, parentId: string | null, second: number, text: string) =>
  entry('message', id, parentId, second, { message: { role: 'user', content: [{ type: 'text', text }] } });

const usage = (input: number, cacheRead = 0, cacheWrite = 0, output = 10) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  totalTokens: input + cacheRead + cacheWrite + output,
  cost: { total: 1 },
});

function answer(
  id: string,
  parentId: string | null,
  second: number,
  used: Fields,
  more: Fields = {},
): Fields {
  const message = {
    role: 'assistant',
    content: [{ type: 'text', text: `answer ${id}` }],
    provider: 'openai',
    model: 'gpt-5.5',
    usage: used,
    stopReason: 'stop',
    timestamp: START + (second - 1) * 1_000,
    ...more,
  };
  return entry('message', id, parentId, second, { message });
}

function read(lines: readonly (Fields | string)[], end = '\n'): Transcript {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return piReader.read(Buffer.from(text + end), { id: 'session' });
}

const messageIds = ({ threads }: Transcript): readonly string[] =>
  threads.flatMap(({ steps }) => steps.flatMap((step) => (step.kind === 'message' ? [step.message.id] : [])));

const SHORT = [header, user('u1', null, 1, 'hello'), answer('a1', 'u1', 3, usage(900, 100))];

describe('pi session', () => {
  it('knows its files by the header', () => {
    expect(piReader.detect!(`${JSON.stringify(header)}\n`)).toBe(true);
    expect(piReader.detect!('{"type":"session","id":"a"}\n')).toBe(false);
  });

  it('takes the input as it is: it excludes what was read and written', () => {
    const transcript = read([
      ...SHORT,
      user('u2', 'a1', 4, 'more'),
      answer('a2', 'u2', 6, usage(5, 900, 120)),
    ]);
    expect(callsIn(transcript).map(({ usage: used }) => used)).toEqual([
      { input: 900, cacheRead: 100, cacheWrite5m: 0, cacheWrite1h: 0, output: 10 },
      { input: 5, cacheRead: 900, cacheWrite5m: 120, cacheWrite1h: 0, output: 10 },
    ]);
    expect(transcript.carries).toContain('cache-writes');
    expect(read(SHORT).carries).not.toContain('cache-writes');
  });

  it('sends a request when the message says so, and ends it with its line', () => {
    const [call] = callsIn(read(SHORT));
    expect([call!.startMs, call!.endMs]).toEqual([1_000, 2_000]);
  });

  it('names the provider where there is one alone', () => {
    expect(read(SHORT).provider).toBe('openai');
    const two = [
      ...SHORT,
      user('u2', 'a1', 4, 'x'),
      answer('a2', 'u2', 5, usage(1_000), { provider: 'google' }),
    ];
    expect(read(two).provider).toBeUndefined();
  });

  it('pairs tool calls with their results, and keeps commands that the model may see', () => {
    const ran = (id: string, parentId: string, more: Fields = {}) =>
      entry('message', id, parentId, 4, {
        message: { role: 'bashExecution', command: 'ls', output: 'a', ...more },
      });
    const transcript = read([
      header,
      user('u1', null, 1, 'go'),
      answer('a1', 'u1', 2, usage(900), {
        content: [{ type: 'toolCall', id: 't1', name: 'read', arguments: { path: 'x' } }],
        stopReason: 'toolUse',
      }),
      entry('message', 'r1', 'a1', 3, {
        message: {
          role: 'toolResult',
          toolCallId: 't1',
          toolName: 'read',
          content: [{ type: 'text', text: 'x' }],
          isError: true,
        },
      }),
      ran('b1', 'r1'),
      ran('b2', 'b1', { excludeFromContext: true }),
      answer('a2', 'b2', 6, usage(1_000)),
    ]);
    expect(callsIn(transcript)[0]!.response.blocks[0]).toMatchObject({ tool: 'read', toolUseId: 't1' });
    const result = transcript.threads[0]!.steps.find(
      (step) => step.kind === 'message' && step.message.id === 'r1',
    );
    expect(result).toMatchObject({
      message: { blocks: [{ tool: 'read', toolUseId: 't1', facts: { isError: true } }] },
    });
    expect(messageIds(transcript)).toContain('b1');
    expect(messageIds(transcript)).not.toContain('b2');
  });

  it('goes back where an entry follows an earlier one: every call counts, what was left is gone', () => {
    const transcript = read([
      ...SHORT,
      user('u2', 'a1', 4, 'wrong'),
      answer('a2', 'u2', 5, usage(1_050)),
      entry('branch_summary', 's1', 'a1', 6, { fromId: 'a2', summary: 'tried the wrong way' }),
      user('u3', 's1', 7, 'right'),
      answer('a3', 'u3', 8, usage(1_040)),
    ]);
    expect(eventsIn(transcript)).toMatchObject([{ kind: 'rewind', lastId: 'response-a1' }]);
    expect(callsIn(transcript)).toHaveLength(3);
    expect(messageIds(transcript)).toContain('s1');
  });

  it('reads compactions with their summary and what stays, by id or by number', () => {
    const long = [...SHORT, user('u2', 'a1', 4, 'more'), answer('a2', 'u2', 6, usage(1_100))];
    const byId = entry('compaction', 'c1', 'a2', 7, {
      summary: 'so far',
      firstKeptEntryId: 'u2',
      tokensBefore: 1_110,
    });
    const after = [user('u3', 'c1', 8, 'on'), answer('a3', 'u3', 9, usage(300))];
    const expected = { kind: 'recorded-compaction', preTokens: 1_110, keptIds: ['u2', 'response-a2'] };
    const [found] = eventsIn(read([...long, byId, ...after]));
    expect(found).toMatchObject(expected);
    expect(found?.kind === 'recorded-compaction' && found.summary?.blocks[0]?.text?.read()).toBe('so far');
    const old = [...long, { ...byId, firstKeptEntryId: undefined, firstKeptEntryIndex: 3 }, ...after].map(
      ({ id, parentId, ...rest }: Fields) => (rest.type === 'session' ? { id, ...rest } : rest),
    );
    expect(eventsIn(read(old))).toMatchObject([{ ...expected, keptIds: ['entry-3', 'response-entry-4'] }]);
    expect(warningCodes(read(old))).toContain('compaction-calls-missing');
  });

  it('takes the effort from the latest change of the level', () => {
    const transcript = read([
      ...SHORT,
      entry('thinking_level_change', 'l1', 'a1', 4, { thinkingLevel: 'high' }),
      user('u2', 'l1', 5, 'x'),
      answer('a2', 'u2', 6, usage(1_000)),
    ]);
    expect(callsIn(transcript).map(({ effort }) => effort)).toEqual([null, 'high']);
    expect(eventsIn(transcript)).toEqual([]);
  });

  describe('bad input', () => {
    it('leaves out responses that never began, and does not believe the output of stopped ones', () => {
      const stopped = { stopReason: 'aborted', content: [] };
      const transcript = read([
        ...SHORT,
        answer('a2', 'a1', 4, usage(0, 0, 0, 0), stopped),
        answer('a3', 'a2', 5, usage(1_000), { stopReason: 'aborted' }),
      ]);
      expect(callsIn(transcript).map(({ outputIsPlaceholder }) => outputIsPlaceholder)).toEqual([
        false,
        true,
      ]);
      const left = transcript.warnings.find(({ code }) => code === 'stopped-responses');
      expect(left).toMatchObject({ count: 1 });
      expect(warningCodes(read(SHORT))).not.toContain('stopped-responses');
    });

    it('keeps a response without usage as unknown', () => {
      const transcript = read([...SHORT, user('u2', 'a1', 4, 'x'), answer('a2', 'u2', 5, {})]);
      expect(callsIn(transcript)[1]!.usage).toBeNull();
      expect(warningCodes(transcript)).toContain('no-usage');
    });

    it('counts an entry that stands there twice once', () => {
      const transcript = read([...SHORT, ...SHORT.slice(1)]);
      expect(countTranscript(transcript)).toMatchObject({ calls: 1, prompt: 1_000 });
      expect(warningCodes(transcript)).toContain('repeated-entries');
    });

    it('leaves out half a line, and never runs backwards', () => {
      const transcript = read(
        [...SHORT, user('u2', 'a1', -50, 'x'), answer('a2', 'u2', -40, usage(1_000)), '{"type":"mess'],
        '',
      );
      const [first, second] = callsIn(transcript);
      expect(second!.startMs).toBeGreaterThanOrEqual(first!.endMs);
      expect(warningCodes(transcript)).toContain('truncated-file');
    });
  });

  it.skipIf(!sharedData.present)('counts every shared session as its raw lines do', () => {
    const files = sharedData.files('transcripts/pi');
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const transcript = piReader.read(readFileSync(file), { id: file });
      expect([file, countTranscript(transcript)]).toEqual([file, countPi(file)]);
      expect(transcript).toMatchObject({ provider: 'anthropic' });
    }
  });
});
