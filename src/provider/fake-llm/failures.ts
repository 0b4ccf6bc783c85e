import { MS_PER_SECOND } from '../../core/base/clock.js';
import type { Random } from '../../core/base/random.js';
import type { CallFailure } from '../../core/run/action.js';
import { ABORTED, CONNECTION_ERROR } from './faults.js';

/** An API error as a client sees it. */
export interface SeenError {
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

/** Tokens over the limit where the message tells, null where it does not, undefined when it is about something else. */
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
