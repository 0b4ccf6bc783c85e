import type { Place } from '../../core/base/errors.js';
import type { NormalSynthetic } from '../schema/schema-synthetic.js';

/** A recorded session. */
export interface FileRef {
  readonly kind: 'file';
  /** Where to read it: relative to the working folder, as the scenario's own path is. */
  readonly path: string;
  /** As the user wrote it. */
  readonly written: string;
  readonly place: Place;
}

/** A generated session. */
export interface SyntheticRef {
  readonly kind: 'synthetic';
  readonly spec: NormalSynthetic;
}

/** The recordings at a path that names a file, a folder or a pattern, in order; the path itself where it is a file. */
export type FindRecordings = (path: string, place: Place) => readonly string[];
