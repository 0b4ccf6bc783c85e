import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../../scripts/damage/agents.mjs';
import { CcbenchError } from '../../../src/core/base/errors.js';
import { inputFormat } from '../../../src/transcripts/files/transcripts.js';
import {
  condenseHead,
  detectFormat,
  detectReader,
  transcriptReaders,
} from '../../../src/transcripts/readers/readers.js';
import { readAny } from '../../helpers/recordings/read-any.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { refusalOf } from '../../helpers/refusal.js';
import { assistant, jsonl, say, user } from '../../helpers/session.js';

const session = jsonl([
  { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
  user('u1', 0, 'go'),
  assistant('a1', 1, 'm1', say('x')),
]);
const trace = JSON.stringify({
  id: 't',
  models: ['m'],
  block_size: 64,
  hash_id_scope: 'local',
  tool_tokens: 64,
  system_tokens: 0,
  requests: [{ t: 0, type: 'n', model: 'm', in: 128, out: 5, hash_ids: [1, 2] }],
});
const codex = '{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"a"}}\n';
const gemini = '{\n  "sessionId": "a",\n  "projectHash": "b",\n  "messages": []\n}';
const pi = '{"type":"session","id":"a","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}\n';

describe('readers', () => {
  it('says in the plural what it can read', () => {
    const { hint } = refusalOf(() => detectReader('{}', { id: 'a' }))!;
    expect(hint).toContain('Codex rollouts');
    expect(hint).toContain('tables of requests');
    expect(hint).toContain('mini-swe-agent trajectories');
    expect(hint).not.toMatch(/ss\b/);
  });

  it.each([
    ['claude-code', session.toString()],
    ['request-trace', trace],
    ['codex', codex],
    ['pi', pi],
    ['copilot-cli', '{"type":"session.start","data":{}}'],
    [null, '{"type":"weather","data":{}}'],
    [null, 'hello'],
  ])('recognises %s', (format, head) => {
    expect(detectFormat(head)).toBe(format);
  });

  it.each([
    ['gemini-cli', gemini],
    ['gemini-cli', '{"sessionId":"a","projectHash":"b","startTime":"2026-01-01T00:00:00.000Z"}\n'],
    [
      'qwen-code',
      '{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"x"}]}}\n',
    ],
  ])('knows a file of %s by its beginning', (format, head) => {
    expect(detectReader(head, { id: 'f' })).toBe(format);
  });

  it('recognises a session whose first line is longer than the part that is looked at', () => {
    const long = jsonl([user('u1', 0, 'x'.repeat(200_000)), assistant('a1', 1, 'm1', say('x'))]);
    expect(detectReader(gzipSync(long), { id: 'long' })).toBe('claude-code');
  });

  describe('R4 a first line of any length', () => {
    // As Claude Code 2.1.326 writes it: what tells the format stands behind the prompt.
    const pasted = (content: unknown) =>
      `${JSON.stringify({ type: 'user', message: { role: 'user', content }, uuid: 'u1', parentUuid: null, sessionId: 's' })}\n`;
    const prompt = 'a "quoted" line\nand \\ \u2028 ü more '.repeat(20_000);

    it.each([
      ['a text', pasted(prompt)],
      [
        'a list of parts',
        pasted(Array.from({ length: 9_000 }, (_, i) => ({ type: 'text', text: `part ${i}` }))),
      ],
      ['escapes alone', pasted('\u0001"\\'.repeat(30_000))],
    ])('tells the format of a session that begins with %s', (_, text) => {
      expect(text.length).toBeGreaterThan(65_536);
      expect(detectReader(Buffer.from(text), { id: 'a' })).toBe('claude-code');
      expect(detectReader(gzipSync(text), { id: 'a' })).toBe('claude-code');
      expect(detectReader(text, { id: 'a' })).toBe('claude-code');
    });

    it('tells it of a file on disk', () => {
      const folder = mkdtempSync(join(tmpdir(), 'ccbench-head-'));
      try {
        writeFileSync(join(folder, 'a.jsonl'), pasted('x'.repeat(700_000)));
        expect(inputFormat('a.jsonl', { cwd: folder })).toBe('claude-code');
        writeFileSync(join(folder, 'b.jsonl'), '{"a":"'.padEnd(700_000, 'x'));
        expect(() => inputFormat('b.jsonl', { cwd: folder })).toThrow('not a transcript in a known format');
      } finally {
        rmSync(folder, { recursive: true });
      }
    });

    it('tells that of the other agents too', () => {
      const long = 'y'.repeat(100_000);
      const codexLine = { timestamp: 't', type: 'session_meta', payload: { base: long, id: 'a' } };
      expect(detectReader(Buffer.from(`${JSON.stringify(codexLine)}\n`), { id: 'a' })).toBe('codex');
      const geminiFile = { startTime: 't', first: long, sessionId: 'a', projectHash: 'b', messages: [] };
      expect(detectReader(Buffer.from(JSON.stringify(geminiFile)), { id: 'a' })).toBe('gemini-cli');
      const qwenLine = {
        uuid: 'a',
        note: long,
        sessionId: 's',
        type: 'user',
        message: { role: 'user', parts: [] },
      };
      expect(detectReader(Buffer.from(`${JSON.stringify(qwenLine)}\n`), { id: 'a' })).toBe('qwen-code');
    });

    it('reads no more than the lines that tell', () => {
      function* chunks() {
        yield Buffer.from('{"a":"'.padEnd(100_000, 'x'));
        yield Buffer.from(`"}\n${'[1]'.repeat(30_000)}`);
        throw new Error('read too far');
      }
      const head = condenseHead(chunks());
      expect(head).toHaveLength(65_536);
      expect(JSON.parse(head.split('\n')[0]!)).toEqual({ a: 'x'.repeat(256) });
    });
  });

  it('recognises a session whose first line is broken', () => {
    expect(detectFormat(`{"type":"us\n${session.toString()}`)).toBe('claude-code');
  });

  it('reads each format with its own reader, packed or not', () => {
    expect(readAny(session, { id: 'a' }).source).toBe('claude-code');
    expect(readAny(gzipSync(session), { id: 'a' })).toMatchObject({ id: 'a', source: 'claude-code' });
    expect(readAny(Buffer.from(trace), { id: 'b' }).threads.length).toBeGreaterThan(0);
  });

  it.each(Object.entries(AGENTS))('%s: any value in any place is read, left out or named', (format, text) => {
    const lines = text.trimEnd().split('\n');
    expect(detectFormat(text)).toBe(format);
    for (const [at, line] of lines.entries()) {
      if (!/^[[{]/.test(line)) continue;
      for (const odd of [{ toString: 3, constructor: 2 }, [[[]]], null, '', -1, 1e308, true]) {
        let seen = 1;
        for (let place = 0; place < seen; place++) {
          seen = 0;
          const changed = JSON.stringify(JSON.parse(line), (_, value) => (seen++ === place ? odd : value));
          try {
            readAny(Buffer.from(lines.with(at, changed).join('\n')), { id: 'a' });
          } catch (error) {
            expect([changed, error]).toEqual([changed, expect.any(CcbenchError)]);
          }
        }
      }
    }
  });

  it('declares at least what its transcripts carry', () => {
    for (const [name, bytes] of [
      ['claude-code', session],
      ['request-trace', Buffer.from(trace)],
    ] as const) {
      const { carries } = transcriptReaders.get(name);
      expect(carries).toEqual(expect.arrayContaining([...readAny(bytes, { id: 'x' }).carries]));
    }
  });

  it('refuses what it does not know', () => {
    const thrown = refusalOf(() => readAny(Buffer.from('{"a":1}\n'), { id: 'f' }))!;
    expect(thrown).toMatchObject({ code: 'bad-transcript' });
    expect(thrown.hint).toContain('Claude Code sessions');
    expect(thrown.hint).toContain('Codex');
  });

  it.skipIf(!sharedData.present).each([
    ['transcripts/claude-code', 'claude-code'],
    ['transcripts/gemini-cli', 'gemini-cli'],
    ['kv-cache-tester', 'request-trace'],
    ['transcripts/codex', 'codex'],
    ['more/codex', 'codex'],
    ['transcripts/pi', 'pi'],
  ])('recognises every shared file of %s', (folder, name) => {
    for (const file of sharedData.files(folder)) {
      if (!file.endsWith('.gz')) continue;
      expect(detectReader(sharedData.read(file.slice(sharedData.path('').length)), { id: file })).toBe(name);
    }
  });
});
