/** Shorter identifiers tell nothing. */
const NAME_CHARS = 8;

/** What a character is in an identifier; 0 for none of it. */
const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const DOLLAR = 16;

const KINDS = new Uint8Array(128);
for (const [kind, characters] of [
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [DIGIT, '0123456789'],
  [UNDERSCORE, '_'],
  [DOLLAR, '$'],
] as const)
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;

/**
 * Goes through the identifiers of a text, by their places: words with something that plain language has not: a digit beside a small letter, an
 * underscore or a capital inside, a dollar sign. Paths are names without a need: their parts count. It looks at the last of the
 * fewest characters first, so most words are passed over; regular expressions take four times as long.
 */
export function eachName(text: string, take: (from: number, to: number) => void): void {
  const { length } = text;
  for (let from = 0; from + NAME_CHARS <= length; ) {
    let i = from + NAME_CHARS - 1;
    while (i >= from && kindAt(text, i) !== 0) i--;
    if (i < from) {
      let kind = kindAt(text, from);
      let isMarked = kind === DOLLAR;
      i = from;
      while (++i < length) {
        const next = kindAt(text, i);
        if (next === 0) break;
        if (next === DOLLAR) isMarked = true;
        else if (kind === UNDERSCORE) isMarked ||= i - 1 > from;
        else if (kind === LOWER) isMarked ||= next === DIGIT || next === UPPER;
        else if (kind === DIGIT) isMarked ||= next === LOWER;
        kind = next;
      }
      if (isMarked) take(from, i);
    }
    from = i + 1;
  }
}

function kindAt(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return code < 128 ? KINDS[code]! : 0;
}

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
