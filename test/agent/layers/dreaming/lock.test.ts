import { describe, expect, it } from 'vitest';
import {
  acquireLock,
  completeLock,
  DREAM_LOCK,
  holdsLock,
  lookAtLock,
  rollBackLock,
} from '../../../../src/agent/layers/dreaming/lock.js';
import { carryOut, filesWith } from '../../../helpers/recordings/sessions.js';

const HOUR = 3_600_000;
const alive = (...pids: number[]) => ({
  pid: 7,
  staleMs: HOUR,
  ledger: { finished: null },
  isAlive: (pid: number) => pids.includes(pid),
});

describe('the lock of a dream', () => {
  it('DRM-2 C48 holds the pid; its time is that of the acquisition, also once the dream has ended at 99', () => {
    const files = filesWith({});
    const { result: hold } = carryOut(acquireLock(files, alive(), 5), files, 5);
    expect(files.read(DREAM_LOCK)).toMatchObject({ text: '7', mtimeMs: 5 });
    completeLock(files, hold!);
    expect(files.read(DREAM_LOCK)).toMatchObject({ text: '7', mtimeMs: 5 });
    expect(lookAtLock(files, { ...alive(7), pid: 8, ledger: hold!.ledger }, 99).kind).toBe('free');
  });

  it('DRM-2 is read back: who finds another pid there has not got it', () => {
    const files = filesWith({});
    const attempt = acquireLock(files, alive(), 5);
    attempt.next();
    files.write(DREAM_LOCK, '8', 5);
    expect(attempt.next({ kind: 'done' })).toEqual({ done: true, value: null });
  });

  it.each([
    ['alive and young', '8', HOUR, [8], 'held'],
    ['alive and old', '8', HOUR + 1, [8], 'held'],
    ['dead and young', '8', HOUR, [], 'held'],
    ['dead and old', '8', HOUR + 1, [], 'stale'],
    ['without a pid and young', 'rubbish', HOUR, [], 'held'],
    ['without a pid and old', '', HOUR + 1, [], 'stale'],
    ['my own', '7', 1, [7], 'free'],
  ] as const)('DRM-2 %s', (_, body, ageMs, pids, kind) => {
    const files = filesWith({ [DREAM_LOCK]: body });
    expect(lookAtLock(files, alive(...pids), ageMs).kind).toBe(kind);
  });

  it('DRM-2 goes back to the time it had when the dream fails; a new one goes away', () => {
    const old = filesWith({ [DREAM_LOCK]: '8' }, -100 * HOUR);
    const { result: taken } = carryOut(acquireLock(old, alive(), 0), old, 0);
    expect(taken).toMatchObject({ reclaimed: true, previousMs: -100 * HOUR });
    carryOut(rollBackLock(old, taken!), old, 1);
    expect(old.read(DREAM_LOCK)!.mtimeMs).toBe(-100 * HOUR);
    const none = filesWith({});
    const { result: fresh } = carryOut(acquireLock(none, alive(), 0), none, 0);
    carryOut(rollBackLock(none, fresh!), none, 1);
    expect(none.read(DREAM_LOCK)).toBeNull();
  });

  it('INV-12 who lost it neither rolls it back nor completes it', () => {
    const files = filesWith({});
    const { result: hold } = carryOut(acquireLock(files, alive(), 0), files, 0);
    files.write(DREAM_LOCK, '8', 3);
    expect(holdsLock(files, hold!)).toBe(false);
    carryOut(rollBackLock(files, hold!), files, 4);
    completeLock(files, hold!);
    expect(hold!.ledger.finished).toBeNull();
    expect(files.read(DREAM_LOCK)).toMatchObject({ text: '8', mtimeMs: 3 });
  });
});
