import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { corpusFiles } from '../../../bench/sessions/corpus.js';
import { validateTranscript } from '../../../src/analysis/validate/validate.js';
import { changedPlan } from '../../../src/analysis/what-if.js';
import { inspectTranscript } from '../../../src/cli/commands/inspect/inspect-facts.js';
import { CcbenchError } from '../../../src/core/base/errors.js';
import type { Step, Transcript } from '../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { NO_TIMING } from '../../../src/engine/requests/run-env.js';
import { replay } from '../../../src/engine/run/replay.js';
import { changedRecording } from '../../../src/engine/run/what-if.js';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';
import { runSent, type Sent } from '../../helpers/capture.js';
import { forAll } from '../../helpers/for-all.js';
import { anyPolicy, faultRules } from '../../helpers/generators/arbitrary-session.js';
import { ODD_LINES, oddSession } from '../../helpers/generators/odd-session.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';
import {
  assistant,
  type Fields,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../../helpers/session.js';

const RUNS = propertyRuns(50);
/** A run takes a few milliseconds; on a busy machine many more. */
const TIMEOUT_MS = Math.max(300_000, RUNS * 100);

/** The session of these lines; null when they hold none, which is said in a sentence. */
function readOdd(lines: readonly Fields[]): Transcript | null {
  try {
    return readSession(lines);
  } catch (error) {
    expect(error).toBeInstanceOf(CcbenchError);
    expect((error as CcbenchError).code).toBe('bad-transcript');
    return null;
  }
}

/** The user speaks first and last; forks of a request begin as it does and end with an instruction. */
function expectUserEnds(sent: readonly Sent[]): void {
  for (const { blocks, systemEnd } of sent) {
    if (blocks === null) continue;
    expect(blocks[systemEnd]?.role).toBe('user');
    expect(blocks.at(-1)?.role).toBe('user');
  }
}

const answer = (uuid: string, seconds: number, id: string, content: unknown = say('done')): Fields =>
  assistant(uuid, seconds, id, content, { model: 'claude-sonnet-4-5', usage: usage(2, 9_000, 900, 20) });

const call = (id: string): readonly Fields[] => [{ type: 'tool_use', id, name: 'Bash', input: {} }];

const go = user('u1', 0, 'go');

/** Suggestions end with the assistant: their own words are not counted. */
const BARE = { 'client.use': 'none' };

/** The log of a run whose hearer looks at it when it is over. */
function runFinding(transcript: Transcript): readonly LogEntry[] {
  const entries: LogEntry[] = [];
  const sink = { write: (entry: LogEntry) => entries.push(entry) };
  replay(changedPlan(transcript), transcript, sink, NO_TIMING, { reproduced: 'at-end' });
  return entries;
}

describe('recordings that nobody wrote so', () => {
  it.each<readonly [string, number, number, readonly Fields[]]>([
    ['responses with nothing between them', 2, 1, [go, answer('a1', 1, 'm1'), answer('a2', 2, 'm2')]],
    ['a response in front of everything', 1, 0, [answer('a1', 1, 'm1'), user('u1', 2, 'go')]],
    [
      'a compaction in front of everything',
      1,
      0,
      [system('b', 0, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }), answer('a1', 1, 'm1')],
    ],
    [
      'a compaction between responses',
      2,
      1,
      [
        go,
        answer('a1', 1, 'm1'),
        system('b', 2, 'compact_boundary', { compactMetadata: { trigger: 'auto', preTokens: 9_902 } }),
        user('s', 2, 'summary', { isCompactSummary: true }),
        answer('a2', 3, 'm2'),
      ],
    ],
    ['a result without a call', 1, 0, [result('r', 0, 'nobody'), answer('a1', 1, 'm1')]],
    [
      'a result that comes twice',
      3,
      1,
      [
        go,
        answer('a1', 1, 'm1', call('t1')),
        result('r1', 2, 't1'),
        answer('a2', 3, 'm2'),
        result('r2', 4, 't1'),
        answer('a3', 5, 'm3'),
      ],
    ],
    ['an empty prompt', 2, 1, [go, answer('a1', 1, 'm1'), user('u2', 2, []), answer('a2', 3, 'm2')]],
    [
      'a response of the client itself',
      2,
      1,
      [
        go,
        answer('a1', 1, 'm1'),
        assistant('syn', 2, 'syn', say('API Error'), { model: '<synthetic>' }),
        answer('a2', 3, 'm2'),
      ],
    ],
    ['a prompt that nobody sees', 1, 0, [user('u1', 0, 'hidden', { isMeta: true }), answer('a1', 1, 'm1')]],
    ['commands alone', 1, 0, [user('u1', 0, '<command-name>/status</command-name>'), answer('a1', 1, 'm1')]],
  ])('INV-1 %s: every call is sent, the user speaks first and last', (_name, calls, mended, lines) => {
    for (const policy of ['none', 'unbounded', 'claude-code/2.1', 'claude-code/2026']) {
      const { entries, sent } = runSent(planOf({ policy, set: BARE }), readSession(lines));
      expect(mainRequests(entries)).toHaveLength(calls);
      const unprompted = ofType(entries, 'warning').find(({ code }) => code === 'unprompted-request');
      expect(unprompted?.count ?? 0).toBe(mended);
      expectUserEnds(sent);
    }
  });

  it('INV-1 a file without a message is said to hold none', () => {
    const queue = [{ type: 'queue-operation', operation: 'enqueue', sessionId: 's1', content: 'later' }];
    expect(readOdd(queue)).toBeNull();
  });

  it('INV-1 the session they are cut from sets layers to work', () => {
    const entries = logFor({ policy: 'claude-code/2.1.112', window: 60_000 }, readSession(ODD_LINES));
    const done = ofType(entries, 'layer').filter(({ outcome }) => outcome === 'done');
    expect(done.map(({ layer }) => layer)).toContain('full-compact');
  });

  it('INV-1 in any order, cut anywhere, are read and replayed', { timeout: TIMEOUT_MS }, () => {
    forAll(
      { numRuns: RUNS },
      oddSession,
      anyPolicy,
      fc.constantFrom(null, 60_000, 1_000_000),
      fc.constantFrom('recorded' as const, 'think-time' as const),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, faultRules),
      (lines, policy, window, timing, faults) => {
        const transcript = readOdd(lines);
        if (transcript === null) return;
        const plan = planOf({ policy, set: BARE, window, timing, faults, cache: { ttl: 'recorded' } });
        expectUserEnds(runSent(plan, transcript).sent);
      },
    );
  });

  it('a run as their own client that finds what they show on its way is the one that was told it before', {
    timeout: TIMEOUT_MS,
  }, () => {
    forAll({ numRuns: RUNS }, oddSession, (lines) => {
      const [transcript, again] = [readOdd(lines), readOdd(lines)];
      if (transcript === null || again === null) return;
      expect(runFinding(again)).toEqual(runLog(changedPlan(transcript), transcript));
      const other = { lifetime: '5m' } as const;
      expect(runLog(changedPlan(again, other), again)).toEqual(
        runLog(changedPlan(transcript, other), transcript),
      );
    });
  });

  it('a run in which the user did something else takes what its recording shows as it was told', () => {
    // One long session, whose compaction shows the size of system and tools, and what a compaction leaves.
    const [file] = corpusFiles({ sessions: 1, bytes: 20_000_000 });
    const changed = (): Transcript => {
      const transcript = readClaudeCode(Buffer.from(file!.text), { id: 'long' });
      const [thread, ...others] = transcript.threads;
      const calls = thread!.steps.flatMap((step, i) =>
        step.kind === 'call' ? [{ i, at: step.call.endMs }] : [],
      );
      const { i, at } = calls[Math.floor(calls.length / 5)]!;
      const compaction = { instructions: null, partial: null };
      const steps: Step[] = [...thread!.steps];
      steps.splice(i + 1, 0, { kind: 'event', event: { kind: 'manual-compact', at, compaction } });
      return changedRecording({ ...transcript, threads: [{ ...thread!, steps }, ...others] }, transcript);
    };
    const [one, two] = [changed(), changed()];
    const costs = (entries: readonly LogEntry[]) => ofType(entries, 'request').map(({ cost }) => cost);
    expect(costs(runFinding(one))).toEqual(costs(runLog(changedPlan(two), two)));
  });

  it('INV-1 in any order, cut anywhere, are looked into and held against predictions', {
    timeout: TIMEOUT_MS,
  }, () => {
    forAll({ numRuns: RUNS }, oddSession, (lines) => {
      const transcript = readOdd(lines);
      if (transcript === null) return;
      inspectTranscript(transcript, { file: 'odd.jsonl', format: 'claude-code' });
      validateTranscript(transcript, 'odd.jsonl');
    });
  });
});
