import { MS_PER_SECOND } from '../../core/base/clock.js';
import type { Random } from '../../core/base/random.js';
import type { CallFailure } from '../../core/run/action.js';
import { BETWEEN, type CallPurpose, type FaultKind, type FaultRule } from '../../core/run/run-plan.js';
import { type ApiError, apiError, invalidRequest } from '../cache/api-error.js';

/** An API error as a client sees it. */
interface SeenError {
  /** Null or 0 when no answer came. */
  readonly status: number | null;
  readonly type: string;
  readonly message: string;
}

/** First delay between two tries (measured, Requests per failed compaction). */
const FIRST_DELAY_MS = 500;
/** Longest delay between two tries (measured). */
const LONGEST_DELAY_MS = 32_000;
/** A delay is up to this share longer (measured). */
const DELAY_JITTER = 0.25;

const WITH_NUMBERS = /prompt is too long:?\s*(\d+) tokens? > (\d+)/i;
/** Without numbers: Vertex, Bedrock, the apps gateway. */
const WITHOUT_NUMBERS =
  /prompt is too long|input is too long for requested model|capability_rejected: prompt_too_long/i;

/** Tokens over the limit where the message tells, null if it does not, undefined when it is about something else. */
function gapOf(message: string): number | null | undefined {
  const numbers = WITH_NUMBERS.exec(message);
  if (numbers !== null) {
    const gap = Number(numbers[1]) - Number(numbers[2]);
    return gap > 0 ? gap : null;
  }
  return WITHOUT_NUMBERS.test(message) ? null : undefined;
}

function reasonOf(error: SeenError): CallFailure['reason'] {
  const status = error.status ?? 0;
  if (error.type === ABORTED) return 'aborted';
  if (status === 529 || error.type === 'overloaded_error') return 'overloaded';
  if (status === 429 || error.type === 'rate_limit_error') return 'rate-limited';
  if (status >= 500 || error.type === 'api_error' || error.type === 'timeout_error') return 'server-error';
  if (status === 0 || error.type === CONNECTION_ERROR) return 'connection';
  return 'invalid-request';
}

/** How a client understands an API error. A throttle that speaks of too many tokens is not an overflow. */
export function parseFailure(error: SeenError): CallFailure {
  const status = error.status === 0 ? null : error.status;
  const { message } = error;
  const reason = reasonOf(error);
  const gapTokens = reason === 'rate-limited' || reason === 'overloaded' ? undefined : gapOf(message);
  if (gapTokens !== undefined) return { reason: 'prompt-too-long', status, message, gapTokens };
  return { reason, status, message, gapTokens: null };
}

/** True when the same call may succeed later. */
export function isTransient({ reason }: CallFailure): boolean {
  return ['overloaded', 'rate-limited', 'server-error', 'connection'].includes(reason);
}

/** How long a client waits after its nth failed try, counted from 0: as the answer says, else doubling with a little chance on top. */
export function retryDelayMs(attempt: number, random: Random, retryAfterSeconds: number | null): number {
  if (retryAfterSeconds !== null) return Math.round(retryAfterSeconds * MS_PER_SECOND);
  const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return Math.round(delayMs * (1 + DELAY_JITTER * random.next()));
}

/** Says for each call, in order, what goes wrong with it. */
export interface FaultPlan {
  /** Counts a call of a purpose that begins now; the first rule that matches it, or null. */
  next(purpose: CallPurpose, nowMs: number): FaultRule | null;
}

/** Status of an error that is no answer of the API: the connection broke, or the client gave up. */
export const NO_STATUS = 0;

/** Type of the error of a broken connection. */
const CONNECTION_ERROR = 'connection_error';

/** Type of the error of a call the client gave up. */
const ABORTED = 'aborted';

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

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Whether a moment (ms since 1970) lies between the two times of a day, the second excluded. */
function isBetween(between: string | undefined, epochMs: number): boolean {
  if (between === undefined) return true;
  const [hour, minute, endHour, endMinute] = BETWEEN.exec(between)!.slice(1).map(Number);
  const from = (hour! * 60 + minute!) * MINUTE_MS;
  const to = (endHour! * 60 + endMinute!) * MINUTE_MS;
  const at = ((epochMs % DAY_MS) + DAY_MS) % DAY_MS;
  return from <= to ? at >= from && at < to : at >= from || at < to;
}

/** Creates a fault plan. Each rule draws from a generator of its own, once per call of its purpose. */
export function createFaultPlan(
  rules: readonly FaultRule[],
  random: Random,
  startedAtMs: number | null = null,
): FaultPlan {
  if (rules.length === 0) return NO_FAULTS;
  const seen = new Map<CallPurpose, number>();
  const dice = rules.map((rule, i) => (rule.probability === null ? null : random.split(`fault ${i}`)));
  return {
    next(purpose, nowMs) {
      const n = (seen.get(purpose) ?? 0) + 1;
      seen.set(purpose, n);
      let hit: FaultRule | null = null;
      for (let i = 0; i < rules.length; i++) {
        const rule = rules[i]!;
        if (rule.call !== purpose) continue;
        const lucky = dice[i] === null || dice[i]!.chance(rule.probability!);
        if (hit === null && lucky && counts(rule, n) && isBetween(rule.between, (startedAtMs ?? 0) + nowMs))
          hit = rule;
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

/** Errors in the API's words, of the faults that give back one and always the same. */
const ERRORS: Readonly<Partial<Record<FaultKind, ApiError>>> = {
  prompt_too_long_unparseable: apiError(413, 'invalid_request_error', 'Prompt is too long'),
  overloaded: apiError(529, 'overloaded_error', 'Overloaded'),
  rate_limited: apiError(
    429,
    'rate_limit_error',
    "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
  ),
  server_error: apiError(500, 'api_error', 'Internal server error'),
  invalid_request: invalidRequest('messages.0.content: Input should be a valid list'),
  connection_cut: apiError(NO_STATUS, CONNECTION_ERROR, 'Connection error.'),
  aborted: apiError(NO_STATUS, ABORTED, 'Request was aborted.'),
};

/** The error a fault gives back in the API's words, or null when the fault changes the answer instead. */
export function faultError(
  { error, gapTokens }: FaultRule,
  promptTokens: number,
  windowTokens: number | null,
): ApiError | null {
  return error === 'prompt_too_long'
    ? tooLongBy(gapTokens, promptTokens, windowTokens)
    : (ERRORS[error] ?? null);
}

/** Milliseconds a fault adds before it shows. */
export function faultDelayMs(rule: FaultRule): number {
  return Math.round((rule.delaySeconds ?? (rule.error === 'slow' ? SLOW_SECONDS : 0)) * 1_000);
}
