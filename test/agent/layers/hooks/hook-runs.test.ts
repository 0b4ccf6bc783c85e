import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import type { HookPlan } from '../../../../src/core/run/run-plan.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { above, COMPACTION_ONLY } from '../../../helpers/drive/above-threshold.js';
import { forAll } from '../../../helpers/for-all.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, type PlanInit } from '../../../helpers/plan.js';

const hook = (event: HookPlan['event'], change: Partial<HookPlan> = {}): HookPlan => ({
  event,
  on: 'both',
  tokens: 0,
  prints: 'context',
  seconds: 0,
  fails: 0,
  ...change,
});

const byHand = (instructions: string | null = null) =>
  new Conversation()
    .human(100)
    .tools([{ tool: 'Task', tokens: 3_000 }])
    .answer(10)
    .event((at) => ({ kind: 'manual-compact', at, compaction: { instructions, partial: null } }))
    .turn(10, 10);

const byItself = () => above({ from: 168_000, rounds: 2 });

function run(hooks: readonly HookPlan[], talk: Conversation, init: PlanInit = {}): LogEntry[] {
  const { set = COMPACTION_ONLY, ...rest } = init;
  return logFor({ policy: 'claude-code/2026', set, hooks, ...rest }, talk);
}

const summaries = (entries: readonly LogEntry[]) =>
  ofType(entries, 'request').filter((entry) => entry.purpose === 'compact');
const layer = (entries: readonly LogEntry[], name: string) =>
  ofType(entries, 'layer').filter((entry) => entry.layer === name);

describe('C22 hooks at compactions', () => {
  it('C22 FUL-1 what a PreCompact hook prints is part of the summary request, and of nothing else', () => {
    const prompt = (tokens: number) => run([hook('PreCompact', { tokens })], byHand('keep the plan'));
    const [small, large] = [prompt(300), prompt(1_300)];
    expect(summaries(large)[0]!.prompt - summaries(small)[0]!.prompt).toBe(1_000);
    expect(mainRequests(large).at(-1)!.prompt).toBe(mainRequests(small).at(-1)!.prompt);
    expect(layer(small, 'hooks')).toMatchObject([
      { action: 'PreCompact', outcome: 'done', details: { instructionTokens: 300, contextTokens: 0 } },
    ]);
  });

  it('C22 FUL-8 what SessionStart and PostCompact hooks print enters the new context, and is told as restored', () => {
    const none = run([], byHand());
    const some = run(
      [hook('SessionStart', { tokens: 1_500 }), hook('PostCompact', { tokens: 500 })],
      byHand(),
    );
    const [plain, hooked] = [layer(none, 'full-compact')[0]!, layer(some, 'full-compact')[0]!];
    expect(hooked.trueAfter - plain.trueAfter).toBe(2_000);
    expect(plain.saved - hooked.saved).toBe(2_000);
    expect(hooked.details.restoredHookTokens).toBe(2_000);
    expect(hooked.calls).toBe(1);
    expect(plain.details).not.toHaveProperty('restoredHookTokens');
    expect(mainRequests(some).at(-1)!.prompt - mainRequests(none).at(-1)!.prompt).toBe(2_000);
    expect(foldLog(some).hookTokens).toBe(2_000);
  });

  it('C22 what is only shown enters nothing', () => {
    const shown = run(
      [
        hook('PreCompact', { tokens: 900, prints: 'screen' }),
        hook('PostCompact', { tokens: 900, prints: 'screen' }),
      ],
      byHand(),
    );
    const none = run([], byHand());
    expect(summaries(shown)[0]!.prompt).toBe(summaries(none)[0]!.prompt);
    expect(mainRequests(shown).at(-1)!.prompt).toBe(mainRequests(none).at(-1)!.prompt);
    expect(layer(shown, 'hooks').map((entry) => entry.details.printed)).toEqual([900, 900]);
  });

  it.each(['PreCompact', 'SessionStart', 'PostCompact'] as const)('C22 %s hooks take their time', (event) => {
    const next = (seconds: number) => mainRequests(run([hook(event, { seconds })], byItself())).at(-1)!.t;
    expect(next(7) - next(0)).toBe(7_000);
  });

  it('C22 a hook that fails takes its time, adds nothing, does no harm and is told', () => {
    const fails = { fails: 1, tokens: 5_000, seconds: 4 };
    const entries = run(
      [hook('PreCompact', fails), hook('SessionStart', fails), hook('PostCompact', fails)],
      byItself(),
    );
    const none = run([], byItself());
    expect(layer(entries, 'full-compact')).toMatchObject([
      { outcome: 'done', trueAfter: layer(none, 'full-compact')[0]!.trueAfter },
    ]);
    expect(summaries(entries)[0]!.prompt).toBe(summaries(none)[0]!.prompt);
    expect(mainRequests(entries).at(-1)!.t - mainRequests(none).at(-1)!.t).toBe(12_000);
    expect(layer(entries, 'hooks').map(({ action, failure }) => [action, failure])).toEqual([
      ['PreCompact', 'hook-failed'],
      ['SessionStart', 'hook-failed'],
      ['PostCompact', 'hook-failed'],
    ]);
    expect(foldLog(entries)).toMatchObject({ failures: { 'hook-failed': 3 }, compactions: { failed: 0 } });
  });

  it('C22 runs at automatic compactions, at those by hand, or at both', () => {
    const hooks = [
      hook('PostCompact', { on: 'auto', tokens: 1 }),
      hook('PostCompact', { on: 'manual', tokens: 2 }),
      hook('PostCompact', { tokens: 4 }),
    ];
    expect(foldLog(run(hooks, byItself())).hookTokens).toBe(5);
    expect(foldLog(run(hooks, byHand())).hookTokens).toBe(6);
  });

  it('C22 only the hook before it runs where the compaction fails', () => {
    const hooks = [hook('PreCompact', { tokens: 9 }), hook('SessionStart'), hook('PostCompact')];
    const entries = run(hooks, byHand(), { faults: [{ call: 'compact', error: 'empty_summary' }] });
    expect(layer(entries, 'full-compact')).toMatchObject([{ outcome: 'failed', calls: 2 }]);
    expect(layer(entries, 'hooks').map(({ action }) => action)).toEqual(['PreCompact']);
  });

  it('C22 a compaction from notes runs the hooks of a session that starts, and no others', () => {
    const talk = () => {
      const long = new Conversation().human(100);
      for (let i = 0; i < 31; i++)
        long
          .tools([{ tool: 'Task', tokens: 5_000 }], {})
          .answer(20)
          .human(20);
      return long.answer(10);
    };
    const set = { ...COMPACTION_ONLY, 'sessionMemory.enabled': true };
    const hooks = [
      hook('PreCompact', { tokens: 300 }),
      hook('SessionStart', { tokens: 1_500 }),
      hook('PostCompact', { tokens: 500 }),
    ];
    const [none, some] = [run([], talk(), { set }), run(hooks, talk(), { set })];
    const noted = (entries: readonly LogEntry[]) =>
      layer(entries, 'session-memory').filter(
        ({ action, outcome }) => action === 'compact' && outcome === 'done',
      );
    expect(noted(some)).toHaveLength(1);
    expect(noted(some)[0]!.trueAfter - noted(none)[0]!.trueAfter).toBe(1_500);
    expect(layer(some, 'hooks')).toMatchObject([
      { action: 'SessionStart', details: { contextTokens: 1_500 } },
    ]);
  });

  it('C22 a share of the runs fails, the same ones each time, and no other draw is touched', () => {
    forAll(
      { numRuns: 25 },
      fc.integer({ min: 0, max: 1_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (seed, fails) => {
        const hooks = [hook('PreCompact', { tokens: 50, prints: 'screen', fails })];
        const once = run(hooks, byHand(), { seed });
        expect(run(hooks, byHand(), { seed })).toEqual(once);
        const drop = (entries: readonly LogEntry[]) =>
          entries.filter(
            (entry) => entry.type !== 'run' && !(entry.type === 'layer' && entry.layer === 'hooks'),
          );
        expect(drop(once)).toEqual(drop(run([], byHand(), { seed })));
      },
    );
  });
});
