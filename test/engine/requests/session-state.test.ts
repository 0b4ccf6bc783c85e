import { describe, expect, it } from 'vitest';
import { FIRST_PID, RECORD_DIRECTORY, type Thread } from '../../../src/core/model/transcript.js';
import { Sessions } from '../../../src/engine/requests/run-env.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const talk = () => new Conversation().turn(10, 10);
const inSession = (session: string) => ({ session }) as Thread;

describe('the sessions of a run', () => {
  const transcript = sessionsOf([
    { name: 'a', talk: talk() },
    { name: 'b', talk: talk(), afterHours: 1 },
    { name: 'c', talk: talk(), afterHours: 2, resumes: 'a' },
  ]);

  it('DRM-2 are processes of their own, alive from their first step to their last', () => {
    const sessions = new Sessions(transcript, undefined);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => sessions.of(inSession(name)));
    expect([a!.pid, b!.pid, c!.pid]).toEqual([FIRST_PID, FIRST_PID + 1, FIRST_PID + 2]);
    const alive = () => [a, b, c].map((each) => sessions.isAlive(each!.pid));
    expect(alive()).toEqual([false, false, false]);
    b!.state = 'running';
    expect(alive()).toEqual([false, true, false]);
    expect(a!.isAlive(b!.pid)).toBe(true);
    b!.state = 'ended';
    expect(alive()).toEqual([false, false, false]);
    expect(sessions.isAlive(FIRST_PID + 3)).toBe(false);
  });

  it('write their own record, or go on with that of the session they take up', () => {
    const sessions = new Sessions(transcript, undefined);
    expect(['a', 'b', 'c'].map((name) => sessions.of(inSession(name)).recordPath)).toEqual([
      `${RECORD_DIRECTORY}/a.jsonl`,
      `${RECORD_DIRECTORY}/b.jsonl`,
      `${RECORD_DIRECTORY}/a.jsonl`,
    ]);
  });

  it('are one that ends well where a transcript lists none', () => {
    const plain = talk().transcript();
    const session = new Sessions(plain, undefined).of(plain.threads[0]!);
    expect([session.pid, session.ending]).toEqual([FIRST_PID, 'clean']);
  });

  it('DRM-2 stand beside a process that holds the lock, as long as that lives', () => {
    const home = (process: 'alive' | 'dead') =>
      ({ memories: 0, files: [], lock: { body: '4711', hoursAgo: 1, process } }) as const;
    expect(new Sessions(transcript, home('alive')).isAlive(4_711)).toBe(true);
    expect(new Sessions(transcript, home('dead')).isAlive(4_711)).toBe(false);
    expect(new Sessions(transcript, undefined).isAlive(4_711)).toBe(false);
  });
});
