import type { Files } from '../../../core/base/files.js';
import { MEMORY_DIRECTORY } from '../../../core/model/memory.js';
import type { Action, Asker, Outcome } from '../../../core/run/action.js';

/** The lock file: its body is the pid of the holder, its time that at which the last consolidation began (DRM-2, C48). */
export const DREAM_LOCK = `${MEMORY_DIRECTORY}/.dream-lock`;

/** The lock as the latest finished dream left it; one that is different was left behind by a process that died. */
export class LockLedger {
  finished: { readonly pid: number; readonly mtimeMs: number } | null = null;
}

/** A process that wants the lock. */
export interface LockUser {
  readonly pid: number;
  readonly staleMs: number;
  readonly ledger: LockLedger;
  isAlive(pid: number): boolean;
}

/** How the lock stands for a process. */
export type LockLook =
  | { readonly kind: 'free'; readonly previousMs: number | null }
  /** Left behind by a process that died (DRM-2). */
  | { readonly kind: 'stale'; readonly previousMs: number }
  /** `unreadable`: the body is no pid; it counts as held until it is old enough to be stale. */
  | { readonly kind: 'held'; readonly by: number | 'unreadable' };

/** The lock in the hands of a process; `previousMs` is what a failure goes back to, null when there was no file. */
export interface LockHold {
  readonly pid: number;
  readonly previousMs: number | null;
  /** Taken from a process that died in its dream (C34). */
  readonly reclaimed: boolean;
  readonly ledger: LockLedger;
}

const BY: Asker = { layer: 'dreaming', reason: 'the lock of the dream' };
const PID = /^[1-9][0-9]{0,9}$/;

/** Looks at the lock without touching it. A lock is stale when it is older than the limit and its process is dead. */
export function lookAtLock(files: Files, user: LockUser, nowMs: number): LockLook {
  const file = files.read(DREAM_LOCK);
  if (file === null) return { kind: 'free', previousMs: null };
  const body = file.text.trim();
  const pid = PID.test(body) ? Number(body) : null;
  if (pid === user.pid || isFinished(user.ledger, pid, file.mtimeMs))
    return { kind: 'free', previousMs: file.mtimeMs };
  const isOld = nowMs - file.mtimeMs > user.staleMs;
  if (isOld && (pid === null || !user.isAlive(pid))) return { kind: 'stale', previousMs: file.mtimeMs };
  return { kind: 'held', by: pid ?? 'unreadable' };
}

/** A finished dream leaves its lock for the time it holds, not to hold it (DRM-2). */
function isFinished({ finished }: LockLedger, pid: number | null, mtimeMs: number): boolean {
  return finished !== null && finished.pid === pid && finished.mtimeMs === mtimeMs;
}

/** Takes the lock: look, write the pid, read it back; null when another process has it (DRM-2). */
export function* acquireLock(
  files: Files,
  user: LockUser,
  nowMs: number,
): Generator<Action, LockHold | null, Outcome> {
  const look = lookAtLock(files, user, nowMs);
  if (look.kind === 'held') return null;
  yield { kind: 'write-file', by: BY, path: DREAM_LOCK, text: String(user.pid) };
  const { pid, ledger } = user;
  const hold = { pid, previousMs: look.previousMs, reclaimed: look.kind === 'stale', ledger };
  return holdsLock(files, hold) ? hold : null;
}

/** Whether the lock is still in these hands; looked at before every write. */
export function holdsLock(files: Files, hold: Pick<LockHold, 'pid'>): boolean {
  return files.read(DREAM_LOCK)?.text.trim() === String(hold.pid);
}

/** The dream finished: the lock stays with the time of its acquisition, from which the next one counts (C48). */
export function completeLock(files: Files, hold: LockHold): void {
  if (holdsLock(files, hold))
    hold.ledger.finished = { pid: hold.pid, mtimeMs: files.read(DREAM_LOCK)!.mtimeMs };
}

/** The dream failed or was killed: the time goes back to what it was. */
export function* rollBackLock(files: Files, hold: LockHold): Generator<Action, void, Outcome> {
  if (!holdsLock(files, hold)) return;
  if (hold.previousMs === null) {
    yield { kind: 'remove-file', by: BY, path: DREAM_LOCK };
    return;
  }
  yield { kind: 'set-mtime', by: BY, path: DREAM_LOCK, mtimeMs: hold.previousMs };
  hold.ledger.finished = { pid: hold.pid, mtimeMs: hold.previousMs };
}
