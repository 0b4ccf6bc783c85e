/** A value a policy parameter may take. */
export type ParamValue =
  | number
  | boolean
  | string
  | null
  | readonly string[]
  | Readonly<Record<string, number>>;

/** Values by path, e.g. `microcompact.timeBased.gapMinutes`. */
export type ParamValues = Readonly<Record<string, ParamValue>>;

/** What a parameter accepts. */
export type ParamKind =
  | {
      readonly type: 'integer' | 'number';
      readonly min: number;
      /** Present where `min` itself is not accepted. */
      readonly minIs?: 'excluded';
      readonly max: number;
      readonly nullable?: boolean;
    }
  | { readonly type: 'switch' }
  | { readonly type: 'text' }
  /** A model by name; `own` means one that is not named. */
  | { readonly type: 'model'; readonly own?: string }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'names' }
  /** Numbers by name, within bounds where it has them. */
  | { readonly type: 'table'; readonly min?: number; readonly max?: number };

/** A policy parameter: where it lives, what it means, its default. */
export interface ParamSpec {
  readonly path: string;
  readonly kind: ParamKind;
  readonly default: ParamValue;
  /** `tokens`, `minutes`, `characters` …; null for switches and choices. */
  readonly unit: string | null;
  readonly help: string;
}
