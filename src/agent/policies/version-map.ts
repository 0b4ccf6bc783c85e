import { oncePer } from '../../core/base/once.js';
import { compareVersions } from '../../core/model/agent-version.js';
import { policyRegistry } from './catalogue.js';
import type { VersionRange } from './policy.js';

/** Versions of the agent, and the profile that speaks for them. */
interface ProfileRange extends VersionRange {
  readonly profile: string;
}

/** The ranges of all profiles, from the oldest on; a version between two of them belongs to the older one. */
const rangesOf = oncePer((policies: typeof policyRegistry): readonly ProfileRange[] =>
  policies
    .all()
    .flatMap(({ name, versions = [] }) => versions.map((range) => ({ ...range, profile: name })))
    .sort((a, b) => compareVersions(a.from, b.from)),
);

/** The range a version falls into; an unknown version takes the oldest. */
export function rangeOf(version: string | null): ProfileRange {
  const known = rangesOf(policyRegistry);
  return known.findLast(({ from }) => version !== null && compareVersions(version, from) >= 0) ?? known[0]!;
}
