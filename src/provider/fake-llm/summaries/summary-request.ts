import { canonicalJson, sha256Hex } from '../../../core/base/digest.js';
import { CcbenchError } from '../../../core/base/errors.js';
import { type Block, mediaCount } from '../../../core/model/block.js';
import type { Message, MessageOrigin } from '../../../core/model/message.js';
import type { AskRequest } from '../../../core/run/action.js';
import type { ModelRow } from '../../prices/model-row.js';

/** A request for a summary as the API gets it: all of it is part of its digest. */
export interface SummaryRequest {
  readonly model: string;
  readonly max_tokens: number;
  /** Where the model would think by itself: what it thinks is no part of a summary's length. */
  readonly thinking?: { readonly type: 'disabled' };
  readonly messages: readonly { readonly role: Message['role']; readonly content: string }[];
}

/** What stands for a request in a cassette. */
export function requestKey(request: SummaryRequest): string {
  return sha256Hex(canonicalJson(request)).slice(0, 32);
}

/** What the session said and did: without its words there is nothing to summarise. */
const SPOKEN: ReadonlySet<MessageOrigin> = new Set(['human', 'model', 'tool', 'command', 'summary']);

/** The words of a block; null where nothing of it is sent. */
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
