import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../../src/agent/policies/catalogue.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { metricValues } from '../../../../src/metrics/registry.js';
import { runSent, sentFor } from '../../../helpers/capture.js';
import { LAYERS_OFF } from '../../../helpers/drive/above-threshold.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { mainRequests, ofType, planOf, runLog } from '../../../helpers/plan.js';
import { actionsOf } from '../../../helpers/recordings/sessions.js';

const SNIP = {
  'snip.enabled': true,
  'snip.aboveTokens': 60_000,
  'snip.downToTokens': 40_000,
  'snip.keepRounds': 2,
  'snip.minTokens': 5_000,
} as const;

const plan = (set: Readonly<Record<string, unknown>> = {}) =>
  planOf({ policy: 'claude-code/2026', set: { ...LAYERS_OFF, ...SNIP, ...set } });

/** Rounds of 20 + 10,000 tokens behind 15,000 of prefix and a prompt of 100. */
function rounds(count: number, talk = new Conversation().human(100)): Conversation {
  for (let i = 0; i < count; i++) talk.tools([{ tool: 'Bash', tokens: 10_000 }]);
  return talk;
}

describe('history snip', () => {
  it('FLG-1 takes the oldest whole rounds out once the counter shows more than the limit', () => {
    const entries = runLog(plan(), rounds(9).answer(10).transcript());
    // Before call 6: 55,180 + 20 of call 5 and its result, padded to 13,334, are 68,534. Of five rounds the latest two stay;
    // the other three take 30,060, the marker 24.
    const snips = actionsOf(entries, 'snip');
    expect(snips).toMatchObject([
      { turn: 6, action: 'snip', estimatedBefore: 68_534, saved: 30_036, calls: 0, cost: 0 },
      // Three more rounds later the same again, and one marker stands for six.
      { turn: 9, saved: 30_060, details: { rounds: 3, roundsInAll: 6, keptRounds: 2 } },
    ]);
    const prompts = mainRequests(entries).map(({ prompt }) => prompt);
    expect(prompts[4]).toBe(15_100 + 4 * 10_020);
    expect(prompts[5]).toBe(15_100 + 5 * 10_020 - 30_036);
    expect(prompts[8]).toBe(prompts[5]);
  });

  it('BRD-3 FLG-1 announces the break it makes: everything behind the prompt is written again', () => {
    const entries = runLog(plan(), rounds(7).answer(10).transcript());
    expect(actionsOf(entries, 'snip')).toMatchObject([{ cacheLost: 4 * 10_020 }]);
    expect(ofType(entries, 'break')).toMatchObject([{ cause: 'snip', expected: true }]);
    const values = metricValues(foldLog(entries));
    expect(values).toMatchObject({ cacheBreaks: 0, cacheBreaksExpected: 1 });
  });

  it('FLG-1 leaves what the user said, one marker, and no half of a pair', () => {
    const talk = rounds(2);
    rounds(3, talk.answer(50).human(70, 'and now the tests')).answer(10);
    const { sent } = runSent(plan({ 'snip.keepRounds': 1 }), talk.transcript());
    const { blocks } = sentFor(sent, 'main').at(-1)!;
    const texts = blocks!.map((block) => block.text?.read() ?? '');
    expect(texts).toContain('and now the tests');
    expect(texts.filter((text) => text.includes('earlier rounds'))).toHaveLength(1);
    const ids = (kind: string) => blocks!.flatMap((block) => (block.kind === kind ? [block.toolUseId] : []));
    expect(ids('tool_use')).toEqual(ids('tool_result'));
  });

  it('FLG-1 keeps the summary of an earlier compaction', () => {
    const talk = rounds(1).compaction('manual', 900);
    const { sent } = runSent(plan(), rounds(9, talk.human(10)).answer(10).transcript());
    const last = sentFor(sent, 'main').at(-1)!;
    expect(last.blocks!.some(({ facts }) => facts.replaces === 'summary')).toBe(true);
    expect(last.blocks!.filter(({ facts }) => facts.replaces === 'marker')).toHaveLength(1);
  });

  it('FLG-1 waits until it is worth a break of the cache', () => {
    const entries = runLog(plan({ 'snip.keepRounds': 5 }), rounds(9).answer(10).transcript());
    // One round more than the five that stay is 10,020 tokens; 25,000 are asked for.
    const few = runLog(
      plan({ 'snip.keepRounds': 5, 'snip.minTokens': 25_000 }),
      rounds(9).answer(10).transcript(),
    );
    expect(actionsOf(entries, 'snip').map(({ turn }) => turn)).toEqual([7, 8, 9, 10]);
    expect(actionsOf(few, 'snip').map(({ turn, details }) => [turn, details.rounds])).toEqual([[9, 3]]);
  });

  it('LOP-3 FLG-1 prevents a compaction, and is named for it', () => {
    const set = { 'window.explicit': 100_000 };
    const talk = () => rounds(8).answer(10).transcript();
    const compacted = runLog(plan({ ...set, 'snip.enabled': false }), talk());
    const snipped = runLog(plan(set), talk());
    expect(metricValues(foldLog(compacted)).compactions).toBe(1);
    expect(metricValues(foldLog(snipped)).compactions).toBe(0);
    expect(ofType(snipped, 'crossing')).toMatchObject([{ state: 'avoided', layers: ['snip'] }]);
  });

  it('FLG-1 lives in memory: a new process reads the whole conversation back', () => {
    const talk = rounds(6)
      .answer(10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }));
    const entries = runLog(plan(), talk.turn(30, 10).transcript());
    expect(ofType(entries, 'returned')).toMatchObject([{ layer: 'snip', tokens: 30_036, why: 'resume' }]);
    const last = mainRequests(entries).at(-1)!;
    expect(last.prompt).toBe(15_100 + 6 * 10_020 + 10 + 30);
    expect(last.uncompactedTokens).toBe(last.prompt);
  });

  it('MIC-3 FLG-1 forgets deletions of what it takes out, and keeps the others', () => {
    const cached = {
      'microcompact.cached.enabled': true,
      'microcompact.cached.minActive': 6,
      'microcompact.cached.keepRecent': 2,
    };
    const talk = new Conversation().human(100);
    for (let i = 0; i < 30; i++) talk.tools([{ tool: 'Read', tokens: 3_000, path: `/repo/${i}.ts` }]);
    const small = { 'snip.aboveTokens': 34_400, 'snip.downToTokens': 34_000, 'snip.minTokens': 100 };
    const entries = runLog(plan({ ...cached, ...small }), talk.answer(10).transcript());
    expect(actionsOf(entries, 'microcompact').length).toBeGreaterThan(1);
    expect(actionsOf(entries, 'snip').length).toBeGreaterThan(0);
    // What is sent and what is out of it are the untouched conversation, at each request.
    mainRequests(entries).forEach(({ uncompactedTokens: untouched }, i) => {
      expect(untouched).toBe(15_100 + i * 3_020);
    });
  });

  it('FLG-1 LOP-1 stands before microcompaction, collapse before auto-compaction', () => {
    const { layers } = policyRegistry.get('claude-code/2026');
    const order = ['storage', 'snip', 'microcompact-time', 'collapse', 'auto-compact', 'blocking'];
    expect(layers.filter((name) => order.includes(name))).toEqual(order);
  });
});

it('FLG-1 a conversation at the very limit stays whole', () => {
  // 68,534 tokens are seen before call 6, as above.
  const turnsAt = (limit: number): readonly number[] =>
    actionsOf(runLog(plan({ 'snip.aboveTokens': limit }), rounds(6).answer(10).transcript()), 'snip').map(
      ({ turn }) => turn,
    );
  expect(turnsAt(68_533)[0]).toBe(6);
  expect(turnsAt(68_534)[0]).toBe(7);
});
