import { createBlock } from '../../../core/model/block.js';
import { createMessage, type Message, tokensOf } from '../../../core/model/message.js';
import type { Answer } from '../../../core/run/action.js';
import type { LayoutPart, RulePart } from '../../../core/run/parts.js';
import type { Moment, TierContext } from '../../../core/run/tier.js';
import { summaryMessage } from '../full-compact/compact.js';
import { type Restored, restore } from '../restore/restore.js';
import { answerMessage } from './answers.js';
import type { Split } from './split-history.js';

/** A new history and what is told of it. */
export interface NewHistory {
  readonly messages: readonly Message[];
  readonly summary: Message | null;
  readonly restored: Restored | null;
  /** True tokens of all of it. */
  readonly tokens: number;
}

/** What a new history is laid out from. */
export interface Laid {
  readonly id: string;
  readonly rule: RulePart;
  readonly split: Split;
  readonly answer: Answer | null;
  readonly trigger: 'auto' | 'manual' | 'reactive';
}

/** Lays out a new history, piece by piece in the order of the rule. */
export function layOut(
  { id, rule, split, answer, trigger }: Laid,
  moment: Moment,
  context: TierContext,
): NewHistory {
  const restored = restoredFor(id, rule, split, moment, context);
  const messages: Message[] = [];
  let summary: Message | null = null;
  for (const piece of rule.layout) {
    const of = pieceOf(piece);
    messages.push(...of);
    if (piece.kind === 'summary') summary = of[0] ?? null;
  }
  return {
    messages,
    summary,
    restored,
    tokens: tokensOf(messages),
  };

  function pieceOf(piece: LayoutPart): readonly Message[] {
    switch (piece.kind) {
      case 'boundary':
        return [
          createMessage({
            id: `${id}-boundary`,
            role: 'user',
            origin: 'boundary',
            blocks: [],
            at: moment.now,
          }),
        ];
      case 'first':
        return split.first;
      case 'tail':
        return split.tail;
      case 'user-messages':
        return split.user;
      case 'last-prompt':
        return split.lastPrompt === null ? [] : [split.lastPrompt];
      case 'summary':
        if (answer === null) return [];
        if (piece.frame === 'standard')
          return [summaryMessage(id, moment, context, { trigger }, answer, { style: 'full' })];
        return [answerMessage(`${id}-summary`, moment.now, piece.role, answer)];
      case 'images':
        return imagesOf(id, split.older, piece.n, moment.now);
      case 'files':
        return restored === null ? [] : restored.messages.filter((message) => kindOf(message) !== 'standing');
      case 'todos':
        return restored === null ? [] : restored.messages.filter((message) => kindOf(message) === 'standing');
      default:
        return piece.tokens === 0 ? [] : [fixedMessage(id, piece.kind, piece.tokens, moment.now)];
    }
  }
}

function kindOf({ blocks }: Message): string | undefined {
  return blocks[0]?.facts.attachment;
}

/** The newest images of what goes, in one message; images inside tool results cannot stand without them. */
function imagesOf(id: string, older: readonly Message[], n: number, at: number): readonly Message[] {
  const blocks = older
    .flatMap((message) => (message.role === 'user' ? message.blocks : []))
    .filter(({ kind }) => kind === 'image')
    .slice(-n);
  if (blocks.length === 0) return [];
  return [createMessage({ id: `${id}-images`, role: 'user', origin: 'attachment', blocks, at })];
}

/** A message of a fixed size: facts of the environment, an acknowledgement, a closing line. */
function fixedMessage(id: string, kind: 'env' | 'ack' | 'trailer', tokens: number, at: number): Message {
  const role = kind === 'ack' ? 'assistant' : 'user';
  const block = createBlock({ kind: 'text', role, tokens, text: `[${kind} of a new history]` });
  return createMessage({
    id: `${id}-${kind}`,
    role,
    origin: kind === 'ack' ? 'model' : 'meta',
    blocks: [block],
    at,
  });
}

/** Files and standing work that come back; null where the layout has neither. */
function restoredFor(
  id: string,
  { layout, select }: RulePart,
  split: Split,
  { now }: Moment,
  context: TierContext,
): Restored | null {
  const has = (kind: LayoutPart['kind']): boolean => layout.some((piece) => piece.kind === kind);
  if (!has('files') && !has('todos')) return null;
  const files = select.keep.recentFiles;
  const params = {
    ...context.params,
    'restore.enabled': true,
    'restore.files': files?.n ?? 0,
    ...(files === null || files.each >= MANY ? {} : { 'restore.fileTokens': files.each }),
    ...(files === null || files.total >= MANY ? {} : { 'restore.filesTotalTokens': files.total }),
  };
  return restore(
    { ...context, params },
    { before: split.first, after: split.tail },
    { at: now, id: `${id}-restored` },
  );
}

const MANY = 1e9;
