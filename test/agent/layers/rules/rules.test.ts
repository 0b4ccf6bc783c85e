import { describe, expect, it } from 'vitest';
import { CLEARED_PLACEHOLDER } from '../../../../src/agent/layers/support/compactable.js';
import type { Block } from '../../../../src/core/model/block.js';
import type { Transcript } from '../../../../src/core/model/transcript.js';
import type { RequestEntry } from '../../../../src/core/run/log-entries.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { bugfixSession } from '../../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, runLog } from '../../../helpers/plan.js';
import { planUnder } from '../../../helpers/plan-under.js';

const INIT: PlanInit = { window: 200_000, summaryTokens: 1_000 };
const begin = () => new Conversation({ toolsTokens: 4_000, systemTokens: 1_000 }).human(100);

/** This many results of 1,000 tokens behind 5,100. */
function results(n: number): Conversation {
  const talk = begin();
  for (let i = 0; i < n; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
  return talk.answer(10);
}

/** Results of the last request of the main loop, oldest first. */
function lastResults(policy: string, transcript: Transcript): readonly Block[] {
  const last = sentFor(runSent(planUnder(policy, INIT), transcript).sent, 'main').at(-1)!;
  return last.blocks!.filter(({ kind }) => kind === 'tool_result');
}
const lastSizes = (policy: string, talk: Conversation): readonly number[] =>
  lastResults(policy, talk.transcript()).map(({ tokens }) => tokens);

describe('what stands in the place of a result', () => {
  const rule = (replace: string, rest = '') =>
    `rules: [{ when: { toolResults: ">= 4" }, select: { what: tool-results, keep: { last: 2 } }, replace: { ${replace} }${rest} }]`;

  it('is a placeholder of this many tokens, and never more than was there', () => {
    expect(lastSizes(rule('with: placeholder, tokens: 30'), results(4))).toEqual([30, 30, 1_000, 1_000]);
    expect(lastSizes(rule('with: placeholder, tokens: 5000'), results(4))).toEqual(Array(4).fill(1_000));
  });

  it('is its beginning and its end', () => {
    const [first] = lastResults(rule('with: preview, head: 400, tail: 100'), results(4).transcript());
    // An eighth of 4,000 characters, and the placeholder: 33 characters, 12 tokens.
    expect([first!.tokens, first!.chars]).toEqual([137, 533]);
    const words = first!.text!.read();
    expect(words).toHaveLength(533);
    expect(words.slice(0, 11)).toBe('tool_result');
    expect(words.endsWith('x'.repeat(100))).toBe(true);
    const [head] = lastResults(rule('with: preview, head: 400, tail: 0'), results(4).transcript());
    expect(head!.text!.read()).toHaveLength(433);
    expect(head!.text!.read().endsWith('x')).toBe(false);
  });

  it('is all of it and the placeholder where it is short: the call of a pair', () => {
    // A call of 20 tokens has 80 characters.
    const policy = rule('with: preview, head: 60, tail: 20').replace('tool-results', 'pairs');
    const last = sentFor(runSent(planUnder(policy, INIT), results(4).transcript()).sent, 'main').at(-1)!;
    const [call] = last.blocks!.filter(({ kind }) => kind === 'tool_use');
    expect([call!.tokens, call!.chars, call!.facts.replaces]).toEqual([20, 113, 'cleared']);
    expect(call!.text!.read()).toBe(
      `${'tool_use'.padEnd(8)}${call!.text!.read().slice(8, 80)}${CLEARED_PLACEHOLDER}`,
    );
  });

  it('has no words where the result had none', () => {
    const silent = bugfixSession(6, {
      steady: { gapSeconds: 10, outputTokens: 10, resultTokens: 1_000, promptTokens: 100 },
    });
    const [first] = lastResults(rule('with: preview, head: 400, tail: 100'), silent);
    expect(first!.facts.replaces).toBe('cleared');
    expect(first!.text).toBeNull();
  });

  it('is a file that holds it, by the name of its call', () => {
    const [first] = lastResults(rule('with: reference, tokens: 20'), results(4).transcript());
    expect(first!.tokens).toBe(20);
    expect(first!.text!.read()).toContain(`results/${first!.toolUseId}.txt`);
  });

  it('is a summary of each, for which one request each is sent, or one of all', () => {
    const asked = (calls: string) =>
      ofType(
        runLog(
          planUnder(rule('with: summary, tokens: 50', `, ask: { shape: own, calls: ${calls} }`), INIT),
          results(4).transcript(),
        ),
        'request',
      ).filter(({ purpose }) => purpose !== 'main');
    expect(asked('per-pair')).toHaveLength(2);
    expect(asked('1')).toHaveLength(1);
    const [each] = asked('per-pair');
    const [all] = asked('1');
    // A call of 20 tokens and a result of 1,000 more.
    expect(all!.prompt - each!.prompt).toBe(1_020);
    expect(
      lastSizes(rule('with: summary, tokens: 50', ', ask: { shape: own, calls: per-pair }'), results(4)),
    ).toEqual([50, 50, 1_000, 1_000]);
  });
});

describe('how long it lasts', () => {
  it('for good, or again for each request: then what was left out still counts', () => {
    const entries = (sticky: boolean) =>
      ofType(
        runLog(
          planUnder(
            `count: { source: tokenizer }
rules: [{ when: { tokens: ">= 9k" }, select: { what: tool-results, keep: { last: 1 } }, replace: { with: placeholder, tokens: 10, sticky: ${sticky} } }]`,
            INIT,
          ),
          results(8).transcript(),
        ),
        'layer',
      );
    const acts = (sticky: boolean) => entries(sticky).map(({ turn, saved }) => [turn, saved]);
    // Call n + 1 sees 5,100 and n rounds of 1,020: 9,180 at call 5, of which three results of 1,000 become 10 each.
    expect(acts(true)).toEqual([
      [5, 2_970],
      [8, 2_970],
    ]);
    expect(acts(false)).toEqual([
      [5, 2_970],
      [6, 990],
      [7, 990],
      [8, 990],
      [9, 990],
    ]);
    // The reason has the count that the condition went by: all rounds, whatever was left out of the requests before.
    const told = entries(false).map(({ reason }) => reason.replace(/^[^:]*: /, ''));
    expect(told.slice(0, 3)).toEqual([
      '9180 tokens seen',
      '7230 tokens seen, 10200 with what it leaves out of each request',
      '7260 tokens seen, 11220 with what it leaves out of each request',
    ]);
  });
});

describe('how far a rule goes', () => {
  const until = (text: string) =>
    `rules: [{ when: { toolResults: ">= 8" }, select: { what: tool-results }, replace: { with: placeholder, tokens: 1 }, until: { ${text} } }]`;
  const cleared = (text: string): number =>
    lastSizes(until(text), results(8)).filter((tokens) => tokens === 1).length;

  it('is until this many tokens are freed or left, characters are left, or in batches', () => {
    expect(cleared('freed: ">= 2997"')).toBe(3);
    expect(cleared('freed: "> 2997"')).toBe(4);
    // Each frees 999 tokens; 8,000 tokens of results have 32,000 characters.
    expect(cleared('chars: "<= 20k"')).toBe(3);
    expect(cleared('chars: "< 20k"')).toBe(4);
    expect(cleared('every: 3')).toBe(6);
  });
});

describe('cache.keepAlive', () => {
  const RULES = 'rules: [{ when: { tokens: ">= 190k" }, ask: { shape: own } }]';
  /** Seconds after the start of the pause at which short requests are sent. */
  const pings = (keepAlive: string, seconds = 3_600, rules = RULES): readonly number[] => {
    const talk = results(12).wait(seconds).turn(10, 10);
    const entries = runLog(
      planUnder(`cache: { keepAlive: { ${keepAlive} } }\n${rules}`, INIT),
      talk.transcript(),
    );
    const requests = ofType(entries, 'request');
    // The pause lies between the last two requests of the session.
    const [last, next] = requests.filter(({ purpose }) => purpose === 'main').slice(-2) as [
      RequestEntry,
      RequestEntry,
    ];
    return requests
      .filter(({ purpose, t }) => purpose === 'keep_alive' && t < next.t)
      .map(({ t }) => Math.round((t - last.t - last.latencyMs) / 1_000));
  };

  it('sends a short request so long after the latest response, this many times', () => {
    expect(pings('every: 4min, times: 1')).toEqual([240]);
    expect(pings('every: 4min, times: 3')).toEqual([240, 480, 720]);
    expect(pings('every: 2min, times: 4')).toEqual([120, 240, 360, 480]);
    expect(pings('every: 4min, times: 3', 300)).toEqual([240]);
    expect(pings('every: 4min, times: 3', 200)).toEqual([]);
  });

  it('sends none where the entry has gone, or where little would be lost', () => {
    expect(pings('every: 6min, times: 3')).toEqual([]);
    expect(pings('every: 4min, times: 1, only-if: 17k')).toEqual([240]);
    expect(pings('every: 4min, times: 1, only-if: 18k')).toEqual([]);
    // 5,100 tokens, 12 rounds of 1,020 and an answer of 10.
    expect(pings('every: 4min, times: 1, only-if: 17350')).toEqual([240]);
    expect(pings('every: 4min, times: 1, only-if: 17351')).toEqual([]);
  });

  it('waits its time where a condition on the end of the entry wakes the policy earlier', () => {
    const rules = (expiresIn: string) => RULES.replace('190k"', `190k", expiresIn: "${expiresIn}"`);
    expect(pings('every: 4min, times: 2', 3_600, rules('<= 3min'))).toEqual([240, 480]);
    expect(pings('every: 4min, times: 2', 3_600, rules('<= 10s'))).toEqual([240, 480]);
  });

  it('sends none again that the API refuses', () => {
    const faults = [{ call: 'keep_alive', error: 'overloaded' }] as const;
    const talk = results(12).wait(3_600).turn(10, 10);
    const policy = `cache: { keepAlive: { every: 4min, times: 1 } }\n${RULES}`;
    const entries = runLog(planUnder(policy, { ...INIT, faults }), talk.transcript());
    const [first, second, ...more] = ofType(entries, 'refused');
    expect([first!.purpose, second!.purpose, more]).toEqual(['keep_alive', 'keep_alive', []]);
    // the second is that of the next pause
    expect(second!.t - first!.t).toBeGreaterThan(240_000);
  });

  it('keeps the entry for the next request', () => {
    const readAfter = (cache: string): number => {
      const talk = results(12).wait(500).turn(10, 10);
      const entries = runLog(planUnder(`${cache}${RULES}`, INIT), talk.transcript());
      return ofType(entries, 'request').at(-1)!.read;
    };
    expect(readAfter('')).toBe(0);
    expect(readAfter('cache: { keepAlive: { every: 4min, times: 2 } }\n')).toBeGreaterThan(17_000);
  });
});
