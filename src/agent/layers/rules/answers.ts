import { chainDigest, digestText } from '../../../core/base/digest.js';
import { createBlock } from '../../../core/model/block.js';
import { createMessage, type Message, tokensOf } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Answer } from '../../../core/run/action.js';

/** Several answers as one: what stands in the history is all of them. */
export function joined(answers: readonly Answer[]): Answer {
  const [only] = answers;
  if (answers.length === 1) return only!;
  const chars = answers.reduce((sum, { text }) => sum + text.chars, 0);
  const last = answers.at(-1)!;
  return {
    ...last,
    text: lazyText(chars, () => answers.map(({ text }) => text.read()).join('')),
    tokens: answers.reduce((sum, { tokens }) => sum + tokens, 0),
    scratchpadTokens: answers.reduce((sum, { scratchpadTokens }) => sum + scratchpadTokens, 0),
    digest: answers.reduce((digest, answer) => chainDigest(digest, answer.digest), digestText('joined')),
  };
}

/** An answer as a message of the conversation that asked for it; one without words is still a message. */
export function answerMessage(id: string, at: number, role: Message['role'], answer: Answer): Message {
  const block = createBlock({
    kind: 'text',
    role,
    tokens: Math.max(1, answer.tokens),
    chars: answer.text.chars,
    digest: chainDigest(answer.digest, digestText('summary')),
    text: answer.text,
    facts: { replaces: 'summary' },
  });
  return createMessage({ id, role, origin: 'summary', blocks: [block], at });
}

/** A conversation as one text in one message: what a summariser gets that is not shown the messages themselves. */
export function asText(id: string, at: number, messages: readonly Message[]): Message {
  let digest = digestText('conversation as text');
  let chars = 0;
  for (const { blocks } of messages) {
    for (const block of blocks) {
      digest = chainDigest(digest, block.digest);
      chars += block.chars;
    }
  }
  const tokens = tokensOf(messages);
  const text = lazyText(chars, () =>
    messages
      .flatMap(({ blocks }) => blocks.map((block) => block.text?.read() ?? ''))
      .join('')
      .padEnd(chars)
      .slice(0, chars),
  );
  const block = createBlock({ kind: 'text', role: 'user', tokens, chars, digest, text });
  return createMessage({ id, role: 'user', origin: 'directive', blocks: [block], at });
}
