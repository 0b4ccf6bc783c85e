import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from '../../core/base/errors.js';

/** Names of what is being made: whose it is, the process that makes it, and what became of it. */
const BEING_MADE = /^(.+)\.(\d+)\.(new|old|part)$/;

/** The name under which a process makes something: the next one that works there removes it if the process is gone. */
export function nameOfPart(name: string, kind: 'new' | 'old' | 'part'): string {
  return `${name}.${process.pid}.${kind}`;
}

/** False for a process that has ended; its number may be this one's by now. */
export function isAtWork(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Removes what killed processes left in a folder. A whole report that was moved aside and not replaced is put back. What cannot
 * be removed stays: it is in nobody's way.
 */
export function removeLitter(folder: string, isOurs: (name: string) => boolean): void {
  for (const name of attempt(() => readdirSync(folder), [])) {
    const [, owner, pid, kind] = BEING_MADE.exec(name) ?? [];
    if (owner === undefined || !isOurs(owner) || isAtWork(Number(pid))) continue;
    const path = join(folder, name);
    const target = join(folder, owner.replace(/^\./, ''));
    succeeds(() =>
      kind === 'old' && !existsSync(target)
        ? renameSync(path, target)
        : rmSync(path, { recursive: true, force: true }),
    );
  }
}
