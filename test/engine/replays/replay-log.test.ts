import { describe, expect, it } from 'vitest';
import type { LogEntry } from '../../../src/core/run/run-log.js';
import { planDigest, replayParts } from '../../../src/engine/run/replay.js';
import { bugfixSession } from '../../helpers/generators/bugfix-session.js';
import { Conversation } from '../../helpers/generators/conversation.js';
import { logFor, mainRequests, ofType, planOf, runLog } from '../../helpers/plan.js';
import { sessionsOf } from '../../helpers/recordings/sessions.js';

const short = (ids = '') => new Conversation({ ids }).turn(100, 10).wait(5).turn(20, 10);

describe('the log of a run', () => {
  it('begins with the plan and the transcript, and ends with the sums and the time of the last answer', () => {
    const plan = planOf({ name: 'one', seed: 9 });
    const entries = runLog(plan, short().transcript({ agentVersion: '1.2.3' }));
    expect(entries[0]).toMatchObject({
      type: 'run',
      name: 'one',
      seed: 9,
      policy: 'none',
      planDigest: planDigest(plan),
      transcript: { id: 'built', source: 'test', agentVersion: '1.2.3', threads: 1, calls: 2 },
    });
    expect(entries[0]).not.toHaveProperty('plugins');
    expect((entries[0] as { transcript: object }).transcript).not.toHaveProperty('recorded');
    const cost = mainRequests(entries).reduce((sum, request) => sum + request.cost, 0);
    expect(entries.at(-1)).toEqual({ type: 'end', t: 7_000, turns: 2, requests: 2, cost });
  });

  it('INV-13 names its plan by a digest: the same for the same plan, another for another', () => {
    expect(planDigest(planOf())).toMatch(/^[0-9a-f]{16}$/);
    expect(planDigest(planOf())).toBe(planDigest(planOf()));
    expect(planDigest(planOf({ seed: 2 }))).not.toBe(planDigest(planOf()));
  });

  it('tells what the reader of the transcript warned of, and then what the run does', () => {
    const warning = { code: 'odd', message: 'odd', count: 1, hint: null } as never;
    const unprompted = new Conversation().turn(10, 10).answer(10);
    const codes = ofType(logFor({}, unprompted.transcript({ warnings: [warning] })), 'warning').map(
      ({ code }) => code,
    );
    expect(codes).toEqual(['odd', 'unprompted-request']);
  });

  it('tells of each thread what it held when it ended, once, and nothing of mail where there was none', () => {
    const main = new Conversation()
      .human(100)
      .tools([{ tool: 'Task', tokens: 30 }])
      .wait(30)
      .answer(10);
    const child = new Conversation().wait(5).turn(40, 10);
    const threads = [main.thread(), child.thread('child', 'main')];
    const entries = logFor({}, main.transcript({ threads }));
    expect(ofType(entries, 'breakdown').map(({ thread }) => thread)).toEqual(['child', 'main']);
    expect(ofType(entries, 'notice')).toEqual([]);
  });

  it('AGT-4 tells what became of the messages between agents', () => {
    const transcript = bugfixSession(8, {
      steady: { gapSeconds: 60, outputTokens: 50, resultTokens: 500 },
      forks: [
        { afterTurn: 3, children: 1, turns: 5, parent: 'goes-on', messages: [{ afterTurn: 2, to: 'main' }] },
      ],
    });
    const entries = logFor({ policy: 'claude-code/2026' }, transcript);
    const mail = ofType(entries, 'notice').filter(({ what }) => what === 'messages');
    expect(mail).toMatchObject([
      {
        thread: '',
        message: '1 messages between agents, 1 delivered, 0 lost',
        details: { sent: 1, lost: 0 },
      },
    ]);
    expect(mail[0]!.t).toBe(ofType(entries, 'end')[0]!.t);
  });
});

describe('a replay in parts', () => {
  it('lets others have their turn every 64 steps, and writes the same log', () => {
    const talk = new Conversation();
    for (let i = 0; i < 130; i++) talk.turn(10, 5);
    const entries: LogEntry[] = [];
    let parts = 0;
    const plan = planOf();
    const running = replayParts(plan, talk.transcript(), { write: (entry) => entries.push(entry) });
    while (running.next().done !== true) parts++;
    expect(parts).toBe(2);
    expect(entries).toEqual(runLog(plan, talk.transcript()));
  });
});

describe('threads of one run', () => {
  it('INV-13 go on in the order of time; equal times in the order of the transcript', () => {
    const at = (seconds: number, ids: string) =>
      new Conversation({ ids }).wait(seconds).turn(10, 5).wait(9).turn(10, 5);
    const threads = [
      at(0, 'a').thread(),
      at(3, 'b').thread('late', 'main'),
      at(0, 'c').thread('same', 'main'),
    ];
    const requests = ofType(logFor({}, at(0, '').transcript({ threads })), 'request');
    expect(requests.map(({ thread, t }) => `${thread} ${t / 1_000}`)).toEqual([
      'main 0',
      'same 0',
      'late 3',
      'main 10',
      'same 10',
      'late 13',
    ]);
  });

  it('a session that takes up one which is still at work begins when that one has ended', () => {
    // The first is held up for half a minute by a server that asks for it.
    const transcript = sessionsOf([
      { name: 'a', talk: short('a-') },
      { name: 'b', talk: short('b-'), resumes: 'a', afterHours: 10 / 3_600 },
    ]);
    const faults = [{ call: 'main', error: 'overloaded', to: 1, retryAfterSeconds: 30 }] as const;
    const requests = mainRequests(logFor({ faults, set: { 'client.retries': 2 } }, transcript));
    expect(requests.map(({ thread }) => thread)).toEqual(['a/main', 'a/main', 'b/main', 'b/main']);
    const [, second, third] = requests;
    expect(third!.t).toBeGreaterThanOrEqual(second!.t + second!.latencyMs);
    expect(third!.prompt).toBe(second!.prompt + 10 + 100);
  });
});
