import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/core/base/digest.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { HomePlan } from '../../../src/core/run/run-plan.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { mergeSessions, type SessionPart } from '../../../src/transcripts/sessions/merge-sessions.js';
import { generateTranscript } from '../../../src/transcripts/synthetic/generate-transcript.js';
import { runSent } from '../../helpers/capture.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';
import { refusalOf } from '../../helpers/refusal.js';

const POLICY = 'claude-code/2026';
const QUIET = { 'autoMemory.enabled': false, 'sessionMemory.enabled': false } as const;

const large = () => {
  const built = new Conversation().human(100);
  for (let i = 0; i < 8; i++) built.tools([{ tool: 'Task', tokens: 12_000 }]);
  return built.answer(100);
};
const short = () => new Conversation().turn(10, 10);

describe('several sessions on one clock', () => {
  it('start after one another, on one cache: tools and system prompt are read while they live', () => {
    const run = (minutes: number) =>
      mainRequests(
        logFor(
          { policy: 'none' },
          sessionsOf([
            { name: 'a', talk: short() },
            { name: 'b', talk: new Conversation().human(10, 'Else.').answer(10), afterHours: minutes / 60 },
          ]),
        ),
      );
    expect(run(3).map((request) => [request.thread, request.t])).toEqual([
      ['a/main', 0],
      ['b/main', 181_000],
    ]);
    expect(run(3)[1]!.read).toBe(15_000);
    expect(run(6)[1]!.read).toBe(0);
  });

  it('a transcript that is the only session gives the same requests as on its own', () => {
    const plan = planOf({ policy: POLICY });
    const own = runLog(plan, large().transcript());
    const only = runLog(plan, sessionsOf([{ name: 'a', talk: large() }]));
    const numbers = (entries: typeof own) =>
      mainRequests(entries).map(({ thread: _thread, ...rest }) => rest);
    expect(numbers(only)).toEqual(numbers(own));
  });

  it('have the window that all of them tell, and none where they differ', () => {
    const told = (...windows: readonly (number | undefined)[]) =>
      mergeSessions(
        windows.map((window, i) => ({
          name: String(i),
          transcript: short().transcript(window === undefined ? {} : { window }),
          start: { afterMs: 0 },
          resumes: null,
          ending: 'clean',
          place: null,
        })),
      ).window;
    expect(told(272_000, 272_000)).toBe(272_000);
    expect(told(272_000, 128_000)).toBeUndefined();
    expect(told(272_000, undefined)).toBeUndefined();
    expect(told(undefined, 272_000)).toBeUndefined();
  });

  it('children of a session keep to it', () => {
    const spec = {
      workload: 'bugfix',
      turns: 8,
      seed: 1,
      text: 'none',
      forks: [{ afterTurn: 4, children: 2, turns: 2 }],
    } as const;
    const part = { start: { afterMs: 1_000 }, resumes: null, ending: 'clean', place: null } as const;
    const merged = mergeSessions([
      { ...part, name: 'a', transcript: generateTranscript(spec) },
      { ...part, name: 'b', transcript: generateTranscript(spec) },
    ]);
    const facts = foldLog(logFor({ policy: POLICY }, merged));
    expect(facts.longTerm.forks.started).toBe(4);
    expect(facts.threads.filter(({ parent }) => parent === 'b/main').map(({ id }) => id)).toEqual([
      'b/fork-4-1',
      'b/fork-4-2',
    ]);
  });
});

describe('a session that takes up an earlier one', () => {
  const run = (resume: string, minutes = 20) => {
    const { sent, entries } = runSent(
      planOf({ policy: POLICY, set: { ...QUIET, 'client.resume': resume }, cache: { ttl: '1h' } }),
      sessionsOf([
        { name: 'a', talk: large() },
        { name: 'b', talk: short(), afterHours: minutes / 60, resumes: 'a' },
      ]),
    );
    const main = sent.filter((request) => request.purpose === 'main');
    const requests = mainRequests(entries);
    return { last: main.at(-2)!, first: main.at(-1)!, request: requests.at(-1)!, before: requests.at(-2)! };
  };

  it('goes on from its record byte for byte, and reads it while the cache lives', () => {
    const { last, first, request, before } = run('identical');
    expect(first.thread).toBe('b/main');
    expect(first.prefixes.slice(0, last.prefixes.length)).toEqual(last.prefixes);
    expect(request.read).toBe(before.prompt);
    expect(run('identical', 61).request.cause).toBe('ttl-1h');
  });

  it('K3 reads it also when the earlier one had gone on in a new process', () => {
    const earlier = large().event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    const requests = mainRequests(
      logFor(
        { policy: POLICY, set: QUIET, cache: { ttl: '1h' } },
        sessionsOf([
          { name: 'a', talk: earlier.turn(20, 10) },
          { name: 'b', talk: short(), afterHours: 0.3, resumes: 'a' },
        ]),
      ),
    );
    const [restarted, last, first] = requests.slice(-3);
    expect(restarted!.read).toBeGreaterThan(0);
    expect(last!.read).toBe(0);
    expect(first!.read).toBe(last!.prompt);
  });

  it('waits for the end of one that takes longer than recorded, and so does the next in the chain', () => {
    // The first request is told to come back after two hours, when by the record all sessions are over.
    const faults = [{ call: 'main', error: 'rate_limited', nth: 1, retryAfterSeconds: 7_200 }] as const;
    const entries = logFor(
      { policy: POLICY, set: { ...QUIET, 'client.retries': 1 }, faults, timing: 'think-time' },
      sessionsOf([
        { name: 'a', talk: short().turn(10, 10) },
        { name: 'b', talk: short(), resumes: 'a' },
        { name: 'c', talk: short(), resumes: 'b' },
      ]),
    );
    const requests = mainRequests(entries);
    expect(requests.map(({ thread }) => thread)).toEqual(['a/main', 'a/main', 'b/main', 'c/main']);
    for (const [i, { t, prompt }] of requests.entries()) {
      expect(t).toBeGreaterThanOrEqual(7_200_000);
      if (i > 0) expect(t).toBeGreaterThan(requests[i - 1]!.t);
      if (i > 0) expect(prompt).toBeGreaterThan(requests[i - 1]!.prompt);
    }
  });

  it('STO-3 keeps stored results as they were sent', () => {
    const built = new Conversation().human(10);
    built.tools([{ tool: 'Bash', tokens: 40_000 }]).answer(10);
    const { sent } = runSent(
      planOf({ policy: POLICY, set: { 'autoMemory.enabled': false } }),
      sessionsOf([
        { name: 'a', talk: built },
        { name: 'b', talk: short(), resumes: 'a' },
      ]),
    );
    const main = sent.filter((request) => request.purpose === 'main');
    expect(main.at(-1)!.prefixes.slice(0, main.at(-2)!.prefixes.length)).toEqual(main.at(-2)!.prefixes);
  });

  it('E5.5 costs about twenty times as much with a system prompt that was rendered again', () => {
    const same = run('identical').request;
    const changed = run('new-system').request;
    expect(changed.prompt).toBe(same.prompt);
    expect(changed.cause).toBe('system');
    const prompt = (request: typeof same) => request.readCost + request.writeCost + request.inputCost;
    const times = prompt(changed) / prompt(same);
    expect(times).toBeGreaterThan(18);
    expect(times).toBeLessThanOrEqual(20);
  });

  it('E5.5 costs nearly as much with its first words in another form', () => {
    const changed = run('new-content').request;
    expect(changed.cause).toBe('messages');
    expect(changed.read).toBe(15_000);
    expect(changed.cost / run('identical').request.cost).toBeGreaterThan(12);
  });

  it('the same holds for a resume within one transcript', () => {
    const talk = large()
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .turn(10, 10)
      .transcript();
    const last = (resume: string) => {
      const set = { ...QUIET, 'client.newProcess': 'same', 'client.resume': resume };
      return mainRequests(logFor({ policy: POLICY, set }, talk)).at(-1)!;
    };
    expect(last('identical').rewritten).toBe(0);
    expect(last('new-system').read).toBe(0);
    expect(last('new-content').read).toBe(15_000);
  });
});

describe('what a compaction resets', () => {
  /** The main agent waits in mid-turn for a subagent that fills its window. */
  function withSubagent(): Transcript {
    const main = new Conversation()
      .human(10, 'Always run the linter before you stop.')
      .answer(10)
      .wait(60)
      .human(10)
      .tools([{ tool: 'Task', tokens: 100 }])
      .wait(100)
      .answer(10)
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
      .turn(10, 10);
    const child = new Conversation().wait(63).human(10);
    for (let i = 0; i < 40; i++) child.tools([{ tool: 'Task', tokens: 6_000 }]);
    const base = main.transcript();
    return { ...base, threads: [...base.threads, child.answer(10).thread('agent', 'main')] };
  }

  it('CLN-2 a subagent’s compaction leaves the shared prompt alone, the main thread’s own renders it again (CLN-1)', () => {
    const home: HomePlan = { memories: 3, files: [], lock: null };
    const set = {
      'autoCompact.subagents': true,
      'microcompact.cached.enabled': false,
      'microcompact.apiNative.enabled': false,
      'storage.enabled': false,
      'sessionMemory.enabled': false,
    };
    const { sent, entries } = runSent({ ...planOf({ policy: POLICY, set }), home }, withSubagent());
    const compactions = ofType(entries, 'layer').filter((entry) => entry.action === 'compact');
    expect(compactions.map((entry) => entry.thread)).toEqual(['agent', 'main']);
    const main = sent.filter((request) => request.purpose === 'main');
    const system = main.map((request) => request.prefixes[request.systemEnd - 1]);
    // An extraction changed the index after the first turn; only the compaction of the main thread lets it in.
    expect(new Set(system.slice(0, 3)).size).toBe(1);
    expect(system[3]).not.toBe(system[2]);
    const waiting = mainRequests(entries)[2]!;
    expect(waiting.turn).toBe(3);
    expect(waiting.rewritten).toBe(0);
  });
});

describe('sessions that do not fit together', () => {
  const part = (name: string, change: Partial<SessionPart> = {}) => ({
    name,
    transcript: short().transcript(),
    start: { afterMs: 0 },
    resumes: null,
    ending: 'clean' as const,
    place: { file: 's.yaml', line: 4 },
    ...change,
  });

  it.each([
    ['two of one name', [part('a'), part('a')], /two sessions are called "a"/],
    ['an unknown one is resumed', [part('a'), part('b', { resumes: 'c' })], /"c"/],
    [
      'one is resumed while it runs',
      [part('a'), part('b', { start: { atMs: 500 }, resumes: 'a' })],
      /still running/,
    ],
  ])('%s: refused with the place', (_, parts, sentence) => {
    const refusal = refusalOf(() => mergeSessions(parts))!;
    expect(refusal.message).toMatch(sentence);
    expect(refusal.place).toEqual({ file: 's.yaml', line: 4 });
  });
});

describe('a week', () => {
  it('INV-13 gives the same log every time', () => {
    const session = (name: string, i: number) => ({
      name,
      transcript: generateTranscript({ workload: 'bugfix', turns: 60, seed: `1/${name}`, prefixSeed: 1 }),
      start: { afterMs: i * 3_600_000 },
      resumes: null,
      ending: 'clean' as const,
      place: null,
    });
    const run = () =>
      sha256Hex(
        JSON.stringify(
          logFor({ policy: POLICY }, mergeSessions(['a', 'b', 'c', 'd', 'e', 'f'].map(session))),
        ),
      );
    expect(run()).toBe(run());
  });
});
