import type { AgentMessage, Thread } from '../../core/model/transcript.js';
import type { ForkSpec, LetterSpec } from './spec.js';
import { ThreadWriter } from './thread-writer.js';

/** Output and growth of a call in recorded sessions, medians (E6). */
const OUTPUT_TOKENS = 291;
const RESULT_TOKENS = 599;
const CALL_MS = 6_000;
const TOOL_MS = 1_000;
const CHARS_PER_TOKEN = 4;
const DIRECTIVE_TOKENS = 120;
const LETTER_TOKENS = 60;

/** The turn that starts children. */
export interface ForkTurn {
  readonly callId: string;
  readonly endMs: number;
  readonly model: string;
  readonly origin: string;
  readonly text: 'none' | 'filler';
}

/** Generates the children of one turn: equal in size, each with a directive of its own; their prefix is their parent's. */
export function forkChildren(
  fork: ForkSpec,
  turn: ForkTurn,
): { readonly threads: readonly Thread[]; readonly endMs: number } {
  const threads: Thread[] = [];
  const startMs = turn.endMs + Math.round((fork.delayMinutes ?? 0) * 60_000);
  let endMs = startMs;
  for (let child = 1; child <= fork.children; child++) {
    const id = `fork-${fork.afterTurn}-${child}`;
    const writer = new ThreadWriter({
      id,
      parentId: 'main',
      label: 'fork',
      origin: turn.origin,
      text: turn.text,
    });
    endMs = Math.max(endMs, writeChild(writer, fork, turn.model, startMs));
    threads.push({ ...writer.thread(0, CHARS_PER_TOKEN), fork: { callId: turn.callId } });
  }
  return { threads, endMs };
}

function writeChild(writer: ThreadWriter, fork: ForkSpec, model: string, startMs: number): number {
  let at = startMs;
  const chars = (tokens: number): number => tokens * CHARS_PER_TOKEN;
  const tokens = fork.directiveTokens ?? DIRECTIVE_TOKENS;
  writer.say('directive', tokens, { style: 'prose', chars: chars(tokens) }, at);
  for (let turn = 1; turn <= fork.turns; turn++) {
    if (turn === fork.turns) {
      const filler = { style: 'prose', chars: chars(OUTPUT_TOKENS) } as const;
      const last = writer.block({ kind: 'text', role: 'assistant', tokens: OUTPUT_TOKENS, filler });
      writer.call(model, at, at + CALL_MS, [last]);
      at += CALL_MS;
      break;
    }
    const use = {
      tool: 'Read',
      toolUseId: writer.toolUseId(),
      facts: { path: `/repo/src/part-${turn}.ts` },
    };
    const input = { style: 'words', chars: chars(OUTPUT_TOKENS) } as const;
    writer.call(model, at, at + CALL_MS, [writer.toolUse(use, OUTPUT_TOKENS, input)]);
    at += CALL_MS + TOOL_MS;
    const result = { style: 'code', chars: chars(RESULT_TOKENS) } as const;
    writer.message('tool', [writer.toolResult(use, RESULT_TOKENS, result)], at);
    for (const letter of fork.letters ?? [])
      if (letter.afterTurn === turn) writer.event({ kind: 'agent-message', at, letter: letterOf(letter) });
  }
  return at;
}

/** A letter with its defaults. */
export function letterOf({ to, way, subject, tokens, rejections }: LetterSpec): AgentMessage {
  return {
    to,
    way: way ?? 'process',
    subject: subject ?? 'message',
    tokens: tokens ?? LETTER_TOKENS,
    ...(rejections === undefined ? {} : { rejections }),
  };
}
