import { describe, expect, it } from 'vitest';
import { policyRegistry } from '../../../src/agent/policies/catalogue.js';
import { runSent, type Sent, sentFor } from '../../helpers/capture.js';
import { COMPACTION_ONLY } from '../../helpers/drive/above-threshold.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit, planOf, type runLog } from '../../helpers/plan.js';

const PREFIX = 15_000;
/** Policies whose layers compact when the user asks for it, and others. */
const COMPACTING = ['claude-code/2.0', 'claude-code/2.1.7', 'claude-code/2.1.112', 'claude-code/2026'];
const OTHERS = ['none', 'unbounded', 'baselines/mask', 'baselines/truncate', 'baselines/prune'];

/** Ten rounds of work, some of it on a file. */
const work = () => {
  const talk = new Conversation().human(100);
  for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Read', tokens: 1_500, path: `/repo/${i % 3}.ts` }]);
  return talk.answer(10);
};

const send = (policy: string, talk: Conversation, init: PlanInit = {}) =>
  runSent(planOf({ policy, ...init }), talk.transcript());
const lastMain = (sent: readonly Sent[]) => sentFor(sent, 'main').at(-1)!;
const textsOf = ({ blocks }: Sent) => blocks!.map((block) => block.text?.read() ?? '');
const tokensOf = (sent: Sent, attachment: string) =>
  sent.blocks!.filter(({ facts }) => facts.attachment === attachment).map(({ tokens }) => tokens);

describe('a compaction that the user asked for in the recording', () => {
  const talk = () =>
    work().compaction('manual', 700, { instructions: 'Keep the plan.' }).attach(333, 'summary').turn(20, 10);

  it.each(COMPACTING)(
    'C1 INV-16 %s: is made, in the policy’s own way and with the instructions',
    (policy) => {
      // The request of its own kind shows its blocks.
      const { entries, sent } = send(policy, talk(), { set: { 'compact.summariser': 'own' } });
      const compactions = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
      expect(compactions).toMatchObject([{ trigger: 'manual', outcome: 'done' }]);
      expect(textsOf(sentFor(sent, 'compact')[0]!).at(-1)).toContain('Keep the plan.');
      expect(lastMain(sent).blocks!.some(({ facts }) => facts.replaces === 'summary')).toBe(true);
    },
  );

  it.each(OTHERS)(
    'C1 %s: has no compaction, so it takes the recorded summary with its attachments',
    (policy) => {
      const { entries, sent } = send(policy, talk());
      expect(ofType(entries, 'request').some(({ purpose }) => purpose === 'compact')).toBe(false);
      expect(lastMain(sent).tokens).toBe(PREFIX + 700 + 333 + 20);
      expect(mainRequests(entries).at(-1)!.read).toBe(PREFIX);
    },
  );

  it('C1 keeps the messages that the recording kept', () => {
    const kept = work()
      .compaction('manual', 700, { keptIds: ['human1'] })
      .turn(20, 10);
    expect(lastMain(send('none', kept).sent).tokens).toBe(PREFIX + 700 + 100 + 20);
  });

  it.each(COMPACTING)('C2 %s: restores its own files, not what the recording attached', (policy) => {
    const { sent } = send(policy, talk());
    const main = lastMain(sent);
    expect(main.blocks!.map(({ tokens }) => tokens)).not.toContain(333);
    expect(textsOf(main).join('\n')).toContain('/repo/0.ts');
  });
});

describe('a compaction by hand that is not made', () => {
  const reasonsOf = (entries: ReturnType<typeof runLog>) =>
    ofType(entries, 'notice').flatMap(({ what, details }) =>
      what === 'compact-refused' ? [details.reason] : [],
    );
  /** All of the work, and the prompt behind it. */
  const WHOLE = PREFIX + 100 + 10 * 1_520 + 10 + 20;
  const talk = () => work().compaction('manual', 700).attach(333, 'summary').turn(20, 10);

  it('WIN-7 C37 because compaction is switched off leaves the conversation, without what the recording attached', () => {
    const set = { 'compact.enabled': false, 'client.use': 'none' };
    const { entries, sent } = send('claude-code/2026', talk(), { set });
    expect(reasonsOf(entries)).toEqual(['compaction is switched off']);
    expect(lastMain(sent).tokens).toBe(WHOLE);
  });

  it('C37 because the policy has none, or the run has ended', () => {
    const { entries } = send('none', asking(work()).turn(20, 10));
    expect(reasonsOf(entries)).toEqual(['this policy has no compaction by hand']);
    const set = { ...COMPACTION_ONLY, 'thrash.maxRefills': 1, 'thrash.withinTurns': 3 };
    const full = new Conversation().human(100);
    for (let i = 0; i < 6; i++) full.tools([{ tool: 'Task', tokens: 160_000 }]);
    const thrashing = send('claude-code/2026', asking(full).turn(20, 10), { set });
    expect(ofType(thrashing.entries, 'notice').map(({ what }) => what)).toContain('run-ended');
    expect(reasonsOf(thrashing.entries)).toEqual(['the run has ended']);
  });
});

/** The user asks for a compaction. */
const asking = (talk: Conversation) =>
  talk.event((at) => ({ kind: 'manual-compact', at, compaction: { instructions: null, partial: null } }));

describe('C42 what the user does while the thread is blocked', () => {
  const set = { ...COMPACTION_ONLY, 'autoCompact.enabled': false, 'client.use': 'none' };
  const calls = ({ entries }: ReturnType<typeof send>) => ({
    made: mainRequests(entries).length,
    lost: ofType(entries, 'lost').map((entry) => entry.calls),
    blocked: ofType(entries, 'notice').filter(({ what }) => what === 'blocked').length,
  });
  /** So many rounds of 10,000 tokens. */
  const rounds = (talk: Conversation, count: number) => {
    for (let i = 0; i < count; i++) talk.tools([{ tool: 'Task', tokens: 9_980 }]);
    return talk;
  };
  /**
   * The block of 2026 is at 200,000 - 20,000 - 3,000. Before call 17 the client counts the usage of call 16, 15,100 + 15 × 10,000 + 20,
   * and four thirds of the result behind it: 178,427.
   */
  const blocked = () => rounds(new Conversation().human(100), 20);

  it('C42 without an act of the user the rest of the prompt is lost', () => {
    expect(calls(send('claude-code/2026', rounds(blocked(), 5).answer(10), { set }))).toEqual({
      made: 16,
      lost: [10],
      blocked: 1,
    });
  });

  it('C42 /compact four calls after the block is made, and the prompt goes on', () => {
    const run = send('claude-code/2026', rounds(asking(blocked()), 5).answer(10), { set });
    const compactions = ofType(run.entries, 'layer').filter(({ action }) => action === 'compact');
    expect(compactions).toMatchObject([{ trigger: 'manual', outcome: 'done' }]);
    expect(calls(run)).toEqual({ made: 16 + 6, lost: [4], blocked: 1 });
  });

  it('C42 a recorded /compact is made too', () => {
    const run = send('claude-code/2026', blocked().compaction('manual', 700).turn(20, 10), { set });
    const compactions = ofType(run.entries, 'layer').filter(({ action }) => action === 'compact');
    expect(compactions).toMatchObject([{ trigger: 'manual', outcome: 'done' }]);
    expect(calls(run)).toEqual({ made: 17, lost: [4], blocked: 1 });
  });

  it('C42 /clear empties the conversation, and what follows is sent, a command included', () => {
    const cleared = blocked().event((at) => ({ kind: 'clear', at }));
    const run = send('claude-code/2026', cleared.say('command', 20).answer(10), { set });
    expect(calls(run)).toEqual({ made: 17, lost: [4], blocked: 1 });
    expect(lastMain(run.sent).tokens).toBe(PREFIX + 20);
  });

  it('C42 behind a refused request the recorded summary is taken, and a compaction is made', () => {
    const faults = [{ call: 'main', error: 'invalid_request', nth: 11 }] as const;
    const recorded = work().compaction('manual', 700).attach(333, 'summary').turn(20, 10);
    expect(lastMain(send('none', recorded, { faults }).sent).tokens).toBe(PREFIX + 700 + 333 + 20);
    const asked = asking(work()).turn(20, 10);
    const run = send('claude-code/2026', asked, { faults, set: { 'client.retries': 0 } });
    expect(ofType(run.entries, 'layer').filter(({ action }) => action === 'compact')).toMatchObject([
      { trigger: 'manual', outcome: 'done' },
    ]);
  });
});

describe('C51 results that the user has cleared', () => {
  const set = { 'sessionMemory.enabled': false, 'microcompact.token.manualTarget': 6_000 };
  const clear = (talk: Conversation) =>
    talk.event((at) => ({ kind: 'manual-microcompact', at })).turn(20, 10);
  const large = () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 10; i++) talk.tools([{ tool: 'Read', tokens: 5_000 }]);
    return talk.answer(10);
  };

  it.each(['claude-code/2.0', 'claude-code/2.1'])(
    'C51 %s: the last three stay, and nothing is summarised',
    (policy) => {
      const { entries, sent } = send(policy, clear(large()), { set });
      expect(ofType(entries, 'layer')).toMatchObject([
        { layer: 'microcompact', trigger: 'manual', saved: 7 * 4_988, details: { manual: true } },
      ]);
      expect(sentFor(sent, 'compact')).toEqual([]);
      expect(lastMain(sent).tokens).toBe(PREFIX + 100 + 10 * 5_020 + 10 + 20 - 7 * 4_988);
    },
  );

  it('C51 a compaction that the user asks for clears nothing first', () => {
    const { entries } = send('claude-code/2.1', asking(large()).turn(20, 10), { set });
    expect(ofType(entries, 'layer').map(({ action }) => action)).toEqual(['compact']);
  });

  it('C51 C1 a recorded one is made too', () => {
    const recorded = {
      kind: 'recorded-microcompact',
      trigger: 'manual',
      preTokens: null,
      tokensSaved: null,
    } as const;
    const talk = large().event((at) => ({ ...recorded, at, toolUseIds: [] }));
    const { entries } = send('claude-code/2.1', talk.turn(20, 10), { set });
    expect(ofType(entries, 'layer')).toMatchObject([{ trigger: 'manual', saved: 7 * 4_988 }]);
  });

  it('C51 C37 a policy without it says so', () => {
    const { entries } = send('none', clear(large()));
    expect(ofType(entries, 'notice')).toMatchObject([
      { what: 'clear-refused', details: { reason: 'this policy clears no results by hand' } },
    ]);
  });
});

describe('an automatic compaction of the recording', () => {
  const talk = () => work().compaction('auto', 700).attach(333, 'summary').attach(44).turn(20, 10);

  it.each([...COMPACTING, ...OTHERS])(
    'C1 C2 %s: is not this run’s, nor what was attached because of it',
    (policy) => {
      const { entries, sent } = send(policy, talk(), { set: { 'client.suggestions': 'off' } });
      expect(ofType(entries, 'layer').some(({ action }) => action === 'compact')).toBe(false);
      const main = lastMain(sent);
      expect(tokensOf(main, 'file')).toEqual([44]);
      expect(main.blocks!.some(({ facts }) => facts.replaces === 'summary')).toBe(false);
    },
  );

  it('C2 what this run’s own compaction restores is there beside it', () => {
    const built = new Conversation().human(100);
    for (let i = 0; i < 16; i++) built.tools([{ tool: 'Read', tokens: 6_000, path: `/repo/${i % 3}.ts` }]);
    built.answer(10).compaction('auto', 700).attach(333, 'summary').human(20);
    for (let i = 0; i < 12; i++) built.tools([{ tool: 'Read', tokens: 6_000, path: `/repo/${i % 3}.ts` }]);
    const { entries, sent } = send('claude-code/2.1.112', built.answer(10), {
      set: { 'storage.enabled': false },
    });
    const compactions = ofType(entries, 'layer').filter(({ action }) => action === 'compact');
    expect(compactions).toMatchObject([{ trigger: 'auto' }]);
    const after = sentFor(sent, 'main').find(({ turn }) => turn === compactions[0]!.turn)!;
    expect(after.blocks!.map(({ tokens }) => tokens)).not.toContain(333);
    expect(textsOf(after).join('\n')).toContain('/repo/0.ts');
  });
});

describe('what else the user did', () => {
  const all = policyRegistry.names;

  it.each(all)('C1 INV-16 %s: /clear empties the conversation', (policy) => {
    const talk = work()
      .event((at) => ({ kind: 'clear', at }))
      .turn(20, 10);
    const { entries, sent } = send(policy, talk);
    expect(lastMain(sent).tokens).toBe(PREFIX + 20);
    expect(mainRequests(entries).at(-1)!.read).toBe(PREFIX);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toContain('clear');
  });

  it('C1 MIC-3 C9 behind /clear nothing is deleted, taken out or seen any more', () => {
    const talk = new Conversation().human(100);
    for (let i = 0; i < 14; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }]);
    talk
      .answer(10)
      .event((at) => ({ kind: 'clear', at }))
      .turn(20, 10);
    const set = { ...COMPACTION_ONLY, 'microcompact.cached.enabled': true, 'counter.newContent': 'rough' };
    const { entries, sent } = send('claude-code/2026', talk, { set });
    const [before, after] = sentFor(sent, 'main').slice(-2);
    expect([before!.deletedTokens, after!.deletedTokens]).toEqual([7_000, 0]);
    expect(mainRequests(entries).at(-1)).toMatchObject({
      prompt: PREFIX + 20,
      uncompactedTokens: PREFIX + 20,
      estimatedTokens: 20,
      cause: null,
    });
  });

  it('a file that was read before /clear is sent whole again', () => {
    const read = { tool: 'Read', tokens: 1_500, path: '/repo/a.ts', text: 'const a = 1;\n'.repeat(400) };
    const stubs = (cleared: 'cleared' | 'kept') => {
      const talk = new Conversation().human(100).tools([read]).answer(10);
      if (cleared === 'cleared') talk.event((at) => ({ kind: 'clear', at }));
      const { entries } = send('claude-code/2026', talk.human(20).tools([read]).answer(10), {
        set: { 'storage.stubRepeatedReads': true },
      });
      return ofType(entries, 'layer').filter(({ action }) => action === 'stub').length;
    };
    expect([stubs('kept'), stubs('cleared')]).toEqual([1, 0]);
  });

  it.each(all)('C1 INV-16 %s: a rewind goes back to a message, or to the beginning', (policy) => {
    const back = (lastId: string | null) =>
      new Conversation()
        .turn(100, 10)
        .turn(40, 30)
        .event((at) => ({ kind: 'rewind', at, lastId }))
        .turn(20, 10);
    expect(lastMain(send(policy, back('response2')).sent).tokens).toBe(PREFIX + 100 + 10 + 20);
    expect(lastMain(send(policy, back(null)).sent).tokens).toBe(PREFIX + 20);
    const nowhere = send(policy, back('gone'));
    expect(lastMain(nowhere.sent).tokens).toBe(PREFIX + 200);
    expect(ofType(nowhere.entries, 'notice').find(({ what }) => what === 'rewind')!.message).toMatch(
      /no longer holds/,
    );
  });

  it.each(all)('C1 INV-16 %s: a model switch changes the model and finds nothing', (policy) => {
    const later = new Conversation({ model: 'claude-opus-4-5', ids: 'b-' }).wait(10).turn(20, 10);
    const talk = new Conversation({ model: 'claude-sonnet-4-5' }).turn(100, 10);
    talk.wait(5).event((at) => ({ kind: 'model-switch', at, model: 'claude-opus-4-5' }));
    talk.steps.push(...later.steps);
    const entries = logFor({ policy }, talk);
    expect(mainRequests(entries).map(({ model }) => model)).toEqual(['claude-sonnet-4-5', 'claude-opus-4-5']);
    expect(mainRequests(entries)[1]!.read).toBe(0);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toContain('model-switch');
  });

  it.each(all)('C1 INV-16 %s: a resume happens', (policy) => {
    const talk = new Conversation().turn(100, 10);
    talk.event((at) => ({ kind: 'resume', at, reason: 'restart' })).turn(20, 10);
    const entries = logFor({ policy }, talk);
    expect(ofType(entries, 'notice').map(({ what }) => what)).toContain('resume');
    expect(mainRequests(entries).at(-1)!.prompt).toBe(PREFIX + 130);
  });
});

describe('a resume', () => {
  /** Two calls in parallel; the record of one result has no child. */
  const talk = () =>
    new Conversation()
      .human(100)
      .tools([
        { tool: 'Read', tokens: 1_000 },
        { tool: 'Read', tokens: 2_000 },
      ])
      .answer(10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart', lostIds: ['result4'] }))
      .turn(50, 10);
  const last = (record: string) => {
    const set = { 'client.use': 'none', 'client.record': record };
    return mainRequests(logFor({ policy: 'unbounded', set }, talk())).at(-1)!;
  };

  it('K12 along the parents loses parallel results; a mark of 12 tokens answers the call', () => {
    expect(last('parent-chain').prompt).toBe(PREFIX + 100 + 40 + 1_000 + 12 + 10 + 50);
    expect(last('parent-chain').cause).toBe('messages');
  });

  it('K12 that reads the whole record loses nothing', () => {
    expect(last('whole').prompt).toBe(PREFIX + 100 + 40 + 3_000 + 10 + 50);
    expect(last('whole').rewritten).toBe(0);
  });
});
