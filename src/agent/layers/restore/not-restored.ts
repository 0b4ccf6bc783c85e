import type { WorkState } from './work-state.js';

/** Records of sessions lie in a folder of the client's own, one folder for each project (transcripts.md 1). */
const RECORD = /(?:^|[\\/])\.claude[\\/]projects[\\/][^\\/]+[\\/][^\\/]+\.jsonl$/;

/** Memory files of the project and of the user alone (NES-1). */
const MEMORY_FILE = /(?:^|[\\/])CLAUDE(?:\.local)?\.md$/;

/** What comes back by its own way, if at all: the transcript, the plan file, memory files (RES-1, C14). */
export function isNotRestored(path: string, work: WorkState, recordPath: string): boolean {
  return (
    path === recordPath ||
    path === work.planPath ||
    RECORD.test(path) ||
    MEMORY_FILE.test(path) ||
    work.files.memories.has(path)
  );
}
