/** How content came into a conversation. */
export const ITEM_ORIGINS = ['user', 'assistant', 'result', 'summary', 'attachment'] as const;
export type ItemOrigin = (typeof ITEM_ORIGINS)[number];

/** A block that something needs later. */
export interface Item {
  /** Message it stands in, and its place there. */
  readonly message: string;
  readonly block: number;
  readonly origin: ItemOrigin;
  readonly tool: string | null;
  readonly path: string | null;
  readonly tokens: number;
  /** Number of the first call of its thread that could see it, from 0. */
  readonly seenAt: number;
}

/**
 * What needs an item again. `reread`: the same lines are fetched again; `edit`: an edit changes lines that stand there; `echo`: a rare
 * identifier from there is named; `repeat`: the user says the same again.
 */
export const USE_KINDS = ['reread', 'edit', 'echo', 'repeat'] as const;
export type UseKind = (typeof USE_KINDS)[number];

/** A call that needs content of earlier ones. */
export interface Use {
  readonly kind: UseKind;
  /** The call that needs it, and its number in its thread. */
  readonly call: string;
  readonly at: number;
  /** The identifier or line that shows it. */
  readonly what: string;
  /** The item to fetch: the latest result that holds it, or else where it was first. */
  readonly item: number;
  /** All items that hold it, in order. */
  readonly holders: readonly number[];
  /** Tokens that were fetched again, for a reread. */
  readonly tokens: number;
  /** The file was edited since: it would have been read again anyway. */
  readonly isStale: boolean;
}

/** The uses of one thread, in the order of its calls. */
export interface ThreadUses {
  readonly thread: string;
  readonly items: readonly Item[];
  readonly uses: readonly Use[];
}

/** The same by the call that needs them; content that was edited since is not needed as it was. */
export interface UsesByCall {
  readonly items: readonly Item[];
  readonly at: ReadonlyMap<string, readonly Use[]>;
}
