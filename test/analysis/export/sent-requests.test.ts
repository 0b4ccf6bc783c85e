import { describe, expect, it } from 'vitest';
import { plannedRequests, recordedRequests } from '../../../src/analysis/export/sent-requests.js';
import { sum } from '../../../src/core/base/stats.js';
import { countCalls, type Transcript } from '../../../src/core/model/transcript.js';
import { otel } from '../../../src/report/export/otel.js';
import { otelReader } from '../../../src/transcripts/readers/otel/read.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { planOf, runLog } from '../../helpers/plan.js';
import {
  answered,
  assistant,
  callsIn,
  HUNDRED,
  readSession,
  say,
  usage,
  user,
} from '../../helpers/session.js';

/** Requests that are made, and the calls that are left out with their reasons. */
function made(parts: Iterable<readonly unknown[]>): number {
  return sum([...parts].map(({ length }) => length));
}

describe('an exported request', () => {
  it('names the model as its API does, without the tariff it was billed at', () => {
    const by = { model: 'claude-opus-5', usage: { ...usage(0, 0, 30_000, 100), speed: 'fast' } };
    const session = readSession([user('u1', 0, 'x'.repeat(400)), assistant('a1', 5, 'm1', say('done'), by)]);
    expect(session.threads[0]!.steps.map((step) => step.kind === 'call' && step.call.model)).toContain(
      'claude-opus-5:fast',
    );
    const [sent] = [...recordedRequests(session, () => {})].flat();
    expect(sent!.model).toBe('claude-opus-5');
  });
});

describe('cache tokens of an exported request', () => {
  it('are those that were recorded, and none where its response has no usage', () => {
    const transcript = readSession([
      user('u1', 0, HUNDRED),
      answered(1, 5, say('one'), usage(3, 0, 30_000, 100)),
      user('u2', 10, HUNDRED),
      assistant('a2', 15, 'm2', say('two'), { model: 'claude-sonnet-4-5', usage: undefined }),
      user('u3', 20, HUNDRED),
      answered(3, 25, say('three'), usage(3, 30_200, 300, 100)),
    ]);
    const sent = [...recordedRequests(transcript, () => {})].flat();
    expect(sent.map(({ readTokens, writtenTokens }) => [readTokens, writtenTokens])).toEqual([
      [0, 30_000],
      [null, null],
      [30_200, 300],
    ]);
    expect(sent.map(({ isEstimated = false }) => isEstimated)).toEqual([false, true, false]);
    // Read back as spans the recorded requests cost what they did, and the other one is in no sum.
    const trace = otel.open({ name: 'a', startedAtMs: transcript.startedAtMs, threads: transcript.threads });
    const lines = [...sent.flatMap((request) => trace.add(request)), ...trace.end()];
    const back = otelReader.read(Buffer.from(lines.join('\n')), { id: 'spans' });
    expect(callsIn(back).map(({ usage: own }) => own)).toMatchObject([
      { input: 3, cacheRead: 0, cacheWrite5m: 30_000, output: 100 },
      { input: 3, cacheRead: 30_200, cacheWrite5m: 300, output: 100 },
    ]);
  });
});

describe('recorded calls that no request stands for', () => {
  it('are requests for summaries: three here, and the other calls are there', () => {
    const session = bugfixSession(12, { seed: 4 });
    const [main] = session.threads;
    const [other] = bugfixSession(3, { seed: 5 }).threads;
    const fork = { ...other!, id: 'agent-c', label: 'acompact-e1f845', parentId: main!.id };
    const transcript: Transcript = { ...session, threads: [main!, fork] };
    const told: (readonly [number, string])[] = [];
    const sent = made(recordedRequests(transcript, (...own) => told.push(own)));
    const summaries = countCalls(transcript) - countCalls({ ...transcript, threads: [main!] });
    expect(told).toEqual([[summaries, expect.stringMatching(/^a replay cannot rebuild/)]]);
    expect(sent).toBe(countCalls(transcript) - summaries);
  });

  it('are told with the reason that the log has where a run loses them', () => {
    const talk = new Conversation({ toolsTokens: 9_000, systemTokens: 1_000 }).human(100);
    for (let i = 0; i < 12; i++) talk.tools([{ tool: 'Read', tokens: 20_000 }]);
    const plan = planOf({ policy: 'none' });
    const transcript = talk.transcript();
    const told: (readonly [number, string])[] = [];
    const sent = made(plannedRequests(plan, transcript, (...own) => told.push(own)));
    const lost = runLog(plan, transcript).flatMap((entry) =>
      entry.type === 'lost' ? [[entry.calls, entry.reason] as const] : [],
    );
    expect(lost.length).toBeGreaterThan(0);
    expect(told).toEqual(lost);
    expect(sent + sum(told.map(([calls]) => calls))).toBe(countCalls(transcript));
  });
});
