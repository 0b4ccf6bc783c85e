import { findModel, LONG_WINDOW_TOKENS } from '../cache/models.js';
import { compareVersions } from '../model/agent-version.js';

/** Which profile speaks for which versions of the agent, from the oldest on. */
export interface VersionRange {
  /** First version of the range. */
  readonly from: string;
  readonly profile: string;
  /** Microcompactions are written to the transcript in this range. */
  readonly microcompact: 'recorded' | 'not-recorded';
  readonly evidence: string;
}

/** The ranges; a version between two of them belongs to the older one. */
const VERSION_MAP: readonly VersionRange[] = [
  {
    from: '0',
    profile: 'claude-code/2.0.76',
    microcompact: 'not-recorded',
    evidence: 'measured at 2.0.76: 155,000; recorded at 2.0.76: 155,377',
  },
  {
    from: '2.1.0',
    profile: 'claude-code/2.1.7',
    microcompact: 'not-recorded',
    evidence: 'measured at 2.1.7: 155,000; recorded from 2.1.1 to 2.1.20: 155,031 to 162,548',
  },
  {
    from: '2.1.12',
    profile: 'claude-code/2.1.7',
    microcompact: 'recorded',
    evidence: 'as 2.1.7; microcompactions recorded from 2.1.12 to 2.1.22 behind prompts of 135,211 and more',
  },
  {
    from: '2.1.25',
    profile: 'claude-code/2.1.112',
    microcompact: 'not-recorded',
    evidence: 'measured at 2.1.112: 167,000; recorded from 2.1.25 to 2.1.81: 167,038 to 178,144',
  },
  {
    from: '2.1.325',
    profile: 'claude-code/2.1.325',
    microcompact: 'not-recorded',
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

const SHORT_WINDOW_TOKENS = 200_000;

/** Models with a long window that sessions use at 200,000 unless they ask for more (recorded: 2.1.32 to 2.1.81). */
const LONG_ONLY_WHEN_ASKED = new Set(['claude-opus-4-6', 'claude-sonnet-4-6']);

/** The window a session worked with: what its model has, or more when its prompts show it. */
export function recordedWindow(model: string, largestPrompt: number): number {
  if (largestPrompt > SHORT_WINDOW_TOKENS) return LONG_WINDOW_TOKENS;
  const row = findModel(model);
  if (row === null || LONG_ONLY_WHEN_ASKED.has(row.id)) return SHORT_WINDOW_TOKENS;
  return row.window;
}
