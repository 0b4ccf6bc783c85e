import type { Random } from '../../core/base/random.js';
import type { CallPurpose, FaultRule } from '../../core/run/run-plan.js';
import { type ApiError, invalidRequest } from '../cache/api-error.js';

/** Says for each call, in order, what goes wrong with it. */
export interface FaultPlan {
  /** Counts a call of a purpose; the first rule that matches it, or null. */
  next(purpose: CallPurpose): FaultRule | null;
}

/** Status of an error that is no answer of the API: the connection broke, or the client gave up. */
export const NO_STATUS = 0;

/** Type of the error of a broken connection. */
export const CONNECTION_ERROR = 'connection_error';

/** Type of the error of a call the client gave up. */
export const ABORTED = 'aborted';

/** What a slow answer loses where the rule does not say (assumed: two keep-alives, FUL-5). */
const SLOW_SECONDS = 60;

const NO_FAULTS: FaultPlan = Object.freeze({ next: () => null });

function counts(rule: FaultRule, n: number): boolean {
  return (
    (rule.nth === null || n === rule.nth) &&
    (rule.every === null || n % rule.every === 0) &&
    (rule.from === null || n >= rule.from) &&
    (rule.to === null || n <= rule.to)
  );
}

/** Creates a fault plan. Each rule draws from a generator of its own, once per call of its purpose. */
export function createFaultPlan(rules: readonly FaultRule[], random: Random): FaultPlan {
  if (rules.length === 0) return NO_FAULTS;
  const seen = new Map<CallPurpose, number>();
  const dice = rules.map((rule, i) => (rule.probability === null ? null : random.split(`fault ${i}`)));
  return {
    next(purpose) {
      const n = (seen.get(purpose) ?? 0) + 1;
      seen.set(purpose, n);
      let hit: FaultRule | null = null;
      for (let i = 0; i < rules.length; i++) {
        const rule = rules[i]!;
        if (rule.call !== purpose) continue;
        const lucky = dice[i] === null || dice[i]!.chance(rule.probability!);
        if (hit === null && lucky && counts(rule, n)) hit = rule;
      }
      return hit;
    },
  };
}

/** The API's words for a prompt longer than the window. */
export function promptTooLong(promptTokens: number, windowTokens: number): ApiError {
  return invalidRequest(`prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`);
}

/** A refusal that tells of a gap: the real excess unless the rule says otherwise, at least one token. */
function tooLongBy(gapTokens: number | null, promptTokens: number, windowTokens: number | null): ApiError {
  if (windowTokens === null) {
    const gap = gapTokens ?? 1;
    const shown = Math.max(promptTokens, gap);
    return promptTooLong(shown, shown - gap);
  }
  const gap = gapTokens ?? Math.max(1, promptTokens - windowTokens);
  return promptTooLong(windowTokens + gap, windowTokens);
}

/** The error a fault gives back in the API's words, or null when the fault changes the answer instead. */
export function faultError(
  rule: FaultRule,
  promptTokens: number,
  windowTokens: number | null,
): ApiError | null {
  switch (rule.error) {
    case 'prompt_too_long':
      return tooLongBy(rule.gapTokens, promptTokens, windowTokens);
    case 'prompt_too_long_unparseable':
      return { ok: false, status: 413, type: 'invalid_request_error', message: 'Prompt is too long' };
    case 'overloaded':
      return { ok: false, status: 529, type: 'overloaded_error', message: 'Overloaded' };
    case 'rate_limited':
      return {
        ok: false,
        status: 429,
        type: 'rate_limit_error',
        message:
          "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
      };
    case 'server_error':
      return { ok: false, status: 500, type: 'api_error', message: 'Internal server error' };
    case 'invalid_request':
      return invalidRequest('messages.0.content: Input should be a valid list');
    case 'connection_cut':
      return { ok: false, status: NO_STATUS, type: CONNECTION_ERROR, message: 'Connection error.' };
    case 'aborted':
      return { ok: false, status: NO_STATUS, type: ABORTED, message: 'Request was aborted.' };
    case 'empty_summary':
    case 'error_as_summary':
    case 'tool_call':
    case 'no_summary_tags':
    case 'cut_summary':
    case 'slow':
    case 'stray_write':
      return null;
  }
}

/** Milliseconds a fault adds before it shows. */
export function faultDelayMs(rule: FaultRule): number {
  return Math.round((rule.delaySeconds ?? (rule.error === 'slow' ? SLOW_SECONDS : 0)) * 1_000);
}
