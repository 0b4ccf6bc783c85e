import type { ParamValues } from '../../core/run/params.js';
import type { PolicyRules } from '../../core/run/policy-rules.js';
import type { WrittenPolicy } from '../policy-file/paths.js';
import type { ReadPolicy } from '../policy-file/read-policy.js';

/** Versions of Claude Code that a profile speaks for, up to the next such range of any profile. */
export interface VersionRange {
  /** First version of the range. */
  readonly from: string;
  /** Microcompactions are written to the transcript in this range. */
  readonly microcompact: 'recorded' | 'not-recorded';
  /** Values of the profile that these versions did not have yet. */
  readonly set: ParamValues;
  readonly evidence: string;
}

/** A policy is data with provenance: which layers, in which order, with which numbers, and where each number is from. */
export interface Policy {
  /** Public name, e.g. `claude-code/2026`. */
  readonly name: string;
  readonly kind: 'bound' | 'analysed' | 'measured' | 'baseline' | 'peer' | 'file';
  /** One sentence: what it is. */
  readonly summary: string;
  /** Names of layers, in the order they are asked. */
  readonly layers: readonly string[];
  /** Whose cache behaviour applies: a client by name, or the one that made the recording. */
  readonly client: string;
  /** Values that differ from the parameters' defaults. */
  readonly set: ParamValues;
  /** Where numbers come from, by parameter path; `*` speaks for the rest. */
  readonly sources: Readonly<Record<string, string>>;
  /** Day on which it was last compared with its sources (2026-07-01); null if it has none, or does not say. */
  readonly checked: string | null;
  /** Which recordings `validate` replays under it. */
  readonly versions?: readonly VersionRange[];
  /** What its file says, for a policy with rules. */
  readonly written?: WrittenPolicy;
  /** The same as read, with nothing left open. */
  readonly rules?: PolicyRules;
}

/** A policy made of a written one. */
export function policyFrom(
  { head, rules }: ReadPolicy,
  written: WrittenPolicy,
  kind: 'peer' | 'file' | 'baseline' | 'bound',
): Policy {
  return {
    name: head.name,
    kind,
    summary: head.description,
    layers: [...head.layers, 'rules'],
    client: head.client,
    set: { ...(head.set as Policy['set']), ...behaviours(rules) },
    sources: head.sources,
    checked: head.checked,
    written,
    rules,
  };
}

/** Parameters of the client that follow from the rules. */
function behaviours({ cache }: PolicyRules): Policy['set'] {
  return cache.marks === 'client' ? {} : { 'client.breakpoints': cache.marks };
}
