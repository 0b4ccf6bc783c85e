/** Text that may be made or decoded only when somebody reads it. Its length is known without reading. */
export interface Text {
  /** Length in UTF-16 code units, as the estimators of the reference clients count it. */
  readonly chars: number;
  read(): string;
}

/** A text that is at hand. */
export function literalText(text: string): Text {
  return { chars: text.length, read: () => text };
}

/** A text of known length that is built at the first reading. */
export function lazyText(chars: number, build: () => string): Text {
  let built: string | null = null;
  return {
    chars,
    read() {
      built ??= build();
      return built;
    },
  };
}
