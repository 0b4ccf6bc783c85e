import { MS_PER_MINUTE } from '../../core/base/clock.js';
import type { Random } from '../../core/base/random.js';
import type { AgentMessage, Thread, ThreadEvent } from '../../core/model/transcript.js';
import type { Sampler } from './distribution.js';
import type { AgentMessageSpec, ForkSpec, SyntheticSpec } from './spec.js';
import { FACTS } from './synthetic.generated.js';
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
interface ForkTurn {
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
    for (const message of fork.messages ?? [])
      if (message.afterTurn === turn)
        writer.event({ kind: 'agent-message', at, message: messageOf(message) });
  }
  return at;
}

/** A message with its defaults. */
function messageOf({ to, way, subject, tokens, rejections }: AgentMessageSpec): AgentMessage {
  return {
    to,
    way: way ?? 'process',
    subject: subject ?? 'message',
    tokens: tokens ?? LETTER_TOKENS,
    ...(rejections === undefined ? {} : { rejections }),
  };
}

/** An event whose time is not known yet. */
export type PlannedEvent = (at: number) => ThreadEvent;

/** What a spec wants to happen after one turn. */
export interface AgendaEntry {
  /** The work on the human's prompt ends with this turn. */
  readonly endsPrompt: boolean;
  readonly idleMs: number | null;
  /** Before the human goes away. */
  readonly atOnce: readonly PlannedEvent[];
  /** Before the next prompt or call. */
  readonly beforeNext: readonly PlannedEvent[];
}

/** Gathers what a spec wants, by turn. */
export function createAgenda(spec: SyntheticSpec): ReadonlyMap<number, AgendaEntry> {
  const agenda = new Map<number, AgendaEntry>();
  const plan = (turn: number, change: (entry: AgendaEntry) => Partial<AgendaEntry>): void => {
    const entry = agenda.get(turn) ?? { endsPrompt: false, idleMs: null, atOnce: [], beforeNext: [] };
    agenda.set(turn, { ...entry, ...change(entry) });
  };
  const later = (turn: number, event: PlannedEvent, ends: Partial<AgendaEntry> = {}): void =>
    plan(turn, (entry) => ({ beforeNext: [...entry.beforeNext, event], ...ends }));
  for (const { afterTurn, minutes } of spec.idle ?? []) {
    plan(afterTurn, (entry) => ({
      endsPrompt: true,
      idleMs: (entry.idleMs ?? 0) + Math.round(minutes * MS_PER_MINUTE),
    }));
  }
  for (const { afterTurn, instructions, partial, only } of spec.compactAt ?? []) {
    const compaction = { instructions: instructions ?? null, partial: partial ?? null };
    const event: PlannedEvent = (at) =>
      only === 'results' ? { kind: 'manual-microcompact', at } : { kind: 'manual-compact', at, compaction };
    plan(afterTurn, (entry) => ({ endsPrompt: true, atOnce: [...entry.atOnce, event] }));
  }
  for (const { afterTurn } of spec.endDreamAt ?? []) {
    const event: PlannedEvent = (at) => ({ kind: 'end-dream', at });
    plan(afterTurn, (entry) => ({ endsPrompt: true, atOnce: [...entry.atOnce, event] }));
  }
  for (const message of spec.messages ?? []) {
    const event: PlannedEvent = (at) => ({ kind: 'agent-message', at, message: messageOf(message) });
    plan(message.afterTurn, (entry) => ({ atOnce: [...entry.atOnce, event] }));
  }
  for (const { afterTurn, reason } of spec.resumeAt ?? []) {
    later(afterTurn, (at) => ({ kind: 'resume', at, reason: reason ?? 'resumed' }), { endsPrompt: true });
  }
  for (const { afterTurn, model } of spec.modelAt ?? []) {
    later(afterTurn, (at) => ({ kind: 'model-switch', at, model }));
  }
  for (const { afterTurn, what, label, tools } of spec.prefixChangeAt ?? []) {
    later(afterTurn, (at) => ({
      kind: 'prefix-change',
      at,
      what,
      label: label ?? `${what} after turn ${afterTurn}`,
      ...(tools === undefined ? {} : { tools }),
    }));
  }
  return agenda;
}

/** An agent or a command that runs beside the conversation. */
export interface BackgroundRun {
  readonly task: string;
  readonly kind: 'agent' | 'command';
  readonly label: string;
  readonly toolUseId: string;
  readonly endMs: number;
}

/** What runs in the background of a session, the first to end first. */
export class BackgroundRuns {
  readonly #running: BackgroundRun[] = [];
  #started = 0;

  constructor(
    private readonly random: Random,
    private readonly seconds: Sampler,
  ) {}

  /** What would be started next. */
  choose(): Pick<BackgroundRun, 'task' | 'kind' | 'label'> {
    const kind = this.random.chance(FACTS.backgroundAgentShare) ? 'agent' : 'command';
    const n = ++this.#started;
    return kind === 'agent'
      ? { kind, task: `a${n}`, label: `Look into part ${n}` }
      : { kind, task: `b${n}`, label: `Run check ${n}` };
  }

  start(run: Omit<BackgroundRun, 'endMs'>, startMs: number): void {
    const endMs = startMs + Math.round(this.seconds(this.random.next()) * 1_000);
    const behind = this.#running.findIndex((other) => other.endMs > endMs);
    this.#running.splice(behind === -1 ? this.#running.length : behind, 0, { ...run, endMs });
  }

  /** The next to report; null when nothing runs, or nothing that has ended by then. */
  next(untilMs: number): BackgroundRun | null {
    const first = this.#running[0];
    return first === undefined || first.endMs > untilMs ? null : this.#running.shift()!;
  }
}
