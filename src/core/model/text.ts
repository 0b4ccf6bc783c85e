/** Text that may be made or decoded only when somebody reads it. Its length is known without reading. */
export interface Text {
  /** Length in UTF-16 code units, as the estimators of the reference clients count it. */
  readonly chars: number;
  read(): string;
  /** The first characters alone, where that is cheaper than reading all. */
  start?(chars: number): string;
}

/** The first characters of a text. */
export function textStart(text: Text, chars: number): string {
  return text.start?.(chars) ?? text.read().slice(0, chars);
}

/** Words are private: whoever prints a block prints none. */
class LiteralText implements Text {
  readonly chars: number;
  readonly #words: string;

  constructor(words: string) {
    this.chars = words.length;
    this.#words = words;
  }

  read(): string {
    return this.#words;
  }
}

/** A text that is at hand. */
export function literalText(text: string): Text {
  return new LiteralText(text);
}

class LazyText implements Text {
  readonly #build: () => string;
  #built: string | null = null;

  constructor(
    readonly chars: number,
    build: () => string,
  ) {
    this.#build = build;
  }

  read(): string {
    this.#built ??= this.#build();
    return this.#built;
  }
}

/** A text of known length that is built at the first reading. */
export function lazyText(chars: number, build: () => string): Text {
  return new LazyText(chars, build);
}
