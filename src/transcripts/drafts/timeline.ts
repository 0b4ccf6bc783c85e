import type { RecordedCall, Step, ThreadEvent } from '../../core/model/transcript.js';
import { type DraftMessage, type DraftStep, finishCall, finishMessage } from './draft.js';

/**
 * The finished steps of a thread. Time keeps file order and never runs backwards: a call starts at the latest line
 * before it, ends at its own last line, and what follows it does not happen before that end.
 */
export function finishSteps(drafts: readonly DraftStep[], originMs: number): Step[] {
  const steps: Step[] = [];
  let now = 0;
  let model: string | null = null;
  const tick = (timeMs: number | null): number => {
    if (timeMs !== null && timeMs - originMs > now) now = timeMs - originMs;
    return now;
  };
  const place = (message: DraftMessage): void => {
    message.at = tick(message.timeMs);
  };
  for (const draft of drafts) {
    if (draft.kind === 'message') {
      place(draft.message);
      steps.push({ kind: 'message', message: finishMessage(draft.message) });
    } else if (draft.kind === 'event') {
      const at = tick(draft.event.timeMs);
      const { summary } = draft.event;
      if (summary !== null) place(summary);
      const event: ThreadEvent = draft.event.make(at, summary === null ? null : finishMessage(summary));
      steps.push({ kind: 'event', event });
    } else {
      const { call } = draft;
      if (model !== null && model !== call.model) {
        steps.push({ kind: 'event', event: { kind: 'model-switch', at: now, model: call.model } });
      }
      model = call.model;
      call.startMs = tick(call.firstTimeMs ?? null);
      call.endMs = tick(call.lastTimeMs);
      call.message.at = call.endMs;
      const finished: RecordedCall = finishCall(call);
      steps.push({ kind: 'call', call: finished });
    }
  }
  return steps;
}
