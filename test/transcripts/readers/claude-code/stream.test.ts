import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import { readClaudeCode, readClaudeCodeFiles } from '../../../../src/transcripts/readers/claude-code/read.js';
import {
  memorySource,
  type TextSource,
} from '../../../../src/transcripts/readers/claude-code/recorded-text.js';
import { forAll } from '../../../helpers/for-all.js';
import { assistant, attachment, firstThread, jsonl, result, user } from '../../../helpers/session.js';
import { textsOfTranscript } from '../../../helpers/texts.js';

const LINES = [
  user('u1', 0, 'look at the file → please'),
  assistant('a1', 1, 'm1', [
    { type: 'thinking', thinking: 'hm', signature: 'x'.repeat(40) },
    { type: 'text', text: 'I will "read" it' },
    { type: 'tool_use', id: 't1', name: 'Read', input: { limit: 5, file_path: '/a.json' } },
  ]),
  result(
    'r1',
    2,
    't1',
    [
      { type: 'text', text: 'one' },
      { type: 'image', source: {} },
      { type: 'text', text: 'two' },
    ],
    {
      toolUseResult: { file: { content: 'onetwo' } },
    },
  ),
  attachment('x1', 3, { type: 'queued_command', prompt: 'go on' }),
  assistant('a2', 4, 'm2', [{ type: 'text', text: 'done 😀' }]),
];
const BYTES = jsonl(LINES);

function* chunksOf(bytes: Buffer, size: number): Generator<Uint8Array> {
  const buffer = Buffer.alloc(size);
  for (let from = 0; from < bytes.length; from += size) {
    const length = bytes.copy(buffer, 0, from, from + size);
    yield buffer.subarray(0, length);
  }
}

const whole = readClaudeCode(BYTES, { id: 'x' });

function same(transcript: Transcript): void {
  expect(JSON.stringify(transcript)).toBe(JSON.stringify(whole));
  expect(textsOfTranscript(transcript)).toEqual(textsOfTranscript(whole));
}

function streamed(chunks: Iterable<Uint8Array>, source: TextSource | null): Transcript {
  return readClaudeCodeFiles([{ name: 'x', chunks, source }], { id: 'x' });
}

describe('streamed sessions', () => {
  it('are the same in whatever chunks they come, texts included', () => {
    forAll(fc.integer({ min: 1, max: BYTES.length + 1 }), (size) => {
      same(streamed(chunksOf(BYTES, size), memorySource(BYTES)));
    });
  });

  it('keep their texts in memory where there is no source', () => {
    same(streamed(chunksOf(BYTES, 64), null));
  });

  it('have the same texts from a packed file', () => same(readClaudeCode(gzipSync(BYTES), { id: 'x' })));

  it('read texts as they stand in the file: tool inputs with normal keys, results without their images', () => {
    expect(textsOfTranscript(whole)).toEqual([
      'look at the file → please',
      'hm',
      'I will "read" it',
      'Read{"file_path":"/a.json","limit":5}',
      'onetwo',
      '<system-reminder>\ngo on\n</system-reminder>',
      'done 😀',
    ]);
  });

  it('find the texts of several objects on one line', () => {
    const [first, second, ...rest] = LINES.map((line) => JSON.stringify(line));
    const bytes = Buffer.from([`${first} ${second}`, ...rest].join('\n'));
    expect(textsOfTranscript(readClaudeCode(bytes, { id: 'x' }))).toEqual(textsOfTranscript(whole));
  });

  it('give a result that stands before its call the tool and the file of the call', () => {
    const [prompt, call, answer, ...rest] = LINES;
    const early = readClaudeCode(jsonl([prompt!, answer!, call!, ...rest]), { id: 'x' });
    const results = (transcript: Transcript) =>
      firstThread(transcript).steps.flatMap((step) =>
        step.kind === 'message' ? step.message.blocks.filter((block) => block.kind === 'tool_result') : [],
      );
    expect(early.warnings.map((warning) => warning.code)).toEqual(['early-tool-result']);
    expect(results(early)).toMatchObject([
      {
        tool: 'Read',
        facts: { path: '/a.json', images: 1, jsonLike: true },
        digest: results(whole)[0]!.digest,
      },
    ]);
  });

  it('have their texts at hand where they are kept from the first reading on, as far as there is room', () => {
    const long = 'x'.repeat(700_000);
    const bytes = jsonl([user('u1', 0, long), user('u2', 1, long), user('u3', 2, 'short')]);
    const reads: number[] = [];
    const source = {
      read(offset: number, length: number) {
        reads.push(offset);
        return bytes.subarray(offset, offset + length);
      },
    };
    const kept = readClaudeCodeFiles([{ name: 'x', chunks: [bytes], source, texts: 'at-hand' }], { id: 'x' });
    expect(textsOfTranscript(kept)).toEqual(textsOfTranscript(readClaudeCode(bytes, { id: 'x' })));
    // A million characters are kept: the first message, and the third.
    expect(reads).toEqual([bytes.indexOf('\n') + 1]);
  });

  it('say so when the file changed under them', () => {
    const copy = Buffer.from(BYTES);
    const transcript = streamed([copy], memorySource(copy));
    copy.fill('{"type":"user"}\n');
    expect(() => textsOfTranscript(transcript)).toThrow(/x changed while it was in use/);
  });
});
