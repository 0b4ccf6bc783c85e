import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, runLog } from '../../helpers/plan.js';

const PREFIX = 15_000;

const withSuggestions = (value: string, init: PlanInit = {}) =>
  planOf({ policy: 'unbounded', set: { 'client.use': 'none', 'client.suggestions': value }, ...init });

const run = (value: string, talk: Conversation, init: PlanInit = {}) => {
  const entries = runLog(withSuggestions(value, init), talk.transcript());
  const requests = ofType(entries, 'request');
  return {
    entries,
    main: mainRequests(entries),
    suggestions: requests.filter(({ purpose }) => purpose === 'suggestion'),
  };
};

describe('a suggestion', () => {
  const talk = () => new Conversation().turn(100, 10).wait(60).turn(50, 10);

  it('follows a turn and leaves its response in the cache: the next prompt reads both', () => {
    const { main, suggestions } = run('end-of-turn', talk());
    expect(suggestions).toMatchObject([
      { t: 1_000, thread: 'main', turn: 1, prompt: PREFIX + 110, read: PREFIX + 100, write5m: 10, output: 0 },
    ]);
    expect(main.map(({ read }) => read)).toEqual([0, PREFIX + 110]);
    expect(run('off', talk()).main.map(({ read }) => read)).toEqual([0, PREFIX + 100]);
    expect(run('off', talk()).suggestions).toEqual([]);
  });

  it('costs what it reads and writes, and is told apart from the loop and from layers', () => {
    const { entries, suggestions } = run('end-of-turn', talk());
    // claude-sonnet-4-5: $0.30 a million tokens read, $3.75 written for five minutes.
    expect(suggestions[0]!.cost).toBe((PREFIX + 100) * 300 + 10 * 3_750);
    const values = metricValues(foldLog(entries));
    expect(values.backgroundCostUsd).toBeCloseTo(suggestions[0]!.cost / 1e9, 9);
    expect(values.costUsdLayers).toBe(0);
    expect(values.costUsdMain! + values.backgroundCostUsd!).toBeCloseTo(values.costUsd!, 9);
  });

  it('renews the lifetime of what it reads', () => {
    const late = () => new Conversation().turn(100, 10).wait(299.5).turn(50, 10);
    // Five minutes after the first request are over half a second before the second; the suggestion came a second later.
    expect(run('off', late()).main[1]!.read).toBe(0);
    expect(run('end-of-turn', late()).main[1]!.read).toBe(PREFIX + 110);
  });

  it('comes only where the turn ends, the user takes time and goes on', () => {
    const rounds = new Conversation().human(100);
    for (let i = 0; i < 3; i++) rounds.tools([{ tool: 'Read', tokens: 50 }]).wait(30);
    expect(run('end-of-turn', rounds.answer(10)).suggestions).toEqual([]);
    const hasty = new Conversation().turn(100, 10).wait(1).turn(50, 10);
    expect(run('end-of-turn', hasty).suggestions).toEqual([]);
  });

  it('is none of a subagent’s', () => {
    const base = talk().transcript();
    const child = new Conversation({ ids: 'child-' }).wait(5).turn(20, 10).wait(60).turn(5, 10);
    const entries = runLog(withSuggestions('end-of-turn'), {
      ...base,
      threads: [...base.threads, child.thread('agent', 'main')],
    });
    expect(
      ofType(entries, 'request')
        .filter(({ purpose }) => purpose === 'suggestion')
        .map(({ thread }) => thread),
    ).toEqual(['main']);
  });

  it('that fails leaves everything as it was', () => {
    const faults = [{ call: 'suggestion' as const, error: 'overloaded' as const }];
    const { main, entries } = run('end-of-turn', talk(), { faults });
    expect(main.map(({ read }) => read)).toEqual([0, PREFIX + 100]);
    expect(ofType(entries, 'refused')).toMatchObject([{ purpose: 'suggestion' }]);
    expect(ofType(entries, 'lost')).toEqual([]);
  });

  it('can be switched off in a profile that has it', () => {
    const purposes = (set: Readonly<Record<string, unknown>>) =>
      ofType(logFor({ policy: 'claude-code/2.1.325', set }, talk()), 'request').map(({ purpose }) => purpose);
    expect(purposes({})).toContain('suggestion');
    expect(purposes({ 'client.suggestions': 'off' })).not.toContain('suggestion');
  });
});

describe('a summary for a user who was away', () => {
  const talk = () =>
    new Conversation()
      .turn(100, 10)
      .wait(187)
      .event((at) => ({ kind: 'away-summary', at }))
      .wait(200)
      .turn(50, 10);
  const requests = (value: string, ttl: '5m' | '1h' = '5m') =>
    ofType(
      logFor(
        {
          policy: 'unbounded',
          cache: { ttl },
          set: { 'client.use': 'none', 'client.awaySummaries': value },
        },
        talk(),
      ),
      'request',
    ).map(({ purpose, read }) => [purpose, read]);

  it('K17 is a request that keeps the prefix alive, with the response', () => {
    expect(requests('five-minute')).toEqual([
      ['main', 0],
      ['keep_alive', PREFIX + 100],
      ['main', PREFIX + 110],
    ]);
    expect(requests('off')).toEqual([
      ['main', 0],
      ['main', 0],
    ]);
  });

  it('K17 comes in one-hour sessions only where it always does', () => {
    expect(requests('five-minute', '1h')).toEqual([
      ['main', 0],
      ['main', PREFIX + 100],
    ]);
    expect(requests('always', '1h').at(-1)).toEqual(['main', PREFIX + 110]);
  });
});

describe('thinking of the last turn', () => {
  /** A model that keeps one turn's thinking: a loop with 400 tokens of it, then a prompt. */
  const talk = () =>
    new Conversation({ model: 'claude-sonnet-4-5' })
      .human(100)
      .tools([{ tool: 'Read', tokens: 1_000 }], { thinking: 400 })
      .answer(10, { thinking: 300 })
      .wait(60)
      .turn(50, 10);

  it('K5 is dropped at the next prompt, which writes the turn again', () => {
    const { main } = run('off', talk());
    expect(main.map(({ prompt }) => prompt)).toEqual([PREFIX + 100, PREFIX + 1_520, PREFIX + 1_180]);
    expect(main[2]).toMatchObject({ read: PREFIX + 100, write5m: 1_080, cause: 'thinking' });
  });

  it('K5 is dropped by a suggestion, which caches the stripped form: the next prompt reads all of it', () => {
    const { main, suggestions } = run('end-of-turn', talk());
    expect(suggestions).toMatchObject([
      { prompt: PREFIX + 1_130, read: PREFIX + 100, write5m: 1_030, cause: 'thinking' },
    ]);
    expect(main[2]).toMatchObject({
      prompt: PREFIX + 1_180,
      read: PREFIX + 1_130,
      write5m: 50,
      rewritten: 0,
      cause: null,
    });
  });

  it('K5 BRD-2 a suggestion that drops it breaks the cache there, and is told where', () => {
    const long = new Conversation()
      .human(100)
      .tools([{ tool: 'Read', tokens: 3_000 }], { thinking: 400 })
      .tools([{ tool: 'Read', tokens: 50 }])
      .answer(10)
      .wait(60)
      .turn(50, 10);
    // Behind tools, system and prompt comes the thinking: what the last request read from there on is lost.
    expect(ofType(run('end-of-turn', long).entries, 'break')).toMatchObject([
      { cause: 'thinking', expected: true, position: 3, lostTokens: 400 + 20 + 3_000 },
    ]);
  });

  it('K5 stays for a client that keeps all of it, suggestion or not', () => {
    const set = { 'client.use': 'none', 'client.suggestions': 'end-of-turn', 'client.thinking': 'keep-all' };
    const { sent } = runSent(planOf({ policy: 'unbounded', set }), talk().transcript());
    expect(sentFor(sent, 'suggestion').map(({ tokens }) => tokens)).toEqual([PREFIX + 1_830]);
    expect(sentFor(sent, 'main').at(-1)!.tokens).toBe(PREFIX + 1_880);
  });
});
