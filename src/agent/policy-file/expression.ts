import { CcbenchError } from '../../core/base/errors.js';
import { formatCount } from '../../core/base/format.js';
import { getOrMake } from '../../core/base/once.js';
import { ownValue } from '../../core/base/own-value.js';
import type { AmountText } from '../../core/run/policy-rules.js';

/** What an amount is computed from. */
export interface Sizes {
  /** Window. */
  readonly W: number;
  /** Longest answer. */
  readonly O: number;
  /** Longest input. */
  readonly I: number;
  /** Base of the policy. */
  readonly B: number;
}

/** An amount ready to be computed; `draw` gives a share of a jitter's range, from 0 to 1. */
export type Amount = (sizes: Sizes, draw: number) => number;

/** What is wrong with an amount, and at which character. */
export class AmountError extends CcbenchError {
  constructor(
    message: string,
    readonly offset: number,
    hint?: string,
  ) {
    super('bad-value', message, hint === undefined ? {} : { hint });
    this.name = 'AmountError';
  }
}

/** Longer and deeper than anybody writes; what reads amounts calls itself at each bracket. */
const MOST_CHARS = 1_000;
const MOST_BRACKETS = 32;

/** The middle of a jitter's range: what is shown where nothing is drawn. */
export const MIDDLE = 0.5;

const UNITS: Readonly<Record<string, number>> = { k: 1_000, K: 1_000, m: 1_000_000, M: 1_000_000, '%': 0.01 };
const NAME_OF: Readonly<Record<string, keyof Sizes>> = {
  W: 'W',
  O: 'O',
  I: 'I',
  B: 'B',
  window: 'W',
  output: 'O',
  input: 'I',
  base: 'B',
};

/** Functions of amounts, with how many they take; min and max take any number. */
const FUNCTIONS: Readonly<
  Record<string, readonly [number, (values: readonly number[], draw: number) => number]>
> = {
  min: [Number.NaN, (values) => Math.min(...values)],
  max: [Number.NaN, (values) => Math.max(...values)],
  floor: [1, ([a]) => Math.floor(a!)],
  jitter: [2, ([a, b], draw) => a! + (b! - a!) * draw],
  below: [4, ([x, limit, then, other]) => (x! < limit! ? then! : other!)],
};

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '−': (a, b) => a - b,
  '*': (a, b) => a * b,
  '·': (a, b) => a * b,
  '×': (a, b) => a * b,
  '/': (a, b) => a / b,
};

const TOKEN = /\s*(?:(\d[\d_,]*(?:\.\d+)?|\.\d+)\s*([kKmM%](?![A-Za-z]))?|([A-Za-z]+)|([-+*/()·×,−]))/y;

interface Token {
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  readonly text: string;
  readonly value: number;
  readonly offset: number;
}

function tokensOf(text: string): readonly Token[] {
  if (text.length > MOST_CHARS)
    throw new AmountError(
      `an amount has at most ${formatCount(MOST_CHARS)} characters, this one has ${formatCount(text.length)}`,
      MOST_CHARS,
    );
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  while (at < text.length && text.slice(at).trim() !== '') {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const start = at + /^\s*/.exec(text.slice(at))![0].length;
    if (match === null)
      throw new AmountError(
        `\`${text[start]}\` is not known in an amount`,
        start,
        'amounts are written like 0.9·B, W - 33k or min(150k, 0.8·W)',
      );
    const [whole, digits, unit, name, sign] = match;
    if (digits !== undefined) {
      // Inside a call a comma parts arguments; elsewhere it groups digits.
      const cut = depth > 0 ? digits.split(',')[0]! : digits;
      const value = Number(cut.replace(/[_,]/g, ''));
      const isCut = cut.length < digits.length;
      tokens.push({
        kind: 'number',
        text: cut,
        value: value * (isCut || unit === undefined ? 1 : ownValue(UNITS, unit)!),
        offset: start,
      });
      at = isCut ? start + cut.length : at + whole.length;
      continue;
    }
    if (name !== undefined) tokens.push({ kind: 'name', text: name, value: 0, offset: start });
    else {
      if (sign === '(') depth++;
      if (sign === ')') depth--;
      tokens.push({ kind: 'sign', text: sign!, value: 0, offset: start });
    }
    at += whole.length;
  }
  tokens.push({ kind: 'end', text: '', value: 0, offset: text.length });
  return tokens;
}

/** Parses a sum of products; errors name the character they are about. */
class Parser {
  private at = 0;
  private depth = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  private get next(): Token {
    return this.tokens[this.at]!;
  }

  private takes(...signs: readonly string[]): boolean {
    if (this.next.kind !== 'sign' || !signs.includes(this.next.text)) return false;
    this.at++;
    return true;
  }

  whole(): Amount {
    const amount = this.sum();
    if (this.next.kind !== 'end')
      throw new AmountError(
        `\`${this.next.text}\` is out of place here`,
        this.next.offset,
        ownValue(NAME_OF, this.next.text) !== undefined
          ? `put a dot or a star before it: 0.9·${this.next.text} or 0.9*${this.next.text}`
          : this.next.kind === 'name'
            ? 'units are k, m and %; sizes are W, O, I and B, as in 0.9·B'
            : 'put an operator between two amounts: 0.9·B, W - 33k',
      );
    return amount;
  }

  private sum(): Amount {
    return this.chain(['+', '-', '−'], () => this.chain(['*', '·', '×', '/'], () => this.factor()));
  }

  /** Operands joined by operators of one rank, from the left. */
  private chain(signs: readonly string[], operand: () => Amount): Amount {
    let left = operand();
    for (let { text: sign, offset } = this.next; this.takes(...signs); { text: sign, offset } = this.next) {
      const before = left;
      const at = offset;
      const right = operand();
      const apply = ownValue(OPERATORS, sign)!;
      left = (s, d) => numberAt(at, s, apply(before(s, d), right(s, d)));
    }
    return left;
  }

  /** What stands in brackets. */
  private inner(): Amount {
    if (++this.depth > MOST_BRACKETS)
      throw new AmountError(`brackets nest at most ${MOST_BRACKETS} deep`, this.next.offset);
    const amount = this.sum();
    this.depth--;
    return amount;
  }

  private factor(): Amount {
    const token = this.next;
    if (token.kind === 'number') {
      this.at++;
      return () => token.value;
    }
    if (this.takes('(')) {
      const inner = this.inner();
      this.close();
      return inner;
    }
    if (token.kind === 'name') {
      this.at++;
      const size = ownValue(NAME_OF, token.text);
      if (size !== undefined) return (sizes) => sizes[size];
      return this.call(token);
    }
    throw new AmountError(
      token.kind === 'end'
        ? 'an amount is missing at the end'
        : `an amount is missing before \`${token.text}\``,
      token.offset,
    );
  }

  private call(name: Token): Amount {
    const known = ownValue(FUNCTIONS, name.text);
    if (known === undefined)
      throw new AmountError(
        `\`${name.text}\` is not known in an amount`,
        name.offset,
        `known: ${[...Object.keys(NAME_OF), ...Object.keys(FUNCTIONS)].join(', ')}`,
      );
    if (!this.takes('('))
      throw new AmountError(
        `\`${name.text}\` needs its values in brackets`,
        name.offset,
        `for instance ${name.text}(0.78, 0.82)`,
      );
    const args: Amount[] = [this.inner()];
    while (this.takes(',')) args.push(this.inner());
    this.close();
    const [takes, apply] = known;
    if (!Number.isNaN(takes) && args.length !== takes)
      throw new AmountError(`\`${name.text}\` takes ${takes} values, not ${args.length}`, name.offset);
    return (s, d) =>
      apply(
        args.map((arg) => arg(s, d)),
        d,
      );
  }

  private close(): void {
    if (!this.takes(')')) throw new AmountError('a bracket is not closed', this.next.offset);
  }
}

/** A result, unless it is none: what a division by zero gives would meet every bound, or none. */
function numberAt(offset: number, { W, O, I, B }: Sizes, value: number): number {
  if (Number.isFinite(value)) return value;
  const sizes = Object.entries({ W, O, I, B }).map(([name, size]) => `${name} = ${formatCount(size)}`);
  throw new AmountError(`an amount divides by zero or is too large with ${sizes.join(', ')}`, offset);
}

const parsed = new Map<AmountText, Amount>();

/** Parses an amount once; equal texts share what was parsed. Throws an AmountError. */
export function parseAmount(text: AmountText): Amount {
  return getOrMake(parsed, text, () => new Parser(tokensOf(text)).whole());
}

/** Whether an amount draws a share of a range. */
export function hasJitter(text: AmountText): boolean {
  return /\bjitter\b/.test(text);
}

/** Whether an amount is computed from a size. */
export function mentions(text: AmountText, size: keyof Sizes): boolean {
  return tokensOf(text).some((token) => token.kind === 'name' && ownValue(NAME_OF, token.text) === size);
}
