import { type DraftCall, type DraftStep, draftMessage } from '../../drafts/draft.js';
import type { AssistantLine } from './lines/lines.js';
import type { ResponsePart } from './recorded-usage.js';

/** Adds what a further line of a response tells of it. */
export function extendCall(call: DraftCall, line: AssistantLine): void {
  if (line.usage.state === 'counts') {
    const { usage, output, parts } = line.usage;
    if (output === 'said') call.outputIsMissing = false;
    if (call.usage === null || usage.output > call.usage.output || parts.length > 0) {
      call.usage = usage;
      call.message.usage = usage;
    }
  }
  call.stopReason = line.stopReason ?? call.stopReason;
  call.missReason ??= line.missReason;
  call.effort ??= line.effort;
  if (line.timeMs !== null) call.lastTimeMs = Math.max(line.timeMs, call.lastTimeMs ?? line.timeMs);
}

/** A request behind a response that says nothing of its own in the file (K22). */
function partCall(call: DraftCall, { speaker, model, usage }: ResponsePart, place: number): DraftCall {
  const id = `${call.id}#${place}`;
  const { timeMs } = call.message;
  const message = draftMessage({
    id,
    role: 'assistant',
    origin: 'model',
    responseId: id,
    timeMs,
    blocks: [],
  });
  message.usage = usage;
  const part = { ...call, id, model: model ?? call.model, message, usage, missReason: null };
  return { ...part, lastTimeMs: timeMs, ...(speaker === 'advisor' ? { firstTimeMs: timeMs } : {}) };
}

/** The requests before the one that ended a response, for those that asked an advisor (K22). */
export class ResponseParts {
  readonly #parts = new Map<DraftCall, readonly ResponsePart[]>();

  /** Takes over what a line of a response says of them. */
  note(call: DraftCall, parts: readonly ResponsePart[]): void {
    if (parts.length > 0) this.#parts.set(call, parts);
  }

  /** The steps of a conversation with the earlier requests of its own responses. */
  withEarlier(steps: readonly DraftStep[]): DraftStep[] {
    return steps.flatMap((step): DraftStep[] => {
      if (step.kind !== 'call') return [step];
      const earlier = this.#of(step.call, 'message').map((call): DraftStep => ({ kind: 'call', call }));
      return [...earlier, step];
    });
  }

  /** What advisors were asked: each time a conversation of its own. */
  advisors(): readonly DraftCall[] {
    return [...this.#parts.keys()].flatMap((call) => this.#of(call, 'advisor'));
  }

  #of(call: DraftCall, speaker: ResponsePart['speaker']): readonly DraftCall[] {
    const parts = this.#parts.get(call) ?? [];
    return parts.flatMap((part, place) => (part.speaker === speaker ? [partCall(call, part, place)] : []));
  }
}
