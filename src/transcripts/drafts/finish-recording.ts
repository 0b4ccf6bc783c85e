import { CcbenchError } from '../../core/base/errors.js';
import type { Step, Thread, Transcript } from '../../core/model/transcript.js';
import { type Capability, less } from '../../core/run/capability.js';
import type { WarningList } from '../../core/run/warning.js';
import { calibrateThread } from './calibrate.js';
import type { DraftStep } from './draft.js';
import { learnRatio } from './learn-ratio.js';
import { prefixBlocks } from './prefix-blocks.js';
import type { ThreadDraft } from './thread-draft.js';
import { finishSteps } from './timeline.js';

/** A recording that has been gone through. */
export interface Recording {
  readonly id: string;
  /** Name of the reader. */
  readonly source: string;
  /** What the format says in words, for problems: `a Codex rollout`. */
  readonly label: string;
  /** What the format can tell at its best. */
  readonly carries: readonly Capability[];
  readonly agentVersion: string | null;
  readonly provider?: string;
  readonly window?: number | null;
  readonly threads: readonly ThreadDraft[];
  readonly warnings: WarningList;
}

/** Gives every block its tokens and every step its time: the end of every reader but that of Claude Code, which adds to it. */
export function finishRecording(recording: Recording): Transcript {
  const { id, source, label, agentVersion, provider, window = null, warnings } = recording;
  const drafts = recording.threads.filter(({ calls }) => calls > 0);
  if (drafts.length === 0) {
    throw new CcbenchError('bad-transcript', `${id}: ${label} without a response of a model`, {
      hint: 'pass a session in which the agent has answered at least once',
      place: { file: id },
    });
  }
  for (const { unsaidCompactions } of drafts)
    if (unsaidCompactions > 0)
      warnings.add(
        'compaction-inferred',
        'prompts became much shorter without a word of it in the record: taken for compactions',
        null,
        unsaidCompactions,
      );
  const charsPerToken = learnRatio(drafts.map(({ steps }) => steps));
  const startedAtMs = firstTime(drafts[0]!.steps);
  const threads = drafts.map((draft): Thread => {
    const { steps, prefixTokens } = calibrateThread(draft.steps, { charsPerToken, warnings });
    return {
      id: draft.id,
      parentId: draft.parentId,
      label: draft.label,
      prefix: prefixBlocks(source, prefixTokens, agentVersion),
      steps: finishSteps(steps, startedAtMs ?? 0),
    };
  });
  const steps = threads.flatMap((thread) => thread.steps);
  const bare = steps.filter((step) => step.kind === 'call' && step.call.usage === null).length;
  if (bare > 0)
    warnings.add('no-usage', 'responses carry no usable usage', 'their prompts are sized by estimate', bare);
  return {
    id,
    source,
    carries: carriesOf(recording.carries, steps, startedAtMs),
    agentVersion,
    startedAtMs,
    ...(provider === undefined ? {} : { provider }),
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

/** What a format can tell, less what this recording lacks. */
function carriesOf(
  best: readonly Capability[],
  steps: readonly Step[],
  startedAtMs: number | null,
): readonly Capability[] {
  const calls = steps.flatMap((step) => (step.kind === 'call' ? [step.call] : []));
  const missing = new Set<Capability>();
  if (calls.every(({ usage }) => usage === null))
    for (const each of ['usage', 'lifetimes', 'cache-writes', 'output-tokens'] as const) missing.add(each);
  if (calls.every(({ outputIsPlaceholder }) => outputIsPlaceholder)) missing.add('output-tokens');
  if (startedAtMs === null) for (const each of ['timestamps', 'latency'] as const) missing.add(each);
  return less(best, missing);
}
