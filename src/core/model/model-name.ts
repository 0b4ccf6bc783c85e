const LONG_SUFFIX = /\[1m\]$/i;
const DATE_SUFFIX = /-20\d{6}$/;

/** The name of a model without its date and without the `[1m]` of a long window. */
export function plainModelName(name: string): string {
  // Most names have neither, and are asked for at every compaction.
  if (!name.endsWith(']') && !DATE_SUFFIX.test(name)) return name;
  return name.replace(LONG_SUFFIX, '').replace(DATE_SUFFIX, '');
}

/** Whether a model is one of some, each named with or without its date and `[1m]`. */
export function isAmong(model: string, names: readonly string[]): boolean {
  const plain = plainModelName(model);
  return names.some((name) => plainModelName(name) === plain);
}

/** Models that keep the thinking of the last turn alone (api.md 1.7), by the start of their names. */
const KEEP_LAST_TURN =
  /^claude-(?:opus-4-(?:[01]|2025)|sonnet-4-(?:[05]|2025)|haiku-4-5|3-|haiku-3-|(?:opus|sonnet)-4$)/;

/** GPT-5 to 5.5 and the models before it that reason; from GPT-5.6 on recordings keep everything. */
const KEEP_OPEN_TURN = /^(?:[\w-]+\/)*(?:gpt-5(?:\.[0-5])?|o[134])(?![\w.])/;

/**
 * What a model does with the thinking of earlier turns once the user speaks again. `keep-last-turn` drops it; `keep-open-turn` too, but
 * only behind an answer that called no tool: a word in between leaves it (recorded on GPT-5.3-codex-spark, 5.4 and 5.5).
 */
export type ThinkingRule = 'keep-all' | 'keep-last-turn' | 'keep-open-turn';

/** The rule of a model, by its name. */
export function thinkingRule(model: string): ThinkingRule {
  if (KEEP_LAST_TURN.test(model)) return 'keep-last-turn';
  return KEEP_OPEN_TURN.test(model) ? 'keep-open-turn' : 'keep-all';
}
