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
export function pageHead(
  title: string,
  parts: readonly string[],
  ...more: readonly HTMLElement[]
): HTMLElement {
  const links = parts.map((id) => h('a', { href: `#${id}` }, id.replaceAll('-', ' ')));
  const nav =
    links.length === 0 ? h('span.space') : h('nav', { 'aria-label': 'Parts of the report' }, ...links);
  return h('header', h('h1', title), nav, ...more, themeButton());
}
