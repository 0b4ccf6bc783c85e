import { describe, expect, it } from 'vitest';
import { foldLog } from '../../../src/metrics/fold.js';
import { metricValues } from '../../../src/metrics/registry.js';
import { runSent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf } from '../../helpers/plan.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const POLICY = 'claude-code/2026';

function work(talk: Conversation, turns: number): Conversation {
  for (let i = 0; i < turns; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
  return talk;
}

describe('content that was deleted on the server', () => {
  it('CLN-1 MIC-3 is forgotten with the history it stood in: the request after a compaction is billed whole', () => {
    const talk = work(new Conversation().human(100), 14)
      .answer(10)
      .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }))
      .turn(20, 10);
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true };
    const { entries, sent } = runSent(planOf({ policy: POLICY, set }), talk.transcript());
    const requests = sentFor(sent, 'main');
    expect(requests.at(-2)!.deletedTokens).toBe(7_000);
    const { blocks, deletedTokens } = requests.at(-1)!;
    expect(blocks!.some(({ facts }) => facts.replaces === 'summary')).toBe(true);
    expect(deletedTokens).toBe(0);
    expect(mainRequests(entries).at(-1)!.prompt).toBe(blocks!.reduce((sum, { tokens }) => sum + tokens, 0));
  });
});

describe('content that comes back', () => {
  it('C9 C44 MIC-3 deletions end with the cache: seven results are sent again and stay, as references they are deleted', () => {
    const talk = work(new Conversation().human(100), 12)
      .answer(10)
      .wait(6 * 60)
      .human(20);
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true };
    const entries = logFor({ policy: POLICY, set }, work(talk, 2).answer(10));
    expect(ofType(entries, 'returned')).toMatchObject([
      { layer: 'microcompact', tokens: 7_000, why: 'expired', turn: 14 },
    ]);
    expect(ofType(entries, 'layer').map(({ turn, saved }) => [turn, saved])).toEqual([[13, 7_000]]);
    // Out at request 13 alone.
    expect(metricValues(foldLog(entries))).toMatchObject({ tokensSaved: 0, tokensNotCarried: 7_000 });
    const [, , , , , , , , , , , , , back] = mainRequests(entries);
    expect(back).toMatchObject({ prompt: 15_100 + 12 * 1_020 + 10 + 20, cause: 'ttl-5m' });
    // The counter knows that the content is back.
    expect(back!.estimatedTokens).toBeGreaterThanOrEqual(back!.prompt);
  });

  it('C44 MIC-3 ten results that came back and eight others stay below twelve: 30,400 tokens, not 20,400', () => {
    const reads = Array.from({ length: 15 }, () => ({ tool: 'Read', tokens: 1_000 }));
    const talk = new Conversation({ toolsTokens: 9_000, systemTokens: 3_000 })
      .human(10)
      .tools(reads)
      .answer(10)
      .human(10);
    work(talk, 1).wait(6 * 60);
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true };
    const entries = logFor({ policy: POLICY, set }, work(talk, 2).turn(10, 10));
    expect(ofType(entries, 'layer').map(({ turn, saved }) => [turn, saved])).toEqual([[3, 10_000]]);
    expect(ofType(entries, 'returned')).toMatchObject([{ tokens: 10_000, why: 'expired', turn: 4 }]);
    expect(mainRequests(entries).at(-1)!.prompt).toBe(12_000 + 3 * 10 + 10 + 18 * 1_020);
    expect(mainRequests(entries).at(-1)!.prompt).toBe(30_400);
  });

  it('C44 MIC-2 what came back goes with the other old results after an hour', () => {
    const talk = work(new Conversation().human(100), 12)
      .answer(10)
      .wait(6 * 60)
      .turn(20, 10)
      .wait(61 * 60)
      .turn(20, 10);
    const set = {
      ...COMPACTION_ONLY,
      'microcompact.cached.enabled': true,
      'microcompact.timeBased.enabled': true,
    };
    const entries = logFor({ policy: POLICY, set }, talk);
    expect(ofType(entries, 'layer').map(({ trigger, saved }) => [trigger, saved])).toEqual([
      ['auto', 7_000],
      ['idle', 7 * 988],
    ]);
  });

  it('C9 a resume reads the record back: what was cleared in memory is there again', () => {
    const talk = work(new Conversation().human(100), 12)
      .answer(10)
      .wait(75 * 60)
      .turn(20, 10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .turn(20, 10);
    const set = { ...COMPACTION_ONLY, 'microcompact.timeBased.enabled': true };
    const entries = logFor({ policy: POLICY, set }, talk);
    expect(ofType(entries, 'layer')).toMatchObject([{ trigger: 'idle', saved: 7 * 988 }]);
    expect(ofType(entries, 'returned')).toMatchObject([{ tokens: 7 * 988, why: 'resume' }]);
    expect(metricValues(foldLog(entries))).toMatchObject({ tokensSaved: 0, tokensNotCarried: 7 * 988 });
  });

  it('C9 C28 what came back is taken off no usage when it is cleared again: that never counted it', () => {
    const talk = work(new Conversation().human(100), 12)
      .answer(10)
      .wait(75 * 60)
      .turn(20, 10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .wait(75 * 60)
      .turn(20, 10);
    const set = {
      ...COMPACTION_ONLY,
      'microcompact.timeBased.enabled': true,
      'client.newProcess': 'same',
      'counter.newContent': 'rough',
    };
    const entries = logFor({ policy: POLICY, set }, talk);
    const [first, again] = ofType(entries, 'layer');
    expect(first!.estimatedBefore! - first!.estimatedAfter!).toBe(7 * 988);
    expect([again!.saved, again!.estimatedBefore! - again!.estimatedAfter!]).toEqual([7 * 988, 0]);
    // So the counter is right again: it sees what is sent.
    const last = mainRequests(entries).at(-1)!;
    expect(last.estimatedTokens).toBe(last.prompt);
  });

  it('C9 a resumed session starts with what its record left out, and with what was only in memory', () => {
    const first = work(new Conversation().human(100).tools([{ tool: 'Bash', tokens: 10_000 }]), 12)
      .answer(10)
      .wait(75 * 60)
      .turn(20, 10);
    const second = new Conversation().turn(20, 10);
    const set = {
      ...COMPACTION_ONLY,
      'storage.enabled': true,
      'microcompact.timeBased.enabled': true,
      'microcompact.timeBased.keepRecent': 6,
    };
    const entries = logFor(
      { policy: POLICY, set },
      sessionsOf([
        { name: 'a', talk: first },
        { name: 'b', talk: second, afterHours: 0.1, resumes: 'a' },
      ]),
    );
    const [stored, cleared] = ofType(entries, 'layer');
    expect([stored!.layer, cleared!.layer]).toEqual(['storage', 'microcompact']);
    expect(ofType(entries, 'returned')).toMatchObject([
      { thread: 'a/main', layer: 'microcompact', tokens: cleared!.saved, why: 'resume' },
    ]);
    expect(ofType(entries, 'thread')[1]).toMatchObject({ takenOut: { storage: stored!.saved } });
    const last = mainRequests(entries).at(-1)!;
    expect(last.uncompactedTokens! - last.prompt).toBe(stored!.saved);
    expect(metricValues(foldLog(entries)).tokensSaved).toBe(stored!.saved);
  });

  it('C7 a changed system prompt does not bring it back: it is neither read nor written', () => {
    const talk = work(new Conversation().human(100), 12).event((at) => ({
      kind: 'prefix-change',
      at,
      what: 'system',
      label: 'new',
    }));
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true };
    const entries = logFor({ policy: POLICY, set }, talk.answer(10));
    expect(mainRequests(entries).at(-1)).toMatchObject({
      read: 0,
      write5m: 15_100 + 12 * 1_020 - 7_000,
      prompt: 15_100 + 12 * 1_020 - 7_000,
      cause: 'system',
    });
  });
});
