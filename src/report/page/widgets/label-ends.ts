/** A text at the height of what it names. */
export interface Label {
  readonly y: number;
  readonly text: string;
}

/** Height of a line of text with room to the next, width of a letter with some to spare, room between two texts. */
const LINE_PX = 15;
const LETTER_PX = 6.5;
const BETWEEN_PX = 14;

/** Where texts end so that each stays at its height: one that would stand over another goes to the left of it. */
export function labelEnds(labels: readonly Label[], end: number): readonly number[] {
  const placed: { readonly y: number; readonly from: number; readonly to: number }[] = [];
  for (const { y, text } of labels) {
    const width = text.length * LETTER_PX;
    const beside = placed.filter((other) => Math.abs(other.y - y) < LINE_PX).sort((a, b) => b.to - a.to);
    let to = end;
    for (const other of beside)
      if (other.to > to - width - BETWEEN_PX) to = Math.min(to, other.from - BETWEEN_PX);
    placed.push({ y, from: to - width, to });
  }
  return placed.map(({ to }) => to);
}
