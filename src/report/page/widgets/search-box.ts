import { h } from './dom.js';

/** A field that narrows lists down, and says how much is left. */
export interface SearchBox {
  readonly element: HTMLElement;
  /** Puts words into the field, as if they were typed. */
  set(words: string): void;
  say(text: string): void;
}

/** True where a text holds all the words. */
export function holdsWords(text: string, words: string): boolean {
  const low = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** Creates a search field. */
export function createSearchBox(
  label: string,
  placeholder: string,
  onInput: (words: string) => void,
  onEnter: (words: string) => void = () => {},
): SearchBox {
  const field = h('input', { type: 'search', placeholder, 'aria-label': label });
  const said = h('span.quiet', { role: 'status' });
  field.addEventListener('input', () => onInput(field.value.trim()));
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') onEnter(field.value.trim());
  });
  return {
    element: h('div.search', field, said),
    set(words) {
      field.value = words;
      onInput(words);
    },
    say(text) {
      said.textContent = text;
    },
  };
}
