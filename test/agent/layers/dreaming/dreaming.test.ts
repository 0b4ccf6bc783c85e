import { describe, expect, it } from 'vitest';
import { renderMemory } from '../../../../src/core/model/memory.js';
import type { LogEntry } from '../../../../src/core/run/run-log.js';
import type { HomePlan, RunPlan } from '../../../../src/core/run/run-plan.js';
import { foldLog } from '../../../../src/metrics/fold.js';
import { findMetric, metricValues } from '../../../../src/metrics/registry.js';
import { Conversation } from '../../../helpers/generators/conversation.js';
import { ofType, type PlanInit, planOf, runLog } from '../../../helpers/plan.js';
import { actionsOf, sessionsOf, type TestSession } from '../../../helpers/recordings/sessions.js';

const LAYER = 'dreaming';
const EMPTY: HomePlan = { memories: 0, files: [], lock: null };

function plan(init: Omit<PlanInit, 'home'> & { readonly home?: Partial<HomePlan> } = {}): RunPlan {
  const { home, ...rest } = init;
  const made = planOf({ policy: 'claude-code/2026', ...rest });
  return home === undefined ? made : { ...made, home: { ...EMPTY, ...home } };
}

const talk = () => new Conversation().human(20, 'Do this.').answer(20);

/** This many sessions an hour apart; the last may end in its own way. */
function week(count: number, last: Partial<TestSession> = {}): readonly TestSession[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `s${i + 1}`,
    talk: talk(),
    afterHours: i === 0 ? 0 : 1,
    ...(i === count - 1 ? last : {}),
  }));
}

function dreams(entries: readonly LogEntry[]) {
  return actionsOf(entries, LAYER).filter((entry) => entry.action === 'dream');
}

function skips(entries: readonly LogEntry[], gate: string): number | null {
  return findMetric(`dreamSkips.${gate}`)!.value(foldLog(entries));
}

describe('C48 a dream that its user ends', () => {
  it('is an event of the session: the dream is counted as killed and another may begin', () => {
    const ended = talk().event((at) => ({ kind: 'end-dream', at }));
    const more = ended.wait(700).turn(5, 5);
    const entries = runLog(plan(), sessionsOf(week(5, { talk: more })));
    expect(dreams(entries).map(({ outcome, failure }) => [outcome, failure])).toEqual([
      ['failed', 'ended-by-user'],
      ['done', null],
    ]);
    expect(metricValues(foldLog(entries))).toMatchObject({ dreams: 1, dreamsKilled: 1 });
  });
});

describe('the gates of a dream', () => {
  it('DRM-1 the fifth session since the last consolidation dreams, the four before it do not', () => {
    const four = runLog(plan(), sessionsOf(week(4)));
    expect(dreams(four)).toEqual([]);
    expect(skips(four, 'sessions')).toBe(4);
    const five = runLog(plan(), sessionsOf(week(5)));
    expect(dreams(five)).toMatchObject([{ thread: 's5/main', outcome: 'done', details: { sessions: 5 } }]);
  });

  it('DRM-1 less than 24 hours after the last one nothing is even looked at', () => {
    const lock = { body: '1', hoursAgo: 19.9, process: 'dead' } as const;
    const entries = runLog(plan({ home: { lock } }), sessionsOf(week(5)));
    expect(dreams(entries)).toEqual([]);
    expect(skips(entries, 'time')).toBe(5);
    const due = runLog(plan({ home: { lock: { ...lock, hoursAgo: 20.1 } } }), sessionsOf(week(5)));
    expect(dreams(due)).toHaveLength(1);
  });

  it('DRM-1 the gates open at 24 hours, at 10 minutes and at 5 sessions exactly', () => {
    const lock = { body: '1', hoursAgo: 23, process: 'dead' } as const;
    const one = (seconds: number) => {
      const waiting = talk() // an answer takes a second
        .wait(seconds - 2)
        .turn(5, 5);
      const set = { 'dreaming.sessions': 1 };
      return runLog(plan({ home: { lock }, set }), sessionsOf([{ name: 'a', talk: waiting }]));
    };
    expect(skips(one(3_599), 'time')).toBe(2);
    expect(skips(one(3_600), 'time')).toBe(1);
    expect(dreams(one(3_600))).toHaveLength(1);
    const twice = (seconds: number) => {
      const both = talk()
        .wait(seconds - 1)
        .turn(5, 5);
      return runLog(plan(), sessionsOf([{ name: 'a', talk: both }]));
    };
    expect(skips(twice(599), 'scan')).toBe(1);
    expect(skips(twice(600), 'scan')).toBe(0);
    expect(skips(twice(600), 'sessions')).toBe(2);
    expect(dreams(runLog(plan(), sessionsOf(week(5))))).toMatchObject([{ details: { sessions: 5 } }]);
  });

  it('DRM-1 a scan within ten minutes of the last is skipped', () => {
    const quick = () => {
      const built = talk();
      for (let i = 0; i < 3; i++) built.wait(60).turn(5, 5);
      return built.wait(600).turn(5, 5);
    };
    const entries = runLog(plan(), sessionsOf([{ name: 'a', talk: quick() }]));
    expect(skips(entries, 'scan')).toBe(3);
    expect(skips(entries, 'sessions')).toBe(2);
  });

  it('DRM-1 a lock held by a live process shuts the last gate, however old it is', () => {
    const lock = { body: '4711', hoursAgo: 100, process: 'alive' } as const;
    const entries = runLog(plan({ home: { lock } }), sessionsOf(week(5)));
    expect(skips(entries, 'lock')).toBe(1);
    const dead = runLog(plan({ home: { lock: { ...lock, process: 'dead' } } }), sessionsOf(week(5)));
    expect(dreams(dead)).toMatchObject([{ outcome: 'done', details: { reclaimed: true } }]);
  });

  it('C34 only a lock that a dead process left in its dream counts as reclaimed', () => {
    const days = (endings: readonly ('clean' | 'crashed')[]) =>
      sessionsOf(
        endings.flatMap((ending, day) =>
          Array.from({ length: 5 }, (_, i) => ({
            name: `d${day + 1}s${i + 1}`,
            talk: talk(),
            afterHours: i > 0 ? 1 : day === 0 ? 0 : 30,
            ...(i === 4 ? { ending } : {}),
          })),
        ),
      );
    // Every fifth session dreams; the processes of the days before are dead each time.
    const clean = runLog(plan(), days(['clean', 'clean', 'clean']));
    expect(metricValues(foldLog(clean))).toMatchObject({ dreams: 3, dreamLocksReclaimed: 0 });
    const crashed = runLog(plan(), days(['clean', 'crashed', 'clean']));
    expect(metricValues(foldLog(crashed))).toMatchObject({
      dreams: 2,
      dreamsKilled: 1,
      dreamLocksReclaimed: 1,
    });
  });

  it('DRM-1 FLG-1 without auto memory the feature is off; with its own switch it is not there', () => {
    const off = runLog(plan({ set: { 'autoMemory.enabled': false } }), sessionsOf(week(5)));
    expect(skips(off, 'feature')).toBe(5);
    const gone = runLog(plan({ set: { 'dreaming.enabled': false } }), sessionsOf(week(5)));
    expect(actionsOf(gone, LAYER)).toEqual([]);
  });

  it('DRM-2 a lock without a pid is reported and waited for', () => {
    const lock = { body: 'half a pi', hoursAgo: 24.5, process: 'dead' } as const;
    const set = { 'dreaming.staleMinutes': 60 * 1_000 };
    const entries = runLog(plan({ home: { lock }, set }), sessionsOf(week(5)));
    expect(skips(entries, 'lock')).toBe(1);
    const gates = actionsOf(entries, LAYER).filter((entry) => entry.details.unreadableLocks === 1);
    expect(gates).toHaveLength(1);
  });
});

describe('a dream', () => {
  it('DRM-3 goes through its four phases, each with requests of its own, in order', () => {
    const entries = runLog(plan({ home: { memories: 24 } }), sessionsOf(week(5)));
    const phases = actionsOf(entries, LAYER)
      .filter((entry) => entry.action === 'turn')
      .map((entry) => entry.details.phase);
    expect([...new Set(phases)]).toEqual(['orient', 'gather', 'consolidate', 'prune']);
    const requests = ofType(entries, 'request').filter((entry) => entry.purpose === 'dream');
    expect(requests).toHaveLength(phases.length);
    for (const [i, request] of requests.entries())
      if (i > 0) expect(request.t).toBe(requests[i - 1]!.t + requests[i - 1]!.latencyMs);
  });

  it('DRM-3 AUT-3 leaves an index within its limits', () => {
    const entries = runLog(plan({ home: { memories: 240 } }), sessionsOf(week(6)));
    expect(dreams(entries)[0]!.details).toMatchObject({ indexLines: 200 });
    const loaded = ofType(entries, 'notice').filter((entry) => entry.what === 'memory-index');
    expect(loaded.map((entry) => entry.details.cutBy)).toEqual([...Array(5).fill('lines'), null]);
    expect(metricValues(foldLog(entries)).memoryIndexCuts).toBe(5);
  });

  it('C33 never deletes a memory to make the index fit: lines leave, files stay', () => {
    const entries = runLog(plan({ home: { memories: 240 } }), sessionsOf(week(6)));
    expect(dreams(entries)[0]!.details).toMatchObject({
      memoriesBefore: 240,
      memoriesAfter: 240,
      removed: 0,
      indexLines: 200,
      offIndex: 40,
      // Each of them says "yesterday".
      dated: 240,
    });
    expect(metricValues(foldLog(entries))).toMatchObject({
      memoriesRemoved: 0,
      memoriesKept: 240,
      memoriesOffIndex: 40,
      memoriesPolluted: 0,
    });
  });

  it('C33 merges, removes what was contradicted and tells of both', () => {
    const file = (name: string, hoursAgo: number, body: string) => ({
      path: `/memory/${name}.md`,
      text: renderMemory({ name, description: 'd', type: 'feedback', body }),
      hoursAgo,
    });
    const files = [
      file('npm', 90, 'Use npm for everything.'),
      file('pnpm', 80, 'No, use pnpm instead of npm.'),
      file('linter', 70, 'Always run the linter before you stop.'),
      file('lint-again', 60, 'Please always run the linter before you stop.'),
    ];
    const entries = runLog(plan({ home: { files } }), sessionsOf(week(5)));
    expect(dreams(entries)[0]!.details).toMatchObject({
      memoriesBefore: 4,
      memoriesAfter: 2,
      merged: 1,
      contradicted: 1,
      removed: 2,
    });
    expect(metricValues(foldLog(entries))).toMatchObject({ memoriesMerged: 1, memoriesContradicted: 1 });
  });

  it('C31 is billed for what it edits, not for what it looks at', () => {
    const outputs = (files: HomePlan['files']) => {
      const entries = runLog(plan({ home: { files } }), sessionsOf(week(5)));
      const turns = actionsOf(entries, LAYER).filter((entry) => entry.action === 'turn');
      const requests = ofType(entries, 'request').filter((entry) => entry.purpose === 'dream');
      return turns.map((entry, i) => [entry.details.phase, requests[i]!.output]);
    };
    const file = (name: string, body: string) => ({
      path: `/memory/${name}.md`,
      text: renderMemory({ name, description: 'd', type: 'project', body }),
      hoursAgo: 30,
    });
    const line = '- [a](a.md): d\n';
    const index = { path: '/memory/MEMORY.md', text: line, hoursAgo: 30 };
    // Two reads, five searches, one read; nothing to change but an index that is right: an empty edit and the end.
    expect(outputs([file('a', 'Production has 512 MB.'), index])).toEqual([
      ['orient', 1 + 2 * 45],
      ['gather', 1 + 5 * 45],
      ['consolidate', 1 + 45],
      ['prune', 45],
      ['prune', 12],
    ]);
    // One line with a date: 35 characters and their end, 2.75 a token, and the call around them.
    expect('The audit starts on 2026-01-05 too.').toHaveLength(35);
    expect(outputs([file('a', 'The audit starts tomorrow too.'), index])[3]).toEqual([
      'consolidate',
      Math.ceil(36 / 2.75) + 45,
    ]);
  });

  it('DRM-5 keeps the last 30 turns for display', () => {
    const entries = runLog(plan({ home: { memories: 400 } }), sessionsOf(week(5)));
    const { turns, requests } = dreams(entries)[0]!.details as { turns: string[]; requests: number };
    expect(requests).toBeGreaterThan(40);
    expect(turns).toHaveLength(30);
    expect(turns.at(-1)).toMatch(/^prune/);
  });

  it('DRM-5 DRM-2 fails with a request of its own and restores the time: the next one may dream at once', () => {
    const entries = runLog(
      plan({ faults: [{ call: 'dream', error: 'server_error', nth: 2 }], home: { memories: 5 } }),
      sessionsOf(week(6)),
    );
    expect(dreams(entries).map(({ outcome, failure, details }) => [outcome, failure, details.state])).toEqual(
      [
        ['failed', 'server-error', 'failed'],
        ['done', null, 'completed'],
      ],
    );
    expect(dreams(entries)[0]!.details.wrote).toBe(false);
    expect(metricValues(foldLog(entries))).toMatchObject({ dreams: 1, dreamFailures: 1 });
  });

  it('DRM-5 DRM-2 killed with its process it gives the time back, crashed it does not', () => {
    const run = (ending: 'killed' | 'crashed') =>
      runLog(
        plan({ home: { memories: 20 } }),
        sessionsOf([...week(5, { ending }), { name: 'later', talk: talk(), afterHours: 2 }]),
      );
    const killed = run('killed');
    expect(dreams(killed)).toMatchObject([
      { thread: 's5/main', failure: 'killed', details: { state: 'killed' } },
      { thread: 'later/main', outcome: 'done', details: { reclaimed: false } },
    ]);
    const crashed = run('crashed');
    expect(dreams(crashed)).toMatchObject([{ thread: 's5/main', failure: 'crashed' }]);
    expect(skips(crashed, 'time')).toBe(1);
  });

  it('DRM-4 that tries to write elsewhere is refused, told and counted, and goes on', () => {
    const faults = [{ call: 'dream', error: 'stray_write', nth: 3 }] as const;
    const entries = runLog(plan({ faults, home: { memories: 5 } }), sessionsOf(week(5)));
    expect(actionsOf(entries, LAYER).filter((entry) => entry.failure === 'write-refused')).toHaveLength(1);
    expect(dreams(entries)).toMatchObject([{ outcome: 'done', details: { refusals: 2 } }]);
    expect(metricValues(foldLog(entries)).memoryWritesRefused).toBe(2);
  });

  it('DRM-4 passes over a link in its directory', () => {
    const files = [{ path: '/memory/link.md', text: 'link to /repo/src/index.ts', hoursAgo: 1 }];
    const entries = runLog(plan({ home: { memories: 3, files } }), sessionsOf(week(5)));
    expect(dreams(entries)).toMatchObject([{ outcome: 'done', details: { memoriesBefore: 3, corrupt: [] } }]);
  });
});
