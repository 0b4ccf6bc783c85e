import { MS_PER_SECOND } from '../../../core/base/clock.js';
import { digestText } from '../../../core/base/digest.js';
import { type Block, createBlock } from '../../../core/model/block.js';
import { createMessage, type Message } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Action, LayerReport, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext, LayerContext } from '../../../core/run/layer.js';
import type { HookEvent, HookPlan } from '../../../core/run/run-plan.js';
import { quietReport } from '../support/compaction-report.js';

/** One run of a hook: what the user configured, and how it ended. */
export interface HookRun {
  readonly hook: HookPlan;
  readonly outcome: 'done' | 'failed';
}

type Trigger = LayerReport['trigger'];

/** What a hook prints, as prose counts. */
const WORDS = 'A hook of the user says this. ';
const CHARS_PER_HOOK_TOKEN = 4;

/** The hooks of an event that a compaction runs, in the order of the scenario (C22). Equal moments give equal outcomes. */
export function hookRuns(
  context: LayerContext,
  moment: HookContext,
  event: HookEvent,
  trigger: Trigger,
): readonly HookRun[] {
  const { hooks } = context.plan;
  if (hooks === undefined) return [];
  const asked = trigger === 'manual' ? 'manual' : 'auto';
  return hooks.flatMap((hook, i): HookRun[] => {
    if (hook.event !== event || (hook.on !== 'both' && hook.on !== asked)) return [];
    const failed = context.random.split(`hook ${i} turn ${moment.turn}`).chance(hook.fails);
    return [{ hook, outcome: failed ? 'failed' : 'done' }];
  });
}

/** Tokens that enter the conversation or the instruction: nothing of a hook that failed or only shows what it prints. */
function enteringTokens({ hook, outcome }: HookRun): number {
  return outcome === 'done' && hook.prints === 'context' ? hook.tokens : 0;
}

/** Tokens that some hooks add. */
export function hookTokens(runs: readonly HookRun[]): number {
  return runs.reduce((sum, run) => sum + enteringTokens(run), 0);
}

/** What hooks print, one block each. */
export function hookBlocks(runs: readonly HookRun[]): readonly Block[] {
  return runs.flatMap((run, i): Block[] => {
    const tokens = enteringTokens(run);
    if (tokens === 0) return [];
    const chars = tokens * CHARS_PER_HOOK_TOKEN;
    const text = lazyText(chars, () => WORDS.repeat(Math.ceil(chars / WORDS.length)).slice(0, chars));
    const digest = digestText(`hook ${run.hook.event} ${i} ${tokens}`);
    const facts = { attachment: 'hook_additional_context' };
    return [createBlock({ kind: 'text', role: 'user', tokens, chars, text, digest, facts })];
  });
}

/** What hooks print into the new history, one message each (FUL-8). */
export function hookMessages(runs: readonly HookRun[], id: string, at: number): readonly Message[] {
  return hookBlocks(runs).map((block, i) =>
    createMessage({ id: `${id}-${i}`, role: 'user', origin: 'attachment', blocks: [block], at }),
  );
}

/** Lets the time pass that hooks take, one after the other. */
export function* awaitHooks(runs: readonly HookRun[]): Generator<Action, void, Outcome> {
  const seconds = runs.reduce((sum, { hook }) => sum + hook.seconds, 0);
  if (seconds === 0) return;
  const by = { layer: 'hooks', reason: 'hooks of the user run' } as const;
  yield { kind: 'wait', by, ms: Math.round(seconds * MS_PER_SECOND) };
}

/** Says of each run how it ended. A hook that fails does no harm. */
export function* tellHooks(
  runs: readonly HookRun[],
  view: ContextView,
  trigger: Trigger,
): Generator<Action, void, Outcome> {
  for (const run of runs) {
    const { hook, outcome } = run;
    const tokens = enteringTokens(run);
    const failed = outcome === 'failed';
    yield quietReport('hooks', view, {
      action: hook.event,
      trigger,
      outcome,
      reason: failed ? 'the hook failed; nothing of it is used' : SENTENCES[hook.event],
      failure: failed ? 'hook-failed' : null,
      details: {
        printed: failed ? 0 : hook.tokens,
        instructionTokens: hook.event === 'PreCompact' ? tokens : 0,
        contextTokens: hook.event === 'PreCompact' ? 0 : tokens,
        seconds: hook.seconds,
      },
    });
  }
}

const SENTENCES: Readonly<Record<HookEvent, string>> = {
  PreCompact: 'a compaction is about to begin',
  SessionStart: 'the session starts again behind a compaction',
  PostCompact: 'a compaction is done',
};
