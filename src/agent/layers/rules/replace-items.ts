import { chainDigest, digestText } from '../../../core/base/digest.js';
import type { FileContent } from '../../../core/base/files.js';
import {
  type Block,
  CHARS_PER_TOKEN,
  createBlock,
  mediaCount,
  uniformFacts,
} from '../../../core/model/block.js';
import { type Message, textMessage } from '../../../core/model/message.js';
import { lazyText } from '../../../core/model/text.js';
import type { Action, BlockEdit, Outcome } from '../../../core/run/action.js';
import type { ContextView, HookContext } from '../../../core/run/layer.js';
import type { ReplacePart } from '../../../core/run/policy-rules.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import { resultPath } from '../storage/replacements.js';
import { CLEARED_PLACEHOLDER } from '../support/compactable.js';
import { changeReport, sizeBefore } from '../support/compaction-report.js';
import { askForSummary } from './ask-summary.js';
import { chosenItems, type Item } from './items.js';
import { summaryInstruction } from './prompt.js';
import type { PolicyState, RuleState } from './rule-state.js';

const CLEARED = uniformFacts({ replaces: 'cleared' });

/** The block that replaces another; null if nothing does. Never larger than what it replaces. */
function replacementFor(block: Block, { with: how, tokens, head, tail }: ReplacePart): Block | null {
  const { kind, role, tool, toolUseId } = block;
  if (kind === 'thinking' || (how === 'nothing' && !(kind === 'tool_result' && mediaCount(block.facts) > 0)))
    return null;
  if (how === 'preview') {
    const shown = Math.min(block.chars, head + tail);
    const share = block.chars === 0 ? 0 : shown / block.chars;
    return createBlock({
      kind,
      role,
      tool,
      toolUseId,
      tokens: Math.min(block.tokens, Math.round(block.tokens * share) + tokens),
      chars: shown + CLEARED_PLACEHOLDER.length,
      digest: chainDigest(block.digest, digestText(`preview ${head} ${tail}`)),
      text:
        block.text === null
          ? null
          : lazyText(shown + CLEARED_PLACEHOLDER.length, () => previewText(block, head, tail)),
      facts: CLEARED,
    });
  }
  return createBlock({
    kind: kind === 'image' || kind === 'document' ? 'text' : kind,
    role,
    tool,
    toolUseId,
    tokens: Math.min(tokens, block.tokens),
    text:
      how === 'reference'
        ? `[the whole of it is in results/${toolUseId ?? 'content'}.txt]`
        : CLEARED_PLACEHOLDER,
    facts: CLEARED,
  });
}

function previewText({ text }: Block, head: number, tail: number): string {
  const words = text!.read();
  if (words.length <= head + tail) return words + CLEARED_PLACEHOLDER;
  return words.slice(0, head) + CLEARED_PLACEHOLDER + (tail === 0 ? '' : words.slice(-tail));
}

/** Edits, what they save, and the calls whose content is gone. */
interface Clearing {
  readonly edits: readonly BlockEdit[];
  readonly saved: number;
  readonly items: ReadonlySet<Item>;
  readonly calls: ReadonlySet<string>;
  readonly replaced: number;
  /** Texts of what goes to a file, by call. */
  readonly stored: readonly { readonly call: string; readonly text: FileContent }[];
}

/** Whether a rule has gone far enough. */
function reached(
  { rule: { until }, seen }: RuleState,
  state: PolicyState,
  view: ContextView,
  saved: number,
  chars: number,
): boolean {
  if (until === null || until.kind === 'every') return false;
  const limit = parseAmount(until.is.amount)(state.sizes, MIDDLE);
  if (until.kind === 'freed') return until.is.op === '>' ? saved > limit : saved >= limit;
  const value = until.kind === 'tokens' ? seen(view) - saved : state.results.chars - chars;
  return until.is.op === '<' ? value < limit : value <= limit;
}

/** What a rule would change now: its selection in order, until its low watermark is reached. */
function clearingOf(own: RuleState, state: PolicyState, view: ContextView): Clearing {
  const { rule, items } = own;
  const edits: BlockEdit[] = [];
  const done = new Set<Item>();
  const calls = new Set<string>();
  let saved = 0;
  let chars = 0;
  let replaced = 0;
  const stored: { readonly call: string; readonly text: FileContent }[] = [];
  const chosen = chosenItems(rule.select, items!, view, state.sizes, state.context.nextUse);
  const batch =
    rule.until?.kind === 'every' ? Math.floor(chosen.length / rule.until.n) * rule.until.n : chosen.length;
  for (let i = 0; i < batch; i++) {
    if (reached(own, state, view, saved, chars)) break;
    const item = chosen[i]!;
    done.add(item);
    const of = editsFor(item, rule.replace!, rule.select.what === 'pairs', view);
    if (of.length === 0) continue;
    const smaller = of.reduce((sum, { original, block }) => sum + original.tokens - (block?.tokens ?? 0), 0);
    if (smaller <= 0) continue; // INV-3
    saved += smaller;
    chars += item.chars;
    replaced++;
    if (item.toolUseId !== null) calls.add(item.toolUseId);
    for (const { messageId, blockIndex, block, original } of of) {
      edits.push({ messageId, blockIndex, block });
      if (original.toolUseId !== null && original.text !== null)
        stored.push({ call: original.toolUseId, text: original.text });
    }
  }
  return { edits, saved, items: done, calls, replaced, stored };
}

interface FoundEdit extends BlockEdit {
  readonly original: Block;
}

/** The edits of one item: one block, or a call with its result. */
function editsFor(
  item: Item,
  replace: ReplacePart,
  isPair: boolean,
  { messages }: ContextView,
): readonly FoundEdit[] {
  const found: FoundEdit[] = [];
  const last = isPair ? Math.min(messages.length, item.messageIndex + PAIR_REACH) : item.messageIndex + 1;
  for (let m = item.messageIndex; m < last; m++) {
    const { id: messageId, blocks } = messages[m]!;
    for (let blockIndex = 0; blockIndex < blocks.length; blockIndex++) {
      const original = blocks[blockIndex]!;
      if (!isOf(item, original, isPair)) continue;
      found.push({ messageId, blockIndex, original, block: replacementFor(original, replace) });
    }
    if (isPair && found.length === 2) break;
  }
  return isPair && found.length !== 2 ? [] : found;
}

/** Messages between a call and its result, at most. */
const PAIR_REACH = 64;

function isOf({ toolUseId, tokens, chars }: Item, block: Block, isPair: boolean): boolean {
  if (toolUseId !== null)
    return (
      block.toolUseId === toolUseId &&
      (isPair || (block.tokens === tokens && block.facts.replaces !== 'cleared'))
    );
  return block.toolUseId === null && block.tokens === tokens && block.chars === chars;
}

/** Replaces what a rule selects with placeholders, previews or nothing, and reports it. True when something changed. */
export function* replaceItems(
  moment: HookContext,
  view: ContextView,
  own: RuleState,
  state: PolicyState,
  reason: string,
): Generator<Action, boolean, Outcome> {
  const { rule } = own;
  const replace = rule.replace!;
  const clearing = clearingOf(own, state, view);
  own.items!.forget(clearing.items);
  const lines = replace.where === 'at-end' ? clearing.replaced * replace.tokens : 0;
  const saved = clearing.saved - lines;
  own.actedAt = own.seen(view) - saved;
  if (clearing.edits.length === 0) return false;
  const before = sizeBefore(view);
  const by = { layer: 'rules', reason } as const;
  if (replace.with === 'summary' && !(yield* askForItems(moment, view, own, state, clearing))) return false;
  if (replace.with === 'reference') {
    for (const { call, text } of clearing.stored)
      yield { kind: 'write-file', by, path: resultPath(state.context.thread, call), text };
  }
  yield {
    kind: 'rewrite-blocks',
    by,
    cause: 'microcompaction',
    keep: replace.where === 'server' ? 'server' : 'frozen',
    edits: clearing.edits,
  };
  if (replace.where === 'at-end')
    yield { kind: 'attach', by, message: lineMessage(moment, clearing.replaced, lines) };
  if (replace.lasts === 'each-request') own.leftOut += saved;
  for (const other of state.rules) if (other !== own) other.items?.forgetCalls(clearing.calls);
  state.results.forgetCalls(clearing.calls);
  yield changeReport(view, before, {
    layer: 'rules',
    action: 'clear',
    trigger: replace.where === 'server' ? 'server' : 'auto',
    reason,
    saved,
    details: { rule: rule.name, results: clearing.replaced },
  });
  return true;
}

/** Asks for the text that replaces items: a call for each, or one for all. False when one of them fails. */
function* askForItems(
  moment: HookContext,
  view: ContextView,
  { rule }: RuleState,
  state: PolicyState,
  { calls }: Clearing,
): Generator<Action, boolean, Outcome> {
  const ask = rule.ask!;
  const about = view.messages.filter(({ blocks }) =>
    blocks.some(({ toolUseId }) => toolUseId !== null && calls.has(toolUseId)),
  );
  const orders =
    ask.calls.kind === 'per-pair' ? [...calls].map((call) => about.filter(holds(call))) : [about];
  for (const [i, messages] of orders.entries()) {
    const id = `items-${moment.turn}-${moment.now}-${i}`;
    const words = moment.manual?.instructions ?? '';
    const result = yield* askForSummary({
      id,
      now: moment.now,
      place: state,
      rule: { ask: { ...ask, calls: { kind: 'one' } }, accept: rule.accept, fail: rule.fail },
      instruction: summaryInstruction(`${id}-instruction`, moment.now, 'full', words, [], null),
      style: 'full',
      messages,
      after: [],
    });
    if (!result.ok) return false;
  }
  return true;
}

function holds(call: string): (message: Message) => boolean {
  return ({ blocks }) => blocks.some(({ toolUseId }) => toolUseId === call);
}

/** One line for each item that was taken out, in one message at the end. */
function lineMessage({ turn, now }: HookContext, count: number, tokens: number): Message {
  const text = `[${count} earlier calls, a line each]`;
  const chars = Math.round(tokens * CHARS_PER_TOKEN);
  return textMessage(
    { id: `lines-${turn}-${now}`, origin: 'attachment', at: now },
    { tokens, text, chars, facts: { replaces: 'summary' } },
  );
}
