import { chainDigest, type Digest, digestText } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { isGroup } from '../../../core/base/problem.js';
import { scratchpadShare } from '../../../core/model/format-summary.js';
import { literalText } from '../../../core/model/text.js';
import type { Answer } from '../../../core/run/action.js';
import type { FaultKind } from '../../../core/run/run-plan.js';
import type { ModelRow } from '../../prices/model-row.js';
import type { ComposedAnswer } from '../answers/compose-answer.js';
import type { SummaryRequest } from './summary-request.js';

/** A summary that a model has written, by the digest of its request. */
export interface CassetteAnswer {
  readonly key: string;
  readonly model: string;
  readonly text: string;
  readonly stopReason: string;
  readonly usage: { readonly input: number; readonly output: number };
  /** What it has cost, in dollars. */
  readonly usd: number;
}

/** A request that a cassette has no answer to. */
export class UnknownRequest extends CcbenchError {
  constructor(
    readonly key: string,
    readonly request: SummaryRequest,
    /** Model that is asked. */
    readonly row: ModelRow,
    file: string,
    asker: string,
  ) {
    super('bad-input', `the cassette has no answer to ${key}, which ${asker}`, {
      place: { file },
      hint: '--set llm.mode=live asks the API for it and keeps the answer in the cassette; that needs ANTHROPIC_API_KEY',
    });
  }
}

/** Answers by the digest of their request. A request that was answered twice keeps its first answer. */
export class Cassette {
  private readonly answers = new Map<string, CassetteAnswer>();
  private spentUsd = 0;
  private asked = 0;

  constructor(
    /** As messages call it. */
    readonly file: string,
    /** Lines of JSON, as they are kept. */
    lines: string,
  ) {
    for (const [i, line] of lines.split('\n').entries())
      if (line !== '') this.add(readLine(line, file, i + 1));
  }

  add(answer: CassetteAnswer): void {
    this.spentUsd += answer.usd;
    if (!this.answers.has(answer.key)) this.answers.set(answer.key, answer);
  }

  find(key: string): CassetteAnswer | null {
    this.asked++;
    return this.answers.get(key) ?? null;
  }

  /** Dollars that its answers have cost together. */
  get usd(): number {
    return this.spentUsd;
  }

  /** Whether a run has asked for anything. */
  get isUsed(): boolean {
    return this.asked > 0;
  }
}

function readLine(line: string, file: string, number: number): CassetteAnswer {
  const read = parsed(line);
  if (isAnswer(read)) return read;
  throw new CcbenchError('bad-input', 'this line of the cassette is damaged', {
    place: { file, line: number },
    hint: 'remove the line; llm: live asks for its answer again',
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function isAnswer(read: unknown): read is CassetteAnswer {
  if (!isGroup(read) || !isGroup(read.usage)) return false;
  const { key, model, text, stopReason, usd, usage } = read;
  return (
    [key, model, text, stopReason].every((word) => typeof word === 'string') &&
    [usage.input, usage.output].every((count) => Number.isSafeInteger(count) && (count as number) >= 0) &&
    typeof usd === 'number' &&
    usd >= 0
  );
}

/** An answer as a line of a cassette. */
export function cassetteLine(answer: CassetteAnswer): string {
  return `${JSON.stringify(answer)}\n`;
}

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
