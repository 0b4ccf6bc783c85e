import * as z from 'zod';
import { foundWords } from '../../core/base/errors.js';
import { ownValue } from '../../core/base/own-value.js';
import { described, readDuration, refuse } from '../../core/base/schema.js';
import type { AmountText, Comparison, TimeComparison } from '../../core/run/policy-rules.js';
import { AmountError, MIDDLE, parseAmount } from './expression.js';

type Ctx = z.core.ParsePayload<unknown>;

/** More than any conversation has. */
export const MANY = 1e9;

/** Largest plain number: its digits are written out. */
const MOST = 1e15;

/** Windows with which an amount must be a number. */
const TRIED_WINDOWS = [100_000, 128_000, 200_000, 1_000_000];

const NO_SIZES = { W: 0, O: 0, I: 0, B: 0 };

/** Whether an amount is a part of one, which nobody means: `85%` or `0.85` without what it is a part of. */
function isBareShare(written: string): boolean {
  return /^\s*(?:[\d.]+\s*%|0?\.\d*[1-9]\d*)\s*$/.test(written);
}

/** An amount that is written as a number, or as a text from an offset on; a problem is reported at its character. */
function readAmount(ctx: Ctx, value: number | string, offset: number | null = null): AmountText {
  const written = String(value).trim();
  if (isBareShare(written))
    return refuse(ctx, `\`${written}\` does not say of what it is a share`, {
      hint: `write ${written}·W for a share of the window, ${written}·B for one of the base`,
      offset,
    });
  if (typeof value === 'number') {
    if (value >= 0 && value <= MOST && /^[\d.]+$/.test(written)) return written;
    return refuse(ctx, `expected an amount of 0 or more, got ${foundWords(value)}`);
  }
  try {
    const parsed = parseAmount(value);
    for (const W of TRIED_WINDOWS) parsed({ W, O: 32_000, I: W, B: 0.9 * W }, MIDDLE);
    return written;
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    return refuse(ctx, error.message, { hint: error.hint, offset: (offset ?? 0) + error.offset });
  }
}

/** A number, or a text with something in it. */
const numberOrText = z.union([z.number(), z.string().regex(/\S/)]);

/** A digit-only text of a number: as it may be written inside an amount, never with an exponent. */
export function digits(value: number): AmountText {
  return value.toFixed(12).replace(/\.?0+$/, '');
}

/** An amount: a number, or an expression of W, O, I and B. */
export function amount(description: string) {
  const schema = numberOrText.transform((value, ctx) =>
    readAmount(ctx, value, typeof value === 'string' ? 0 : null),
  );
  return described(schema, {
    title: 'an amount such as 150k, 0.9·B or W - 33k',
    description: `${description} A number, or an expression such as 0.9·B or W - 33k.`,
  });
}

/** A plain amount in a range, with units, that needs no sizes. */
export function plainAmount(min: number, max: number, description: string) {
  const title = `a number from ${min} to ${max}`;
  const schema = numberOrText.transform((value, ctx) => {
    if (typeof value === 'string' && !/[A-Za-z]{2,}|[WOIB]/.test(value) && !isBareShare(value))
      readAmount(ctx, value, 0);
    if (ctx.issues.length > 0) return z.NEVER;
    const read = plainNumber(value);
    if (read >= min && read <= max) return read;
    return refuse(ctx, `expected ${title}, got ${foundWords(value)}`, { hint: 'units: k, m, %' });
  });
  return described(schema, { title, description });
}

function plainNumber(value: number | string): number {
  if (typeof value === 'number') return value;
  return /[A-Za-z]{2,}|[WOIB]/.test(value) ? Number.NaN : parseAmount(value)(NO_SIZES, 0);
}

const SIGNS: Readonly<Record<string, Comparison['op']>> = { '≥': '>=', '≤': '<=' };

/** The operator of a bound, and what follows it from which character on. */
function splitBound(written: string, otherwise: Comparison['op']) {
  const match = /^\s*(>=|<=|>|<|≥|≤)\s*/.exec(written);
  const length = match?.[0].length ?? 0;
  const op = match === null ? otherwise : (ownValue(SIGNS, match[1]!) ?? (match[1] as Comparison['op']));
  return { op, rest: written.slice(length), length };
}

/** How bounds are read. */
interface BoundOptions {
  /** What a bare amount means; `>=` where absent. */
  readonly otherwise?: Comparison['op'];
  /** The only side that a bound may be from; any where absent. */
  readonly side?: '<' | '>';
}

/** Reads a bound on an amount. */
export function readBound(ctx: Ctx, value: number | string, options: BoundOptions = {}): Comparison {
  const { otherwise = '>=', side } = options;
  if (typeof value === 'number') return { op: otherwise, amount: readAmount(ctx, value) };
  if (/^\s*=\s*[<>]/.test(value))
    return refuse(ctx, `expected a bound, got ${foundWords(value)}`, {
      hint: 'the equals sign comes second: >= or <=',
    });
  const { op, rest, length } = splitBound(value, otherwise);
  const bound = readAmount(ctx, rest, length);
  if (side === undefined || op.startsWith(side)) return { op, amount: bound };
  return refuse(ctx, `expected a bound with ${side}= or ${side}, got ${foundWords(value)}`);
}

/** A bound that `read` makes something of. */
export function boundBy<T>(description: string, read: (ctx: Ctx, value: number | string) => T) {
  return described(
    numberOrText.transform((value, ctx) => read(ctx, value)),
    {
      title: 'a bound such as ">= 0.9·B" or "> 80"',
      description: `${description} For instance ">= 0.9·B".`,
    },
  );
}

/** A bound on an amount, such as `">= 0.9·B"`. */
export function comparison(description: string, options: BoundOptions = {}) {
  return boundBy(description, (ctx, value) => readBound(ctx, value, options));
}

/** A bound on a time, such as `">= 60min"`. */
export function timeComparison(description: string, otherwise: Comparison['op']) {
  const schema = z.string().transform((written, ctx): TimeComparison => {
    const { op, rest, length } = splitBound(written, otherwise);
    return { op, ms: readDuration(ctx, rest, length) };
  });
  return described(schema, {
    title: 'a bound on a time such as ">= 60min"',
    description: `${description} For instance ">= 60min".`,
  });
}
