import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';

/** Exchanges two folders in one step where the system can, otherwise moves one aside and the other in. */
const SWITCH =
  'mv --exchange -T -- "$1" "$2" 2>/dev/null || { mv -- "$2" "$3" && { mv -- "$1" "$2" || { mv -- "$3" "$2"; exit 1; }; }; }';

/** A process of another group: Ctrl-C does not reach it. */
const APART = { detached: true, stdio: 'ignore' } as const;

function switchHere(fresh: string, target: string, old: string): void {
  renameSync(target, old);
  try {
    renameSync(fresh, target);
  } catch (error) {
    renameSync(old, target);
    throw error;
  }
}

/**
 * Puts a whole folder in the place of another. No system call for it is at hand, so a process of its own makes the switch: whoever
 * kills this one at whatever moment finds the old folder or the new one, never none.
 */
export function replaceFolder(fresh: string, target: string, old: string): void {
  if (!existsSync(target)) {
    renameSync(fresh, target);
    return;
  }
  const { status } = spawnSync('sh', ['-c', SWITCH, 'sh', fresh, target, old], APART);
  if (status !== 0) switchHere(fresh, target, old);
  rmSync(old, { recursive: true, force: true });
  rmSync(fresh, { recursive: true, force: true });
}
