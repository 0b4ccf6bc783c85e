import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../../src/core/run/run-plan.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, runLog } from '../../../helpers/plan.js';
import { planUnder } from '../../../helpers/plan-under.js';

const INIT: PlanInit = { window: 200_000, summaryTokens: 1_000 };

/** A prefix of 5,000 tokens, and results of 1,000 tokens. */
function rounds(n: number): Conversation {
  const talk = new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);
  for (let i = 0; i < n; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
  return talk.answer(10);
}

const RULE =
  'name: compact, when: { tokens: ">= 12k" }, select: { what: history, keep: { last: 1 round } }, ask: { shape: own }';
const rule = (rest = '') => `rules: [{ ${RULE}${rest} }]`;
const logOf = (policy: string, faults: readonly Partial<FaultRule>[] = [], turns = 8) =>
  runLog(planUnder(policy, { ...INIT, faults }), rounds(turns).transcript());
/** What became of each attempt. */
const outcomes = (policy: string, faults: readonly Partial<FaultRule>[], turns = 8) =>
  ofType(logOf(policy, faults, turns), 'layer').map(({ outcome, action }) => `${action} ${outcome}`);

describe('a summary that is thrown away', () => {
  it.each([
    ['empty', 'empty_summary'],
    ['tool-call', 'tool_call'],
    ['empty', 'tool_call'], // an answer that only calls a tool holds no text either
  ])('where %s is no answer and the model gives %s', (kind, error) => {
    const faults = [{ call: 'compact', error, nth: 1 }] as readonly Partial<FaultRule>[];
    expect(outcomes(rule(`, accept: [${kind}]`), faults)[0]).toBe('compact failed');
    expect(outcomes(rule(', accept: [larger]'), faults)[0]).toBe('compact done');
  });
});

describe('a summary that does not come', () => {
  const down = [{ call: 'compact', error: 'invalid_request' }] as const;

  it('is asked for again as often as the rule says', () => {
    const requests = (fail: string) =>
      runSent(
        planUnder(rule(`, fail: { ${fail} }`), { ...INIT, faults: down }),
        rounds(7).transcript(),
      ).sent.filter(({ purpose }) => purpose === 'compact').length;
    // One attempt at the call that reaches 12,000 tokens, and one at the next.
    const plain = requests('retry: 0');
    expect(plain).toBeGreaterThan(0);
    expect(requests('retry: 2')).toBe(3 * plain);
  });

  it('lets another rule, a cut or nothing stand in for it', () => {
    const other = `rules: [{ ${RULE}, fail: { else: clear } }, { name: clear, when: { tokens: ">= 190k" }, select: { what: tool-results }, replace: { with: placeholder } }]`;
    expect(outcomes(other, down).slice(0, 2)).toEqual(['compact failed', 'clear done']);
    const cut = outcomes(rule(', fail: { else: { truncate: { keep: 0.5 } } }'), down);
    expect(cut.slice(0, 2)).toEqual(['compact failed', 'truncate done']);
    expect(new Set(outcomes(rule(', fail: { else: go-on }'), down))).toEqual(new Set(['compact failed']));
    const stopped = logOf(rule(', fail: { else: stop }'), down);
    expect(ofType(stopped, 'lost').map(({ calls }) => calls)).toHaveLength(1);
  });
});

describe('what a summary request holds', () => {
  const sentTokens = (ask: string): number => {
    const policy = rule().replace('ask: { shape: own }', `ask: { shape: own${ask} }`);
    const [first] = sentFor(runSent(planUnder(policy, INIT), rounds(8).transcript()).sent, 'compact');
    return first!.tokens;
  };

  it('results are cut to this many characters where they have more', () => {
    // Six results go, of 1,000 tokens and 4,000 characters each; of each a tenth stays.
    const whole = sentTokens('');
    expect(whole - sentTokens(', input: { results: { over: 1000, chars: 400 } }')).toBe(6 * 900);
    expect(sentTokens(', input: { results: { over: 4000, chars: 400 } }')).toBe(whole);
  });

  it('images or thinking are left out where the rule says so, each for itself', () => {
    const talk = new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100).image(1_600);
    talk.tools([{ tool: 'Read', tokens: 1_000 }], { thinking: 700 });
    talk.tools([{ tool: 'Read', tokens: 9_000 }]).answer(10);
    const sent = (input: string): number => {
      const policy = rule().replace('ask: { shape: own }', `ask: { shape: own${input} }`);
      const set = { 'client.thinking': 'keep-all' };
      const [first] = sentFor(
        runSent(planUnder(policy, { ...INIT, set }), talk.transcript()).sent,
        'compact',
      );
      return first!.tokens;
    };
    const whole = sent('');
    expect(whole - sent(', input: { drop: [media] }')).toBe(1_600);
    expect(whole - sent(', input: { drop: [thinking] }')).toBe(700);
    expect(whole - sent(', input: { drop: [media, thinking] }')).toBe(2_300);
  });

  it('only its newest part is sent where the rule says so, and no result without its call', () => {
    const whole = sentTokens('');
    // Five rounds of 1,020 tokens fit, and the result of the sixth without its call; nine tokens stand in for the prompt.
    expect(whole - sentTokens(', input: { last: 6110 }')).toBe(100 + 1_020 - 9);
    expect(whole - sentTokens(', input: { last: 6120 }')).toBe(100 - 9);
  });
});

describe('guards.floor and guards.block', () => {
  it('below the floor the history is not replaced', () => {
    const done = (floor: string) => outcomes(`${rule()}\nguards: { floor: ${floor} }`, []).length;
    expect(done('10k')).toBeGreaterThan(0);
    expect(done('100k')).toBe(0);
  });

  it('from the limit on new input is refused', () => {
    const policy = (block: string) =>
      `rules: [{ name: never, when: { tokens: ">= 190k" }, ask: { shape: own } }]\nguards: { block: ${block} }`;
    expect(ofType(logOf(policy('9k')), 'lost').length).toBe(1);
    expect(ofType(logOf(policy('100k')), 'lost').length).toBe(0);
  });
});

describe('the calls of one summary', () => {
  /** Prompts of the requests for the first summary: six rounds of 1,020 tokens behind a prompt of 100. */
  const prompts = (calls: string): readonly number[] => {
    const policy = rule().replace('ask: { shape: own }', `ask: { shape: own, calls: ${calls} }`);
    const sent = sentFor(runSent(planUnder(policy, INIT), rounds(8).transcript()).sent, 'compact');
    return sent.filter(({ turn }) => turn === sent[0]!.turn).map(({ tokens }) => tokens);
  };
  const [whole] = prompts('1');

  it('one, or a draft that is looked at once more', () => {
    expect(prompts('1')).toHaveLength(1);
    const [draft, again, ...more] = prompts('verify');
    expect([draft, more]).toEqual([whole, []]);
    // The draft of 1,000 tokens is shown.
    expect(again! - draft!).toBeGreaterThanOrEqual(1_000);
    expect(again! - draft!).toBeLessThan(1_100);
  });

  it('one for each chunk, and one over their summaries where it has another level', () => {
    const chunks = prompts('{ chunks: { tokens: 3000 } }');
    // The prompt with two rounds, then two and two.
    expect(chunks).toHaveLength(3);
    const frame = whole! - (100 + 6 * 1_020);
    expect(chunks[0]).toBe(frame + 100 + 2 * 1_020);
    const deep = prompts('{ chunks: { tokens: 3000, depth: 2 } }');
    expect(deep.slice(0, 3)).toEqual(chunks);
    expect(deep).toHaveLength(4);
    // Three summaries of 1,000 tokens.
    expect(deep[3]! - frame).toBe(3_000);
    expect(prompts('{ chunks: { tokens: 100000, depth: 2 } }')).toEqual([whole]);
  });
});

describe('a summary that is written beside the work', () => {
  const policy = rule().replace(
    'ask: { shape: own }',
    'ask: { shape: own, run: { background: { apply: { at: ">= 14k" } } } }',
  );

  /** Rounds a minute apart: an answer is there before the next one. */
  const slowly = (n: number, talk: Conversation): Conversation => {
    for (let i = 0; i < n; i++) talk.wait(60).tools([{ tool: 'Read', tokens: 1_000 }]);
    return talk;
  };
  const begin = () => new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);

  it('is put in place once the context is so large, and the work goes on until then', () => {
    const log = runLog(planUnder(policy, INIT), slowly(12, begin()).answer(10).transcript());
    const [first] = ofType(log, 'layer');
    const [request] = ofType(log, 'request').filter(({ purpose }) => purpose === 'compact');
    expect(first).toMatchObject({ action: 'compact', outcome: 'done' });
    expect(first!.turn).toBeGreaterThan(request!.turn);
    expect(first!.estimatedBefore).toBeGreaterThanOrEqual(14_000);
    expect(first!.estimatedBefore).toBeLessThan(14_000 + 1_020);
  });

  it('is of no use once the user has emptied the conversation', () => {
    const talk = slowly(7, begin())
      .answer(10)
      .event((at) => ({ kind: 'clear', at }))
      .human(5_000);
    const log = runLog(planUnder(policy, INIT), slowly(8, talk).answer(10).transcript());
    const asked = ofType(log, 'request').filter(({ purpose }) => purpose === 'compact');
    // It was asked for before and is asked for again.
    expect(asked.length).toBeGreaterThanOrEqual(2);
    const [unused, next] = ofType(log, 'layer');
    expect(unused).toMatchObject({ outcome: 'declined', failure: null, calls: 1 });
    expect(unused!.reason).toBe('the history was replaced before the summary could be used');
    expect(next!.turn).toBeGreaterThan(asked[1]!.turn);
  });

  it.each([
    ['the session ended before the summary could be used', slowly(7, begin())],
    [
      'the process ended before the summary could be used',
      slowly(
        1,
        slowly(7, begin())
          .answer(10)
          .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
          .human(10),
      ),
    ],
  ])('stands among what the rule did, with its cost, where %s', (reason, talk) => {
    // 5,000 of prefix and seven results of 1,000: asked for at 12,000, and to be put in place at 14,000.
    const log = runLog(planUnder(policy, INIT), talk.answer(10).transcript());
    const asked = ofType(log, 'request').filter(({ purpose }) => purpose === 'compact');
    const told = ofType(log, 'layer');
    expect(told[0]).toMatchObject({ outcome: 'declined', failure: null, reason, saved: 0 });
    const sum = (of: (entry: (typeof told)[number]) => number) =>
      told.reduce((all, entry) => all + of(entry), 0);
    expect(sum(({ calls }) => calls)).toBe(asked.length);
    expect(sum(({ cost }) => cost)).toBe(asked.reduce((all, { cost }) => all + cost, 0));
  });

  it('BRK-1 counts for the breaker when it comes too late to fit', () => {
    // Results are cleared while the summary is written, and it no longer fits: asked for in vain, and paid.
    const clear =
      '{ name: clear, when: { tokens: ">= 12k" }, select: { what: tool-results }, replace: { with: placeholder } }';
    const behind = `{ ${RULE.replace('shape: own', 'shape: own, run: background')} }`;
    const log = (breaker: string) =>
      runLog(
        planUnder(`{ rules: [${behind}, ${clear}], guards: { ${breaker} } }`, INIT),
        slowly(40, begin()).answer(10).transcript(),
      );
    const failures = (entries: ReturnType<typeof log>) =>
      ofType(entries, 'layer').flatMap(({ failure }) => failure ?? []);
    expect(failures(log('')).length).toBeGreaterThan(3);
    const held = log('breaker: { after: 2, until: session }');
    expect(failures(held)).toEqual(['stale', 'stale']);
    expect(ofType(held, 'breaker').filter(({ state }) => state === 'tripped')).toHaveLength(1);
  });
});
