import { compareVersions } from '../../core/model/agent-version.js';
import type { ParamValues } from '../../core/run/params.js';

/** Which profile speaks for which versions of the agent, from the oldest on. */
export interface VersionRange {
  /** First version of the range. */
  readonly from: string;
  readonly profile: string;
  /** Microcompactions are written to the transcript in this range. */
  readonly microcompact: 'recorded' | 'not-recorded';
  /** Values of the profile that these versions did not have yet. */
  readonly set: ParamValues;
  readonly evidence: string;
}

/** The ranges; a version between two of them belongs to the older one. */
const VERSION_MAP: readonly VersionRange[] = [
  {
    from: '0',
    profile: 'claude-code/2.0.76',
    microcompact: 'not-recorded',
    set: {},
    evidence: 'measured at 2.0.76: 155,000; recorded at 2.0.76: 155,377',
  },
  {
    from: '2.1.0',
    profile: 'claude-code/2.1.7',
    microcompact: 'not-recorded',
    set: {},
    evidence: 'measured at 2.1.7: 155,000; recorded from 2.1.1 to 2.1.20: 155,031 to 162,548',
  },
  {
    from: '2.1.12',
    profile: 'claude-code/2.1.7',
    microcompact: 'recorded',
    set: {},
    evidence: 'as 2.1.7; microcompactions recorded from 2.1.12 to 2.1.22 behind prompts of 135,211 and more',
  },
  {
    from: '2.1.21',
    profile: 'claude-code/2.1.112',
    microcompact: 'not-recorded',
    set: { 'storage.stubRepeatedReads': false },
    evidence:
      'measured at 2.1.112: 167,000; recorded from 2.1.21 to 2.1.81: 167,038 to 178,144; read files are sent again',
  },
  {
    from: '2.1.110',
    profile: 'claude-code/2.1.112',
    microcompact: 'not-recorded',
    set: {},
    evidence: 'measured at 2.1.112: a stub for a file that was read before and is unchanged',
  },
  {
    from: '2.1.175',
    profile: 'claude-code/2.1.325',
    microcompact: 'not-recorded',
    set: {},
    evidence: 'measured at 2.1.325: 167,000, 967,000 in a window of a million',
  },
];

/** The range a version falls into; an unknown version takes the oldest. */
export function rangeOf(version: string | null): VersionRange {
  let found = VERSION_MAP[0]!;
  if (version === null) return found;
  for (const range of VERSION_MAP) if (compareVersions(version, range.from) >= 0) found = range;
  return found;
}
