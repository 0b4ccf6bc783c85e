import type { Action } from '../../../core/run/action.js';
import type { HookContext } from '../../../core/run/layer.js';
import type { Layer } from '../../../core/run/log-entries.js';
import type { ParamValues } from '../../../core/run/params.js';
import type { GuardsPart } from '../../../core/run/policy-rules.js';
import type { CompactionHistory } from '../auto-compact/history.js';

/** Turns within which a compaction counts as following the one before it, in reports (BRK-4). */
const CHAIN_TURNS = 3;

const BY = { layer: 'rules', reason: 'a guard of the policy' } as const;

/** Failures in a row, and when the latest was. */
interface Failures {
  failures: number;
  failurePrompt: number;
}

/** Parameters of the thrash guard as the shared history reads them. */
export function thrashParams(params: ParamValues, refills: GuardsPart['refills']): ParamValues {
  return {
    ...params,
    'thrash.chainTurns': CHAIN_TURNS,
    'thrash.maxRefills': refills?.max ?? null,
    'thrash.withinTurns': refills?.within ?? 0,
  };
}

/** Ends a run in which compactions make no room for long. */
export function thrashStop(layer: Layer): Action {
  const message = 'the context fills up again right after each compaction';
  return { kind: 'stop', by: { layer, reason: 'thrash guard' }, what: 'run-ended', message };
}

/** Refuses new input near the limit (WIN-6). */
export function blockStop(layer: Layer, seen: number, limit: number): Action {
  const message = `${seen} tokens are at or above the blocking limit of ${limit}; compact or clear the conversation`;
  return { kind: 'stop', by: { layer, reason: 'blocking limit' }, what: 'blocked', message };
}

/** What holds the summaries of a policy back: breaker, cooldown, limits on calls (BRK-1). */
export class Guards {
  private restUntilMs = 0;
  private readonly failedAtMs = new WeakMap<Failures, number>();
  private readonly byRule = new Map<string, Failures>();
  private turn = -1;
  private asked = 0;
  private calls: number[] = [];

  constructor(
    private readonly part: Pick<GuardsPart, 'breaker' | 'perTurn' | 'cooldownMs' | 'spend'>,
    private readonly history: CompactionHistory,
  ) {}

  /** Guards that are a breaker and nothing else. */
  static ofBreaker(breaker: NonNullable<GuardsPart['breaker']>, history: CompactionHistory): Guards {
    return new Guards({ breaker, perTurn: null, cooldownMs: [], spend: null }, history);
  }

  /** The failures that count for a rule: its own, or those of all. */
  private failuresOf(rule: string): Failures {
    if (this.part.breaker?.scope !== 'rule') return this.history;
    let own = this.byRule.get(rule);
    if (own === undefined) {
      own = { failures: 0, failurePrompt: -1 };
      this.byRule.set(rule, own);
    }
    return own;
  }

  /** Holds back what others of the same part hold back; the failures of all are known from the history. */
  restoreFrom(other: Guards): void {
    this.restUntilMs = other.restUntilMs;
    this.turn = other.turn;
    this.asked = other.asked;
    this.calls = [...other.calls];
    this.byRule.clear();
    for (const [rule, failures] of other.byRule) {
      const own = { ...failures };
      this.byRule.set(rule, own);
      this.keepTime(own, other.failedAtMs.get(failures));
    }
    this.keepTime(this.history, other.failedAtMs.get(other.history));
  }

  private keepTime(failures: Failures, failedAtMs: number | undefined): void {
    if (failedAtMs !== undefined) this.failedAtMs.set(failures, failedAtMs);
  }

  /** A new process knows nothing of the old one's failures. */
  restart(): void {
    this.byRule.clear();
  }

  /** Whether the breaker is open; a rest that has passed closes it. */
  isOpen(rule: string, { now, prompt }: HookContext): boolean {
    const { breaker } = this.part;
    if (breaker === null) return false;
    const own = this.failuresOf(rule);
    if (breaker.until === 'prompt' && own.failurePrompt !== prompt) own.failures = 0;
    if (typeof breaker.until === 'object' && now - (this.failedAtMs.get(own) ?? 0) >= breaker.until.ms)
      own.failures = 0;
    return own.failures >= breaker.after;
  }

  /** The entry that says so. */
  skipped(rule: string): Action {
    return { kind: 'breaker', by: BY, state: 'skipped', failures: this.failuresOf(rule).failures };
  }

  /** Whether a rest or a limit forbids another summary now. */
  isResting({ now, turn }: HookContext): boolean {
    if (now < this.restUntilMs) return true;
    const { perTurn, spend } = this.part;
    if (perTurn !== null && this.turn === turn && this.asked >= perTurn) return true;
    if (spend === null) return false;
    this.calls = this.calls.filter((at) => at > now - spend.perMs);
    if (this.calls.length < spend.calls) return false;
    this.restUntilMs = now + spend.restMs;
    return true;
  }

  /** Requests were made for a summary. */
  spent({ now, turn }: HookContext, requests: number): void {
    if (this.turn !== turn) this.asked = 0;
    this.turn = turn;
    this.asked++;
    if (this.part.spend !== null) for (let i = 0; i < requests; i++) this.calls.push(now);
  }

  /** A summary came: the breaker closes, unless it stays open for the session. */
  *succeeded(rule: string, { turn }: HookContext): Generator<Action, void, unknown> {
    const { breaker } = this.part;
    const own = this.failuresOf(rule);
    const { failures } = own;
    this.restUntilMs = 0;
    this.history.succeeded(turn);
    own.failures = 0;
    if (failures === 0) return;
    if (breaker?.until === 'session' && failures >= breaker.after) own.failures = failures;
    else if (breaker !== null) yield { kind: 'breaker', by: BY, state: 'reset', failures: 0 };
  }

  /** No summary came. */
  *failed(rule: string, { now, prompt }: HookContext): Generator<Action, void, unknown> {
    const { breaker, cooldownMs } = this.part;
    const own = this.failuresOf(rule);
    own.failures++;
    own.failurePrompt = prompt;
    this.failedAtMs.set(own, now);
    const { failures } = own;
    if (cooldownMs.length > 0)
      this.restUntilMs = now + cooldownMs[Math.min(failures, cooldownMs.length) - 1]!;
    if (breaker !== null && failures === breaker.after)
      yield { kind: 'breaker', by: BY, state: 'tripped', failures };
  }
}
