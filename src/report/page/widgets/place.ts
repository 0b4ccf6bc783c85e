import { ownValue } from '../../../core/base/own-value.js';
/** A place inside a page as its address names it: `#session=3&request=120`. */
export type Named = Readonly<Record<string, string>>;

/** The place that an address names; null if it names none, such as `#events`. */
function readPlace(hash: string): Named | null {
  if (!hash.includes('=')) return null;
  return Object.fromEntries(new URLSearchParams(hash.replace(/^#/, '')));
}

/** The address of a place; names without a value are left out. */
export function placeLink(place: Readonly<Record<string, string | number | null>>): string {
  const given = Object.entries(place).filter(([, value]) => value !== null);
  return `#${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** A whole number from 1 on that a place names; null if it names none. */
export function numberIn(place: Named, name: string): number | null {
  const value = Number(ownValue(place, name));
  return Number.isInteger(value) && value > 0 ? value : null;
}

/** Goes to the place that the address names, now and whenever it changes; one that names none may be given what is shown. */
export function followPlace(go: (place: Named) => void, shown: (() => string) | null = null): void {
  const follow = (): void => {
    const place = readPlace(location.hash);
    if (place !== null) go(place);
    else if (shown !== null) showPlace(shown());
  };
  addEventListener('hashchange', follow);
  requestAnimationFrame(follow);
}

/** Puts a place into the address without a new step of the history. */
export function showPlace(link: string): void {
  if (location.hash !== link) history.replaceState(null, '', link);
}

/** Makes what a change does to the address a step of the history, so that the browser goes back to before it. */
export function asStep(change: () => void): void {
  const before = location.href;
  change();
  const after = location.href;
  if (after === before) return;
  history.replaceState(null, '', before);
  history.pushState(null, '', after);
}

/** Handles a plain click on a link instead of the browser; one with a key held opens it elsewhere, as always. */
export function takeClick(event: MouseEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  event.preventDefault();
  return true;
}
