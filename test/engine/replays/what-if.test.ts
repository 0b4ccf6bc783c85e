import { describe, expect, it } from 'vitest';
import { changedPlan } from '../../../src/analysis/what-if.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import { type LogEntry, PARTED } from '../../../src/core/run/run-log.js';
import type { RunPlan } from '../../../src/core/run/run-plan.js';
import { followsRecording, modeOf } from '../../../src/engine/run/what-if.js';
import { mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';
import * as rollout from '../../helpers/recordings/rollout.js';
import {
  answered,
  ask,
  assistant,
  type Fields,
  readSession,
  result,
  say,
  system,
  usage,
  user,
} from '../../helpers/session.js';

const MODEL = 'claude-sonnet-4-5';
const reply = (i: number, seconds: number, read: number, written: number): Fields =>
  answered(i, seconds, say('done'), usage(0, read, written, 100));
const prompt = (i: number, seconds: number): Fields => user(`u${i}`, seconds, 'x'.repeat(400));

/**
 * Four requests of a session on the one-hour lifetime: system and tools of 20,000 are warm; a break from outside at the third
 * reads 20,000 of 30,000; 5,000 tokens that no line explains come at the fourth.
 */
const session = readSession([
  prompt(1, 0),
  reply(1, 5, 20_000, 10_000),
  prompt(2, 30),
  reply(2, 35, 30_000, 200),
  prompt(3, 60),
  reply(3, 65, 20_000, 10_400),
  prompt(4, 600),
  reply(4, 605, 30_400, 5_200),
]);

const own = (transcript: Transcript, set: Readonly<Record<string, unknown>> = {}): RunPlan =>
  changedPlan(transcript, { set });
const requests = (plan: RunPlan, transcript: Transcript = session): readonly RequestEntry[] =>
  mainRequests(runLog(plan, transcript));
const reads = (plan: RunPlan, transcript: Transcript = session): readonly number[] =>
  requests(plan, transcript).map(({ read }) => read);

describe('the base of a what-if', () => {
  it('is the recording: prompts, reads and writes of every request', () => {
    const found = requests(own(session)).map(({ prompt: all, read, write1h, input }) => [
      all,
      read,
      write1h,
      input,
    ]);
    expect(found).toEqual([
      [30_000, 20_000, 10_000, 0],
      [30_200, 30_000, 200, 0],
      [30_400, 20_000, 10_400, 0],
      [35_600, 30_400, 5_200, 0],
    ]);
  });

  it('reads what something outside kept warm beyond the lifetime', () => {
    const kept = readSession([
      prompt(1, 0),
      reply(1, 5, 20_000, 10_000),
      prompt(2, 7_300),
      reply(2, 7_305, 30_000, 200),
    ]);
    expect(reads(own(kept), kept)).toEqual([20_000, 30_000]);
  });

  it('K6 clears results where a recorded prompt is shorter and no line says so, and leaves that to each variant', () => {
    const old = { version: '2.0.76' };
    const lines: Fields[] = [user('u1', 0, 'x'.repeat(275), old)];
    // Eight results of 4,812 by the counter stay below 40,000: of nineteen, eleven of 6,980 tokens leave twelve each.
    const prompts = [...Array.from({ length: 19 }, (_, i) => 15_000 + 7_000 * i), 71_352, 78_352];
    for (const [i, size] of prompts.entries()) {
      const before = prompts[i - 1] ?? 0;
      const read = size > before ? before : 15_000;
      lines.push(
        answered(
          i,
          10 * i + 5,
          ask(`t${i}`, 'Read', { file_path: `/repo/${i}.ts` }),
          usage(0, read, size - read, 20),
          old,
        ),
        result(`r${i}`, 10 * i + 6, `t${i}`, 'x'.repeat(19_250), old),
      );
    }
    const recording = readSession(lines);
    const cleared = (set: Readonly<Record<string, unknown>>) =>
      ofType(runLog(own(recording, set), recording), 'layer').map(({ layer, turn }) => [layer, turn]);
    expect(cleared({})).toEqual([['microcompact', 20]]);
    expect(requests(own(recording), recording).map(({ prompt: all }) => all)).toEqual(prompts);
    // At 70 % the warning comes at 97,600, before the 15th request, and clearing saves 20,000 at least; nothing shrinks at the 20th.
    const variant = requests(own(recording, { 'window.percent': 70 }), recording).map(
      ({ prompt: all }) => all,
    );
    expect(variant[14]).toBeLessThan(113_000 - 20_000);
    expect(variant[19]! - variant[18]!).toBeGreaterThan(5_000);
  });

  it('keeps the client of the recording under every policy, unless the plan sets another', () => {
    const by = { version: '2.1.170' };
    const at = (i: number, seconds: number, read: number): readonly Fields[] => [
      user(`u${i}`, seconds, 'x'.repeat(400), by),
      answered(i, seconds + 5, say('done'), usage(0, read, 200, 100), by),
    ];
    const recording = readSession([...at(1, 0, 20_000), ...at(2, 60, 20_300), ...at(3, 120, 20_600)]);
    const asked = (policy: string, set: Readonly<Record<string, unknown>> = {}) => {
      const log = runLog({ ...own(recording), policy: planOf({ policy, set }).policy }, recording);
      const [run] = ofType(log, 'run');
      const suggestions = ofType(log, 'request').filter(({ purpose }) => purpose === 'suggestion');
      return [(run!.plan as RunPlan).policy.params['client.use'], suggestions.length];
    };
    // 2.1.170 suggests at the end of the two turns that another follows (K16); 2.1.112 and the bare API do not.
    for (const policy of ['claude-code/2.1.112', 'claude-code/2026', 'peers/opencode-1', 'none'])
      expect([policy, ...asked(policy)]).toEqual([policy, 'recorded', 2]);
    expect(asked('claude-code/2026', { 'client.use': 'claude-code/2.1.112' })).toEqual([
      'claude-code/2.1.112',
      0,
    ]);
    expect(asked('claude-code/2026', { 'client.use': 'none' })).toEqual(['none', 0]);
  });

  it.each([
    // Prompts of 20,200, 20,500, 20,800 and 21,100; a response is 100. What is read behind each of the first three shows a suggestion or none.
    ['reads each response', [20_300, 20_600, 20_900], [1, 2, 3]],
    ['reads prompts alone', [20_200, 20_500, 20_800], []],
    ['reads one response', [20_200, 20_600, 20_800], [2]],
    ['does not tell once, and mostly none', [20_200, 10_000, 20_800], []],
    ['does not tell once, and mostly one', [20_300, 10_000, 20_900], [1, 2, 3]],
    ['never tells', [10_000, 10_000, 10_000], [1, 2, 3]],
  ] as const)('K16 has the suggestions that a recording shows, where it %s', (_, found, turns) => {
    const by = { version: '2.1.170' };
    const lines = [20_000, ...found].flatMap((read, i) => {
      const use = { model: MODEL, usage: usage(0, read, 20_200 + 300 * i - read, 100) };
      const [at, id] = [60 * i, `${i}`];
      return [
        user(`u${id}`, at, 'x'.repeat(400), by),
        assistant(`a${id}`, at + 5, `m${id}`, say('done'), use, by),
      ];
    });
    const recording = readSession(lines);
    const suggested = (set: Readonly<Record<string, unknown>>) =>
      ofType(runLog(own(recording, set), recording), 'request').flatMap(({ purpose, turn }) =>
        purpose === 'suggestion' ? [turn] : [],
      );
    expect(suggested({})).toEqual(turns);
    expect(suggested({ 'window.percent': 50 })).toEqual(turns);
    expect(suggested({ 'client.suggestions': 'end-of-turn' })).toEqual([1, 2, 3]);
  });

  it('is the same every time it is run', () => {
    expect(runLog(own(session), session)).toEqual(runLog(own(session), session));
  });

  it('knows nothing of it in predict mode', () => {
    const plan: RunPlan = { ...own(session), mode: 'predict' };
    expect(modeOf(plan, session)).toBe('predict');
    expect(reads(plan)[2]).toBeGreaterThan(30_000);
  });
});

describe('a variant of a what-if', () => {
  it('loses the same share of its prefix to a break from outside', () => {
    // Of the 30,200 tokens that could be read, the 10,200 behind system and tools were lost.
    const hour: RunPlan = { ...own(session), cache: { ...own(session).cache, ttl: '1h', subagentTtl: '1h' } };
    expect(reads(hour)).toEqual([20_000, 30_000, 20_000, 30_400]);
  });

  it('rewrites behind a pause what a shorter lifetime loses; system and tools stay warm from 2.1.91 on (K18)', () => {
    const short: RunPlan = {
      ...own(session),
      cache: { ...own(session).cache, ttl: '5m', subagentTtl: '5m' },
    };
    expect(followsRecording(short, session)).toBe(true);
    const last = requests(short).at(-1)!;
    expect([last.prompt, last.read, last.write5m]).toEqual([35_600, 20_000, 15_600]);
  });

  it('decides for itself once its policy is another', () => {
    expect(followsRecording(own(session, { 'window.percent': 50 }), session)).toBe(false);
  });

  it('that never acts costs what the base costs, request by request', () => {
    // The threshold is out of reach: 35,600 tokens are in the largest prompt.
    const idle = runLog(own(session, { 'window.percent': 90 }), session);
    expect(mainRequests(idle)).toEqual(requests(own(session)));
    expect(partings(idle)).toEqual([]);
  });
});

describe('a thread that has parted from its recording', () => {
  /** Seven requests that grow by 20,000 tokens; two hours pass before the last, which was recorded as warm. */
  const kept = readSession(
    Array.from({ length: 7 }, (_, i) => [
      user(`u${i}`, 30 * i + (i < 6 ? 0 : 7_200), 'x'.repeat(80_000)),
      reply(i, 30 * i + 5 + (i < 6 ? 0 : 7_200), 20_000 * (i + 1), 20_000),
    ]).flat(),
  );

  it('reads what something outside kept warm, but not what it has never sent', () => {
    const log = runLog(own(kept, { 'window.percent': 50 }), kept);
    expect(partings(log)).toHaveLength(1);
    const last = mainRequests(log).at(-1)!;
    expect(last.prompt).toBeLessThan(100_000);
    expect(last.newTokens).toBeGreaterThan(0);
    expect(last.read).toBe(last.prompt - last.newTokens);
  });
});

/** Where threads leave their recording, by simulated time in seconds. */
const partings = (log: readonly LogEntry[]): readonly number[] =>
  ofType(log, 'notice').flatMap(({ what, t }) => (what === PARTED ? [t / 1_000] : []));

describe('recorded compactions', () => {
  const by = (trigger: 'auto' | 'manual'): Transcript =>
    readSession([
      prompt(1, 0),
      reply(1, 5, 20_000, 40_000),
      system('b', 30, 'compact_boundary', { compactMetadata: { trigger, preTokens: 60_400 } }),
      user('s', 31, 'y'.repeat(8_000), { isCompactSummary: true }),
      reply(2, 35, 20_000, 3_000),
      prompt(3, 60),
      reply(3, 65, 23_000, 300),
    ]);
  const compacted = by('auto');

  it('happen where they were recorded, with the prompt that followed', () => {
    const log = runLog(own(compacted), compacted);
    const made = ofType(log, 'layer').filter(({ action }) => action === 'compact');
    expect(made.map(({ trigger }) => trigger)).toEqual(['auto']);
    const asked = ofType(runLog(own(by('manual')), by('manual')), 'layer');
    expect(asked.map(({ trigger }) => trigger)).toEqual(['manual']);
    expect(mainRequests(log).map(({ prompt: all, read }) => [all, read])).toEqual([
      [60_000, 20_000],
      [23_000, 20_000],
      [23_300, 23_000],
    ]);
    // 63,000 tokens read at $0.30 and 43,300 written for an hour at $6 a million, without the request of the summary.
    const nano = 63_000 * 300 + 43_300 * 6_000;
    expect(ofType(log, 'run')[0]!.transcript.reproduced).toMatchObject({
      recordedNano: nano,
      simulatedNano: nano,
    });
  });

  it('are the policy’s to decide under other settings', () => {
    const log = runLog(own(compacted, { 'window.percent': 90 }), compacted);
    expect(ofType(log, 'layer').filter(({ action }) => action === 'compact')).toHaveLength(0);
    expect(mainRequests(log).map(({ prompt: all }) => all > 60_000 || all === 60_000)).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('by the user happen as recorded under any policy that has changed nothing before', () => {
    const recording = by('manual');
    const other = runLog(own(recording, { 'window.percent': 90 }), recording);
    expect(mainRequests(other)).toEqual(requests(own(recording), recording));
    expect(partings(other)).toEqual([]);
  });

  describe('of a client whose policy is rules', () => {
    /** A rollout that is compacted at its second count; the summary request of 22,000 tokens is told or not. */
    const rolled = (more: rollout.Payload, ...told: readonly string[]): Transcript =>
      rollout.read([
        rollout.meta(0),
        rollout.turn(0),
        rollout.say(1, 'user', 'look '.repeat(40)),
        rollout.call(3, 'a'),
        rollout.result(4, 'a'),
        rollout.count(4, 21_000, { input: 21_000 }),
        rollout.call(8, 'b'),
        rollout.result(9, 'b'),
        rollout.count(9, 43_000, { input: 22_000, cached: 20_992 }),
        ...told,
        rollout.line(16, 'compacted', { message: '', replacement_history: [], ...more }),
        rollout.call(20, 'c'),
        rollout.result(21, 'c'),
        rollout.count(21, 53_000, { input: 10_000, cached: 4_096 }),
      ]);
    const asked = (transcript: Transcript): readonly (readonly [string, number])[] =>
      ofType(runLog(own(transcript), transcript), 'request').map((each) => [each.purpose, each.prompt]);

    it('are asked for as by any other, since no recording holds the request', () => {
      const transcript = rolled({});
      const log = runLog(own(transcript), transcript);
      const made = ofType(log, 'layer').filter(({ action }) => action === 'compact');
      expect(made.map(({ outcome, trigger }) => [outcome, trigger])).toEqual([['done', 'auto']]);
      expect(ofType(log, 'request').map(({ purpose }) => purpose)).toEqual([
        'main',
        'main',
        'compact',
        'main',
      ]);
      // Its model is one of OpenAI's: chance decides what no line tells, here what the summary request reads.
      const chance = ofType(log, 'warning').filter(({ code }) => code === 'chance-drawn');
      expect(chance.map(({ message }) => message)).toEqual([
        expect.stringContaining('drawn for requests that the recording does not hold'),
      ]);
      expect(mainRequests(log).map(({ prompt: all, read }) => [all, read])).toEqual([
        [21_000, 0],
        [22_000, 20_992],
        [10_000, 4_096],
      ]);
    });

    it('are not asked for again where the recording holds the request', () => {
      const record = rollout.line(16, 'token_usage_record', {
        response_id: 'r9',
        usage: rollout.raw({ input: 22_100, cached: 21_888, output: 200 }),
      });
      expect(asked(rolled({ compaction_response_id: 'r9' }, record))).toEqual([
        ['main', 21_000],
        ['main', 22_000],
        ['main', 22_100],
        ['main', 10_000],
      ]);
    });

    it('are not paid for where the policy compacts elsewhere, though the recording holds the request', () => {
      const record = rollout.line(16, 'token_usage_record', {
        response_id: 'r9',
        usage: rollout.raw({ input: 22_100, cached: 21_888, output: 200 }),
      });
      const transcript = rolled({ compaction_response_id: 'r9' }, record);
      const log = runLog(own(transcript, { 'base.times': 0.5 }), transcript);
      const sent = ofType(log, 'request').map((each) => [each.purpose, each.prompt] as const);
      // Half of the window is far: the two requests before the recorded compaction, and the one behind it with all they held.
      expect(sent.map(([purpose]) => purpose)).toEqual(['main', 'main', 'main']);
      expect(sent.slice(0, 2).map(([, prompted]) => prompted)).toEqual([21_000, 22_000]);
      expect(sent[2]![1]).toBeGreaterThan(22_000);
      expect(ofType(log, 'run')[0]!.transcript.calls).toBe(3);
    });
  });

  it('part a thread from its recording where the policy does not make them', () => {
    expect(partings(runLog(own(compacted), compacted))).toEqual([]);
    expect(partings(runLog(own(compacted, { 'window.percent': 90 }), compacted))).toEqual([30]);
  });
});
