import { type Block, createBlock } from '../../core/model/block.js';
import { createMessage, type Message } from '../../core/model/message.js';

/** How children of one turn are laid out (AGT-2). */
export type ForkLayout = 'shared' | 'own-results' | 'own-system';

/** What every call of the turn gets as its result while the children are at work. */
const PLACEHOLDER = '[this agent is at work: its result follows]';
const PLACEHOLDER_TOKENS = 12;

/** In the history of every child: a thread with it may not fork again (AGT-3). */
const MARKER = '<forked-agent>You are a fork: do the task below yourself and start no agents.</forked-agent>';
const MARKER_TOKENS = 24;
const MARKER_FACT = 'fork-marker';

/** The message between the parent's response and a child's directive: the same bytes for every child (AGT-2). */
export function childLead(
  toolUses: readonly Block[],
  layout: ForkLayout,
  child: number,
  at: number,
): Message {
  const text = layout === 'own-results' ? `${PLACEHOLDER} ${child}` : PLACEHOLDER;
  const results = toolUses.map(({ tool, toolUseId }) =>
    createBlock({ kind: 'tool_result', role: 'user', tokens: PLACEHOLDER_TOKENS, text, tool, toolUseId }),
  );
  const marker = createBlock({
    kind: 'text',
    role: 'user',
    tokens: MARKER_TOKENS,
    text: MARKER,
    facts: { attachment: MARKER_FACT },
  });
  return createMessage({ id: 'fork-lead', role: 'user', origin: 'meta', blocks: [...results, marker], at });
}

/** A prefix with one byte of its system prompt changed. */
export function changedPrefix(prefix: readonly Block[], label: string): readonly Block[] {
  const last = prefix.findLastIndex((block) => block.role === 'system');
  return prefix.map((block, i) =>
    i === last
      ? createBlock({
          kind: block.kind,
          role: block.role,
          tokens: block.tokens,
          chars: block.chars,
          text: `system prompt, ${label}`,
          facts: block.facts,
        })
      : block,
  );
}

/** True for a history that carries the marker of a fork (AGT-3). */
export function carriesForkMarker(messages: readonly Message[]): boolean {
  return messages.some((message) => message.blocks.some((block) => block.facts.attachment === MARKER_FACT));
}
