import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { expectedCalls } from '../../../src/study/job.js';
import {
  openTranscript,
  packInput,
  recordedInput,
  sessionsInput,
  shareInput,
  syntheticInput,
  type TranscriptInput,
} from '../../../src/transcripts/files/transcript-input.js';
import { WaitingFile } from '../../../src/transcripts/files/waiting-file.js';
import { assistant, jsonl, result, say, user } from '../../helpers/session.js';
import { textsOfTranscript } from '../../helpers/texts.js';

const MODEL = { model: 'claude-sonnet-4-5' };
const MAIN = jsonl([
  user('u1', 0, 'grüße → go'),
  assistant('a1', 2, 'm1', [{ type: 'tool_use', id: 't1', name: 'Task', input: { prompt: 'look' } }], MODEL),
  result('r1', 3, 't1', 'found it'),
  assistant('a2', 4, 'm2', say('done'), MODEL),
]);
const AGENT = jsonl([
  user('s1', 2, 'look', { isSidechain: true, agentId: 'b' }),
  assistant('s2', 3, 'm3', say('fóund'), { ...MODEL, isSidechain: true, agentId: 'b' }),
]);
const TRACE = Buffer.from(
  JSON.stringify({
    id: 't',
    models: ['m'],
    block_size: 64,
    hash_id_scope: 'local',
    requests: [{ t: 0, type: 'n', model: 'm', in: 70, out: 5, hash_ids: [1], api_time: 1 }],
  }),
);

const recorded = recordedInput('main', MAIN, [{ name: 'agent-b.jsonl', bytes: AGENT }]);
const generated = syntheticInput({ workload: 'refactor', turns: 40, seed: 3, model: 'claude-sonnet-4-5' });
const part = { resumes: null, ending: 'clean', place: null } as const;

const INPUTS: readonly (readonly [string, TranscriptInput])[] = [
  ['a generated session with texts', generated],
  [
    'a generated session without texts',
    syntheticInput({ workload: 'bugfix', turns: 20, seed: 1, model: 'm', text: 'none' }),
  ],
  ['a recording with a subagent', recorded],
  [
    'a packed recording',
    recordedInput('main', gzipSync(MAIN), [{ name: 'agent-b.jsonl', bytes: gzipSync(AGENT) }]),
  ],
  ['a request trace', recordedInput('trace', TRACE, [])],
  [
    'several sessions, two of them with files of one name',
    sessionsInput([
      { ...part, name: 'one', start: { atMs: 0 }, input: recorded },
      { ...part, name: 'two', start: { afterMs: 9_000 }, input: recordedInput('main', AGENT, []) },
      { ...part, name: 'three', start: { afterMs: 9_000 }, input: generated },
    ]),
  ],
];

function outlineOf(transcript: Transcript): string {
  return JSON.stringify(transcript, (key, value: unknown) => (key === 'text' ? undefined : value));
}

function compiledOf(input: TranscriptInput): readonly TranscriptInput[] {
  return input.kind === 'sessions' ? input.sessions.flatMap((session) => compiledOf(session.input)) : [input];
}

let folder = '';
let waiting: WaitingFile;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccbench-waiting-'));
  waiting = new WaitingFile(folder);
});

afterAll(() => {
  waiting.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Whether something holds bytes, however deep. */
function holdsBytes(value: unknown): boolean {
  if (value instanceof Uint8Array) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBytes);
}

describe('shareInput', () => {
  it.each(INPUTS)('keeps the content, the texts and the key of %s', (_name, input) => {
    const shared = shareInput(input);
    const before = openTranscript(input);
    const after = openTranscript(shared);
    expect(shared.key).toBe(input.key);
    expect(outlineOf(after)).toBe(outlineOf(before));
    expect(textsOfTranscript(after)).toEqual(textsOfTranscript(before));
  });

  it.each(INPUTS)('keeps the same of %s while it waits, and when it is sent packed', (_name, input) => {
    for (const shared of compiledOf(shareInput(input))) {
      const waits = packInput(shared, waiting);
      expect(waits).toMatchObject({ kind: 'waiting', key: shared.key });
      const packed = shareInput(waits);
      expect(packed).toMatchObject({ kind: 'packed', key: shared.key });
      expect(shareInput(packed)).toBe(packed);
      expect(expectedCalls(packed)).toBe(expectedCalls(shared));
      expect(expectedCalls(waits)).toBe(expectedCalls(shared));
      const before = openTranscript(shared);
      for (const after of [waits, structuredClone(packed)].map(openTranscript)) {
        expect(outlineOf(after)).toBe(outlineOf(before));
        expect(textsOfTranscript(after)).toEqual(textsOfTranscript(before));
      }
    }
  });

  it.each(INPUTS)('holds no bytes of %s while it waits', (_name, input) => {
    const shared = compiledOf(shareInput(input));
    expect(shared.map(holdsBytes)).toEqual(shared.map(() => true));
    expect(shared.map((each) => packInput(each, waiting)).some(holdsBytes)).toBe(false);
  });

  it.each(INPUTS)('puts all bytes of %s where threads share them', (_name, input) => {
    for (const one of compiledOf(shareInput(input))) {
      if (one.kind !== 'shared') throw new Error(`${one.kind} is not shared`);
      expect(one.compiled.buffer).toBeInstanceOf(SharedArrayBuffer);
      for (const file of one.files) {
        if ('path' in file) throw new Error(`${file.name} is on disk`);
        expect(file.bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
      }
      const sent = structuredClone(one);
      expect(sent.compiled.buffer).toBeInstanceOf(SharedArrayBuffer);
      one.compiled[0]! ^= 1;
      expect(sent.compiled[0]).toBe(one.compiled[0]);
    }
  });

  it('leaves what cannot be read to whoever opens it', () => {
    const broken = recordedInput('broken', Buffer.from('{'), []);
    expect(shareInput(broken)).toBe(broken);
    expect(packInput(broken, waiting)).toBe(broken);
    expect(() => openTranscript(broken)).toThrow();
  });
});
