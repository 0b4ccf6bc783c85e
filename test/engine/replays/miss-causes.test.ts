import { describe, expect, it } from 'vitest';
import type { RequestEntry } from '../../../src/core/run/log-entries.js';
import { foldLog } from '../../../src/metrics/fold.js';
import { cacheRulesOf } from '../../../src/provider/providers/providers.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../helpers/plan.js';

/** A session that only grows, with one pause behind its thirtieth turn. */
function pausing(minutes: number) {
  return bugfixSession(60, { seed: 5, idle: [{ afterTurn: 30, minutes }] });
}

/** The requests of a session with a pause, under a provider. */
function requests(minutes: number, init: PlanInit): readonly RequestEntry[] {
  return mainRequests(logFor(init, pausing(minutes)));
}

const afterPause = (entries: readonly RequestEntry[]): RequestEntry => entries[30]!;

describe('BRD-2 what a miss is put down to', () => {
  it.each([
    ['anthropic', '5m', 12, 'ttl-5m'],
    ['anthropic', '1h', 70, 'ttl-1h'],
    ['openai-5.6', '5m', 40, 'expired'], // lives 30 minutes
    ['openai', '5m', 20, 'expired'], // nothing is found after 17 minutes
    ['deepseek', '5m', 300, 'expired'], // lives four hours
  ] as const)('is the lifetime that has passed: %s, %s, %i minutes', (provider, ttl, minutes, cause) => {
    const { rewritten, cause: told } = afterPause(requests(minutes, { provider, cache: { ttl } }));
    expect(rewritten).toBeGreaterThan(2_000);
    expect(told).toBe(cause);
  });

  it('is no lifetime that has not passed: half an hour of GPT-5.6 outlives twelve minutes', () => {
    const causes = requests(12, { provider: 'openai-5.6' }).map(({ cause }) => cause);
    expect(causes).not.toContain('ttl-5m');
    expect(causes).not.toContain('expired');
  });

  it('is chance where a provider does not find what lives, and rounding where it reads in steps', () => {
    const { grain } = cacheRulesOf('openai', 'gpt-5.5');
    const seen = new Map<string, number[]>();
    for (let seed = 1; seed <= 20; seed++)
      for (const { cause, rewritten } of requests(0, { provider: 'openai', model: 'gpt-5.5', seed }))
        if (cause !== null) seen.set(cause, [...(seen.get(cause) ?? []), rewritten]);
    // Past reasoning is left out of later prompts, which is the client's doing.
    expect([...seen.keys()].sort()).toEqual(['chance', 'rounding', 'thinking']);
    // Steps of 512 that begin at 384: what a read falls short by is less than one of them.
    expect(Math.max(...seen.get('rounding')!)).toBeLessThan(grain!.tokens);
    expect(Math.max(...seen.get('chance')!)).toBeGreaterThan(grain!.tokens);
  });

  it('is what the client changed where it changed something, whatever the chance', () => {
    const entries = requests(0, { provider: 'openai', policy: 'baselines/truncate', window: 60_000 });
    expect(entries.map(({ cause }) => cause)).toContain('compaction');
  });

  it('is that nothing is cached, with the cache off', () => {
    const log = logFor({ cache: { mode: 'off' } }, pausing(12));
    const causes = new Set(mainRequests(log).map(({ cause }) => cause));
    expect([...causes]).toEqual([null, 'no-cache']); // the first request sends nothing again
    const { byCause } = foldLog(log).cost;
    expect(Object.keys(byCause)).toEqual(['carry', 'new', 'rewrite:no-cache', 'output']);
  });
});

describe('C45 what a request beside the loop renews', () => {
  /** Memories are gathered after each answer, in requests that take four minutes each; the user comes back after ten. */
  const slow = () => {
    const talk = new Conversation();
    for (const words of [
      'Please always write the tests first.',
      'Never push without asking me.',
      'I prefer tabs.',
    ])
      talk.human(500, words).answer(3_000).wait(600);
    return talk.turn(10, 10);
  };
  const faults = [{ call: 'auto_memory', error: 'slow', delaySeconds: 240 }] as const;

  it('C45 a later request of a fork reads its own longer entry: that of the loop expires, and is said to', () => {
    const entries = logFor({ policy: 'claude-code/2026', faults }, slow());
    const main = mainRequests(entries);
    const beside = ofType(entries, 'request').filter(({ purpose }) => purpose === 'auto_memory');
    // The last fork before the second prompt sends its last request less than five minutes before it.
    expect(beside.some(({ t }) => t < main[1]!.t && main[1]!.t - t < 300_000)).toBe(true);
    // System and tools are marked in each of them: they stay.
    expect(main.slice(1).map(({ read, cause }) => [read, cause])).toEqual(Array(3).fill([15_000, 'ttl-5m']));
  });

  it('C45 the first request of a fork renews the entry of the loop itself', () => {
    const talk = new Conversation().human(500, 'Please always write the tests first.').answer(3_000);
    const entries = logFor({ policy: 'claude-code/2026' }, talk.wait(200).turn(10, 10));
    expect(mainRequests(entries)[1]!.cause).toBeNull();
  });
});

it.each([[['mcp__tracker__search', 'mcp__tracker__get']], [undefined]])(
  'C45 BRD-2 a break by changed tools names them where they are known: %j',
  (tools) => {
    const talk = new Conversation().turn(3_000, 10).turn(10, 10);
    talk.event((at) => ({
      kind: 'prefix-change',
      at,
      what: 'tools',
      label: 'a server',
      ...(tools && { tools }),
    }));
    const [broken] = ofType(logFor({}, talk.turn(10, 10)), 'break');
    expect(broken).toMatchObject({ cause: 'tools' });
    expect(broken!.tools).toEqual(tools);
  },
);
