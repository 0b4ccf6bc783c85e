import { ownValue } from '../../core/base/own-value.js';
import { compareVersions } from '../../core/model/agent-version.js';
import type { Thread, ThreadEvent, Transcript } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import { hasLongSuffix, LONG_WINDOW_TOKENS, type ModelBook } from '../../provider/prices/model-book.js';
import { MODELS } from '../../provider/prices/models.js';
import { LONG_SINCE } from './clients.generated.js';
import { type Login, type RecordedClient, recordedClient } from './recorded-client.js';

const SHORT_WINDOW_TOKENS = 200_000;

/** Prompts beyond this are never sent in a window of 200,000: its reserve for output is kept free. */
const LARGEST_SHORT_PROMPT = 180_000;

/** What waits to be sent in a window of 200,000 is never counted as more: the largest prompt and as much again of new results. */
const LARGEST_SHORT_COUNT = 400_000;

/** What the prompts and compactions of a thread show of its window. */
export interface WindowEvidence {
  /** The largest recorded prompt. */
  readonly largest: number;
  /** What was counted when the client first compacted by itself; null if it never did. */
  readonly firedAt: number | null;
}

/** The largest recorded prompt of a thread. */
export function largestPrompt(thread: Thread): number {
  return windowEvidence(thread).largest;
}

/** What a thread shows of its window, from a step on. */
export function windowEvidence({ steps }: Pick<Thread, 'steps'>, from = 0): WindowEvidence {
  let largest = 0;
  let firedAt: number | null = null;
  for (let i = from; i < steps.length; i++) {
    const step = steps[i]!;
    if (step.kind === 'call') {
      if (step.call.usage !== null) largest = Math.max(largest, promptTokens(step.call.usage));
    } else if (step.kind === 'event') {
      const { event } = step;
      if (event.kind === 'recorded-compaction' && event.trigger === 'auto') firedAt ??= event.preTokens;
    }
  }
  return { largest, firedAt };
}

/**
 * The window that prompts and compactions prove (R1): the long one beyond what a short one holds, the short one where the
 * client compacted by itself within it; null if they prove nothing.
 */
function shownWindow({ largest, firedAt }: WindowEvidence): number | null {
  if (largest > LARGEST_SHORT_PROMPT) return LONG_WINDOW_TOKENS;
  if (firedAt === null) return null;
  return firedAt > LARGEST_SHORT_COUNT ? LONG_WINDOW_TOKENS : SHORT_WINDOW_TOKENS;
}

/**
 * What an automatic compaction and everything behind it show of the window, where the thread went on with a shorter one from
 * there (K23): null at every other event.
 */
export function narrowedAt(
  thread: Pick<Thread, 'steps'>,
  event: ThreadEvent,
  before: WindowEvidence,
): WindowEvidence | null {
  if (event.kind !== 'recorded-compaction' || event.trigger !== 'auto') return null;
  if (shownWindow(before) !== LONG_WINDOW_TOKENS) return null;
  const at = thread.steps.findIndex((step) => step.kind === 'event' && step.event === event);
  const behind = windowEvidence(thread, Math.max(0, at));
  return shownWindow(behind) === SHORT_WINDOW_TOKENS ? behind : null;
}

/** The window of a model at a version of Claude Code, by login (R1). */
function windowAt(model: string, version: string, login: Login, models: ModelBook): number {
  const row = models.find(model);
  if (row === null) return SHORT_WINDOW_TOKENS;
  const since = hasLongSuffix(model) ? undefined : ownValue(LONG_SINCE, row.id);
  if (since === undefined) return row.window;
  const from = since[login];
  return from === null || compareVersions(version, from) < 0 ? SHORT_WINDOW_TOKENS : row.window;
}

/**
 * The window a recorded session worked with: the one that it proves, else what its model had at the version of Claude
 * Code. Null if the recording cannot tell; of another agent's, prompts beyond the model's window tell.
 */
export function recordedWindow(
  model: string,
  shown: WindowEvidence,
  { version, login }: Pick<RecordedClient, 'version' | 'login'>,
  models: ModelBook = MODELS,
): number | null {
  if (version !== null) return shownWindow(shown) ?? windowAt(model, version, login, models);
  const row = models.find(model);
  const { largest } = shown;
  return row !== null && largest > row.window ? Math.max(largest, LONG_WINDOW_TOKENS) : null;
}

/** The window that the main thread of a recording worked with on a model; null if nothing tells. */
export function mainWindow(transcript: Transcript, model: string, models?: ModelBook): number | null {
  if (transcript.window !== undefined) return transcript.window;
  const [main] = transcript.threads;
  return main === undefined
    ? null
    : recordedWindow(model, windowEvidence(main), recordedClient(transcript), models);
}

/** The window with the other login, where nothing that was recorded tells which login it was; null if both have the same. */
export function otherWindow(
  model: string,
  shown: WindowEvidence,
  { version, login }: Pick<RecordedClient, 'version' | 'login'>,
  models: ModelBook = MODELS,
): number | null {
  if (version === null || shownWindow(shown) !== null) return null;
  const other = windowAt(model, version, login === 'key' ? 'account' : 'key', models);
  return other === windowAt(model, version, login, models) ? null : other;
}
