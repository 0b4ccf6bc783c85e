import { compactFully } from '../../../src/agent/layers/full-compact/compact.js';
import { workState } from '../../../src/agent/layers/restore/work-state.js';
import { resolvePolicy } from '../../../src/agent/policies/plan-policy.js';
import type { Message } from '../../../src/core/model/message.js';
import type { ManualCompaction, Transcript } from '../../../src/core/model/transcript.js';
import type { Action, Answer, AskRequest, LayerReport, Outcome } from '../../../src/core/run/action.js';
import type { LayerContext } from '../../../src/core/run/layer.js';
import { effective } from '../effective.js';
import { planOf } from '../plan.js';
import { layerContext, moment, notesAnswer, viewOf } from './drive-session-memory.js';

/** The messages of a built conversation as they stand before its next call. */
export function messagesOf(transcript: Transcript): readonly Message[] {
  return transcript.threads[0]!.steps.flatMap((step) =>
    step.kind === 'message' ? [step.message] : step.kind === 'call' ? [step.call.response] : [],
  );
}

/** A summary that came back. */
export function answerOf(text: string, change: Partial<Answer> = {}): Outcome {
  const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 1_200 };
  return notesAnswer(text, 0, { tokens: 1_000, scratchpadTokens: 200, digest: 77, usage, ...change });
}

/** A refusal as too long, with or without a number. */
export function tooLong(gapTokens: number | null): Outcome {
  return {
    kind: 'failed',
    failure: { reason: 'prompt-too-long', status: 400, message: 'prompt is too long', gapTokens },
  };
}

/** What a compaction did, step by step. */
export interface Compaction {
  readonly done: boolean;
  readonly actions: readonly Action[];
  readonly asks: readonly AskRequest[];
  readonly history: readonly Message[] | null;
  readonly report: LayerReport;
}

/** Runs a full compaction of a policy over messages; `reply` answers its nth request, counted from 1. */
export function compactWith(
  policy: string,
  set: Readonly<Record<string, unknown>>,
  messages: readonly Message[],
  reply: (n: number, request: AskRequest) => Outcome,
  manual: ManualCompaction | null = null,
): Compaction {
  const params = resolvePolicy(policy, effective(policy, set));
  const context: LayerContext = {
    ...layerContext(params),
    model: () => ({ name: 'claude-sonnet-4-5', window: 200_000, maxOutput: 64_000 }),
    plan: planOf({ policy }),
  };
  const work = workState(context);
  for (const message of messages) work.observe(message);
  const view = { ...viewOf(messages, 170_000), trueTokens: 170_000 };
  const point = manual === null ? 'before-request' : 'manual';
  const at = moment(5_000, { point, turn: 9, lastResponseMs: 4_000, manual });
  const steps = compactFully(at, view, context, {
    layer: 'full-compact',
    trigger: manual === null ? 'auto' : 'manual',
    reason: 'test',
    tracking: {},
  });
  const actions: Action[] = [];
  const asks: AskRequest[] = [];
  let step = steps.next();
  while (step.done !== true) {
    actions.push(step.value);
    let outcome: Outcome = { kind: 'done' };
    if (step.value.kind === 'ask') {
      asks.push(step.value.request);
      outcome = reply(asks.length, step.value.request);
    }
    step = steps.next(outcome);
  }
  const replaced = actions.find((action) => action.kind === 'replace-history');
  const reported = actions.find((action) => action.kind === 'report');
  if (reported === undefined) throw new Error('a compaction always reports');
  return {
    done: step.value,
    actions,
    asks,
    history: replaced?.messages ?? null,
    report: reported.entry,
  };
}
