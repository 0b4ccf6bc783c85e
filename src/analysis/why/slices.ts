import { getOrMake } from '../../core/base/once.js';
import { usd } from '../../metrics/metric.js';

/** Requests of a session, and their money, on one day with one model. */
export interface Spent {
  readonly model: string;
  readonly day: string;
  readonly requests: number;
  /** Null if the model has no price. */
  readonly nano: number | null;
}

interface Tally {
  sessions: number;
  requests: number;
  nano: number | null;
  /** The session that was added last. */
  latest: number;
}

/** The money of sessions by names, which are added one after the other. */
export class Slices {
  readonly #found = new Map<string, Tally>();

  /** Adds what a session spent under a name; `session` is its number. */
  add(name: string, { requests, nano }: Pick<Spent, 'requests' | 'nano'>, session: number): void {
    const own = getOrMake(this.#found, name, () => ({ sessions: 0, requests: 0, nano: null, latest: -1 }));
    if (own.latest !== session) own.sessions++;
    own.latest = session;
    own.requests += requests;
    if (nano !== null) own.nano = (own.nano ?? 0) + nano;
  }

  /** The most first. */
  list() {
    return [...this.#found]
      .map(([name, { sessions, requests, nano }]) => ({
        name,
        sessions,
        requests,
        usd: nano === null ? null : usd(nano),
      }))
      .sort((a, b) => (b.usd ?? -1) - (a.usd ?? -1) || (a.name < b.name ? -1 : 1));
  }
}

/** Money by project, model or day. */
export type Slice = Readonly<ReturnType<Slices['list']>[number]>;
