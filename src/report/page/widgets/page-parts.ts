import { formatCount, formatCounted } from '../../../core/base/format.js';
import type { PageFact } from '../../page-data/page-data.js';
import { h } from './dom.js';

const THEMES = ['auto', 'light', 'dark'] as const;

/** The button that changes between light and dark. */
function themeButton(): HTMLElement {
  let current = 0;
  const button = h('button.theme', 'theme: auto');
  button.addEventListener('click', () => {
    current = (current + 1) % THEMES.length;
    const theme = THEMES[current]!;
    button.textContent = `theme: ${theme}`;
    if (theme === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  });
  return button;
}

/** The head of a page: title, links to its parts, what else belongs there. */
export function pageHead(title: string, parts: readonly string[], ...more: readonly Node[]): HTMLElement {
  const links = parts.map((id) => h('a', { href: `#${id}` }, id.replaceAll('-', ' ')));
  const nav =
    links.length === 0 ? h('span.space') : h('nav', { 'aria-label': 'Parts of the report' }, ...links);
  return h('header', h('h1', title), nav, ...more, themeButton());
}

/** The result in a sentence, and below it what to do about it or why to doubt it. */
export function leadView(result: string, advice: string | null): readonly (HTMLElement | null)[] {
  return [h('p.lead', result), advice === null ? null : h('p.advice', advice)];
}

/** The main numbers, large. */
export function cardsView(facts: readonly PageFact[]): HTMLElement {
  const cards = facts.map(({ label, value, note, tone }) =>
    h('div', { class: `card ${tone}` }, h('span', label), h('strong', value), h('small', note)),
  );
  return h('div.cards', ...cards);
}

/** Marks the best cell of a column; terminals have an asterisk for it, which notes speak of. */
export const BEST = '★';
const TERMINAL_BEST = /^\*(?= best)/;

/** What the numbers assume and leave out, behind one line; null if there is nothing to say. */
export function notesFold(notes: readonly string[]): HTMLElement | null {
  if (notes.length === 0) return null;
  const items = notes.map((note) => h('li', note.replace(TERMINAL_BEST, BEST)));
  return h('details.notes', h('summary', formatCounted(notes.length, 'note')), h('ul', ...items));
}

/** Facts in one line, each behind its label. */
export function aboutView(facts: readonly (readonly [string, string])[]): HTMLElement {
  return h('p.about', ...facts.map(([label, value]) => h('span', h('b', label), ` ${value}`)));
}

/** A square of a colour. */
export function swatch(color: string): HTMLElement {
  return h('i.swatch', { style: `background:${color}` });
}

/** Names beside their colours. */
export function legend(entries: readonly (readonly [string, string])[]): HTMLElement {
  return h('div.legend', ...entries.map(([name, color]) => h('span', swatch(color), name)));
}

/** The name of a policy, a setting or a file, which may break into lines behind its parts. */
export function breakable(name: string): readonly (Node | string)[] {
  const parts = name.split(/(?<=[/=,])|(?<=\.)(?=[A-Za-z])/);
  return parts.flatMap((part, i) => (i === 0 ? [part] : [h('wbr'), part]));
}

/** Tokens as a bar beside the others of its list. */
export function tokenBar(label: string, tokens: number, whole: number, tone: string): HTMLElement {
  const share = whole === 0 ? 0 : Math.min(1, Math.max(0, tokens / whole));
  const style = `width:${(share * 100).toFixed(1)}%`;
  return h('div.bar', h('span', label), h('i', { class: tone, style }), h('b', formatCount(tokens)));
}

/** A table that scrolls sideways where it is too wide; heads are names, with their class where they have one. */
export function wideTable(
  label: string,
  heads: readonly (string | readonly [string, string])[],
  rows: readonly HTMLElement[],
  classes = '',
): HTMLElement {
  const cells = heads.map((head) => {
    const [name, align] = typeof head === 'string' ? [head, ''] : head;
    return h('th', { scope: 'col', class: align === '' ? null : align }, name);
  });
  const head = cells.length === 0 ? null : h('thead', h('tr', ...cells));
  return h(
    'div.wide',
    { tabindex: 0, role: 'region', 'aria-label': label },
    h('table', { class: classes === '' ? null : classes }, head, h('tbody', ...rows)),
  );
}

/** A field that narrows lists down, and says how much is left. */
interface SearchBox {
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
