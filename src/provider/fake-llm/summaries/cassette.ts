import { canonicalJson, chainDigest, type Digest, digestText, sha256Hex } from '../../../core/base/digest.js';
import { attempt, CcbenchError, isGroup } from '../../../core/base/errors.js';
import { type Block, mediaCount } from '../../../core/model/block.js';
import { scratchpadShare } from '../../../core/model/format-summary.js';
import type { Message, MessageOrigin } from '../../../core/model/message.js';
import { literalText } from '../../../core/model/text.js';
import type { Answer, AskRequest } from '../../../core/run/action.js';
import type { FaultKind, RunPlan } from '../../../core/run/run-plan.js';
import type { ModelRow } from '../../prices/model-row.js';
import type { ComposedAnswer } from '../answers/compose-answer.js';

/** A request for a summary as the API gets it: all of it is part of its digest. */
interface SummaryRequest {
  readonly model: string;
  readonly max_tokens: number;
  /** Where the model would think by itself: what it thinks is no part of a summary's length. */
  readonly thinking?: { readonly type: 'disabled' };
  readonly messages: readonly { readonly role: Message['role']; readonly content: string }[];
}

/** What represents a request in a cassette. */
export function requestKey(request: SummaryRequest): string {
  return sha256Hex(canonicalJson(request)).slice(0, 32);
}

/** What the session said and did: without its words there is nothing to summarise. */
const SPOKEN: ReadonlySet<MessageOrigin> = new Set(['human', 'model', 'tool', 'command', 'summary']);

/** The words of a block; null if nothing of it is sent. */
function wordsOf(block: Block, { origin }: Message): string | null {
  const { kind, text, facts } = block;
  // Sealed with the prefix it was made with (preserved thinking): another request may not hold it.
  if (kind === 'thinking') return null;
  if (kind === 'image' || kind === 'document') return `[${kind}]`;
  const media = mediaCount(facts);
  if (text === null && media === 0) {
    if (SPOKEN.has(origin)) throw withoutText(block);
    return null;
  }
  const words = `${text?.read() ?? ''}${'[image]'.repeat(media)}`.trimEnd();
  if (words.trim() === '') return null;
  return kind === 'tool_use' || kind === 'tool_result'
    ? `[${kind === 'tool_use' ? 'tool call' : 'tool result'}] ${words}`
    : words;
}

function withoutText({ kind, tokens }: Block): CcbenchError {
  return new CcbenchError(
    'not-supported',
    `a summary cannot be asked for: a ${kind} of ${tokens} tokens has no text in this transcript`,
    {
      hint: 'llm: live and llm: cassette need a recording with text; --set llm=fake draws the length of summaries',
    },
  );
}

/**
 * The request that is sent for a layer's question: the conversation as text and the instruction. System prompt, tools and the
 * reminder in front are left out, since recordings hold them by size alone.
 */
export function summaryRequest(asked: AskRequest, row: ModelRow, model: string): SummaryRequest {
  // A conversation shown as one text says nothing of blocks without words; those that it is made of do.
  for (const message of asked.about ?? []) for (const block of message.blocks) wordsOf(block, message);
  const messages: { readonly role: Message['role']; content: string }[] = [];
  for (const message of [...asked.messages, ...(asked.ownTurns ?? []), asked.instruction]) {
    if (message.origin === 'context') continue;
    const words = message.blocks.flatMap((block) => wordsOf(block, message) ?? []).join('\n\n');
    if (words === '') continue;
    const last = messages.at(-1);
    if (last?.role === message.role) last.content += `\n\n${words}`;
    else messages.push({ role: message.role, content: words });
  }
  return {
    model,
    max_tokens: Math.min(asked.maxOutputTokens ?? Number.POSITIVE_INFINITY, row.maxOutput),
    ...(row.defaults.thinking === 'adaptive' ? { thinking: { type: 'disabled' } } : {}),
    messages,
  };
}

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
  const read: unknown = attempt(() => JSON.parse(line), null);
  if (isAnswer(read)) return read;
  throw new CcbenchError('bad-input', 'this line of the cassette is damaged', {
    place: { file, line: number },
    hint: 'remove the line; llm: live asks for its answer again',
  });
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

/** A plan whose summaries come from a cassette needs one: studies, which run by the thousand and elsewhere, bring none. */
export function checkCassette({ llm }: RunPlan, cassette?: Cassette): void {
  if (llm.cassette === undefined || cassette !== undefined) return;
  throw new CcbenchError('not-supported', 'summaries of a model work with ccbench run alone', {
    hint: 'run the scenario with ccbench run, or draw the length of summaries with --set llm=fake',
  });
}
