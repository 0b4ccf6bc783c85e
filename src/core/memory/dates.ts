import { ownValue } from '../base/own-value.js';

const DAY_MS = 86_400_000;
const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const COUNTS: Readonly<Record<string, number>> = {
  a: 1,
  an: 1,
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
};
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };

const RELATIVE =
  /\b(?:today|tonight|yesterday|tomorrow|(?:last|next|this) (?:week|month|year|sunday|monday|tuesday|wednesday|thursday|friday|saturday)|in (?:an?|one|two|three|four|five|six|\d{1,3}) (?:day|week|month|year)s?|(?:an?|one|two|three|four|five|six|\d{1,3}) (?:day|week|month|year)s? ago)\b/gi;

/** In front of a date no second one is needed. */
const PREPOSITION = /\b(?:on|by|until|since|from|after|before|for|of|in) $/i;

/** A text whose words for days were replaced by dates, as seen from a time (DRM-3). */
export function withDates(text: string, nowMs: number): string {
  return text.replace(RELATIVE, (words: string, at: number) => {
    const date = absolute(words.toLowerCase(), nowMs);
    return PREPOSITION.test(text.slice(Math.max(0, at - 8), at)) ? date.slice(date.indexOf(' ') + 1) : date;
  });
}

function absolute(words: string, nowMs: number): string {
  const on = (days: number): string => `on ${dateOf(nowMs + days * DAY_MS)}`;
  if (words === 'today' || words === 'tonight') return on(0);
  if (words === 'yesterday') return on(-1);
  if (words === 'tomorrow') return on(1);
  const parts = words.split(' ');
  if (parts[0] === 'in') return on(daysIn(parts[1]!, parts[2]!));
  if (parts[2] === 'ago') return on(-daysIn(parts[0]!, parts[1]!));
  const [which, unit] = parts as [string, string];
  const step = which === 'last' ? -1 : which === 'next' ? 1 : 0;
  if (unit === 'week') return `in the week of ${dateOf(mondayOf(nowMs) + step * 7 * DAY_MS)}`;
  if (unit === 'month') return `in ${monthOf(nowMs, step)}`;
  if (unit === 'year') return `in ${new Date(nowMs).getUTCFullYear() + step}`;
  return on(daysTo(DAYS.indexOf(unit), step, nowMs));
}

/** Days to the named day: the latest one before today, the one of this week that is ahead, or the next after today. */
function daysTo(day: number, step: number, nowMs: number): number {
  const ahead = (day - new Date(nowMs).getUTCDay() + 7) % 7;
  if (step < 0) return ahead === 0 ? -7 : ahead - 7;
  return step > 0 && ahead === 0 ? 7 : ahead;
}

function daysIn(count: string, unit: string): number {
  return (ownValue(COUNTS, count) ?? Number(count)) * ownValue(UNIT_DAYS, unit.replace(/s$/, ''))!;
}

function mondayOf(ms: number): number {
  return ms - ((new Date(ms).getUTCDay() + 6) % 7) * DAY_MS;
}

function monthOf(ms: number, step: number): string {
  const date = new Date(ms);
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + step, 1)).toISOString().slice(0, 7);
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
