import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/base/digest.js';
import type { Text } from '../../../src/core/model/text.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { createWarnings } from '../../../src/core/run/warning.js';
import { usesOf } from '../../../src/core/uses/find-uses.js';
import { compileTranscript } from '../../../src/transcripts/compiled/compile-transcript.js';
import { COMPILED_VERSION } from '../../../src/transcripts/compiled/layout.js';
import { loadCompiled } from '../../../src/transcripts/compiled/load-compiled.js';
import { unpackBytes } from '../../../src/transcripts/lines/json-lines.js';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';
import { memorySource, type TextSource } from '../../../src/transcripts/readers/claude-code/recorded-text.js';
import { readRequestTrace } from '../../../src/transcripts/readers/request-trace/read-request-trace.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { sharedData } from '../../helpers/recordings/shared.js';
import { assistant, jsonl, result, system, usage, user } from '../../helpers/session.js';
import { textsOfTranscript } from '../../helpers/texts.js';

const FIXTURE = resolve(import.meta.dirname, '../../../fixtures/bugfix-20-turns.jsonl');

const SESSION = jsonl([
  user('u1', 0, 'go \ud800 on', { agentId: undefined }),
  assistant('a1', 1, 'm1', [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: '/ä/→.ts' } }], {
    usage: usage(5, 100, 50, 7),
  }),
  result('r1', 2, 't1', 'text of the file'),
  system('c1', 3, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 12 } }),
  user('u2', 4, 'summary of it', { isCompactSummary: true }),
  assistant('a2', 5, 'm2', [{ type: 'text', text: 'done' }], { usage: usage(1, 2, 3, 4) }),
]);

function load(bytes: Uint8Array, source: TextSource, id = 'x'): Transcript | null {
  return loadCompiled(bytes, { id, source: () => source });
}

/** Everything but the ways in which texts are kept. */
function outlineOf(transcript: Transcript): string {
  return JSON.stringify(transcript, (_key, value: unknown) => (isText(value) ? value.chars : value));
}

function isText(value: unknown): value is Text {
  return typeof value === 'object' && value !== null && 'read' in value;
}

function same(transcript: Transcript, source: TextSource): void {
  const loaded = load(compileTranscript(transcript), source, transcript.id);
  expect(loaded).not.toBeNull();
  expect(outlineOf(loaded!) === outlineOf(transcript)).toBe(true);
  expect(textsOfTranscript(loaded!)).toEqual(textsOfTranscript(transcript));
  expect(usesOf(loaded!)).toEqual(usesOf(transcript));
}

describe('compiled transcripts', () => {
  const transcript = readClaudeCode(SESSION, { id: 'x' });
  const compiled = compileTranscript(transcript);
  const source = memorySource(SESSION);

  it('come back as they were, texts from their file included', () => {
    expect(transcript.threads[0]!.steps.map((step) => step.kind)).toContain('event');
    same(transcript, source);
  });

  it('hold the texts of transcripts that come from no file', () => {
    const made = generateTranscript({ workload: 'bugfix', turns: 12, seed: 3, model: 'claude-sonnet-4-5' });
    same(made, { read: () => expect.unreachable('there is no file') });
  });

  it('hold output that a source tells beside no usage, also none', () => {
    const told = [0, 700].map((out, t) => ({
      t,
      type: 'n',
      model: 'm',
      in: 1_000 + t,
      out,
      hash_ids: [1, 2],
      input_types: ['text'],
      output_types: ['text'],
    }));
    const trace = { id: 'x', block_size: 64, requests: told };
    const read = readRequestTrace(new TextEncoder().encode(JSON.stringify(trace)), { id: 'x' });
    const outputs = read.threads[0]!.steps.flatMap((step) =>
      step.kind === 'call' ? [step.call.outputTokens] : [],
    );
    expect(outputs).toEqual([0, 700]);
    same(read, { read: () => expect.unreachable('there is no file') });
  });

  it('are the same bytes for the same transcript', () => {
    expect(compileTranscript(readClaudeCode(SESSION, { id: 'x' }))).toEqual(compiled);
  });

  it('are read from memory that threads share, at any offset', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(compiled.length + 3), 3);
    shared.set(compiled);
    expect(JSON.stringify(load(shared, source))).toBe(JSON.stringify(transcript));
  });

  it('are not trusted when a single byte differs or some are missing', () => {
    forAll(fc.nat(compiled.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Uint8Array.from(compiled);
      damaged[at]! ^= flip;
      expect(load(damaged, source)).toBeNull();
      expect(load(compiled.subarray(0, at), source)).toBeNull();
    });
  });

  it('C13 effects of thousands of edits of a few files take a few bytes each', () => {
    const edits = (count: number): Uint8Array => {
      const input = (i: number) => ({
        file_path: `/repo/packages/some/rather/long/folder/file-${i % 5}.ts`,
        old_string: 'a',
        new_string: 'b'.repeat(1 + i),
      });
      const lines = Array.from({ length: count }, (_, i) => [
        assistant(`a${i}`, i, `m${i}`, [{ type: 'tool_use', id: `t${i}`, name: 'Edit', input: input(i) }]),
        result(`r${i}`, i, `t${i}`),
      ]);
      const bytes = jsonl([user('u', 0, 'go'), ...lines.flat()]);
      const made = readClaudeCode(bytes, { id: 'x' });
      same(made, memorySource(bytes));
      return compileTranscript(made);
    };
    const few = edits(100);
    const many = edits(1_100);
    expect((many.length - few.length) / 1_000).toBeLessThan(250);
  });

  it('are not taken for another transcript', () => expect(load(compiled, source, 'y')).toBeNull());

  it('take a fraction of the room of their files', () => {
    const bytes = readFileSync(FIXTURE);
    expect(compileTranscript(readClaudeCode(bytes, { id: 'x' })).length).toBeLessThan(bytes.length / 2);
  });

  it('have a new version whenever a reader makes something else of the same file', () => {
    const bytes = compileTranscript(readClaudeCode(readFileSync(FIXTURE), { id: 'x' }));
    expect(
      { version: COMPILED_VERSION, digest: sha256Hex(bytes).slice(0, 16) },
      'what readers make of a file changed: raise COMPILED_VERSION and write both down here',
    ).toEqual({ version: 23, digest: 'c69786ff5e0064a5' });
  });

  describe.skipIf(!sharedData.present)('of recordings', () => {
    it.each(sharedData.someSessions)('come back as they were: %s', (id, path) => {
      const plain = unpackBytes(readFileSync(path), { name: id, warnings: createWarnings() });
      same(readClaudeCode(plain, { id }), memorySource(plain));
    });
  });
});
