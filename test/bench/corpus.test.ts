import { describe, expect, it } from 'vitest';
import { type CorpusFile, corpusFiles } from '../../bench/sessions/corpus.js';
import { recordingLines } from '../../bench/sessions/recording.js';
import { roundLines } from '../../bench/suites/rounds.js';
import { sha256Hex } from '../../src/core/base/digest.js';

const isMain = ({ path }: CorpusFile): boolean => !path.includes('/subagents/');
const linesOf = ({ text }: CorpusFile): readonly string[] => text.trimEnd().split('\n');

/** Figures of two versions can be compared where they were taken from the same bytes: another digest is a decision. */
const digestOf = (texts: readonly string[]): string => sha256Hex(texts.join('\n')).slice(0, 16);

/** What the test reads of a line. */
interface Line {
  readonly type: string;
  readonly subtype?: string;
  readonly timestamp: string;
  readonly uuid: string;
  readonly parentUuid: string | null;
  readonly compactMetadata?: { readonly preTokens: number };
  readonly message?: {
    readonly id?: string;
    readonly model?: string;
    readonly usage?: {
      readonly cache_read_input_tokens: number;
      readonly cache_creation_input_tokens: number;
    };
  };
}

describe('a corpus of many short sessions', () => {
  const files = [...corpusFiles({ sessions: 100, bytes: 100 * 1_000 })].filter(isMain);

  it('is the same bytes for the same size and seed', () => {
    expect(digestOf(files.map(({ text }) => text))).toBe('d25d70ff14567a87');
  });

  it('has twenty sessions to a project, of four turns at least, each with ids of its own', () => {
    expect(files.map(({ path }) => path)).toEqual(
      files.map((_file, i) => {
        const project = String(Math.floor(i / 20)).padStart(3, '0');
        return `project-${project}/session-${String(i).padStart(5, '0')}.jsonl`;
      }),
    );
    const idsOf = (file: CorpusFile) =>
      new Set(linesOf(file).map((line) => /"id":"(msg-[^"]+)"/.exec(line)?.[1]));
    const [first, second] = files.map(idsOf);
    expect(first!.size).toBeGreaterThanOrEqual(4);
    expect([...first!].filter((id) => id !== undefined && second!.has(id))).toEqual([]);
  });

  it('has a copy of the session before it at every hundredth, and at every other 25th a fork of it', () => {
    expect(files[99]!.text).toBe(files[98]!.text);
    for (const [i, file] of files.slice(1, 99).entries()) {
      const before = linesOf(files[i]!);
      const shared = linesOf(file).findIndex((line, n) => line !== before[n]);
      // Of all its lines and the end behind the last, two fifths are taken over.
      expect(shared, file.path).toBe((i + 1) % 25 === 24 ? Math.round((before.length + 1) * 0.4) : 0);
    }
  });
});

describe('a corpus of long sessions', () => {
  const files = [...corpusFiles({ sessions: 10, bytes: 9_000_000 })];

  it('is the same bytes for the same size and seed, with its subagents', () => {
    expect(digestOf(files.flatMap(({ path, text }) => [path, text]))).toBe('9f019c093e3bbaa5');
  });

  it('is about as large as asked for, in sessions of a fifth of the mean up to three times as much', () => {
    const sizes = files.filter(isMain).map(({ text }) => text.length);
    const all = files.reduce((sum, { text }) => sum + text.length, 0);
    expect(all).toBeGreaterThan(0.75 * 9_000_000);
    expect(all).toBeLessThan(1.25 * 9_000_000);
    expect(sizes[0]! / 900_000).toBeGreaterThan(0.1);
    expect(sizes[0]! / 900_000).toBeLessThan(0.4);
    expect(sizes[9]! / 900_000).toBeGreaterThan(2);
  });

  it('reads what the request before it left, for five minutes and under the same model, and compacts when full', () => {
    let compactions = 0;
    let pauses = 0;
    for (const file of files) {
      let cached = 0;
      let at = Number.NEGATIVE_INFINITY;
      let id: string | undefined;
      let prompt = 0;
      for (const line of linesOf(file).map((text) => JSON.parse(text) as Line)) {
        if (line.subtype === 'compact_boundary') {
          compactions++;
          expect(line.compactMetadata!.preTokens).toBeGreaterThan(155_000);
          expect(line.compactMetadata!.preTokens).toBeGreaterThanOrEqual(prompt);
          cached = Math.min(cached, 18_000);
        }
        const usage = line.message?.usage;
        if (usage === undefined || line.message!.id === id) continue;
        const time = Date.parse(line.timestamp);
        if (time - at >= 300_000) pauses++;
        expect(usage.cache_read_input_tokens).toBe(time - at < 300_000 ? cached : 0);
        prompt = usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
        expect(prompt).toBeGreaterThan(18_000);
        [cached, at, id] = [prompt, time, line.message!.id];
      }
    }
    expect(compactions).toBeGreaterThan(0);
    // Every file begins with one; most sessions have another in their middle.
    expect(pauses).toBeGreaterThan(files.length);
  });
});

describe('one long recording', () => {
  const lines = [...recordingLines(1_000_000)];

  it('is the same bytes for the same size, and ends with the turn that reaches it', () => {
    expect(digestOf(lines)).toBe('9c884e50d29116e1');
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    expect(bytes).toBeGreaterThanOrEqual(1_000_000);
    expect(bytes).toBeLessThan(1_200_000);
  });

  it('has the usage of each response, and lines of progress of the terminal beside the results', () => {
    const read = lines.map((line) => JSON.parse(line) as Line);
    const usages = read.flatMap(({ message }) => message?.usage ?? []);
    expect(usages.length).toBeGreaterThan(50);
    for (const { cache_creation_input_tokens: written } of usages) expect(written).toBe(900);
    const results = lines.filter((line) => line.includes('"toolUseResult"')).length;
    const progress = read.filter(({ type }) => type === 'progress').length;
    // 1.1 for each result
    expect(progress / results).toBeGreaterThan(1);
    expect(progress / results).toBeLessThan(1.3);
    expect(new Set(read.map(({ uuid }) => uuid)).size).toBe(read.length);
  });
});

it('rows of TraceLab are of sessions of 83 rounds, every third of Codex, and the same bytes for as many rows', () => {
  // Twenty sessions are generated; the 21st is the first again, under another name.
  const rows = [...roundLines(1_700)];
  const read = rows.map((line) => JSON.parse(line) as Record<string, string | number | null>);
  expect(read.map(({ session_id }) => session_id)).toEqual(
    read.map((_row, i) => `session-${Math.floor(i / 83)}`),
  );
  for (const [i, row] of read.entries()) {
    const session = Math.floor(i / 83);
    const isCodex = (session % 20) % 3 === 0;
    expect([row.provider, row.model]).toEqual(
      isCodex ? ['codex', 'gpt-5.4'] : ['claude', 'claude-sonnet-4-5'],
    );
    expect(row.input_tokens_total).toBe(Number(row.prefix_tokens) + Number(row.newly_append_tokens));
  }
  expect(new Set(read.map(({ round_id }) => round_id)).size).toBe(1_700);
  expect(digestOf(rows)).toBe('7d3cc5c338b78064');
});
