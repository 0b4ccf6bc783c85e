import { z } from 'zod';

/** Scenario names: safe as folder names everywhere. */
export const NAME_PATTERN = /^(?=.{1,64}$)[a-z0-9]+(?:[-._][a-z0-9]+)*$/;

/** What that asks for, in words. */
export const NAME_WORDS = 'lower-case letters and digits, joined by single "-", "." or "_" (at most 64)';

/** A name that is safe as a folder name. */
export function safeName(description: string) {
  return z.string().regex(NAME_PATTERN).meta({ title: NAME_WORDS, description });
}
