import type { ParamSpec, ParamValue } from '../../core/run/params.js';

/** One number of a policy with its source. */
export interface PolicyParam extends Omit<ParamSpec, 'kind'> {
  readonly value: ParamValue;
  /** Where the value comes from; null when nobody says. */
  readonly source: string | null;
  /** Who decided: the policy, the user, or nobody (the default). */
  readonly from: 'default' | 'policy' | 'scenario';
}

/** A limit of the context in tokens, such as the one where compaction starts. */
export interface NamedThreshold {
  readonly name: string;
  readonly tokens: number;
}

/** What a report says about the policy of a run besides what its log holds. */
export interface PolicyInfo {
  readonly name: string;
  readonly kind: string;
  readonly summary: string;
  readonly layers: readonly string[];
  readonly params: readonly PolicyParam[];
  /** The limits of the main conversation, smallest first. */
  readonly thresholds: readonly NamedThreshold[];
}
