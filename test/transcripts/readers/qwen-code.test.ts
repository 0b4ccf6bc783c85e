import { describe, expect, it } from 'vitest';
import { readAny } from '../../helpers/recordings/read-any.js';
import {
  callsOf,
  eventsOf,
  type Fields,
  firstThread,
  jsonl,
  messagesOf,
  stamp,
  warningCodes,
} from '../../helpers/session.js';

let latest: string | null = null;

function record(uuid: string, seconds: number, fields: Fields): Fields {
  const made = {
    uuid,
    parentUuid: latest,
    sessionId: 's',
    timestamp: stamp(seconds),
    version: '0.6.0',
    ...fields,
  };
  latest = uuid;
  return made;
}

const typed = (uuid: string, seconds: number, text: string, fields: Fields = {}): Fields =>
  record(uuid, seconds, { type: 'user', message: { role: 'user', parts: [{ text }] }, ...fields });

const answer = (uuid: string, seconds: number, counts: Fields | null, fields: Fields = {}): Fields =>
  record(uuid, seconds, {
    type: 'assistant',
    model: 'qwen-x',
    message: { role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'done' }] },
    ...(counts === null ? {} : { usageMetadata: counts }),
    ...fields,
  });

function counts(prompt: number, cached: number, candidates: number, thoughts = 0): Fields {
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: candidates,
    thoughtsTokenCount: thoughts,
    totalTokenCount: prompt + candidates + thoughts,
  };
}

function read(lines: readonly (Fields | string)[]) {
  latest = null;
  return readAny(jsonl(lines), { id: 'chat' });
}

describe('Qwen Code chats', () => {
  it('are not taken for sessions of Claude Code, whatever line comes first', () => {
    const title = record('x', 0, {
      type: 'system',
      subtype: 'custom_title',
      systemPayload: { customTitle: 'a' },
    });
    const transcript = read([title, typed('u', 0, 'go'), answer('a', 2, counts(1_000, 600, 50))]);
    expect(transcript).toMatchObject({ source: 'qwen-code', agentVersion: '0.6.0' });
    expect(transcript.carries).not.toContain('cache-writes');
  });

  it('takes the cached tokens out of the prompt and adds thoughts to the output', () => {
    const transcript = read([typed('u', 0, 'go'), answer('a', 2, counts(1_000, 600, 50, 30))]);
    const [call] = callsOf(firstThread(transcript));
    expect(call!.usage).toEqual({ input: 400, cacheRead: 600, cacheWrite5m: 0, cacheWrite1h: 0, output: 80 });
    expect(call!.response.blocks.map(({ kind }) => kind)).toEqual(['text']);
  });

  it('counts thoughts once where the answer includes them', () => {
    const inside = { ...counts(1_000, 0, 50, 30), totalTokenCount: 1_050 };
    const [call] = callsOf(firstThread(read([typed('u', 0, 'go'), answer('a', 2, inside)])));
    expect(call!.usage!.output).toBe(50);
  });

  it('pairs tools with their results', () => {
    const thread = firstThread(
      read([
        typed('u', 0, 'go'),
        answer('a1', 2, counts(1_000, 0, 50), {
          message: {
            role: 'model',
            parts: [{ functionCall: { id: 't1', name: 'shell', args: { command: 'ls' } } }],
          },
        }),
        record('r1', 4, {
          type: 'tool_result',
          message: {
            role: 'user',
            parts: [{ functionResponse: { id: 't1', name: 'shell', response: { error: 'no such folder' } } }],
          },
        }),
        answer('a2', 6, counts(1_100, 900, 5)),
      ]),
    );
    const result = messagesOf(thread).find(({ origin }) => origin === 'tool')!.blocks[0]!;
    expect(result).toMatchObject({ kind: 'tool_result', toolUseId: 't1', tool: 'shell' });
    expect(result.facts.isError).toBe(true);
    expect(callsOf(thread)[0]).toMatchObject({ stopReason: 'tool_use' });
  });

  it('reads a compression with its sizes, its summary and who asked for it', () => {
    const compression = (uuid: string, seconds: number) =>
      record(uuid, seconds, {
        type: 'system',
        subtype: 'chat_compression',
        systemPayload: {
          info: { originalTokenCount: 9_000, newTokenCount: 2_000 },
          compressedHistory: [{ role: 'user', parts: [{ text: 'so far' }] }],
        },
      });
    const thread = firstThread(
      read([
        typed('u1', 0, 'go'),
        answer('a1', 2, counts(8_900, 0, 50)),
        compression('c1', 3),
        answer('a2', 6, counts(2_100, 0, 5)),
        record('s', 7, {
          type: 'system',
          subtype: 'slash_command',
          systemPayload: { rawCommand: '/compress' },
        }),
        compression('c2', 8),
        typed('u2', 9, 'on'),
        answer('a3', 10, counts(2_000, 0, 5)),
      ]),
    );
    const compactions = eventsOf(thread).filter(({ kind }) => kind === 'recorded-compaction');
    expect(compactions).toMatchObject([
      { trigger: 'auto', preTokens: 9_000, postTokens: 2_000, summary: { origin: 'summary' } },
      { trigger: 'manual', preTokens: 9_000 },
    ]);
  });

  describe('R7 clearings, of which no record tells', () => {
    /** A response that calls a tool, and what it gave. */
    const round = (n: number, prompt: number, chars: number): readonly Fields[] => [
      answer(`a${n}`, 10 * n, counts(prompt, 0, 50), {
        message: { role: 'model', parts: [{ functionCall: { id: `t${n}`, name: 'read_file', args: {} } }] },
      }),
      record(`r${n}`, 10 * n + 1, {
        type: 'tool_result',
        message: {
          role: 'user',
          parts: [
            { functionResponse: { id: `t${n}`, name: 'read_file', response: { output: 'x'.repeat(chars) } } },
          ],
        },
      }),
    ];
    const rounds = (n: number, chars: number): readonly Fields[] =>
      Array.from({ length: n }, (_, i) => round(i + 1, 10_000 + i * 15_000, chars)).flat();

    it('by size: the oldest results until half of 500,000 characters are left, and no compaction', () => {
      // Nine results of 60,000 characters: five would have to go, but the newest five stay.
      latest = null;
      const lines = [typed('u1', 0, 'go'), ...rounds(9, 60_000), answer('z', 200, counts(70_000, 0, 5))];
      const transcript = read(lines);
      expect(eventsOf(firstThread(transcript))).toMatchObject([
        { kind: 'recorded-microcompact', preTokens: 130_000, toolUseIds: ['t1', 't2', 't3', 't4'] },
      ]);
      expect(warningCodes(transcript)).not.toContain('compaction-inferred');
    });

    it('after a pause: all but the newest five', () => {
      latest = null;
      const lines = [typed('u1', 0, 'go'), ...rounds(7, 10_000), answer('z', 4_000, counts(95_000, 0, 5))];
      expect(eventsOf(firstThread(read(lines)))).toMatchObject([
        { kind: 'recorded-microcompact', toolUseIds: ['t1', 't2'] },
      ]);
    });

    it('none where the prompt is a little shorter and nothing was due', () => {
      latest = null;
      const lines = [typed('u1', 0, 'go'), ...rounds(7, 10_000), answer('z', 100, counts(95_000, 0, 5))];
      expect(eventsOf(firstThread(read(lines)))).toEqual([]);
    });
  });

  it('follows the parents of records: a record behind an older one goes back to it', () => {
    const thread = firstThread(
      read([
        typed('u1', 0, 'go'),
        answer('a1', 2, counts(1_000, 0, 50)),
        typed('u2', 3, 'a detour'),
        answer('a2', 4, counts(1_100, 900, 50)),
        typed('u3', 9, 'another way', { parentUuid: 'a1' }),
        answer('a3', 10, counts(1_100, 900, 50)),
      ]),
    );
    expect(eventsOf(thread)).toMatchObject([{ kind: 'rewind', lastId: 'response-a1' }]);
    expect(callsOf(thread)).toHaveLength(3);
  });

  it('keeps subagents apart, and counts copied records once', () => {
    const side = { isSidechain: true, agentId: 'explore-1' };
    const first = typed('u1', 0, 'go');
    const transcript = read([
      first,
      first,
      typed('x1', 1, 'look around', side),
      answer('x2', 2, counts(500, 0, 5), side),
      answer('a1', 4, counts(1_000, 0, 50)),
    ]);
    expect(transcript.threads.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['chat', null],
      ['explore-1', 'chat'],
    ]);
    expect(messagesOf(transcript.threads[0]!).filter(({ origin }) => origin === 'human')).toHaveLength(1);
  });

  it('says what is missing: usage, and the end of the last line', () => {
    const transcript = readAny(
      Buffer.concat([jsonl([typed('u', 0, 'go'), answer('a', 2, null)]), Buffer.from('{"uuid":"b"')]),
      { id: 'chat' },
    );
    expect(warningCodes(transcript)).toEqual(expect.arrayContaining(['truncated-file', 'no-usage']));
    expect(callsOf(firstThread(transcript))[0]!.usage).toBeNull();
  });
});
