import type { Message } from '../../../core/model/message.js';

/** What stays where it is, whatever is folded around it. */
const STAYS: ReadonlySet<Message['origin']> = new Set([
  'boundary',
  'summary',
  'context',
  'attachment',
  'marker',
]);

/** A prompt with all its rounds. */
export interface FinishedPrompt {
  /** The message that the user began it with. */
  readonly prompt: Message;
  /** All that belongs to it, the prompt first. */
  readonly messages: readonly Message[];
  readonly calls: number;
}

/**
 * The prompts of a conversation that have been answered and followed by another one, oldest first; those that are folded
 * already are left out. What was attached, and what stands for earlier history, belongs to none.
 */
export function finishedPrompts(
  messages: readonly Message[],
  isFolded: (promptId: string) => boolean,
): readonly FinishedPrompt[] {
  const found: { prompt: Message; messages: Message[]; calls: number }[] = [];
  for (const message of messages) {
    const last = found.at(-1);
    const isDone = last === undefined || last.calls > 0 || isFolded(last.prompt.id);
    if (message.origin === 'human' && isDone) {
      found.push({ prompt: message, messages: [message], calls: 0 });
      continue;
    }
    if (last === undefined || STAYS.has(message.origin) || message.blocks.length === 0) continue;
    last.messages.push(message);
    if (message.role === 'assistant') last.calls++;
  }
  found.pop();
  return found.filter(({ prompt, calls }) => calls > 0 && !isFolded(prompt.id));
}
