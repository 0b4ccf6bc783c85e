import { durationMs } from '../../core/base/duration-shape.js';
import {
  type PartPath,
  type Problems,
  type Shape,
  shape,
  shownValue,
  wanted,
  wrongValue,
} from '../../core/base/shape.js';
import type { AmountText, Comparison, TimeComparison } from '../../core/run/parts.js';
import { AmountError, parseAmount } from './expression.js';

/** More than any conversation has. */
export const MANY = 1e9;

const AMOUNT_SCHEMA = { anyOf: [{ type: 'number' }, { type: 'string' }] } as const;

/** Reads the amount in a text from an offset on; a problem is told at its character. */
function readAmount(
  written: string,
  offset: number,
  path: PartPath,
  problems: Problems,
): AmountText | undefined {
  try {
    parseAmount(written);
    return isBareShare(written) ? refuseShare(written.trim(), path, problems, offset) : written.trim();
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    problems(wrongValue(path, error.message, error.hint, offset + error.offset));
    return undefined;
  }
}

/** Whether an amount is a part of one, which nobody means: `85%` or `0.85` without what it is a part of. */
function isBareShare(written: string): boolean {
  return /^\s*(?:[\d.]+\s*%|0?\.\d*[1-9]\d*)\s*$/.test(written);
}

function refuseShare(written: string, path: PartPath, problems: Problems, offset: number | null): undefined {
  problems(
    wrongValue(
      path,
      `\`${written}\` does not say of what it is a share`,
      `write ${written}·W for a share of the window, ${written}·B for one of the base`,
      offset,
    ),
  );
}

/** Largest plain number: its digits are written out. */
const MOST = 1e15;

/** A number as it may stand inside an amount: never with an exponent. */
export function digits(value: number): AmountText {
  return value.toFixed(12).replace(/\.?0+$/, '');
}

/** A plain number as an amount. */
function readNumber(value: number, path: PartPath, problems: Problems): AmountText | undefined {
  if (isBareShare(String(value))) return refuseShare(String(value), path, problems, null);
  if (value >= 0 && value <= MOST && /^[\d.]+$/.test(String(value))) return String(value);
  return wanted('an amount from 0 on', value, path, problems);
}

/** An amount: a number, or an expression of W, O, I and B. */
export function amount(description: string): Shape<AmountText> {
  return shape(
    { ...AMOUNT_SCHEMA, description: `${description} A number, or an expression such as 0.9·B or W - 33k.` },
    (value, path, problems) => {
      if (typeof value === 'number') return readNumber(value, path, problems);
      if (typeof value === 'string' && value.trim() !== '') return readAmount(value, 0, path, problems);
      return wanted('an amount', value, path, problems, 'for instance 150k, 0.9·B or W - 33k');
    },
  );
}

/** A plain amount of so much, with units, that needs no sizes. */
export function plainAmount(min: number, max: number, description: string): Shape<number> {
  return shape({ ...AMOUNT_SCHEMA, description }, (value, path, problems) => {
    const read =
      typeof value === 'number'
        ? value
        : typeof value === 'string'
          ? plainNumber(value, path, problems)
          : Number.NaN;
    if (read === undefined) return undefined;
    if (Number.isFinite(read) && read >= min && read <= max) return read;
    return wanted(`a number from ${min} to ${max}`, value, path, problems, 'units: k, m, %');
  });
}

function plainNumber(value: string, path: PartPath, problems: Problems): number | undefined {
  if (/[A-Za-z]{2,}|[WOIB]/.test(value))
    return wanted('a plain number', value, path, problems, 'units: k, m, %');
  if (isBareShare(value)) return parseAmount(value)({ W: 0, O: 0, I: 0, B: 0 }, 0);
  return readAmount(value, 0, path, problems) === undefined
    ? undefined
    : parseAmount(value)({ W: 0, O: 0, I: 0, B: 0 }, 0);
}

const OPERATOR = /^\s*(>=|<=|>|<|≥|≤)\s*/;
const SIGNS: Readonly<Record<string, Comparison['op']>> = { '≥': '>=', '≤': '<=' };

/** Operator, where it ends, and whether one was written. */
function operatorOf(
  written: string,
  otherwise: Comparison['op'],
): { readonly op: Comparison['op']; readonly length: number } {
  const match = OPERATOR.exec(written);
  if (match === null) return { op: otherwise, length: 0 };
  const sign = match[1]!;
  return { op: SIGNS[sign] ?? (sign as Comparison['op']), length: match[0].length };
}

/** A bound on an amount, such as `">= 0.9·B"`; a bare amount means `otherwise`. */
export function comparison(description: string, otherwise: Comparison['op'] = '>='): Shape<Comparison> {
  return shape(
    { ...AMOUNT_SCHEMA, description: `${description} For instance ">= 0.9·B".` },
    (value, path, problems) => {
      if (typeof value === 'number') {
        const plain = readNumber(value, path, problems);
        return plain === undefined ? undefined : { op: otherwise, amount: plain };
      }
      if (typeof value !== 'string' || value.trim() === '')
        return wanted('a bound', value, path, problems, 'for instance ">= 0.9·B" or "> 80"');
      if (/^\s*=\s*[<>]/.test(value))
        return wanted('a bound', value, path, problems, 'the equals sign comes second: >= or <=');
      const { op, length } = operatorOf(value, otherwise);
      const amountText = readAmount(value.slice(length), length, path, problems);
      return amountText === undefined ? undefined : { op, amount: amountText };
    },
  );
}

/** A bound from one side: `<=` and `<`, or `>=` and `>`. */
export function oneSided(inner: Shape<Comparison>, side: '<' | '>'): Shape<Comparison> {
  return shape(inner.schema, (value, path, problems) => {
    const read = inner.read(value, path, problems);
    if (read === undefined || read.op.startsWith(side)) return read;
    return wanted(`a bound with ${side}= or ${side}`, value, path, problems);
  });
}

/** A bound on a time, such as `">= 60min"`. */
export function timeComparison(description: string, otherwise: Comparison['op']): Shape<TimeComparison> {
  return shape(
    { type: 'string', description: `${description} For instance ">= 60min".` },
    (value, path, problems) => {
      const written = typeof value === 'string' ? value : shownValue(value);
      const { op, length } = operatorOf(written, otherwise);
      const ms = durationMs(written.slice(length), length, path, problems);
      return ms === undefined ? undefined : { op, ms };
    },
  );
}
