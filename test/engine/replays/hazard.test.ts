import { describe, expect, it } from 'vitest';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, type runLog } from '../../helpers/plan.js';

const PREFIX = 15_000;
const PROMPTS = 100;

/** Prompts more than a minute apart. */
const prompts = () => {
  const talk = new Conversation();
  for (let i = 0; i < PROMPTS; i++) talk.turn(40, 10).wait(90);
  return talk;
};

const run = (transcript: Transcript, init: PlanInit, set: Readonly<Record<string, unknown>> = {}) =>
  logFor(
    {
      policy: 'unbounded',
      ...init,
      set: { 'client.use': 'none', 'client.hazard': 'drawn', 'client.breakpoints': 'system+last', ...set },
    },
    transcript,
  );

/** Turns whose request found tools and system prompt alone. */
const broken = (entries: ReturnType<typeof runLog>) =>
  mainRequests(entries)
    .filter(({ read, turn }) => turn > 1 && read === PREFIX)
    .map(({ turn }) => turn);

describe('unpredictable breaks', () => {
  const transcript = prompts().transcript();
  const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const drawn = seeds.map((seed) => broken(run(transcript, { seed })));

  it('K14 are none unless they are drawn, but their chance is stated', () => {
    const entries = run(transcript, {}, { 'client.hazard': 'off', 'client.outside': 'half' });
    expect(broken(entries)).toEqual([]);
    const risks = mainRequests(entries).map(({ risk }) => risk?.chance);
    expect(risks).toEqual([undefined, ...Array.from({ length: PROMPTS - 1 }, () => 0.04)]);
  });

  it('K14 are never stated of the bare API', () => {
    const entries = run(transcript, {}, { 'client.hazard': 'off' });
    expect(ofType(entries, 'request').some(({ risk }) => risk !== undefined)).toBe(false);
  });

  it('K14 come about as often as their chance says: 4 of 100 late prompts', () => {
    const all = drawn.flat().length;
    // 990 draws at 0.04: 39.6 ± 6.2.
    expect(all).toBeGreaterThan(20);
    expect(all).toBeLessThan(60);
  });

  it('K14 depend on the seed', () => {
    expect(new Set(drawn.map(String)).size).toBeGreaterThan(7);
    expect(broken(run(transcript, { seed: 3 }))).toEqual(drawn[2]);
  });

  it('K14 depend on the thread', () => {
    const [main] = transcript.threads;
    const named = (id: string) =>
      String(broken(run({ ...transcript, threads: [{ ...main!, id }] }, { seed: 3 })));
    expect(new Set(['main', 'a', 'b', 'c'].map(named)).size).toBeGreaterThan(2);
  });

  it('K14 do not depend on what a policy does: the luck of all other requests stays', () => {
    const seed = seeds.find((_, i) => drawn[i]!.length > 3)!;
    const others: readonly [PlanInit, Readonly<Record<string, unknown>>][] = [
      [{ seed, policy: 'claude-code/2.1.112' }, { 'client.use': 'none' }],
      [{ seed, policy: 'baselines/summarise' }, { 'client.use': 'none' }],
      [{ seed, summaryTokens: 900, policy: 'baselines/summarise' }, { 'client.use': 'none' }],
      [{ seed, cache: { ttl: '1h' } }, {}],
    ];
    const before = drawn[seeds.indexOf(seed)]!;
    for (const [init, set] of others) {
      const entries = run(transcript, init, set);
      const changed = new Set(ofType(entries, 'layer').map(({ turn }) => turn));
      const same = (turns: readonly number[]) => turns.filter((turn) => !changed.has(turn));
      expect(same(broken(entries)), init.policy).toEqual(same(before));
    }
  });

  it('K14 put the chance of a request by who spoke and how long ago, and what it would cost', () => {
    const talk = new Conversation().human(100).tools([{ tool: 'Read', tokens: 900 }]);
    talk.answer(10).wait(30).turn(50, 10).wait(61).turn(50, 10);
    const entries = run(talk.transcript(), {}, { 'client.hazard': 'off', 'client.newProcess': 'as-first' });
    const risks = mainRequests(entries).map(({ risk }) => risk);
    expect(risks.map((risk) => risk?.chance)).toEqual([undefined, 0.0004, 0.013, 0.04]);
    // Read so far, written again instead of read: $3.75 for $0.30 a million tokens.
    expect(risks[1]!.cost).toBe(100 * (3_750 - 300));
    expect(risks[2]!.cost).toBe(1_020 * (3_750 - 300));
    expect(risks[3]!.cost).toBe(1_080 * (3_750 - 300));
  });
});
