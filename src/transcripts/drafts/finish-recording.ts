import { digestParts } from '../../core/base/digest.js';
import { CcbenchError } from '../../core/base/errors.js';
import { type Block, createBlock } from '../../core/model/block.js';
import type { Step, Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { cacheWriteTokens } from '../../core/model/usage.js';
import { type Capability, less } from '../../core/run/capability.js';
import type { WarningList } from '../../core/run/warning.js';
import { warnOfUsage } from '../lines/plausible.js';
import { calibrateThread } from './calibrate.js';
import { type DraftMessage, type DraftStep, finishCall, finishMessage } from './draft.js';
import type { PrefixShape } from './prefix-shape.js';
import type { ThreadDraft } from './thread-draft.js';
import { learnRatio } from './weights.js';

/** What a reader found in a file. */
export interface Reading {
  readonly threads: readonly ThreadDraft[];
  /** What the file can tell, where that is less than its format can. */
  readonly carries?: readonly Capability[];
  readonly agentVersion?: string | null;
  readonly provider?: string | null;
  readonly window?: number | null;
}

/** The file that was read, and its format. */
export interface Recording {
  readonly id: string;
  /** Name of the reader. */
  readonly source: string;
  /** What the format is called in problems: `a Codex rollout`. */
  readonly label: string;
  /** What the format can tell at its best. */
  readonly carries: readonly Capability[];
  readonly warnings: WarningList;
  /** The first line with a count that no request can have. */
  readonly implausibleLine?: () => number | null;
}

/** A thread whose blocks have no tokens yet and whose steps have no time. */
export interface UnfinishedThread extends Pick<Thread, 'id' | 'parentId' | 'label' | 'session'> {
  readonly steps: readonly DraftStep[];
  readonly version: string | null;
  /** What the recording tells of its system prompt and tools. */
  readonly shape?: PrefixShape | null;
}

/** Part of system and tools that is the system prompt, as measured at 2.0.76 to 2.1.325: 17 to 35 % of the characters. */
const SYSTEM_SHARE = 0.25;

/** Tools and system prompt of an agent as two blocks; nothing but their size is known of them. */
function prefixBlocks(
  agent: string,
  prefixTokens: number,
  { version, shape = null }: Pick<UnfinishedThread, 'version' | 'shape'>,
): readonly Block[] {
  const share = shape === null ? SYSTEM_SHARE : shape.systemChars / (shape.systemChars + shape.toolChars);
  const system = Math.round(prefixTokens * share);
  return (['tools', 'system'] as const).map((role) => {
    const tokens = role === 'tools' ? prefixTokens - system : system;
    const digest = digestParts([agent, version ?? '', role, tokens]);
    return createBlock({ kind: role, role, tokens, digest });
  });
}

/**
 * The finished steps of a thread. Time keeps file order and never runs backwards: a call starts at the latest line
 * before it, ends at its own last line, and what follows it does not happen before that end.
 */
function finishSteps(drafts: readonly DraftStep[], originMs: number): Step[] {
  const steps: Step[] = [];
  let now = 0;
  let model: string | null = null;
  const tick = (timeMs: number | null): number => {
    if (timeMs !== null && timeMs - originMs > now) now = timeMs - originMs;
    return now;
  };
  const place = (message: DraftMessage): void => {
    message.at = tick(message.timeMs);
  };
  for (const draft of drafts) {
    if (draft.kind === 'message') {
      place(draft.message);
      steps.push({ kind: 'message', message: finishMessage(draft.message) });
    } else if (draft.kind === 'event') {
      const at = tick(draft.event.timeMs);
      const { summary } = draft.event;
      if (summary !== null) place(summary);
      const event: ThreadEvent = draft.event.make(at, summary === null ? null : finishMessage(summary));
      steps.push({ kind: 'event', event });
    } else {
      const { call } = draft;
      if (model !== null && model !== call.model) {
        steps.push({ kind: 'event', event: { kind: 'model-switch', at: now, model: call.model } });
      }
      model = call.model;
      call.startMs = tick(call.firstTimeMs ?? null);
      call.endMs = tick(call.lastTimeMs);
      call.message.at = call.endMs;
      steps.push({ kind: 'call', call: finishCall(call) });
    }
  }
  return steps;
}

/** Gives every block its tokens and every step its time. */
export function finishThreads(
  threads: readonly UnfinishedThread[],
  options: {
    readonly source: string;
    readonly startedAtMs: number | null;
    readonly warnings: WarningList;
  },
): readonly Thread[] {
  const { source, startedAtMs, warnings } = options;
  const charsPerToken = learnRatio(threads.map(({ steps }) => steps));
  return threads.map(({ id, parentId, label, steps, version, session, shape = null }) => {
    const calibrated = calibrateThread(steps, { charsPerToken, warnings, shape });
    return {
      id,
      parentId,
      label,
      prefix: prefixBlocks(source, calibrated.prefixTokens, { version, shape }),
      steps: finishSteps(calibrated.steps, startedAtMs ?? 0),
      ...(session === undefined ? {} : { session }),
    };
  });
}

/** Warns of calls without usage, and leaves out of what a format can tell what these threads lack. */
export function carriesOf(
  best: readonly Capability[],
  threads: readonly Thread[],
  options: { readonly times: 'known' | 'unknown'; readonly warnings: WarningList },
): readonly Capability[] {
  let calls = 0;
  let bare = 0;
  let hasOutput = false;
  for (const { steps } of threads)
    for (const step of steps) {
      if (step.kind !== 'call') continue;
      calls++;
      if (step.call.usage === null) bare++;
      if (!step.call.outputIsPlaceholder) hasOutput = true;
    }
  const { warnings, times } = options;
  warnings.add('no-usage', 'responses carry no usable usage', 'their prompts are sized by estimate', bare);
  return less(best, [
    ...(calls === bare ? (['usage', 'lifetimes', 'cache-writes', 'output-tokens'] as const) : []),
    ...(hasOutput ? [] : (['output-tokens'] as const)),
    ...(times === 'known' ? [] : (['timestamps', 'latency'] as const)),
  ]);
}

/** The transcript of a file that was read: the end of every reader but that of Claude Code, which adds to it. */
export function finishRecording(recording: Recording, reading: Reading): Transcript {
  const { id, source, label, warnings } = recording;
  const { agentVersion = null, provider = null, window = null } = reading;
  const drafts = reading.threads.filter(({ calls }) => calls > 0);
  if (drafts.length === 0) {
    throw new CcbenchError('bad-transcript', `${id}: ${label} without a response of a model`, {
      hint: 'pass a session in which the agent has answered at least once',
      place: { file: id },
    });
  }
  for (const { unsaidCompactions } of drafts)
    warnings.add(
      'compaction-inferred',
      'prompts became much shorter without a word of it in the record: taken for compactions',
      null,
      unsaidCompactions,
    );
  const bad = drafts.reduce((sum, { badUsages }) => sum + badUsages, 0);
  if (bad > 0) warnOfUsage(warnings, recording.implausibleLine?.() ?? null, bad);
  const startedAtMs = firstTime(drafts[0]!.steps);
  const unfinished = drafts.map(({ id: own, parentId, label: name, steps }) => {
    return { id: own, parentId, label: name, steps, version: agentVersion };
  });
  const threads = finishThreads(unfinished, { source, startedAtMs, warnings });
  const times = startedAtMs === null ? 'unknown' : 'known';
  const carries = carriesOf(reading.carries ?? recording.carries, threads, { times, warnings });
  return {
    id,
    source,
    carries,
    agentVersion,
    startedAtMs,
    ...(provider === null ? {} : { provider }),
    ...(window === null ? {} : { window }),
    threads,
    warnings: warnings.list(),
  };
}

function firstTime(steps: readonly DraftStep[]): number | null {
  for (const step of steps) {
    const timeMs =
      step.kind === 'message'
        ? step.message.timeMs
        : step.kind === 'event'
          ? step.event.timeMs
          : (step.call.firstTimeMs ?? step.call.lastTimeMs);
    if (timeMs !== null) return timeMs;
  }
  return null;
}

/** What a format can tell, less the writes where not one is above 0: clients note 0 for providers that do not count them. */
export function carriesKnownWrites(
  carries: readonly Capability[],
  threads: readonly ThreadDraft[],
): readonly Capability[] {
  const isKnown = threads.some(({ steps }) =>
    steps.some(
      (step) => step.kind === 'call' && step.call.usage !== null && cacheWriteTokens(step.call.usage) > 0,
    ),
  );
  return isKnown ? carries : less(carries, ['cache-writes']);
}
