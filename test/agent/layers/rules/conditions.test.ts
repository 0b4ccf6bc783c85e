import { describe, expect, it } from 'vitest';
import { rulesLayer } from '../../../../src/agent/layers/rules/rules-layer.js';
import { readPolicyFile } from '../../../../src/config/files/policy-file.js';
import type { ThreadEvent } from '../../../../src/core/model/transcript.js';
import type { HookContext } from '../../../../src/core/run/layer.js';
import { LayerDriver } from '../../../helpers/drive/drive-layer.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../../../helpers/plan.js';
import { planUnder } from '../../../helpers/plan-under.js';

const INIT: PlanInit = { window: 200_000, summaryTokens: 1_000 };
const begin = () => new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);

/** This many rounds, each with a result of 1,000 tokens and 4,000 characters. */
function rounds(n: number, talk = begin()): Conversation {
  for (let i = 0; i < n; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
  return talk;
}

/** Turns at which a rule with a condition clears results. */
function turnsOf(when: string, talk: Conversation, init: PlanInit = {}): readonly number[] {
  const policy = `rules: [{ when: { ${when} }, select: { what: tool-results }, replace: { with: placeholder } }]`;
  return ofType(runLog(planUnder(policy, { ...INIT, ...init }), talk.transcript()), 'layer').map(
    ({ turn }) => turn,
  );
}

describe('a condition on a count', () => {
  it.each([
    // Call n sees n − 1 results, of 4,000 characters each.
    ['toolResults: ">= 3"', [4]],
    ['toolResults: "> 3"', [5]],
    ['toolChars: ">= 12k"', [4]],
    ['toolChars: "> 12k"', [5]],
    // One prompt, then a response and a result a round.
    ['messages: ">= 7"', [4, 5]],
    ['messages: "> 7"', [5]],
    ['turns: ">= 4"', [5]],
    ['prunable: ">= 3k"', [4]],
    ['prunable: "> 3k"', [5]],
    ['prunable: ">= 12k chars"', [4]],
  ])('%s holds at the calls %j', (when, turns) => {
    expect(turnsOf(when, rounds(4).answer(10))).toEqual(turns);
  });

  it('images: those that are there', () => {
    const talk = rounds(1).image(1_500);
    expect(turnsOf('images: ">= 1"', talk.answer(10))).toEqual([2]);
    expect(turnsOf('images: ">= 2"', rounds(1).image(1_500).answer(10))).toEqual([]);
  });

  it('below an amount', () => {
    // A response and a result more at each call; there is something to clear from the second on.
    expect(turnsOf('messages: "<= 5", toolResults: ">= 1"', rounds(4).answer(10))).toEqual([2, 3]);
    expect(turnsOf('messages: "< 5", toolResults: ">= 1"', rounds(4).answer(10))).toEqual([2]);
  });
});

describe('a condition on time', () => {
  /** A pause of five minutes between an answer and the next prompt. */
  const paused = () => rounds(2).answer(10).wait(300).turn(10, 10);

  it('idle: the time since the latest response', () => {
    const [late] = turnsOf('idle: ">= 4min"', paused());
    expect(late).toBe(4);
    expect(turnsOf('idle: ">= 6min"', paused())).toEqual([]);
    expect(turnsOf('idle: "< 4min"', paused())).toEqual([2, 3]);
  });

  it('warm: whether the entry of the cache is still there', () => {
    const talk = () => rounds(2).answer(10).wait(600).turn(10, 10);
    expect(turnsOf('warm: false, toolResults: ">= 1"', talk())).toEqual([4]);
    expect(turnsOf('warm: true, toolResults: ">= 2"', talk())).toEqual([3]);
  });

  it('expiresIn: shortly before the entry ends, while nobody works', () => {
    const talk = () => rounds(2).answer(10).wait(900).turn(10, 10);
    expect(turnsOf('expiresIn: "<= 30s"', talk())).toEqual([3]);
    expect(turnsOf('expiresIn: "<= 30s"', paused())).toEqual([3]);
    // A prompt after 200 seconds renews the entry, which then ends behind the last answer.
    expect(turnsOf('expiresIn: "<= 30s"', rounds(2).answer(10).wait(200).turn(10, 10))).toEqual([4]);
  });
});

describe('a condition on an event', () => {
  const resumed = () =>
    rounds(2)
      .answer(10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .human(10)
      .tools([{ tool: 'Read', tokens: 1_000 }])
      .answer(10);

  it('resume: the first request of a new process, and no other', () => {
    expect(turnsOf('event: resume', resumed())).toEqual([4]);
    expect(turnsOf('event: resume', rounds(4).answer(10))).toEqual([]);
  });

  it('refused: when the API took the prompt for too long', () => {
    const faults = [{ call: 'main', error: 'prompt_too_long', nth: 3 }] as const;
    expect(turnsOf('event: refused', rounds(4).answer(10), { faults })).toEqual([3]);
    expect(turnsOf('event: refused', rounds(4).answer(10))).toEqual([]);
  });

  it('R8 turn-end: behind the answer of a turn and before the next prompt, never between tool calls', () => {
    // The threshold is passed at the fourth call; the answer is the fifth.
    const one = 'event: turn-end, toolResults: ">= 3"';
    expect(turnsOf(one, rounds(4).answer(10))).toEqual([5]);
    expect(turnsOf('event: turn-end, toolResults: ">= 5"', rounds(4).answer(10))).toEqual([]);
    // A turn that was broken off has no end: the next prompt is the first look.
    expect(turnsOf(one, rounds(4).turn(10, 10))).toEqual([5]);
    expect(turnsOf(one, rounds(1, rounds(3).answer(10).human(10)).answer(10))).toEqual([4]);
    expect(turnsOf('event: turn-end', rounds(2).answer(10))).toEqual([3]);
  });

  it('R8 turn-end: is where pi looks at its threshold', () => {
    const results = (n: number, talk: Conversation) => {
      for (let i = 0; i < n; i++) talk.tools([{ tool: 'Read', tokens: 10_000 }]);
      return talk;
    };
    // 111,616 of a window of 128,000 are passed at the eleventh result; the turn goes on to the twelfth.
    const talk = results(12, begin()).answer(10).turn(10, 10);
    const plan = planOf({ window: 128_000, summaryTokens: 1_000, policy: 'peers/pi' });
    expect(ofType(runLog(plan, talk.transcript()), 'layer').map(({ turn }) => turn)).toEqual([13]);
  });

  it('model-switch and prefix-change: not where everything stays as it was', () => {
    for (const event of ['model-switch', 'prefix-change'])
      expect(turnsOf(`event: ${event}`, resumed())).toEqual([]);
  });
});

describe('a condition on chance', () => {
  it('holds as often as it says, always or never at the ends', () => {
    const long = () => rounds(60).answer(10);
    expect(turnsOf('chance: 1', long())).toHaveLength(60);
    const some = turnsOf('chance: 0.5', long()).length;
    // 60 draws at one half: 30 ± 4 by a standard deviation.
    expect(some).toBeGreaterThan(15);
    expect(some).toBeLessThan(45);
    expect(turnsOf('chance: 0.5', long())).toEqual(turnsOf('chance: 0.5', long()));
    expect(turnsOf('chance: 0.5', long(), { seed: 2 })).not.toEqual(turnsOf('chance: 0.5', long()));
  });

  it('is drawn once for a moment, however often it is asked there, and anew for the next', () => {
    const policy =
      'rules: [{ when: { chance: 0.5 }, select: { what: tool-results }, replace: { with: placeholder } }]';
    const { rules } = readPolicyFile(policy, 'p.yaml').read!;
    const driver = new LayerDriver([rulesLayer], {}, 200_000, { rules });
    const moment = { point: 'before-request', now: 0, turn: 1, prompt: 1, source: 'main' } as HookContext;
    /** Answers to ten questions in a row, at each of twenty moments. */
    const answers = (next: (i: number) => Partial<HookContext>) =>
      Array.from({ length: 20 }, (_, i) => {
        const ten = Array.from({ length: 10 }, () =>
          driver.layers[0]!.due({ ...moment, ...next(i) }, driver.view),
        );
        return ten.every((one) => one === ten[0]) ? ten[0] : 'both';
      });
    expect(new Set(answers((turn) => ({ turn })))).toEqual(new Set([true, false]));
    expect(new Set(answers((now) => ({ now })))).toEqual(new Set([true, false]));
  });
});

it('expiresIn: an entry that is gone ends no more', () => {
  const talk = () => rounds(2).answer(10).wait(900).turn(10, 10);
  // Before call 4 the entry of five minutes has been gone for ten; before calls 2 and 3 it is fresh.
  expect(turnsOf('expiresIn: "<= 30s", at: [before-request], toolResults: ">= 1"', talk())).toEqual([]);
  expect(turnsOf('expiresIn: "<= 5min", at: [before-request], toolResults: ">= 2"', talk())).toEqual([3]);
});

it('manual: summaries that fail when the user asks for them leave the breaker closed', () => {
  const policy = `rules: [{ when: [{ event: manual }, { tokens: ">= 10k" }], select: { what: history }, ask: { shape: own } }]
guards: { breaker: { after: 1, until: session } }`;
  const faults = [{ call: 'compact', error: 'invalid_request', nth: 1 }] as const;
  const byHand = (at: number): ThreadEvent => ({
    kind: 'manual-compact',
    at,
    compaction: { instructions: null, partial: null },
  });
  const talk = rounds(5, rounds(2).answer(10).event(byHand).human(10)).answer(10);
  const layers = ofType(runLog(planUnder(policy, { ...INIT, faults }), talk.transcript()), 'layer');
  expect(layers.map(({ trigger, outcome }) => `${trigger} ${outcome}`)).toEqual([
    'manual failed',
    'auto done',
  ]);
});

it('refused: a summary that made nothing smaller is not asked for once more in the same turn', () => {
  const policy =
    'rules: [{ when: { event: refused }, select: { what: history }, ask: { shape: own }, accept: [empty] }]';
  const faults = [{ call: 'main', error: 'prompt_too_long', from: 3, to: 12 }] as const;
  const log = runLog(planUnder(policy, { ...INIT, faults }), rounds(4).answer(10).transcript());
  // The second summary is as long as the first, which it replaces: the API would refuse the same for ever.
  expect(ofType(log, 'layer').map(({ turn, outcome }) => `${turn} ${outcome}`)).toEqual(['3 done', '3 done']);
});
