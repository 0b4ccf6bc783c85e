import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { scratchpadShare } from '../../../core/model/format-summary.js';
import { literalText } from '../../../core/model/text.js';
import type { Answer } from '../../../core/run/action.js';
import type { FaultKind } from '../../../core/run/run-plan.js';
import type { CassetteAnswer } from '../summaries/cassette.js';
import type { ComposedAnswer } from './compose-answer.js';

/** Faults that replace the words of an answer by those of the fake LLM. */
export const FAULTS_OF_WORDS: ReadonlySet<FaultKind> = new Set<FaultKind>([
  'empty_summary',
  'error_as_summary',
  'tool_call',
  'no_summary_tags',
  'cut_summary',
]);

function formOf({ text, stopReason }: CassetteAnswer): Answer['form'] {
  if (text.trim() === '') return 'empty';
  if (stopReason === 'max_tokens') return 'cut';
  return /<summary>[\s\S]*<\/summary>/.test(text) ? 'normal' : 'untagged';
}

/** A summary that a model has written. Its length is what was billed, shared out to scratchpad and summary by their characters. */
export function answerOfCassette(kept: CassetteAnswer, asked: Digest): ComposedAnswer {
  const { text, usage } = kept;
  const scratchpadTokens = Math.round(usage.output * scratchpadShare(text));
  return {
    text: literalText(text),
    tokens: text.trim() === '' ? 0 : usage.output - scratchpadTokens,
    sections: null,
    scratchpadTokens,
    digest: chainDigest(asked, digestText(text)),
    form: formOf(kept),
    stopReason: kept.stopReason === 'max_tokens' ? 'max_tokens' : 'end_turn',
    isReal: true,
    outputTokens: usage.output,
  };
}
