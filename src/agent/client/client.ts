import type { ClientHabits } from './habits.js';

/** A client: what one generation of an agent does to its requests, and how that is known. */
export interface Client {
  /** Public name, e.g. `claude-code/2.1.112`. */
  readonly name: string;
  /** First version of its agent that behaves like this; null where no version speaks for it. */
  readonly from: string | null;
  /** One sentence: what it is. */
  readonly summary: string;
  /** Habits that differ from the bare API. */
  readonly habits: Partial<ClientHabits>;
  /** Where each habit is known from. */
  readonly sources: Readonly<Partial<Record<keyof ClientHabits, string>>>;
}
