import { compareVersions } from '../../core/model/agent-version.js';
import type { Thread } from '../../core/model/transcript.js';
import { promptTokens } from '../../core/model/usage.js';
import { LONG_WINDOW_TOKENS, type ModelBook } from '../../provider/prices/model-book.js';
import { MODELS } from '../../provider/prices/models.js';

const SHORT_WINDOW_TOKENS = 200_000;

/** Prompts beyond this are never sent in a window of 200,000: its reserve for output is kept free. */
const LARGEST_SHORT_PROMPT = 180_000;

/** Models with a long window that clients used at 200,000 unless asked, up to a version. */
const LONG_SINCE: Readonly<Record<string, string>> = {
  'claude-opus-4-6': '2.1.91',
  'claude-sonnet-4-6': '2.1.91',
};

/** The largest recorded prompt of a thread. */
export function largestPrompt(thread: Thread): number {
  let largest = 0;
  for (const step of thread.steps) {
    if (step.kind === 'call' && step.call.usage !== null)
      largest = Math.max(largest, promptTokens(step.call.usage));
  }
  return largest;
}

/**
 * The window a recorded session worked with: the long one where a prompt proves it, else what its model had at the version
 * of Claude Code. Null where the recording cannot tell; of another agent's, prompts beyond the model's window tell.
 */
export function recordedWindow(
  model: string,
  largest: number,
  version: string | null,
  models: ModelBook = MODELS,
): number | null {
  const row = models.find(model);
  if (version === null)
    return row !== null && largest > row.window ? Math.max(largest, LONG_WINDOW_TOKENS) : null;
  if (largest > LARGEST_SHORT_PROMPT) return LONG_WINDOW_TOKENS;
  if (row === null) return SHORT_WINDOW_TOKENS;
  const since = LONG_SINCE[row.id];
  if (since !== undefined) return compareVersions(version, since) < 0 ? SHORT_WINDOW_TOKENS : row.window;
  return row.window;
}
