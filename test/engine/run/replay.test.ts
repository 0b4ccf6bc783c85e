import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { canonicalJson, sha256Hex } from '../../../src/core/base/digest.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { ThreadForks } from '../../../src/engine/run/thread-forks.js';
import { generateTranscript, WORKLOADS } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { forAll } from '../../helpers/for-all.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { propertyRuns } from '../../helpers/generators/property-runs.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';

const digestOf = (entries: readonly LogEntry[]) =>
  sha256Hex(entries.map((entry) => canonicalJson(entry)).join('\n'));

describe('replay without layers', () => {
  it('INV-15 a fork that is never begun, though nothing became of its call, is a fault of the program', () => {
    const main = new Conversation().turn(100, 10);
    const [callId] = main.steps.flatMap((step) => (step.kind === 'call' ? [step.call.id] : []));
    const child = new Conversation({ ids: 'b-' }).turn(5, 5).thread('child', 'main');
    const threads = [main.thread(), { ...child, fork: { callId: callId! } }];
    const run = () => logFor({}, main.transcript({ threads }));
    expect(ofType(run(), 'thread').map(({ thread }) => thread)).toEqual(['main', 'child']);
    const forgotten = vi.spyOn(ThreadForks.prototype, 'takeReady').mockImplementation(() => []);
    expect(run).toThrow(/INV-15 .* the fork child did not start/);
    forgotten.mockRestore();
  });

  it('INV-15 a thread in which nothing happens is not begun, and not lost either', () => {
    const main = new Conversation().turn(100, 10);
    const empty = new Conversation();
    const threads = [main.thread(), empty.thread('idle', 'main'), empty.thread('other')];
    const entries = logFor({}, main.transcript({ threads }));
    expect(ofType(entries, 'thread').map(({ thread }) => thread)).toEqual(['main']);
    expect(ofType(entries, 'end')).toMatchObject([{ requests: 1 }]);
  });

  it('CCH-1 reads what the previous request wrote and writes only the new tail', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 1_000 }])
      .answer(50);
    const [first, second] = mainRequests(logFor({}, talk));
    expect(first).toMatchObject({ prompt: 15_100, read: 0, write5m: 15_100, input: 0 });
    expect(second).toMatchObject({
      prompt: 16_120,
      read: 15_100,
      write5m: 1_020,
      newTokens: 1_020,
      rewritten: 0,
      cause: null,
    });
  });

  it('BRD-2 names the lifetime that ran out, and the rewrite is paid under that cause', () => {
    const talk = new Conversation().turn(100, 50).wait(301).turn(10, 20);
    const entries = logFor({}, talk);
    expect(mainRequests(entries)[1]).toMatchObject({ read: 0, rewritten: 15_100, cause: 'ttl-5m' });
    expect(ofType(entries, 'break')).toEqual([]); // the first request read nothing: no drop
    const hour = logFor({ cache: { ttl: '1h' } }, talk);
    expect(mainRequests(hour)[1]).toMatchObject({ read: 15_100, write1h: 60, cause: null });
  });

  it('INV-2 a prompt over the window is refused in the words of the API, and what hangs on it is lost, not dropped silently', () => {
    const talk = new Conversation()
      .human(100)
      .tools([{ tool: 'Bash', tokens: 190_000 }])
      .tools([{ tool: 'Bash', tokens: 10 }])
      .answer(10)
      .turn(20, 10);
    const entries = logFor({}, talk);
    expect(ofType(entries, 'refused').map((entry) => entry.message)).toEqual([
      'prompt is too long: 205120 tokens > 200000 maximum',
      'prompt is too long: 205140 tokens > 200000 maximum',
    ]);
    expect(ofType(entries, 'lost').map((entry) => entry.calls)).toEqual([2, 1]);
    expect(mainRequests(logFor({ policy: 'unbounded' }, talk))).toHaveLength(4);
  });

  it('a model switch finds nothing of the other model in the cache', () => {
    const talk = new Conversation({ model: 'claude-opus-4-6' }).turn(100, 50);
    const other = new Conversation({ model: 'claude-sonnet-4-6' }).turn(10, 5);
    const thread = talk.thread();
    const transcript = {
      ...talk.transcript(),
      threads: [{ ...thread, steps: [...thread.steps, ...other.steps] }],
    };
    const [, second] = mainRequests(logFor({}, transcript));
    expect(second).toMatchObject({ model: 'claude-sonnet-4-6', read: 0, cause: 'model' });
  });

  it('a changed system prompt keeps the tools and rewrites the rest', () => {
    const talk = new Conversation()
      .turn(100, 50)
      .event((at) => ({ kind: 'prefix-change', at, what: 'system', label: 'new day' }))
      .turn(10, 5);
    const [, second] = mainRequests(logFor({}, talk));
    expect(second).toMatchObject({ read: 0, cause: 'system' });
  });

  it('a resume that finds the record as it was keeps the cache', () => {
    const talk = new Conversation()
      .turn(100, 50)
      .event((at) => ({ kind: 'resume', at, reason: 'test' }))
      .turn(10, 5);
    const [, second] = mainRequests(logFor({}, talk));
    expect(second).toMatchObject({ read: 15_100, rewritten: 0 });
  });

  it('thinking of earlier turns is stripped on models that keep one turn, and costs the cache behind it', () => {
    const build = (model: string) =>
      new Conversation({ model })
        .human(100)
        .tools([{ tool: 'Read', tokens: 5_000 }], { thinking: 300 })
        .answer(50)
        .turn(10, 5);
    const strips = mainRequests(logFor({}, build('claude-sonnet-4-5')));
    expect(strips[2]).toMatchObject({ prompt: 15_100 + 20 + 5_000 + 50 + 10, cause: 'thinking' });
    const keeps = mainRequests(logFor({}, build('claude-opus-4-6')));
    expect(keeps[2]).toMatchObject({ prompt: 15_100 + 300 + 20 + 5_000 + 50 + 10, cause: null });
  });

  it('subagents run as threads of their own beside the main one, in the order of time', () => {
    const main = new Conversation()
      .human(100)
      .tools([{ tool: 'Task', tokens: 500 }])
      .wait(60)
      .answer(50);
    const child = new Conversation({ toolsTokens: 8_000, systemTokens: 500 })
      .wait(2)
      .human(50)
      .tools([{ tool: 'Read', tokens: 900 }])
      .answer(30);
    const transcript: Transcript = {
      ...main.transcript(),
      threads: [main.thread(), child.thread('child', 'main')],
    };
    const requests = ofType(logFor({}, transcript), 'request');
    expect(requests.map((entry) => `${entry.thread} ${entry.purpose}`)).toEqual([
      'main main',
      'child subagent',
      'child subagent',
      'main main',
    ]);
    expect(requests[2]).toMatchObject({ read: 8_550 });
  });

  it('think-time timing takes latency from the model table and think time from the recording', () => {
    const talk = new Conversation().turn(100, 50).wait(10).turn(10, 5);
    const [first, second] = mainRequests(logFor({ timing: 'think-time' }, talk));
    expect(second!.t).toBe(first!.t + first!.latencyMs + 10_000);
  });

  it('INV-5 and INV-6 hold and INV-13 gives the same digest twice, over generated sessions', () => {
    forAll(
      { numRuns: propertyRuns(60) },
      fc.record({
        workload: fc.constantFrom(
          ...Object.keys(Object.fromEntries(WORKLOADS.names.map((name) => [name, 1]))),
        ),
        turns: fc.integer({ min: 1, max: 60 }),
        seed: fc.nat(1_000),
        policy: fc.constantFrom('none', 'unbounded'),
        ttl: fc.constantFrom('5m' as const, '1h' as const),
        timing: fc.constantFrom('recorded' as const, 'think-time' as const),
      }),
      ({ workload, turns, seed, policy, ttl, timing }) => {
        const transcript = generateTranscript({ workload, turns, seed, model: 'claude-sonnet-4-5' });
        const plan = planOf({ policy, timing, seed, cache: { ttl } });
        const entries = runLog(plan, transcript);
        for (const entry of ofType(entries, 'request')) {
          expect(entry.prompt).toBe(entry.read + entry.write5m + entry.write1h + entry.input);
          expect(entry.read).toBeLessThanOrEqual(entry.prompt);
        }
        expect(digestOf(runLog(plan, transcript))).toBe(digestOf(entries));
      },
    );
  });

  it('INV-6 a longer lifetime never lowers the reads of the same session', () => {
    forAll({ numRuns: propertyRuns(40) }, fc.integer({ min: 1, max: 80 }), fc.nat(500), (turns, seed) => {
      const transcript = generateTranscript({
        workload: 'long-idle',
        turns,
        seed,
        model: 'claude-sonnet-4-6',
      });
      const reads = (ttl: '5m' | '1h') =>
        mainRequests(logFor({ policy: 'unbounded', cache: { ttl } }, transcript)).reduce(
          (sum, entry) => sum + entry.read,
          0,
        );
      expect(reads('1h')).toBeGreaterThanOrEqual(reads('5m'));
    });
  });
});
