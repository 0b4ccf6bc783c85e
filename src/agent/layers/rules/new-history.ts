import { chainDigest, digestText } from '../../../core/base/digest.js';
import { formatSummary, formattedChars } from '../../../core/model/format-summary.js';
import { createMessage, type Message, textMessage, tokensOf } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Answer } from '../../../core/run/action.js';
import type { HookContext, LayerContext } from '../../../core/run/layer.js';
import { type HookRun, hookMessages } from '../hooks/hook-runs.js';
import { type Restored, restore } from '../restore/restore.js';
import { param } from '../support/param-reader.js';
import type { SummaryStyle } from './prompt.js';
import type { CompactionRule, LayoutPiece } from './rule-state.js';
import type { Split } from './split-history.js';

/** A new history and what the report needs of it. */
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
  readonly rule: Pick<CompactionRule, 'layout' | 'select'>;
  readonly split: Split;
  readonly style: SummaryStyle;
  readonly answer: Answer | null;
  readonly trigger: 'auto' | 'manual' | 'reactive' | 'idle';
  /** Hooks whose words enter the new history. */
  readonly hooks: readonly HookRun[];
}

/** Lays out a new history, piece by piece in the order of the rule. */
export function layOut(laid: Laid, moment: HookContext, context: LayerContext): NewHistory {
  const { id, rule, split, style, answer, trigger, hooks } = laid;
  const restored = restoredFor(laid, moment, context);
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

  function pieceOf(piece: LayoutPiece): readonly Message[] {
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
        if (piece.frame === 'standard') return [framedSummary(id, moment, context, trigger, style, answer)];
        return [answerMessage(`${id}-summary`, moment.now, piece.role, answer)];
      case 'images':
        return imagesOf(id, split.older, piece.n, moment.now);
      case 'restored':
        return restored?.messages ?? [];
      case 'hooks':
        return hookMessages(hooks, `${id}-hook`, moment.now);
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
  const said =
    kind === 'ack' ? ({ role: 'assistant', origin: 'model' } as const) : ({ origin: 'meta' } as const);
  return textMessage({ id: `${id}-${kind}`, at, ...said }, { tokens, text: `[${kind} of a new history]` });
}

/** Files and standing work that come back; null if the layout has neither. `restored` goes by the parameters alone. */
function restoredFor(
  { id, rule: { layout, select }, split }: Laid,
  { now }: HookContext,
  context: LayerContext,
): Restored | null {
  const files = select?.keep.recentFiles ?? null;
  const has = (kind: LayoutPiece['kind']): boolean => layout.some((piece) => piece.kind === kind);
  const kept = { before: split.first, after: split.tail };
  const place = { at: now, id: `${id}-restored` };
  if (has('restored')) return restore(context, kept, place);
  if (!has('files') && !has('todos')) return null;
  const params = {
    ...context.params,
    'restore.enabled': true,
    'restore.files': files?.n ?? 0,
    ...(files === null || files.each >= MANY ? {} : { 'restore.fileTokens': files.each }),
    ...(files === null || files.total >= MANY ? {} : { 'restore.filesTotalTokens': files.total }),
  };
  return restore({ ...context, params }, kept, place);
}

const MANY = 1e9;

/** Opening of a summary message, and what is added for automatic compaction (FUL-3). */
const OPENING =
  'This session goes on from an earlier conversation that no longer fits the context. What happened in it:\n\n';
const GO_ON =
  '\n\nGo on with the work where it stopped. Do not ask whether to go on and do not repeat this summary.';
const GO_ON_AUTONOMOUSLY =
  '\n\nGo on with the work loop where it stopped; nobody is there to answer questions.';

/** True tokens of the frame around a summary. */
export const SUMMARY_FRAME_TOKENS = 45;

/** A summary in its frame, as it opens the new history (FUL-3). */
function framedSummary(
  id: string,
  { now }: HookContext,
  { params }: LayerContext,
  trigger: Laid['trigger'],
  style: SummaryStyle,
  answer: Answer,
): Message {
  const scratchpad = param.text(params, 'compact.scratchpad') === 'keep' ? 'relabel' : 'drop';
  const tokens =
    answer.tokens + (scratchpad === 'relabel' ? answer.scratchpadTokens : 0) + SUMMARY_FRAME_TOKENS;
  const closing =
    trigger === 'manual' ? '' : param.isOn(params, 'compact.autonomous') ? GO_ON_AUTONOMOUSLY : GO_ON;
  const chars = OPENING.length + formattedChars(answer, scratchpad) + closing.length;
  return textMessage(
    { id: `${id}-summary`, origin: 'summary', at: now },
    {
      tokens,
      chars,
      digest: chainDigest(answer.digest, digestText(`${trigger} ${style} ${scratchpad}`)),
      text: lazyText(chars, () => OPENING + formatSummary(answer.text.read(), scratchpad) + closing),
      facts: { replaces: 'summary' },
    },
  );
}

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
  const { text, tokens } = answer;
  const digest = chainDigest(answer.digest, digestText('summary'));
  return textMessage(
    { id, role, origin: 'summary', at },
    { tokens: Math.max(1, tokens), chars: text.chars, digest, text, facts: { replaces: 'summary' } },
  );
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
  return textMessage({ id, origin: 'directive', at }, { tokens, chars, digest, text });
}
