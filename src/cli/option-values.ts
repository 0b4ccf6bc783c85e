import { InvalidArgumentError } from 'commander';
import { dayStartMs } from '../core/base/clock.js';
import { wordList } from '../core/base/format.js';
import type { PlannedPrices } from '../core/run/run-plan.js';

/** A list with commas that may be given several times. */
const joinList = (value: string, before?: string): string =>
  before === undefined ? value : `${before},${value}`;

/** An option that may be given several times. */
const collect = (value: string, list: readonly string[] = []): readonly string[] => [...list, value];

/** The same of an option that `--no-…` turns off: what comes after that counts alone. */
const collectUnlessOff = (value: string, before?: readonly string[] | boolean): readonly string[] =>
  collect(value, Array.isArray(before) ? before : []);

/** Reads a number that is written in a form and lies between two ends. */
const numberFrom =
  (form: RegExp, what: string, least = 0, most = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    const value = Number(text);
    if (form.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be ${what}.`);
  };

/** A whole number; more digits are not kept to the last one. */
const whole = numberFrom(/^\d{1,15}$/, 'a whole number from 0 to 999999999999999');

/** Worker threads one command may have: more than the largest machines have cores. */
const MOST_WORKERS = 256;

/** A number of worker threads. */
const threads = numberFrom(/^\d{1,3}$/, `a whole number from 0 to ${MOST_WORKERS}`, 0, MOST_WORKERS);

/** A percentage. */
function percent(text: string): number {
  const value = Number(text.replace(/%$/, ''));
  if (!/^\d+(\.\d+)?%?$/.test(text) || value > 100)
    throw new InvalidArgumentError('It must be 0 to 100 percent.');
  return value;
}

/** The price of a model as given, dollars per million tokens. */
export interface GivenPrice
  extends Pick<PlannedPrices, 'input' | 'output'>,
    Partial<Pick<PlannedPrices, 'read' | 'write'>> {
  readonly model: string;
}

/** Prices of a model, such as my-model=1,5,0.1,1.25; several add up. */
function price(text: string, before: readonly GivenPrice[] = []): readonly GivenPrice[] {
  const [, model = '', list = ''] = /^([^=\s]+)=(.*)$/.exec(text) ?? [];
  const dollars = list
    .split(',')
    .map((part) => (/^\s*\d{1,4}(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  const [input, output, read, write] = dollars;
  if (input === undefined || output === undefined || dollars.length > 4 || dollars.some(Number.isNaN))
    throw new InvalidArgumentError(
      'It must be a model and two to four prices in dollars per million tokens: my-model=input,output,read,write.',
    );
  const cached = { ...(read === undefined ? {} : { read }), ...(write === undefined ? {} : { write }) };
  return [...before, { model, input, output, ...cached }];
}

/** A day. */
function day(text: string): string {
  if (dayStartMs(text) === null)
    throw new InvalidArgumentError('It must be a day as year-month-day, such as 2026-07-01.');
  return text;
}

/** Seconds, separated by commas. */
function lifetimes(text: string): readonly number[] {
  return text.split(',').map((part) => {
    const value = Number(part);
    if (!/^\s*\d+(\.\d+)?\s*$/.test(part) || value <= 0) {
      throw new InvalidArgumentError('It must be seconds above zero, separated by commas, such as 45,90.');
    }
    return value;
  });
}

/** Settings that one search may draw: as many as a sweep may have points. */
const MOST_TRIALS = 100_000;

/** A whole number from 1 up. */
const count = numberFrom(/^\d{1,6}$/, `a whole number from 1 to ${MOST_TRIALS}`, 1, MOST_TRIALS);

/** A number of tokens, such as 128000, 200k or 1m. */
function tokens(text: string): number {
  const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?)([km]?)$/i.exec(text) ?? [];
  const value =
    Number(digits) * (unit === undefined || unit === '' ? 1 : unit.toLowerCase() === 'k' ? 1_000 : 1_000_000);
  if (digits === undefined || value < 1 || value > 1e9 || !Number.isInteger(value))
    throw new InvalidArgumentError('It must be a number of tokens, such as 128000, 200k or 1m.');
  return value;
}

/** A number from 1 up. */
const factor = numberFrom(/^\d+(\.\d+)?$/, 'a number of 1 or more, such as 1.6', 1);

/** The speed of a clock: `real`, or a factor such as `60x`. */
function clockSpeed(text: string): number {
  if (text === 'real') return 1;
  const [, digits] = /^(\d{1,6}(?:\.\d+)?)x$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) <= 0)
    throw new InvalidArgumentError('It must be real, or a factor such as 60x.');
  return Number(digits);
}

/** A number from 0 up. */
const amount = numberFrom(/^\d{1,6}(\.\d+)?$/, 'a number of 0 or more');

/** A port of this machine. */
const port = numberFrom(/^\d{1,5}$/, 'a whole number from 0 to 65535', 0, 65_535);

/** One of a few words. */
export function oneOf(words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new InvalidArgumentError(`It must be ${wordList(words, 'or')}.`);
  };
}

/** Some of a few words, separated by commas. */
export function anyOf(words: readonly string[]): (text: string) => readonly string[] {
  const one = oneOf(words);
  return (text) => text.split(',').map((part) => one(part.trim()));
}

/** A share of the work, such as 3/16. */
function shard(text: string): { readonly index: number; readonly of: number } {
  const [, index, of] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (index === undefined || Number(index) < 1 || Number(index) > Number(of))
    throw new InvalidArgumentError('It must be i/n with i from 1 to n, such as 3/16.');
  return { index: Number(index), of: Number(of) };
}

/** Readers of values by the names that commands.yaml calls them. */
export const OPTION_VALUES = {
  amount,
  clockSpeed,
  collect,
  joinList,
  collectUnlessOff,
  count,
  day,
  factor,
  lifetimes,
  percent,
  port,
  price,
  shard,
  threads,
  tokens,
  whole,
};

/** The name of a reader of values. */
export type OptionValue = keyof typeof OPTION_VALUES;

/** Options with every setting that they stand for in `set`. */
export type WithSet<T> = Omit<T, 'set'> & { readonly set: readonly string[] };

/** The setting of a scenario that `--prices-of` stands for. */
export function priceSettings({ pricesOf }: { readonly pricesOf?: string }): readonly string[] {
  return pricesOf === undefined ? [] : [`priceDay=${JSON.stringify(pricesOf)}`];
}
