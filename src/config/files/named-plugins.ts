import type { Place } from '../../core/base/errors.js';
import { isGroup, list } from '../check/checker.js';
import { readDocument } from './document.js';

/** A plug-in that a scenario names, as it is written there. */
export interface NamedPlugin {
  readonly written: string;
  readonly place: Place;
}

/** The plug-ins of a scenario's text, before anything of it is checked. */
export function namedPlugins(text: string, file: string): readonly NamedPlugin[] {
  const { document } = readDocument(text, file);
  if (document === null || !isGroup(document.value)) return [];
  return list(document.value.plugins).flatMap((written, i) =>
    typeof written === 'string' ? [{ written, place: document.placeOf(['plugins', i]) }] : [],
  );
}
