import { describe, expect, it } from 'vitest';
import type { LayerEntry } from '../../../../src/core/run/log-entries.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../../helpers/plan.js';

/** Layers that would act besides the ones under test. */
const QUIET = { 'sessionMemory.enabled': false } as const;
/** The server clears above 60,000 tokens when it saves as much; two calls of 20 tokens with their results stay (C43). */
const onServer = (clearAtLeast: number) => ({
  ...QUIET,
  'microcompact.cached.enabled': false,
  'microcompact.apiNative.triggerTokens': 60_000,
  'microcompact.apiNative.keepTokens': 10_040,
  'microcompact.apiNative.clearAtLeast': clearAtLeast,
});

function run(init: PlanInit, talk: Conversation) {
  const entries = logFor(init, talk);
  const layers = ofType(entries, 'layer');
  return {
    requests: mainRequests(entries),
    breaks: ofType(entries, 'break'),
    layer: (name: LayerEntry['layer']) => layers.filter((entry) => entry.layer === name),
  };
}

/** Turns with one result each. */
function work(talk: Conversation, turns: number, tokens: number, tool = 'Read'): Conversation {
  for (let i = 0; i < turns; i++) talk.tools([{ tool, tokens }]);
  return talk;
}

describe('the measured clients', () => {
  /** Twenty turns of 5,030 tokens on top of this many. */
  const talk = (tokensBefore: number) =>
    work(
      new Conversation({ toolsTokens: tokensBefore - 4_100, systemTokens: 4_000 }).human(100),
      20,
      5_010,
    ).answer(10);

  // 2.0.76 goes by the usage of the last response, 2.1.7 adds the newest result: both pass 135,000 before turn 21.
  it.each([
    ['claude-code/2.0.76', 40_000],
    ['claude-code/2.1.7', 35_000],
  ])(
    'MIC-1 %s clears 13 of 20 results at 135,000 tokens; only tools and system are read afterwards',
    (policy, tokens) => {
      const { requests, breaks, layer } = run({ policy }, talk(tokens));
      const [cleared, ...more] = layer('microcompact');
      expect(more).toEqual([]);
      expect(cleared).toMatchObject({ turn: 21, action: 'clear', trigger: 'auto', saved: 13 * (5_010 - 12) });
      expect(cleared!.details).toMatchObject({ tools: { Read: 13 }, ids: 13, manual: false });
      expect(cleared!.cacheLost).toBeGreaterThan(50_000);
      const last = requests.at(-1)!;
      expect(last).toMatchObject({ read: tokens - 100, cause: 'microcompaction' });
      expect(last.prompt).toBe(tokens + 20 * 5_030 - 13 * 4_998);
      expect(breaks).toMatchObject([{ cause: 'microcompaction', expected: true }]);
    },
  );

  it('C37 MIC-5 totals of the clearable results before and after: 20 results of 5,010, of which 7 stay', () => {
    const [cleared] = run({ policy: 'claude-code/2.1.7' }, talk(35_000)).layer('microcompact');
    expect(cleared!.details).toMatchObject({ clearableBefore: 20 * 5_010, clearableAfter: 7 * 5_010 });
  });

  it('C39 MIC-1 the originals that 2.1.7 keeps on disk are counted: 13; 2.0.76 keeps none', () => {
    const keptBy = (policy: string, tokens: number) =>
      run({ policy }, talk(tokens)).layer('microcompact')[0]!.details.keptOnDisk;
    expect(keptBy('claude-code/2.1.7', 35_000)).toBe(13);
    expect(keptBy('claude-code/2.0.76', 40_000)).toBeUndefined();
  });

  it('MIC-1 later clients have none', () => {
    expect(run({ policy: 'claude-code/2.1.112' }, talk(40_000)).layer('microcompact')).toEqual([]);
  });
});

describe('claude-code/2026', () => {
  const policy = 'claude-code/2026';

  it('MIC-2 clears after 75 idle minutes, when nothing cached is lost any more', () => {
    const talk = work(new Conversation().human(100), 9, 1_000)
      .answer(10)
      .wait(75 * 60)
      .turn(20, 10);
    const { requests, layer } = run({ policy, set: QUIET, cache: { ttl: '1h' } }, talk);
    expect(layer('microcompact')).toMatchObject([
      { trigger: 'idle', action: 'clear', saved: 4 * (1_000 - 12), cacheLost: 0 },
    ]);
    expect(requests.at(-1)).toMatchObject({ read: 0 });
  });

  it('MIC-3 BRD-3 deletes 7 of 12 results without writing anything again or raising an alarm', () => {
    const talk = work(new Conversation().human(100), 13, 1_000).answer(10);
    const { requests, breaks, layer } = run({ policy, set: QUIET }, talk);
    expect(layer('microcompact')).toMatchObject([{ turn: 13, action: 'delete', saved: 7_000, cacheLost: 0 }]);
    expect(requests.map((request) => request.rewritten)).toEqual(requests.map(() => 0));
    expect(breaks).toEqual([]);
  });

  it('C37 MIC-5 cached deletions tell the totals too: 12 results of 1,000, of which 5 stay', () => {
    const talk = work(new Conversation().human(100), 13, 1_000).answer(10);
    const [deleted] = run({ policy, set: QUIET }, talk).layer('microcompact');
    expect(deleted!.details).toMatchObject({ clearableBefore: 12_000, clearableAfter: 5_000 });
  });

  it('MIC-3 MIC-2 deletions are forgotten with the cache: then the content is there again and is cleared in place', () => {
    const talk = work(new Conversation().human(100), 12, 1_000)
      .answer(10)
      .wait(75 * 60)
      .turn(20, 10);
    const { requests, layer } = run({ policy, set: QUIET }, talk);
    const [deleted, cleared] = layer('microcompact');
    expect(deleted).toMatchObject({ action: 'delete', saved: 7_000 });
    const whole = 15_100 + 12 * 1_020 + 10 + 20;
    expect(cleared).toMatchObject({ trigger: 'idle', trueBefore: whole, trueAfter: whole - 7 * 988 });
    expect(requests.at(-1)!.prompt).toBe(whole - 7 * 988);
  });

  it('FLG-1 each form has a switch', () => {
    const talk = () =>
      work(new Conversation().human(100), 13, 1_000)
        .answer(10)
        .wait(75 * 60)
        .turn(20, 10);
    const set = { ...QUIET, 'microcompact.cached.enabled': false };
    expect(run({ policy, set }, talk()).layer('microcompact')).toMatchObject([{ trigger: 'idle' }]);
    const both = { ...set, 'microcompact.timeBased.enabled': false };
    expect(run({ policy, set: both }, talk()).layer('microcompact')).toEqual([]);
  });

  it('MIC-4 the server clears above its trigger and the prefix changes from there on', () => {
    const set = onServer(20_000);
    const { requests, layer } = run(
      { policy, set },
      work(new Conversation().human(100), 10, 5_000).answer(10),
    );
    const [cleared] = layer('microcompact');
    // 15,100 and 5,020 a turn: above 60,000 with the ninth result; two of 5,000 stay.
    expect(cleared).toMatchObject({ turn: 10, trigger: 'server', saved: 7 * 4_988 });
    expect(cleared!.details).toMatchObject({
      applied_edits: [
        { type: 'clear_tool_uses_20250919', cleared_tool_uses: 7, cleared_input_tokens: 7 * 4_988 },
      ],
    });
    // The first request's entry is within twenty blocks of the last breakpoint.
    expect(requests[9]).toMatchObject({ read: 15_100, cause: 'microcompaction' });
    expect(requests[10]!.rewritten).toBe(0);
  });

  it('C29 the server comes after the check of the client: at 184,100 tokens auto-compaction fires, not the server', () => {
    // 19 results of 7,400, then one of 40,000 that takes it over both limits at once: 19 × 7,388 could go.
    const set = { ...QUIET, 'microcompact.cached.enabled': false, 'storage.enabled': false };
    const talk = work(new Conversation({ toolsTokens: 2_000, systemTokens: 1_000 }).human(100), 19, 7_400);
    const { requests, layer } = run({ policy, set }, work(talk, 1, 40_000).answer(10));
    const before = 3_100 + 19 * 7_420 + 40_020;
    expect(before).toBe(184_100);
    expect(layer('microcompact')).toEqual([]);
    expect(layer('full-compact')).toMatchObject([{ turn: 21, trigger: 'auto', trueBefore: before }]);
    expect(requests.at(-1)!.prompt).toBeLessThan(60_000);
  });

  it('C29 the client learns of it from the usage: what it saw before the request still held everything', () => {
    const set = {
      ...QUIET,
      'microcompact.cached.enabled': false,
      'autoCompact.enabled': false,
      'blocking.enabled': false,
    };
    const { requests, layer } = run(
      { policy, set },
      work(new Conversation().human(100), 37, 5_000).answer(10),
    );
    const [cleared] = layer('microcompact');
    // 15,100 and 5,020 a turn pass 180,000 with the 33rd result, but 140,000 can go only with the 37th: 8 stay.
    const whole = 15_100 + 37 * 5_020;
    expect(cleared).toMatchObject({ turn: 38, trigger: 'server', trueBefore: whole, saved: 29 * 4_988 });
    expect(cleared!.estimatedAfter).toBe(cleared!.estimatedBefore);
    const last = requests.at(-1)!;
    expect(last.prompt).toBe(whole - cleared!.saved);
    expect(last.estimatedTokens).toBe(cleared!.estimatedBefore);
  });

  it('C29 results of readers and whole calls of writers are two applied edits', () => {
    const set = onServer(5_000);
    const talk = new Conversation().human(100);
    for (let i = 0; i < 5; i++) work(work(talk, 1, 5_000), 1, 5_000, 'Edit');
    const { layer } = run({ policy, set }, talk.answer(10));
    // Above 60,000 with the ninth result: five reads and four edits, of each two stay. An emptied call has 20 tokens, as it had.
    expect(layer('microcompact')[0]).toMatchObject({
      turn: 10,
      saved: 5 * 4_988,
      details: {
        tools: { Read: 3, Edit: 2 },
        applied_edits: [
          { type: 'clear_tool_uses_20250919', cleared_tool_uses: 3, cleared_input_tokens: 3 * 4_988 },
          { type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 2 * 4_988 },
        ],
      },
    });
  });

  it('C29 each strategy has a least amount of its own', () => {
    const set = onServer(12_000);
    const talk = new Conversation().human(100);
    for (let i = 0; i < 5; i++) work(work(talk, 1, 5_000), 1, 5_000, 'Edit');
    const { layer } = run({ policy, set }, talk.answer(10));
    expect(layer('microcompact').map(({ turn, details }) => [turn, details.tools])).toEqual([
      [10, { Read: 3 }],
      [11, { Edit: 3 }],
    ]);
  });

  it('MIC-4 C29 older thinking is dropped by the server after an hour, behind the checks of the client', () => {
    const set = { ...QUIET, 'microcompact.timeBased.enabled': false };
    const talk = new Conversation({ model: 'claude-opus-4-6' }).human(100);
    for (let i = 0; i < 3; i++) talk.tools([{ tool: 'Read', tokens: 1_000 }], { thinking: 200 });
    talk
      .answer(10)
      .wait(61 * 60)
      .turn(20, 10);
    const { layer } = run({ policy, set }, talk);
    expect(layer('microcompact')).toMatchObject([
      {
        trigger: 'server',
        saved: 400,
        details: { applied_edits: [{ type: 'clear_thinking_20251015', cleared_thinking_turns: 2 }] },
      },
    ]);
  });

  it('INV-4 STO-3 a stored result stays the same: nothing is ever written again, not even after a resume', () => {
    const talk = work(new Conversation().human(100), 1, 20_000, 'Bash')
      .answer(10)
      .event((at) => ({ kind: 'resume', at, reason: 'restart' }))
      .turn(20, 10);
    const { requests, layer } = run({ policy, set: { ...QUIET, 'client.newProcess': 'same' } }, talk);
    expect(layer('storage')).toMatchObject([
      { action: 'store', details: { tools: { Bash: 1 }, chars: 80_000 } },
    ]);
    expect(requests.map((request) => request.rewritten)).toEqual([0, 0, 0]);
    expect(requests[1]!.prompt).toBeLessThan(16_000);
  });

  it('NES-1 attaches a memory file once, before the next request', () => {
    const set = { ...QUIET, 'nestedMemory.files': { '/repo/src/CLAUDE.md': 300 } };
    const talk = new Conversation().human(100);
    for (let i = 0; i < 3; i++) talk.tools([{ tool: 'Read', tokens: 100, path: `/repo/src/file-${i}.ts` }]);
    const { requests, layer } = run({ policy, set }, talk.answer(10));
    expect(layer('nested-memory')).toMatchObject([{ turn: 2, action: 'attach', details: { tokens: 300 } }]);
    expect(requests.map((request) => request.prompt)).toEqual([15_100, 15_520, 15_640, 15_760]);
    expect(requests.map((request) => request.rewritten)).toEqual([0, 0, 0, 0]);
  });
});
