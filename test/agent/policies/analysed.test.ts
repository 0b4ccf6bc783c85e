import { describe, expect, it } from 'vitest';
import { above } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType } from '../../helpers/plan.js';

/** Fourteen rounds above the threshold in which every summary is refused. */
function failing(policy: string, threshold: number) {
  const faults = [{ call: 'compact', error: 'invalid_request' }] as const;
  const set = { 'sessionMemory.enabled': false, 'storage.enabled': false, 'client.retries': 0 };
  const talk = above({ from: threshold + 100, rounds: 14 });
  const entries = logFor({ policy, faults, set }, talk);
  return {
    attempts: ofType(entries, 'layer').filter(({ action }) => action === 'compact').length,
    breaker: ofType(entries, 'breaker').map(({ state }) => state),
    answered: mainRequests(entries).length,
  };
}

describe('the breaker of the generations', () => {
  // A counter that goes by usage alone sees what it holds a round later: one attempt less.
  it.each([
    ['claude-code/2.0', 187_000, 13],
    ['claude-code/2.1', 155_000, 14],
    ['claude-code/2.0.76', 155_000, 13],
    ['claude-code/2.1.7', 155_000, 14],
  ])(
    'C24 BRK-1 %s has none: every round above %i is an attempt, %i of them',
    (policy, threshold, attempts) => {
      expect(failing(policy, threshold)).toEqual({ attempts, breaker: [], answered: 34 });
    },
  );

  it('C24 BRK-1 claude-code/2026 gives up after three', () => {
    const { attempts, breaker } = failing('claude-code/2026', 167_000);
    expect(attempts).toBe(3);
    expect(breaker.filter((state) => state === 'tripped')).toHaveLength(1);
  });
});

describe('memory files of nested folders', () => {
  it.each(['claude-code/2.0', 'claude-code/2.1', 'claude-code/2026'])(
    'C24 NES-1 %s attaches them once, before the next request',
    (policy) => {
      const set = { 'sessionMemory.enabled': false, 'nestedMemory.files': { '/repo/src/CLAUDE.md': 300 } };
      const talk = new Conversation().human(100);
      for (let i = 0; i < 3; i++) talk.tools([{ tool: 'Read', tokens: 100, path: `/repo/src/file-${i}.ts` }]);
      const entries = logFor({ policy, set }, talk.answer(10));
      expect(ofType(entries, 'layer').filter(({ layer }) => layer === 'nested-memory')).toMatchObject([
        { turn: 2, action: 'attach', details: { tokens: 300 } },
      ]);
      expect(mainRequests(entries).map(({ prompt }) => prompt)).toEqual([15_100, 15_520, 15_640, 15_760]);
    },
  );

  it('C24 MIC-1 a microcompaction of claude-code/2.0 clears old ones with the results', () => {
    const set = { 'nestedMemory.files': { '/repo/src/CLAUDE.md': 300 } };
    const talk = new Conversation({ toolsTokens: 60_000, systemTokens: 7_000 }).human(100);
    for (let i = 0; i < 21; i++)
      talk.tools([{ tool: 'Read', tokens: 5_000, path: `/repo/src/file-${i}.ts` }]);
    const entries = logFor({ policy: 'claude-code/2.0', set }, talk.answer(10));
    // 67,400 and 5,020 a turn: the usage reaches 167,000 with the twentieth result.
    const [cleared] = ofType(entries, 'layer').filter(({ layer }) => layer === 'microcompact');
    expect(cleared).toMatchObject({ details: { memories: 1 } });
    expect(cleared!.saved).toBe(13 * 4_988 + 300);
  });
});
