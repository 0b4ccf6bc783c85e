import { describe, expect, it } from 'vitest';
import type { FaultRule } from '../../../src/model/run-plan.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { Conversation } from '../../helpers/conversation.js';
import { ofType, type PlanInit, runLog } from '../../helpers/plan.js';
import { planUnder } from '../../helpers/plan-under.js';

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

  it('results are cut to so many characters where they have more', () => {
    // Six results go, of 1,000 tokens and 4,000 characters each; of each a tenth stays.
    const whole = sentTokens('');
    expect(whole - sentTokens(', input: { results: { over: 1000, chars: 400 } }')).toBe(6 * 900);
    expect(sentTokens(', input: { results: { over: 4000, chars: 400 } }')).toBe(whole);
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
