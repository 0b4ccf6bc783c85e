import type { Action, Outcome } from '../../../core/run/action.js';
import type { CachePart } from '../../../core/run/parts.js';
import type { ContextView, Moment } from '../../../core/run/tier.js';
import { MIDDLE, parseAmount } from '../../policy-file/expression.js';
import type { PolicyState } from './rule-state.js';
import { pingRequest } from './short-request.js';

const BY = { layer: 'rules', reason: 'the cache entry is kept alive' } as const;

/** Sends short requests while nobody works, so that the cache entry stays alive. */
export class KeepAlive {
  private pings = 0;
  private since: number | null = null;

  constructor(
    private readonly part: NonNullable<CachePart['keepAlive']>,
    private readonly state: PolicyState,
  ) {}

  adopt(other: KeepAlive): void {
    this.pings = other.pings;
    this.since = other.since;
  }

  /** A response came: the next ping is due so long after it. */
  *arrange({ now, lastResponseMs }: Moment): Generator<Action, void, Outcome> {
    this.pings = 0;
    this.since = lastResponseMs;
    yield { kind: 'wake-at', by: BY, timeMs: now + this.part.everyMs };
  }

  /** Pings, unless somebody has worked since or enough was done. */
  *ping({ now, lastResponseMs }: Moment, view: ContextView): Generator<Action, void, Outcome> {
    const { everyMs, times, atLeast } = this.part;
    if (lastResponseMs === null || this.since !== lastResponseMs || this.pings >= times) return;
    if (now < lastResponseMs + everyMs * (this.pings + 1)) return;
    if (!view.cacheIsWarm) return;
    if (atLeast !== null && view.seenTokens < parseAmount(atLeast)(this.state.sizes, MIDDLE)) return;
    this.pings++;
    yield { kind: 'ask', by: BY, request: pingRequest(view.messages, now) };
    if (this.pings < times) yield { kind: 'wake-at', by: BY, timeMs: now + everyMs };
  }
}
