/**
 * What a client does to its own requests towards the cache, beside what its policy decides: one value per habit. The
 * engine plays it forward, `validate` holds the same against recordings.
 */
export interface ClientHabits {
  /** Where cache breakpoints go. */
  readonly breakpoints: 'system+last' | 'system+last-two' | 'none';
  /** Thinking of earlier turns: what the model keeps by itself, or all of it. */
  readonly thinking: 'model' | 'keep-all';
  /** A request that no transcript shows follows each turn and leaves the response in the cache. */
  readonly suggestions: 'off' | 'end-of-turn';
  /** Thinking stays as it is, or whoever speaks switches it (K1). */
  readonly thinkingSwitch: 'constant' | 'by-speaker';
  /** The tools stay, or the first search for one in a process changes them (K2). */
  readonly toolLoading: 'stable' | 'first-search';
  /** What a new process finds: everything, or what the first request of the session found (K3). */
  readonly newProcess: 'same' | 'as-first';
  /** A process that takes a session up reads the record whole, or along its parents (K12). */
  readonly record: 'whole' | 'parent-chain';
  /** A response in one piece comes from the same cache entries, or from some of its own (K4). */
  readonly fallback: 'same' | 'own-variant';
  /** How far back a breakpoint finds an entry: as documented, or as seen (K7). */
  readonly lookback: 'documented' | 'observed';
  /** The first image of a conversation makes its messages cold, or does not (K10). */
  readonly images: 'break' | 'keep';
  /** The first request of a thread finds nothing, or what the recorded one found (K11). */
  readonly firstRequest: 'cold' | 'recorded';
  /** Lifetimes as documented, or as recorded. */
  readonly lifetimes: 'documented' | 'observed';
  /** System and tools may be warm from other sessions after an hour, every second time where they were at first. */
  readonly outside: 'cold' | 'half';
  /** Breaks that nothing foretells (K14): left out of the run, or drawn by its seed. */
  readonly hazard: 'off' | 'drawn';
}

/** A habit. */
export type Habit = keyof ClientHabits;

/** The bare API: what is documented, and nothing else. */
export const BARE_API: ClientHabits = {
  breakpoints: 'system+last',
  thinking: 'model',
  suggestions: 'off',
  thinkingSwitch: 'constant',
  toolLoading: 'stable',
  newProcess: 'same',
  record: 'whole',
  fallback: 'same',
  lookback: 'documented',
  images: 'break',
  firstRequest: 'cold',
  lifetimes: 'documented',
  outside: 'cold',
  hazard: 'off',
};

/** Value of a habit's parameter that leaves it to the client. */
export const AS_CLIENT = 'client';

/** Value of `client.use` that takes the client of the recording. */
export const RECORDED_CLIENT = 'recorded';
