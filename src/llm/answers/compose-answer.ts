import { chainDigest, type Digest, digestParts, digestText, formatDigest } from '../../base/digest.js';
import type { Random } from '../../base/random.js';
import type { Answer, AnswerSpec } from '../../model/action.js';
import { CHARS_PER_TOKEN } from '../../model/block.js';
import type { Message } from '../../model/message.js';
import type { FakeLlmPlan, FaultRule } from '../../model/run-plan.js';
import { literalText, type Text } from '../../model/text.js';
import { excerpt } from './exact-text.js';
import { composeMemories, strayMemories } from './memories.js';
import { composeNotes } from './notes.js';
import { composeSummary } from './summary.js';

/** What the fake LLM writes; sizes are known at once, long texts are built when read. */
export interface ComposedAnswer
  extends Pick<Answer, 'text' | 'tokens' | 'scratchpadTokens' | 'digest' | 'form' | 'stopReason'> {
  /** Tokens that are billed. */
  readonly outputTokens: number;
}

/** Output of an answer without text: the API bills at least one token. */
const EMPTY_OUTPUT_TOKENS = 1;
/** Output of an unwanted tool call (assumed). */
const TOOL_CALL_TOKENS = 80;
/** An error returned as if it were the answer (FUL-7). */
const ERROR_TEXT =
  'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}';
const SHORT_VERBS = ['Reading', 'Editing', 'Checking', 'Testing'];

interface Written {
  readonly text: Text;
  readonly tokens: number;
  readonly scratchpadTokens: number;
}

function sized(text: string): Written {
  return { text: literalText(text), tokens: Math.ceil(text.length / CHARS_PER_TOKEN), scratchpadTokens: 0 };
}

/** Digest of what was asked: every block sent, the instruction, the kind of answer; texts stay unread. */
function digestQuestion(spec: AnswerSpec, messages: readonly Message[], instruction: Message): Digest {
  let digest = digestParts(['answer', spec.kind, spec.kind === 'summary' ? spec.style : '']);
  for (const message of messages)
    for (const block of message.blocks) digest = chainDigest(digest, block.digest);
  for (const block of instruction.blocks) digest = chainDigest(digest, block.digest);
  if (spec.kind === 'notes') for (const name of spec.condense) digest = chainDigest(digest, digestText(name));
  if (spec.kind === 'notes' && spec.previous !== null)
    digest = chainDigest(digest, digestText(spec.previous));
  return digest;
}

/** Three to five words on what is going on. */
function shortText(messages: readonly Message[], random: Random): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    for (const block of messages[i]!.blocks) {
      const name = block.facts.path?.split('/').at(-1);
      if (name !== undefined)
        return `${random.pick(SHORT_VERBS)} the file ${excerpt(name, 40).replace(/ /g, '-')}`;
      if (block.tool !== null) return `Waiting for ${block.tool.replace(/ /g, '-')} results`;
    }
  }
  return 'Thinking about the request';
}

function write(
  spec: AnswerSpec,
  messages: readonly Message[],
  plan: FakeLlmPlan,
  random: Random,
  tags: 'tagged' | 'untagged',
): Written {
  switch (spec.kind) {
    case 'summary':
      return composeSummary(messages, spec.style, plan, random, tags);
    case 'notes':
      return { ...composeNotes(messages, spec.previous, spec.condense, plan, random), scratchpadTokens: 0 };
    case 'memories':
      return sized(composeMemories(messages, spec.existing));
    case 'short':
      return { text: literalText(shortText(messages, random)), tokens: spec.tokens, scratchpadTokens: 0 };
  }
}

/**
 * Composes the answer to a layer's question from the messages that were sent. Equal questions get equal answers: all
 * chance comes from the generator's seed and the digests of the question, never from what was drawn before.
 */
export function composeAnswer(
  spec: AnswerSpec,
  messages: readonly Message[],
  instruction: Message,
  plan: FakeLlmPlan,
  random: Random,
  fault: FaultRule | null,
): ComposedAnswer {
  const question = digestQuestion(spec, messages, instruction);
  const own = random.split(`answer ${formatDigest(question)}`);
  const digest = chainDigest(question, own.integer(0, 2 ** 31));
  const fail = (form: Answer['form'], text: string, outputTokens: number): ComposedAnswer => ({
    ...sized(text),
    outputTokens,
    digest: digestText(form, digest),
    form,
    stopReason: form === 'tool-call' ? 'tool_use' : 'end_turn',
  });
  switch (fault?.error) {
    case 'empty_summary':
      return fail('empty', '', EMPTY_OUTPUT_TOKENS);
    case 'error_as_summary':
      return fail('error', ERROR_TEXT, sized(ERROR_TEXT).tokens);
    case 'tool_call':
      return fail('tool-call', '', TOOL_CALL_TOKENS);
  }
  const isUntagged = fault?.error === 'no_summary_tags' && spec.kind === 'summary';
  const isStray = fault?.error === 'stray_write' && (spec.kind === 'memories' || spec.kind === 'short');
  const written = isStray
    ? sized(strayMemories())
    : write(spec, messages, plan, own, isUntagged ? 'untagged' : 'tagged');
  return {
    ...written,
    outputTokens: written.tokens + written.scratchpadTokens,
    digest: isUntagged ? digestText('untagged', digest) : digest,
    form: isUntagged ? 'untagged' : 'normal',
    stopReason: 'end_turn',
  };
}
