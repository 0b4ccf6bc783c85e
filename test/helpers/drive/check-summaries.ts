import type { Message } from '../../../src/core/model/message.js';
import type { RulePart } from '../../../src/core/run/policy-rules.js';
import type { FaultKind, RunPlan } from '../../../src/core/run/run-plan.js';
import type { CapturedRun, Sent } from '../capture.js';
import { must } from '../must.js';

/** Faults under which an answer holds no summary; some clients take it all the same. */
const FAULTY_ANSWERS = new Set<FaultKind>(['empty_summary', 'cut_summary', 'error_as_summary', 'tool_call']);

const TOO_LONG = /too.long/i;

/**
 * INV-14: every message of the user since the last boundary that leaves the context is in the summary that takes its place. Each
 * replacement is held against the summary it brought, so two of them between two requests are judged one by one. A summary of
 * summaries quotes nobody.
 */
export function checkSummaries({ sent, replaced, plan }: CapturedRun & { readonly plan: RunPlan }): void {
  if (plan.llm.faults.some(({ call, error }) => call === 'compact' && FAULTY_ANSWERS.has(error))) return;
  const rules = plan.policy.rules?.rules ?? [];
  if (rules.some(({ ask }) => ask?.calls.kind === 'chunks' && ask.calls.depth > 1)) return;
  if (rules.some((rule) => leavesOut(rule, rules))) return;
  const quoteTokens = Number(plan.policy.params['compact.quoteTokens'] ?? Number.POSITIVE_INFINITY);
  let judged = 0;
  for (const { before, after, requests } of replaced) {
    const own = asked(sent, judged, requests);
    judged = requests;
    // No answer: no summary of the model. One too long: what did not fit was left out of it.
    if (
      own.at(-1)?.answered !== true ||
      own.some(({ refusal }) => refusal !== null && TOO_LONG.test(refusal))
    )
      continue;
    const known = new Set(before.map(({ id }) => id));
    const summaries = textsOf(after.filter(({ id, origin }) => origin === 'summary' && !known.has(id)));
    if (summaries.length === 0) continue;
    const here = new Set(after.map(({ id }) => id));
    const humans = sinceBoundary(before).filter(({ origin }) => origin === 'human');
    const limit = fitsWhole(humans) ? quoteTokens : 1;
    for (const message of humans) {
      if (here.has(message.id)) continue;
      for (const words of quoted(message, limit)) {
        must(
          summaries.some((text) => text.includes(words)),
          () => `INV-14 turn ${own.at(-1)!.turn}: the summary has lost "${words.slice(0, 80)}"`,
        );
      }
    }
  }
}

/** Whether a rule asks for a summary of less than it replaces: what is not sent is in no summary. */
function leavesOut({ ask }: RulePart, rules: readonly RulePart[]): boolean {
  if (ask === null) return false;
  const { lastTokens, scope } = ask.input;
  // What stays may stand in front of the summary that it came after.
  const isBehind = rules.some(({ layout }) => layout.findIndex(({ kind }) => kind === 'summary') > 0);
  return lastTokens !== null || (scope === 'since-last' && isBehind);
}

/** The requests for a summary that came last before a replacement, and after the one before it. */
function asked(sent: readonly Sent[], from: number, to: number): readonly Sent[] {
  let first = to;
  while (first > from && sent[first - 1]!.purpose === 'compact') first--;
  return sent.slice(first, to);
}

function sinceBoundary(messages: readonly Message[]): readonly Message[] {
  return messages.slice(messages.findLastIndex(({ origin }) => origin === 'boundary') + 1);
}

function textsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ blocks }) => blocks.flatMap(({ text }) => (text === null ? [] : [text.read()])));
}

/** Characters of the user's words that fit into the smallest maximal output of a model, 8,192 tokens, with room to spare. */
const FITTING_CHARS = 12_000;

/** Whether a summary has room for all the words: otherwise they are quoted by shorter heads and tails (C41). */
function fitsWhole(humans: readonly Message[]): boolean {
  return textsOf(humans).reduce((sum, text) => sum + text.length, 0) <= FITTING_CHARS;
}

/** Characters at the head of a long message that are looked for. */
const HEAD_CHARS = 200;

/** What a summary has to hold of a message: all of its words, or the head of a long one, half of what may be quoted. */
function quoted({ blocks }: Message, quoteTokens: number): readonly string[] {
  const said = blocks.filter(
    ({ kind, text, facts }) => kind === 'text' && text !== null && facts.attachment === undefined,
  );
  const texts = said.map(({ text }) => text!.read());
  const tokens = said.reduce((sum, block) => sum + block.tokens, 0);
  if (tokens <= quoteTokens) return texts.map((text) => text.trim());
  const chars = texts.reduce((sum, text) => sum + text.length, 0);
  const head = Math.min(HEAD_CHARS, Math.floor((chars * quoteTokens) / tokens / 2));
  return texts.slice(0, 1).map((text) => text.slice(0, head).trim());
}
