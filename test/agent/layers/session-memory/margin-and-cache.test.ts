import { describe, expect, it } from 'vitest';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { mainRequests, ofType, planOf, runLog } from '../../../helpers/plan.js';

describe('a compaction from notes under claude-code/2.1', () => {
  /** Notes after the first turn; then two calls with large results, so that all of it would be kept. */
  function compactions(largeTokens: number) {
    const talk = new Conversation({ toolsTokens: 20_000, systemTokens: 12_000 }).human(100);
    talk.answer(10).wait(60);
    talk.human(10).tools([{ tool: 'Task', tokens: 60_000 }]);
    talk.tools([{ tool: 'Task', tokens: largeTokens - 60_000 }]).answer(10);
    const plan = planOf({ policy: 'claude-code/2.1', set: { 'microcompact.token.enabled': false } });
    return ofType(runLog(plan, talk.transcript()), 'layer').filter(({ action }) => action === 'compact');
  }

  it('C26 SES-8 is refused at 133,897 tokens: with the margin they are 178,530, and the threshold is 155,000', () => {
    const probe = compactions(130_000)[0]!.details.resultTokens as number;
    const [declined, full] = compactions(130_000 + 133_897 - probe);
    expect(declined).toMatchObject({
      layer: 'session-memory',
      outcome: 'declined',
      failure: 'result-too-large',
      details: { resultTokens: 133_897, resultWithMargin: 178_530 },
    });
    expect(full).toMatchObject({ layer: 'full-compact', outcome: 'done', details: { threshold: 155_000 } });
  });
});

describe('the cached summary of claude-code/2.0', () => {
  /** The session of scenarios/cached-summary.yaml. */
  function session(
    enabled: boolean,
    after: (talk: Conversation) => Conversation = (talk) => talk,
    tool: 'Read' | 'Bash' = 'Read',
  ) {
    const talk = new Conversation({ toolsTokens: 37_000, systemTokens: 3_000 }).human(100);
    const read = (from: number, to: number) => {
      for (let i = from; i <= to; i++) talk.tools([{ tool, tokens: 4_980, path: `/repo/${i}.ts` }]);
    };
    read(1, 32);
    after(talk);
    read(33, 66);
    const set = { 'nestedMemoryCache.enabled': enabled, 'microcompact.token.enabled': false };
    const plan = planOf({ policy: 'claude-code/2.0', set, summaryTokens: 4_000 });
    const entries = runLog(plan, talk.answer(10).transcript());
    return {
      entries,
      compactions: ofType(entries, 'layer').filter(({ action }) => action === 'compact'),
    };
  }

  it('C26 SES-10 stands in again without a model call: only what the last compaction put back goes', () => {
    const { entries, compactions } = session(true);
    const [full, cached] = compactions;
    expect(full).toMatchObject({ layer: 'full-compact', turn: 32, calls: 1, details: { restoredFiles: 5 } });
    // Five files of 4,980 go; summary and newer messages stay.
    expect(cached).toMatchObject({
      layer: 'session-memory',
      turn: 57,
      calls: 0,
      saved: 5 * 4_980,
      details: { form: 'cached-summary', droppedMessages: 5, keptMessages: 50 },
    });
    const before = 40_000 + 4_845 + 5 * 4_980 + 25 * 5_000;
    expect(cached).toMatchObject({ trueBefore: before, trueAfter: before - 5 * 4_980 });
    const next = mainRequests(entries).find(({ turn }) => turn === 57)!;
    expect(next.prompt).toBe(cached!.trueAfter);
    // It helps once: five calls later a new summary is due.
    expect(compactions[2]).toMatchObject({ layer: 'full-compact', turn: 62 });
  });

  it('C26 SES-10 off, as by default: the second compaction is a summary as well', () => {
    expect(session(false).compactions.map(({ layer }) => layer)).toEqual(['full-compact', 'full-compact']);
  });

  it('C26 SES-10 is no help when the boundary is gone', () => {
    const { compactions } = session(true, (talk) => talk.event((at) => ({ kind: 'clear', at })));
    expect(compactions.map(({ layer, failure }) => [layer, failure])).toEqual([
      ['full-compact', null],
      ['session-memory', 'boundary-gone'],
      ['full-compact', null],
    ]);
  });

  it('C26 SES-10 is no help when nothing was put back: the context would be over the threshold at once', () => {
    const { compactions } = session(true, (talk) => talk, 'Bash');
    expect(compactions.map(({ layer, failure }) => [layer, failure])).toEqual([
      ['full-compact', null],
      ['session-memory', 'result-too-large'],
      ['full-compact', null],
    ]);
  });
});
