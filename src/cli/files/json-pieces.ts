/** Values of a JSON list that are made one by one while it is written. */
export class MadeList<Value> {
  readonly #make: () => Iterable<Value>;

  constructor(make: () => Iterable<Value>) {
    this.#make = make;
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#make()[Symbol.iterator]();
  }

  toJSON(): readonly Value[] {
    return [...this];
  }
}

const STEP = '  ';

/** Characters of a piece, at least: fewer would take longer to write than to make. */
const PIECE_CHARS = 65_536;

/** A value as the text of a JSON file in pieces, the same as in one: all of it may be larger than what it is made from. */
export function* jsonPieces(value: object): Generator<string> {
  let piece = '';
  for (const part of partsOf(value, '')) {
    piece += part;
    if (piece.length < PIECE_CHARS) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

function* partsOf(value: unknown, indent: string): Generator<string> {
  const isMade = value instanceof MadeList;
  if (typeof value !== 'object' || value === null || ('toJSON' in value && !isMade)) {
    yield whole(value, indent);
    return;
  }
  const inner = `${indent}${STEP}`;
  const isList = isMade || Array.isArray(value);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  let before = open;
  for (const [name, item] of isList ? unnamed(value as Iterable<unknown>) : Object.entries(value)) {
    if (item === undefined && !isList) continue;
    yield `${before}\n${inner}${name === null ? '' : `${JSON.stringify(name)}: `}`;
    if (isMade) yield whole(item, inner);
    else yield* partsOf(item ?? null, inner);
    before = ',';
  }
  yield before === open ? `${open}${close}` : `\n${indent}${close}`;
}

function* unnamed(items: Iterable<unknown>): Generator<[null, unknown]> {
  for (const item of items) yield [null, item];
}

function whole(value: unknown, indent: string): string {
  return JSON.stringify(value, null, STEP).replaceAll('\n', `\n${indent}`);
}
