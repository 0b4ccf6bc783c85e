import type { Message } from '../../../core/model/message.js';
import { NOTES_TEMPLATE, type Notes, notesFromText } from '../../../core/model/notes.js';
import type { Action, Answer, Asker, LayerReport, Outcome } from '../../../core/run/action.js';
import { CLOSING_TOKENS } from '../../../core/run/edit-price.js';
import type {
  ContextView,
  HookContext,
  LayerContext,
  LayerDefinition,
  LayerInstance,
} from '../../../core/run/layer.js';
import { askFork, handedBack } from '../auto-memory/fork-turns.js';
import { param } from '../support/param-reader.js';
import { quietReport } from '../support/quiet-report.js';
import { extractionInstruction } from './instruction.js';
import { settledLength } from './kept-tail.js';
import { notesPath, type OverLimit, sectionsOver } from './notes-file.js';
import { notesLimits, SESSION_MEMORY_PARAMS } from './params.js';
import { landExtraction, notesOnDisk, sessionMemoryState } from './state.js';

const LAYER = 'session-memory';

/** Session memory: notes of the session, brought up to date by forks in the background (SES-1 … SES-4). */
export const sessionMemoryLayer: LayerDefinition = {
  name: 'session-memory',
  layer: LAYER,
  points: ['after-response', 'wake'],
  needs: [],
  params: SESSION_MEMORY_PARAMS,
  killSwitch: 'sessionMemory.enabled',
  create: createSessionMemory,
};

function createSessionMemory(context: LayerContext): LayerInstance {
  const { params } = context;
  const isOn = param.isOn(params, 'sessionMemory.enabled');
  const initialTokens = param.number(params, 'sessionMemory.initialTokens');
  const growthTokens = param.number(params, 'sessionMemory.growthTokens');
  const minToolCalls = param.number(params, 'sessionMemory.minToolCalls');
  const limits = notesLimits(params);
  const path = notesPath(context.thread);
  const state = sessionMemoryState(context.shared);

  /** Context size at the latest extraction; null before the first. */
  let tokensAtLast: number | null = null;
  /** A compaction shrank the context: growth counts from its size at the next response. */
  let baseline: 'known' | 'to-be-taken' = 'known';
  let toolCallsSince = 0;
  let lastResponseId: string | null = null;
  let callsInLastResponse = 0;

  let measuredNotes: Notes | null = null;
  let measured: OverLimit = { sections: [], totalTokens: 0, isTotalOver: false, condense: [] };

  /** The same notes are looked at twice: when they come in and when they go out with the next instruction. */
  function measure(notes: Notes): OverLimit {
    if (notes !== measuredNotes) {
      measured = sectionsOver(notes, limits);
      measuredNotes = notes;
    }
    return measured;
  }

  function isTriggered(view: ContextView): boolean {
    if (tokensAtLast === null) return view.seenTokens >= initialTokens;
    if (baseline === 'to-be-taken') {
      tokensAtLast = view.seenTokens;
      baseline = 'known';
    }
    if (view.seenTokens - tokensAtLast < growthTokens) return false;
    return toolCallsSince >= minToolCalls || callsInLastResponse === 0;
  }

  function* extract(moment: HookContext, view: ContextView): Generator<Action, void, Outcome> {
    const length = settledLength(view.messages);
    if (length === 0) return;
    const messages = view.messages.slice(0, length);
    const by: Asker = { layer: LAYER, reason: reasonOf(view.seenTokens, tokensAtLast, toolCallsSince) };
    if (view.files.read(path) === null) yield { kind: 'write-file', by, path, text: NOTES_TEMPLATE };
    const file = view.files.read(path);
    const current = file === null ? notesFromText(NOTES_TEMPLATE) : notesOnDisk(state, file);
    const over = measure(current);
    const instruction = extractionInstruction({
      id: `session-memory-${moment.turn}`,
      at: moment.now,
      path,
      notes: current,
      over,
      limits,
    });
    const outcome = yield askFork(by, {
      purpose: 'session_memory',
      messages: length === view.messages.length ? view.messages : messages,
      instruction,
      answer: { kind: 'notes', previous: current, condense: over.condense },
    });
    const failure = failureOf(outcome);
    if (failure !== null || outcome.kind !== 'answer') {
      const name = failure ?? 'no-answer';
      yield report(view, by, { outcome: 'failed', failure: name, details: { condensed: over.condense } });
      return;
    }
    const { answer } = outcome;
    const lastMessageId = view.messages[length - 1]!.id;
    const { text, tokens, digest, sections } = answer;
    const notes: Notes = { text, tokens, digest, sections };
    const fork: EditingFork = {
      id: `session-memory-${moment.turn}`,
      messages,
      instruction,
      outputTokens: answer.usage.output,
      edits: sections?.edited ?? 1,
    };
    const close = (nowMs: number) => closeFork(fork, nowMs, view);
    state.running = { startMs: moment.now, endMs: answer.endMs, notes, lastMessageId, close };
    const details = extractDetails(answer, moment.now, lastMessageId, over, measure(notes));
    yield report(view, by, { outcome: 'done', failure: null, details });
    tokensAtLast = view.seenTokens;
    baseline = 'known';
    toolCallsSince = 0;
    if (answer.endMs > moment.now) yield { kind: 'wake-at', by, timeMs: answer.endMs };
    yield* landExtraction(state, path, moment.now);
  }

  return {
    observes: 'assistant',
    observe(message: Message) {
      let calls = 0;
      for (let i = 0; i < message.blocks.length; i++) if (message.blocks[i]!.kind === 'tool_use') calls++;
      const continues = message.responseId !== null && message.responseId === lastResponseId;
      callsInLastResponse = continues ? callsInLastResponse + calls : calls;
      lastResponseId = message.responseId;
      toolCallsSince += calls;
    },
    reset() {
      if (tokensAtLast !== null) baseline = 'to-be-taken';
      // What the fork stands on is gone, with all that was deleted from it on the server.
      if (state.running === null) return;
      const { startMs, endMs, notes, lastMessageId } = state.running;
      state.running = { startMs, endMs, notes, lastMessageId, close: leaveOpen };
    },
    resume() {
      state.notes = null;
      state.lastSummarisedMessageId = null;
      state.running = null;
      tokensAtLast = null;
      baseline = 'known';
      toolCallsSince = 0;
    },
    due(moment, view) {
      if (!isOn || moment.source !== 'main') return false;
      if (state.running !== null) return state.running.endMs <= moment.now;
      return moment.point !== 'wake' && isTriggered(view);
    },
    *act(moment, view) {
      yield* landExtraction(state, path, moment.now);
      if (state.running === null && moment.point !== 'wake' && isTriggered(view))
        yield* extract(moment, view);
    },
  };
}

/** A fork that cannot be ended any more. */
function* leaveOpen(): Generator<Action, void, Outcome> {}

/** Why an outcome brings no notes; null when it does. */
function failureOf(outcome: Outcome): string | null {
  if (outcome.kind === 'failed') return outcome.failure.reason;
  if (outcome.kind === 'done') return 'no-answer';
  switch (outcome.answer.form) {
    case 'empty':
      return 'empty-notes';
    case 'error':
      return 'error-as-notes';
    case 'tool-call':
      return 'tool-refused';
    default:
      return outcome.answer.text.chars === 0 ? 'empty-notes' : null;
  }
}

function reasonOf(seenTokens: number, tokensAtLast: number | null, toolCalls: number): string {
  if (tokensAtLast === null) return `the context holds ${seenTokens} tokens`;
  return `the context grew by ${seenTokens - tokensAtLast} tokens with ${toolCalls} tool calls`;
}

function extractDetails(
  answer: Answer,
  startMs: number,
  lastMessageId: string,
  before: OverLimit,
  after: OverLimit,
): LayerReport['details'] {
  return {
    tokens: answer.tokens,
    outputTokens: answer.usage.output,
    edits: answer.sections?.edited ?? 1,
    seenTokens: after.totalTokens,
    sectionsOver: after.sections.map(({ name }) => name),
    totalOver: after.isTotalOver,
    condensed: before.condense,
    urgent: before.isTotalOver,
    runsMs: answer.endMs - startMs,
    lastMessageId,
  };
}

function report(
  view: ContextView,
  by: Asker,
  { outcome, failure, details }: Pick<LayerReport, 'outcome' | 'failure' | 'details'>,
): Action {
  return quietReport(LAYER, view, { action: 'extract', outcome, reason: by.reason, failure, details });
}

const BY: Asker = { layer: LAYER, reason: 'the edits of the notes are in the file' };

const NOTHING: readonly Message[] = [];

/** A fork that has answered with edits. */
export interface EditingFork {
  readonly id: string;
  /** The conversation that it was sent, and what it was told behind it. */
  readonly messages: readonly Message[];
  readonly instruction: Message;
  readonly outputTokens: number;
  readonly edits: number;
}

/** Sends the results of the edits back; the fork ends with a few words (SES-3, C31). Nothing depends on them any more. */
function* closeFork(fork: EditingFork, at: number, view: ContextView): Generator<Action, void, Outcome> {
  const { id, messages, instruction, outputTokens, edits } = fork;
  const { calls, results } = handedBack(`${id}-edits`, edits, outputTokens, at);
  const outcome = yield askFork(BY, {
    purpose: 'session_memory',
    messages,
    ownTurns: [instruction, calls],
    about: NOTHING,
    instruction: results,
    answer: { kind: 'short', tokens: CLOSING_TOKENS },
  });
  const failure = outcome.kind === 'failed' ? outcome.failure.reason : null;
  yield quietReport(LAYER, view, {
    action: 'close',
    outcome: failure === null ? 'done' : 'failed',
    reason: BY.reason,
    failure,
    details: { edits },
  });
}
