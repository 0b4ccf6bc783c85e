import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { compileTranscript } from '../../../../src/transcripts/compiled/compile-transcript.js';
import { loadCompiled } from '../../../../src/transcripts/compiled/load-compiled.js';
import { loadTranscript } from '../../../../src/transcripts/files/transcripts.js';
import {
  memorySource,
  type TextSource,
} from '../../../../src/transcripts/readers/claude-code/recorded-text.js';
import { codexReader } from '../../../../src/transcripts/readers/codex/read.js';
import { tempFolder } from '../../../cli/cli.js';
import { forAll } from '../../../helpers/for-all.js';
import { call, count, item, line, meta, result, say, turn } from '../../../helpers/recordings/rollout.js';
import { textsOfTranscript } from '../../../helpers/texts.js';

/** One of each kind of text: messages, results with images, searches, reasoning, a compaction with its history. */
const LINES = [
  meta(0),
  turn(1),
  say(2, 'user', 'look at “the” file'),
  item(3, 'reasoning', { content: [{ type: 'text', text: 'hm' }] }),
  call(4, 'c1'),
  count(5, 2_000, { input: 2_000 }),
  result(6, 'c1', {
    content: [{ type: 'text', text: 'one' }, { type: 'input_image' }, { type: 'text', text: 'two' }],
  }),
  item(7, 'web_search_call', { action: { query: 'why' } }),
  say(8, 'assistant', 'done 😀'),
  count(9, 5_000, { input: 3_000 }),
  line(10, 'compacted', {
    message: 'what happened',
    replacement_history: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'look at “the” file' }] },
      { type: 'other' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'new one' },
          { type: 'input_text', text: 'and another' },
        ],
      },
    ],
  }),
  say(11, 'user', 'go on'),
  say(12, 'assistant', 'so be it'),
  count(13, 6_000, { input: 1_000 }),
];
const BYTES = Buffer.from(`${LINES.join('\n')}\n`);
const TEXTS = [
  'look at “the” file',
  'hm',
  'shell{"command":["ls"]}',
  'one\n\ntwo',
  'why',
  'done 😀',
  'what happened',
  'new one',
  'and another',
  'go on',
  'so be it',
];

const whole = codexReader.read(BYTES, { id: 'x' });

function same(transcript: Transcript): void {
  expect(JSON.stringify(transcript)).toBe(JSON.stringify(whole));
  expect(textsOfTranscript(transcript)).toEqual(TEXTS);
}

function* chunksOf(size: number): Generator<Uint8Array> {
  const buffer = Buffer.alloc(size);
  for (let from = 0; from < BYTES.length; from += size)
    yield buffer.subarray(0, BYTES.copy(buffer, 0, from, from + size));
}

/** A source that counts how often it is read. */
function counting(): TextSource & { readonly times: () => number } {
  const source = memorySource(BYTES);
  let times = 0;
  return {
    read: (offset, length) => {
      times++;
      return source.read(offset, length);
    },
    times: () => times,
  };
}

describe('streamed rollouts', () => {
  it('hold the texts of their lines', () => {
    expect(textsOfTranscript(whole)).toEqual(TEXTS);
  });

  it('are the same in whatever chunks they come, texts included', () => {
    forAll({ numRuns: 30 }, fc.integer({ min: 1, max: BYTES.length + 1 }), (size) => {
      same(
        codexReader.stream!({ name: 'x', chunks: chunksOf(size), source: memorySource(BYTES) }, { id: 'x' }),
      );
    });
  });

  it('leave their texts in the file until somebody reads them, and keep them where there is none', () => {
    const source = counting();
    const streamed = codexReader.stream!({ name: 'x', chunks: chunksOf(64), source }, { id: 'x' });
    expect(source.times()).toBe(0);
    same(streamed);
    expect(source.times()).toBeGreaterThan(5);
    same(codexReader.stream!({ name: 'x', chunks: chunksOf(64), source: null }, { id: 'x' }));
  });

  it('come back from their compiled form with the texts of the file', () => {
    const source = counting();
    const loaded = loadCompiled(compileTranscript(whole), { id: 'x', source: () => source });
    expect(textsOfTranscript(loaded!)).toEqual(TEXTS);
    expect(source.times()).toBeGreaterThan(5);
  });

  const { zstdCompressSync } = zlib as unknown as { readonly zstdCompressSync?: (bytes: Buffer) => Buffer };
  const packings: readonly (readonly [string, (bytes: Buffer) => Buffer])[] = [
    ['plain', (bytes: Buffer) => bytes],
    ['with a byte order mark', (bytes: Buffer) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes])],
    ['gzip', (bytes: Buffer) => zlib.gzipSync(bytes)],
    ...(zstdCompressSync === undefined ? [] : ([['zstd', zstdCompressSync]] as const)),
  ];
  it.each(packings)('are read from disk: %s', (_what, pack) => {
    const folder = tempFolder();
    writeFileSync(join(folder, 'x.jsonl'), pack(BYTES));
    const { format, transcript } = loadTranscript('x.jsonl', { cwd: folder });
    expect(format).toBe('codex');
    expect(textsOfTranscript(transcript)).toEqual(TEXTS);
  });
});
