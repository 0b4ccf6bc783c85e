import type { Message } from '../../../core/model/message.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';
import { CLOSING_TOKENS } from '../../../core/run/edit-price.js';
import type { ContextView } from '../../../core/run/tier.js';
import { handedBack } from '../auto-memory/fork-turns.js';
import { quietReport } from '../support/quiet-report.js';

const LAYER = 'session-memory';
const BY: Asker = { layer: LAYER, reason: 'the edits of the notes are in the file' };

const NOTHING: readonly Message[] = [];

/** A fork that has answered with edits. */
export interface EditingFork {
  readonly id: string;
  /** The conversation that it was sent, and what it was told behind it. */
  readonly messages: readonly Message[];
  readonly instruction: Message;
  readonly outputTokens: number;
  readonly edits: number;
}

/** Sends the results of the edits back; the fork ends with a few words (SES-3, C31). Nothing depends on them any more. */
export function* closeFork(
  fork: EditingFork,
  at: number,
  view: ContextView,
): Generator<Action, void, Outcome> {
  const { id, messages, instruction, outputTokens, edits } = fork;
  const { calls, results } = handedBack(`${id}-edits`, edits, outputTokens, at);
  const outcome = yield {
    kind: 'ask',
    by: BY,
    request: {
      purpose: 'session_memory',
      shape: { kind: 'fork' },
      messages,
      ownTurns: [instruction, calls],
      about: NOTHING,
      instruction: results,
      write: 'write',
      maxOutputTokens: null,
      retries: 0,
      mode: 'background',
      answer: { kind: 'short', tokens: CLOSING_TOKENS },
    },
  };
  const failure = outcome.kind === 'failed' ? outcome.failure.reason : null;
  yield quietReport(LAYER, view, {
    action: 'close',
    outcome: failure === null ? 'done' : 'failed',
    reason: BY.reason,
    failure,
    details: { edits },
  });
}
