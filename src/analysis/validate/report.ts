import { type FidelityPoint, worstPoints } from './points.js';
import type { TraceFidelity } from './traces.js';
import { countTriggers } from './triggers.js';
import { type FileFidelity, type TotalFidelity, totalFidelity } from './validate.js';

/** Everything `ccbench validate` has to say, ready for JSON. */
export interface FidelityReport {
  readonly files: readonly object[];
  readonly total: TotalFidelity;
  /** The requests furthest off in each way, largest first. */
  readonly worst: { readonly blind: readonly FidelityPoint[]; readonly given: readonly FidelityPoint[] };
  readonly traces: TraceFidelity | null;
}

function fileJson(file: FileFidelity): object {
  return {
    file: file.file,
    version: file.version,
    profile: file.profile?.name ?? null,
    profileEvidence: file.profile?.evidence ?? null,
    requests: file.requests,
    ...file.figures,
    unexplainedBreaks: file.breaks.map(({ request, expectedRead, reason }) => ({
      thread: request.threadId,
      request: request.index,
      startMs: request.startMs,
      gapMs: request.gapMs,
      expectedRead,
      recordedRead: request.read,
      reason,
    })),
    triggers: {
      ...countTriggers([file.triggers]),
      checks: file.triggers.checks,
      unrecordedAt: file.triggers.unrecorded,
    },
    forward: file.forward.kind === 'empty' ? null : file.forward,
    leftOut: file.leftOut,
  };
}

/** Puts the results of several files together. */
export function fidelityReport(
  files: readonly FileFidelity[],
  traces: TraceFidelity | null,
  worst: number,
): FidelityReport {
  return {
    files: files.map(fileJson),
    total: totalFidelity(files),
    worst: { blind: worstPoints(files, 'blind', worst), given: worstPoints(files, 'given', worst) },
    traces,
  };
}
