import { z } from 'zod';

/** Scenario names: safe as folder names everywhere. */
export const NAME_PATTERN = /^(?=.{1,64}$)[a-z0-9]+(?:[-._][a-z0-9]+)*$/;

/** Variant names: one line with a letter or digit, without slashes, beginning and ending with something visible. */
export const VARIANT_NAME_PATTERN =
  /^(?=.{1,64}$)(?=.*[\p{L}\p{N}])[^\s./\\\p{Cc}](?:[^/\\\p{Cc}]*[^\s./\\\p{Cc}])?$/u;

/** Durations: one or more amounts with a unit, such as `18h` or `2d 4h`. */
export const DURATION_PATTERN = /^[0-9]+(?:\.[0-9]+)?[smhd](?: ?[0-9]+(?:\.[0-9]+)?[smhd])*$/;

/** What the patterns ask for, in words. */
export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [NAME_PATTERN.source]: 'lower-case letters and digits, joined by single "-", "." or "_" (at most 64)',
  [DURATION_PATTERN.source]: 'a duration such as 18h, 90m or 2d 4h',
  [VARIANT_NAME_PATTERN.source]:
    'one line of at most 64 characters with a letter or digit and without slashes',
};

/** A whole number in a range. */
export function whole(min: number, max: number, description: string) {
  return z.int().min(min).max(max).describe(description);
}

/** A text that is not empty. */
export function text(description: string) {
  return z.string().min(1).describe(description);
}

/** The same, or null; editors show its description either way. */
export function orNull<T extends z.ZodType>(schema: T) {
  return schema.nullable().describe(schema.description ?? '');
}
