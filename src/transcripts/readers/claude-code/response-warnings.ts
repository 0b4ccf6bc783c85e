import type { WarningList } from '../../../core/run/warning.js';
import type { DraftCall } from '../../drafts/draft.js';
import { type BilledOtherwise, tellBilledOtherwise } from './billed-otherwise.js';

/** What is known of the responses of a conversation once all of it is read. */
interface ReadResponses {
  readonly calls: ReadonlyMap<string, DraftCall>;
  readonly asked: ReadonlyMap<string, { readonly isAnswered: boolean }>;
  /** Responses that cost something else than their counts at the list price. */
  readonly otherwise: ReadonlyMap<string, readonly BilledOtherwise[]>;
}

/** Says what the responses of a conversation leave open. */
export function tellResponses({ calls, asked, otherwise }: ReadResponses, warnings: WarningList): void {
  let silent = 0;
  for (const { usage, outputIsUnsaid } of calls.values()) if (usage !== null && outputIsUnsaid) silent++;
  if (silent > 0) {
    warnings.add(
      'no-output-count',
      'responses do not say how many tokens they have',
      'their output is estimated from what they say',
      silent,
    );
  }
  let unanswered = 0;
  for (const { isAnswered } of asked.values()) if (!isAnswered) unanswered++;
  if (unanswered > 0)
    warnings.add('unanswered-tool-call', 'tool calls have no result in the file', null, unanswered);
  tellBilledOtherwise(otherwise.values(), warnings);
}
