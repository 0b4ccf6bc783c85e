import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { planPolicy } from '../../../src/agent/policies/plan-policy.js';
import { changedPlan } from '../../../src/analysis/what-if.js';
import type { ThreadEvent, Transcript } from '../../../src/core/model/transcript.js';
import type { FaultsPlan, RunPlan } from '../../../src/core/run/run-plan.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { loadTranscript } from '../../../src/transcripts/files/transcripts.js';
import { mainRequests, ofType, runLog } from '../../helpers/plan.js';
import { sharedData } from '../../helpers/recordings/shared.js';
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

const called = (i: number, content: unknown, read: number, written: number): Fields =>
  answered(i, 60 * i, content, usage(0, read, written, 100));

/**
 * The first call has run a command; the third, behind a compaction by the user, names what it printed. `summary` is
 * what the recording went on with.
 */
const session = (summary: string): Transcript =>
  readSession([
    user('u1', 0, 'look at the socket'),
    called(1, ask('t1', 'Bash', { command: './probe' }), 20_000, 10_000),
    result('r1', 61, 't1', 'export function connectSocket_v2(host: string) {}\n'.padEnd(4_000, 'x')),
    called(2, say('I see.'), 30_000, 2_000),
    system('b', 125, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 32_100 } }),
    user('s', 126, summary, { isCompactSummary: true }),
    user('u3', 170, 'go on'),
    called(3, say('connectSocket_v2 is the culprit'), 20_000, 3_000),
    user('u4', 230, 'and now?'),
    called(4, say('rename connectSocket_v2'), 23_000, 300),
  ]);

const recordings = sharedData.sessions.map(([, path]) => path);
const isByHand = (event: ThreadEvent): boolean =>
  (event.kind === 'recorded-compaction' || event.kind === 'recorded-microcompact') &&
  event.trigger === 'manual';

const GONE = session('We looked at a file about sockets.');
const faults = (plan: RunPlan, transcript: Transcript) => ofType(runLog(plan, transcript), 'fault');

describe('content that is needed and gone', () => {
  it('is a fault at the first call that needs it, once', () => {
    const found = faults(changedPlan(GONE), GONE);
    expect(found).toMatchObject([
      { kind: 'refetch', use: 'echo', turn: 3, rounds: 1, tool: 'Bash', what: 'connectSocket_v2' },
    ]);
    // 46 % of what is needed is fetched again (docs/faults.md).
    expect(found[0]!.chance).toBe(0.46);
  });

  it('is none where the summary tells it, and none without a compaction', () => {
    const told = session('The function connectSocket_v2 in socket.ts is what we look at.');
    expect(faults(changedPlan(told), told)).toEqual([]);
    const whole = {
      ...GONE,
      threads: GONE.threads.map((thread) => ({
        ...thread,
        steps: thread.steps.filter(({ kind }) => kind !== 'event'),
      })),
    };
    expect(faults({ ...changedPlan(whole), mode: 'predict' }, whole)).toEqual([]);
  });

  it('is counted at its bounds and as fitted, with what fetching it brings', () => {
    const facts = foldLog(runLog(changedPlan(GONE), GONE)).faults!;
    expect([facts.none, facts.all, facts.fitted]).toEqual([1, 0, 0.46]);
    const [fault] = faults(changedPlan(GONE), GONE);
    expect(facts.refetchTokens).toBeCloseTo(0.46 * fault!.tokens);
    expect(facts.refetchNano).toBeCloseTo(0.46 * fault!.cost);
    const none = foldLog(runLog({ ...changedPlan(GONE), faults: { survival: 'none', refetch: 'off' } }, GONE))
      .faults!;
    expect(none.refetchTokens).toBe(fault!.tokens);
  });

  it('is none where the user emptied the conversation, or where the policy takes nothing out', () => {
    const cleared: Transcript = {
      ...GONE,
      threads: GONE.threads.map((thread) => ({
        ...thread,
        steps: thread.steps.map((step) =>
          step.kind === 'event' && step.event.kind === 'recorded-compaction'
            ? { kind: 'event', event: { kind: 'clear', at: step.event.at } }
            : step,
        ),
      })),
    };
    expect(faults({ ...changedPlan(cleared), mode: 'predict' }, cleared)).toEqual([]);
  });

  it('is none where the user went back to before it; what stayed then is one once it is summarised away', () => {
    const lines = readSession([
      user('u1', 0, 'look at the socket'),
      called(1, ask('t1', 'Bash', { command: './probe' }), 20_000, 10_000),
      result('r1', 61, 't1', 'export function connectSocket_v2(host: string) {}'),
      called(2, say('I see'), 30_000, 2_000),
      user('u2', 160, 'leave openFrame_v3 alone'),
      user('u3', 170, 'take parseHeader_v7 for it'),
      called(3, say('yes'), 32_000, 100),
      system('b', 185, 'compact_boundary', { compactMetadata: { trigger: 'manual', preTokens: 32_100 } }),
      user('s', 186, 'We looked at a file.', { isCompactSummary: true }),
      user('u4', 230, 'go on'),
      called(4, say('connectSocket_v2, openFrame_v3, parseHeader_v7'), 20_000, 300),
    ]);
    const back = (thread: Transcript['threads'][number]): typeof thread => {
      const steps = [...thread.steps];
      const compaction = steps.findIndex(({ kind }) => kind === 'event');
      const event = { kind: 'rewind', at: 183_000, lastId: 'u2' } as const;
      steps.splice(compaction, 0, { kind: 'event', event });
      return { ...thread, steps };
    };
    const gone = { ...lines, threads: lines.threads.map(back) };
    const found = faults({ ...changedPlan(gone), mode: 'predict' }, gone).map(({ what }) => what);
    expect(found).toEqual(['connectSocket_v2', 'openFrame_v3']);
  });

  it.skipIf(recordings.length === 0)(
    'is none without layers on any shared recording that no user compacted',
    () => {
      const unbounded = planPolicy(policyRegistry.get('unbounded'), {});
      let sessions = 0;
      for (const path of recordings) {
        const { transcript } = loadTranscript(path, { cwd: '/' });
        const byHand = ({ steps }: Transcript['threads'][number]): boolean =>
          steps.some(({ kind, ...step }) => kind === 'event' && 'event' in step && isByHand(step.event));
        if (transcript.threads.some(byHand)) continue;
        sessions++;
        expect([path, faults({ ...changedPlan(transcript), policy: unbounded }, transcript)]).toEqual([
          path,
          [],
        ]);
      }
      expect(sessions).toBeGreaterThan(0);
    },
  );

  it('is not known of transcripts without text', () => {
    const blank = { ...GONE, carries: GONE.carries.filter((each) => each !== 'text') };
    expect(foldLog(runLog(changedPlan(blank), blank)).faults).toBeNull();
  });
});

describe('fetching again', () => {
  const under = (survival: FaultsPlan['survival'], refetch: FaultsPlan['refetch']) => {
    const plan = { ...changedPlan(GONE), mode: 'predict', faults: { survival, refetch } } as const;
    const log = runLog(plan, GONE);
    return { log, requests: ofType(log, 'request').filter(({ purpose }) => purpose === 'refetch') };
  };

  it('is a request with a result that later prompts carry', () => {
    const { log, requests } = under('none', 'on');
    const [fault] = ofType(log, 'fault');
    expect(requests.map(({ turn, output }) => [turn, output])).toEqual([[3, 100]]);
    const plain = mainRequests(under('none', 'off').log).map(({ prompt }) => prompt);
    const fetched = mainRequests(log).map(({ prompt }) => prompt);
    // The call is 100 tokens and the result those of the file.
    expect(fetched.map((prompt, i) => prompt - plain[i]!)).toEqual([
      0,
      0,
      100 + fault!.tokens,
      100 + fault!.tokens,
    ]);
    // The prompt in front of them was sent by the request that fetched them.
    expect(mainRequests(log)[2]).toMatchObject({ newTokens: 100 + fault!.tokens, rewritten: 0 });
  });

  it('says where it has no effect: without text, and where the recording is followed', () => {
    const plan = { ...changedPlan(GONE), faults: { survival: 'none', refetch: 'on' } } as const;
    const warned = (transcript: Transcript, mode: Partial<RunPlan> = {}) =>
      ofType(runLog({ ...plan, ...mode }, transcript), 'warning').filter(({ code }) => code === 'no-refetch');
    const blank = { ...GONE, carries: GONE.carries.filter((each) => each !== 'text') };
    expect(warned(blank, { mode: 'predict' }).map(({ message }) => message)).toEqual([
      'faults.refetch has no effect: the transcript has no text of its own that tells what is needed',
    ]);
    expect(warned(GONE).map(({ message }) => message)).toEqual([
      'faults.refetch has no effect: the run follows its recording, which holds what was fetched',
    ]);
    expect(warned(GONE, { mode: 'predict' })).toEqual([]);
  });

  it('does not happen unless asked for, where summaries tell everything, and where the recording is followed', () => {
    expect(under('none', 'off').requests).toEqual([]);
    expect(under('all', 'on').requests).toEqual([]);
    const followed = runLog({ ...changedPlan(GONE), faults: { survival: 'none', refetch: 'on' } }, GONE);
    expect(ofType(followed, 'request').filter(({ purpose }) => purpose === 'refetch')).toEqual([]);
  });
});
