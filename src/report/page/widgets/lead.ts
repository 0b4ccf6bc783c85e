import { h } from './dom.js';

/** The result in a sentence, and below it what to do about it or to doubt of it. */
export function leadView(result: string, advice: string | null): readonly (HTMLElement | null)[] {
  return [h('p.lead', result), advice === null ? null : h('p.advice', advice)];
}
