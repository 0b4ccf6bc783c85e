import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttributedRequest, BilledStretch } from '../../../src/analysis/why/attribute.js';
import type { ContextTape, TapeBlock, TapeRequest } from '../../../src/analysis/why/context-tape.js';
import { countOnce } from '../../../src/analysis/why/count-once.js';
import type { SourceBy } from '../../../src/analysis/why/name-sources.js';
import {
  filledPrompts,
  type SourceSum,
  SourceTally,
  sourceRowsOf,
} from '../../../src/analysis/why/sources.js';
import { nanoOf, sumUp } from '../../../src/analysis/why/sum-up.js';
import { sum } from '../../../src/core/base/stats.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';
import { forAll } from '../../helpers/for-all.js';
import { SOURCES } from '../../helpers/golden/material.js';
import {
  answered,
  ask,
  type Fields,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../../helpers/session.js';
import { explained, nano, READ, sessionOf, W1 } from './sessions.js';

const GROUPINGS: readonly SourceBy[] = [
  'source',
  'kind',
  'tool',
  'mcp',
  'file',
  'skill',
  'subagent',
  'hook',
  'instructions',
  'command',
];
/** Dollars per million tokens of claude-sonnet-4-5: plain input, output. */
const [INPUT, OUTPUT] = [3, 15];
const FILE = Array.from({ length: 200 }, (_, i) => `line ${i} of a file that is long enough for it`).join(
  '\n',
);

const called = (i: number, seconds: number, content: unknown, own: Fields): Fields =>
  answered(i, seconds, content, own);

/** A file is read once and carried by two requests; the last of them comes when the hour is over. */
const CARRIED: readonly Fields[] = [
  user('u0', 0, 'look at the file'),
  called(0, 10, ask('t0', 'Read', { file_path: '/repo/a.ts' }), usage(10, 0, 20_000, 50)),
  result('r0', 20, 't0', FILE),
  called(1, 30, say('I see.'), usage(10, 20_000, 5_100, 40)),
  user('u2', 40, 'go on'),
  called(2, 50, say('Done.'), usage(10, 25_100, 60, 30)),
  user('u3', 8_000, 'and now?'),
  called(3, 8_010, say('Done.'), usage(10, 0, 25_230, 30)),
];

const sources = (transcript: Transcript, by: SourceBy = 'source'): readonly SourceSum[] =>
  sumUp([explained(transcript)], [], by).sources;
const named = (all: readonly SourceSum[], name: string): SourceSum | undefined =>
  all.find((own) => own.name === name);
const nanoSum = (all: readonly SourceSum[]): number => sum(all.map(({ usd }) => Math.round(usd * 1e9)));

describe('what a source costs', () => {
  it('is the call put out, the result written, read and written again, for as long as requests hold it', () => {
    // The first prompt ends at 20,010. Behind it the call has 50 tokens and its result 5,050: 20,010 to 25,110.
    const paid =
      nano(50, OUTPUT) + // the call is put out
      nano(5_090, W1) + // up to the mark at 25,100 it is written
      nano(10, INPUT) + // the rest is plain input
      nano(5_090, READ) + // the next request reads up to that mark
      nano(10, W1) + // and writes what is behind it
      nano(5_100, W1); // two hours later everything is written again
    expect(paid).toBe(63_507_000);
    expect(named(sources(readSession(CARRIED)), 'Read')).toEqual({
      kind: 'tool',
      name: 'Read',
      tokens: 5_100,
      carriedTokens: 50 + 3 * 5_100,
      usd: paid / 1e9,
      share: expect.closeTo(
        paid /
          (nano(20_000 + 5_100 + 60 + 25_230, W1) +
            nano(40, INPUT) +
            nano(20_000 + 25_100, READ) +
            nano(150, OUTPUT)),
        12,
      ),
      requests: 3,
      againTokens: 0,
      againUsd: 0,
    });
  });

  it('ends where a compaction drops it', () => {
    const lines = [
      ...CARRIED,
      system('b', 8_100, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 25_260 } }),
      user('s', 8_101, 'A file was looked at.', { isCompactSummary: true }),
      user('u4', 8_110, 'and then?'),
      called(4, 8_120, say('Nothing.'), usage(10, 20_000, 300, 30)),
    ];
    const own = sources(readSession(lines));
    expect(named(own, 'Read')).toMatchObject({ usd: 0.063507, carriedTokens: 15_350, requests: 3 });
    expect(named(own, 'summaries')).toMatchObject({ kind: 'summary', requests: 1 });
  });

  it('counts what was read again though nothing had changed, within its tool', () => {
    const lines = [
      ...CARRIED.slice(0, 4),
      user('u2', 40, 'once more'),
      called(2, 50, ask('t2', 'Read', { file_path: '/repo/a.ts' }), usage(10, 25_100, 60, 50)),
      result('r2', 60, 't2', FILE),
      called(3, 70, say('Done.'), usage(0, 25_160, 5_110, 30)),
    ];
    const read = named(sources(readSession(lines)), 'Read')!;
    // The prompt grows from 25,170 to 30,270: 50 for the call, 5,050 for its result, which is written once.
    expect(read.againTokens).toBe(5_050);
    expect(Math.round(read.againUsd * 1e9)).toBe(nano(5_050, W1));
  });

  it('is counted once for calls that several sessions hold', () => {
    const one = explained(readSession(CARRIED));
    const both = [one, { ...one, file: 'copy.jsonl' }];
    expect(sumUp(both, []).sources).toEqual(sumUp([one], []).sources);
  });
});

describe('where content comes from', () => {
  const all = sources(readClaudeCode(SOURCES, { id: 'session.jsonl' }));

  it.each([
    ['skill', 'draw'],
    ['mcp', 'shop'],
    ['hook', 'SessionStart'],
    ['instructions', 'CLAUDE.md'],
    ['user', 'text'],
    ['model', 'answers'],
    ['system', 'system prompt'],
    ['definitions', 'tool definitions'],
  ])('is told for a %s: %s', (kind, name) => {
    const own = all.find((each) => each.kind === kind && each.name === name);
    expect(own?.tokens).toBeGreaterThan(0);
  });

  it('is told of calls and results together with what a skill says', () => {
    // The answer that calls it is output, its result and its text come in with the next prompt.
    expect(all.find(({ kind }) => kind === 'skill')!.tokens).toBe(50 + 350);
    expect(all.filter(({ kind }) => kind === 'skill')).toHaveLength(1);
  });

  it('is not told of prompts that grow by more than their lines', () => {
    const grown = sources(
      sessionOf([
        { at: 0, usage: usage(0, 0, 20_000, 50) },
        { at: 30, usage: usage(0, 20_000, 6_000, 50) },
      ]),
    );
    expect(named(grown, 'unexplained growth')!.tokens).toBeGreaterThan(5_000);
  });
});

const ORIGINS = ['a', 'b', 'c', 'd'].map((name) => ({ kind: 'tool', name, tool: name, path: null }) as const);

const block: fc.Arbitrary<TapeBlock> = fc
  .tuple(fc.nat(ORIGINS.length - 1), fc.nat(90), fc.nat(9))
  .map(([origin, tokens, beyond]) => ({
    origin,
    tokens,
    beyond: Math.min(tokens, beyond),
    fresh: tokens,
    again: 0,
  }));

/** How much of the prompt so far stays, what comes in, and how the prompt is billed. */
const step = fc.record({
  kept: fc.double({ min: 0, max: 1, noNaN: true }),
  added: fc.array(block, { maxLength: 6 }),
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
  unshown: fc.nat(20),
  isCounted: fc.boolean(),
});

interface Billed {
  readonly request: AttributedRequest;
  readonly prompt: readonly TapeBlock[];
}

function requestOf(number: number, tokens: number, cuts: readonly number[]): AttributedRequest {
  const ends = [...cuts.map((cut) => Math.round(cut * tokens)).sort((a, b) => a - b), tokens];
  const rates = [300, 6_000, 3_750, 3_000];
  const stretches = ends
    .map((end, i): BilledStretch => {
      const own = end - (i === 0 ? 0 : ends[i - 1]!);
      return { tokens: own, nano: own * rates[i]! };
    })
    .filter((stretch) => stretch.tokens > 0);
  return {
    threadId: 't',
    number,
    prompt: tokens,
    output: 0,
    outputNano: 0,
    stretches,
  } as unknown as AttributedRequest;
}

/** What each token of a prompt costs, in order. */
const perToken = ({ stretches }: AttributedRequest): readonly number[] =>
  stretches.flatMap(({ tokens, nano: own }) => Array.from({ length: tokens }, () => own / tokens));

describe('attribution', () => {
  it('pays every token of every prompt at its place, as a walk over all of them does', () => {
    forAll(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
      const requests: TapeRequest[] = [];
      const billed: Billed[] = [];
      let prompt: readonly TapeBlock[] = [];
      for (const [i, { kept, added, cuts, unshown, isCounted }] of steps.entries()) {
        const stays = Math.round(kept * prompt.length);
        prompt = [...prompt.slice(0, stays), ...added];
        requests.push({ number: i + 1, kept: stays, added, output: [] });
        const tokens = sum(prompt.map((own) => own.tokens)) + unshown;
        if (isCounted) billed.push({ request: requestOf(i + 1, tokens, cuts), prompt });
      }
      const expected = new Map<string, { tokens: number; nano: number; requests: number }>();
      for (const { request, prompt: held } of billed) {
        const costs = perToken(request);
        const seen = new Set<string>();
        let at = 0;
        const take = (name: string, tokens: number): void => {
          if (tokens === 0) return;
          const own = expected.get(name) ?? { tokens: 0, nano: 0, requests: 0 };
          expected.set(name, own);
          for (let i = 0; i < tokens; i++) own.nano += costs[at++]!;
          own.tokens += tokens;
          seen.add(name);
        };
        for (const { origin, tokens, beyond } of held) {
          take(ORIGINS[origin]!.name, tokens - beyond);
          take('unexplained growth', beyond);
        }
        for (const name of seen) expected.get(name)!.requests++;
        take('unexplained growth', request.prompt - at);
      }
      const tape: ContextTape = {
        origins: ORIGINS,
        threads: [{ thread: 't', agent: null, isSummary: false, requests }],
      };
      const paid = { tape, requests: billed.map(({ request }) => request) };
      const tally = new SourceTally();
      tally.add(sourceRowsOf(paid, 'source'));
      const found = tally.list().filter(({ carriedTokens }) => carriedTokens > 0);
      expect(new Map(found.map((own) => [own.name, [own.carriedTokens, own.requests]]))).toEqual(
        new Map([...expected].map(([name, own]) => [name, [own.tokens, own.requests]])),
      );
      for (const { name, usd } of found)
        expect(Math.abs(usd * 1e9 - expected.get(name!)!.nano)).toBeLessThan(2);
      expect(nanoSum(found)).toBe(
        sum(billed.map(({ request }) => sum(request.stretches.map((s) => s.nano)))),
      );
    });
  });

  it('adds up to the recorded tokens and dollars, and the parts to each prompt', () => {
    const turn = fc.record({
      gap: fc.integer({ min: 5, max: 5_000 }),
      read: fc.double({ min: 0, max: 1, noNaN: true }),
      grown: fc.integer({ min: 20, max: 9_000 }),
      input: fc.nat(20),
      output: fc.integer({ min: 1, max: 400 }),
    });
    forAll({ numRuns: 10 }, fc.array(turn, { minLength: 1, maxLength: 8 }), (turns) => {
      let at = 0;
      let prompt = 20_000;
      const transcript = sessionOf(
        turns.map(({ gap, read, grown, input, output }) => {
          at += gap;
          const before = Math.round(prompt * read);
          prompt += grown;
          return { at, usage: usage(input, before, prompt - before, output) };
        }),
      );
      const why = explained(transcript);
      const [own] = countOnce([why]);
      const requests = own!.requests;
      for (const by of GROUPINGS) {
        const found = sumUp([why], [], by).sources;
        expect(nanoSum(found)).toBe(sum(requests.map(nanoOf)));
        expect(sum(found.map(({ carriedTokens }) => carriedTokens))).toBe(
          sum(requests.map((request) => request.prompt + request.output)),
        );
      }
      const filled = filledPrompts({ tape: why.tape, requests });
      for (const request of requests) expect(sum(filled.of.get(request)!)).toBe(request.prompt);
    });
  });
});
