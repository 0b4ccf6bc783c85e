import { describe, expect, it } from 'vitest';
import { dreamingLayer } from '../../../../src/agent/layers/dreaming/dreaming.js';
import { DREAM_LOCK } from '../../../../src/agent/layers/dreaming/lock.js';
import { layerParams } from '../../../../src/agent/layers/support/param-reader.js';
import { MS_PER_HOUR, MS_PER_MINUTE } from '../../../../src/core/base/clock.js';
import { renderMemory } from '../../../../src/core/model/memory.js';
import type { SessionContext } from '../../../../src/core/model/transcript.js';
import type { Outcome } from '../../../../src/core/run/action.js';
import type { ParamValue } from '../../../../src/core/run/params.js';
import { ForkDriver } from '../../../helpers/drive/drive-fork.js';

const INDEX = '/memory/MEMORY.md';
const ME = 1_001;

const memoryText = (name: string, body: string) =>
  renderMemory({ name, description: 'd', type: 'project', body });

/** A process at the end of its loop, with five sessions on record and some memories. */
function driver(
  memories: Readonly<Record<string, string>> = {},
  set: Readonly<Record<string, ParamValue>> = {},
  session: Partial<SessionContext> = {},
): ForkDriver {
  const defaults = Object.fromEntries(layerParams('auto-memory').map((spec) => [spec.path, spec.default]));
  const made = new ForkDriver(dreamingLayer, { ...defaults, ...set }, session);
  for (let i = 1; i <= 5; i++) made.files.write(`/projects/s${i}.jsonl`, 'a\nb\n', 1);
  for (const [name, body] of Object.entries(memories))
    made.files.write(`/memory/${name}.md`, memoryText(name, body), 1);
  made.now = MS_PER_HOUR;
  return made;
}

const dreamOf = (made: ForkDriver) => made.reports('dream')[0]!;
const ends = (made: ForkDriver) => {
  made.at('session-end');
  return made.reports('gates')[0]?.details;
};

describe('DRM-1 the gates', () => {
  it('count for the main loop, while no dream runs', () => {
    const made = driver();
    for (const point of ['end-of-loop', 'wake', 'session-end'] as const)
      expect(made.at(point, { source: 'subagent' })).toEqual([]);
    expect(made.at('session-end')).toEqual([]);
    made.at('end-of-loop');
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(1);
    made.wakeUp();
    expect(ends(made)).toEqual({
      checks: 1,
      exits: { feature: 0, time: 0, scan: 0, sessions: 0, lock: 0 },
      unreadableLocks: 0,
    });
    // What was told is told once.
    expect(made.at('session-end')).toEqual([]);
  });

  it('are told one by one, each with how often it was shut', () => {
    const made = driver({}, { 'dreaming.sessions': 6 });
    made.at('end-of-loop');
    made.at('end-of-loop');
    made.now += 10 * MS_PER_MINUTE;
    made.at('end-of-loop');
    made.files.write(DREAM_LOCK, '7', made.now);
    made.at('end-of-loop');
    expect(ends(made)).toMatchObject({
      checks: 4,
      exits: { feature: 0, time: 1, scan: 1, sessions: 2, lock: 0 },
    });
  });

  it('a session counts that was touched after the last consolidation, not at its time', () => {
    const made = driver({}, { 'dreaming.hours': 1, 'dreaming.sessions': 5 });
    made.files.write(DREAM_LOCK, String(ME), 0);
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(1);
    const before = driver({}, { 'dreaming.hours': 1 });
    before.files.write(DREAM_LOCK, String(ME), 1);
    before.now += 1;
    before.at('end-of-loop');
    expect(ends(before)!.exits).toMatchObject({ sessions: 1 });
  });

  it.each([
    ['no pid', 0, 1],
    ['7', 0, 0],
  ])('a lock that says "%s" is held, and only one without a pid is told as unreadable', (body, _, count) => {
    const made = driver({}, { 'dreaming.hours': 0, 'dreaming.staleMinutes': 600 }, { isAlive: () => true });
    made.files.write(DREAM_LOCK, body, 0);
    made.at('end-of-loop');
    expect(ends(made)).toMatchObject({ exits: { lock: 1 }, unreadableLocks: count });
    expect(made.requests).toEqual([]);
  });
});

describe('DRM-3 the turns of a dream', () => {
  it('are told with their phase and number; what came before goes with each', () => {
    const made = driver({ a: 'Production has 512 MB.' });
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.reports('turn').map(({ details, outcome }) => [details, outcome])).toEqual(
      ['orient', 'gather', 'consolidate', 'prune', 'prune'].map((phase, i) => [
        { phase, turn: i + 1, of: 5 },
        'done',
      ]),
    );
    // Each turn adds its calls and the results of the one before.
    expect(made.requests.map(({ messages }) => messages.length)).toEqual([0, 2, 4, 6, 8]);
    expect(made.requests[4]!.messages.map(({ id }) => id)).toEqual(
      ['dream-1', 'dream-1-0-calls', 'dream-1-0-results', 'dream-1-1-calls', 'dream-1-1-results'].concat([
        'dream-1-2-calls',
        'dream-1-2-results',
        'dream-1-3-calls',
      ]),
    );
    expect(made.requests[0]).toMatchObject({
      purpose: 'dream',
      shape: { kind: 'fork' },
      about: [],
      retries: 0,
      mode: 'background',
      maxOutputTokens: null,
    });
  });

  it('reads list and index first, then this many lines of each session, then the memories in batches', () => {
    const memories = { a: 'One.', b: 'Two things.', c: 'Three other things.' };
    const made = driver(memories, { 'dreaming.filesPerTurn': 2, 'dreaming.matchesPerSession': 3 });
    made.files.write('/projects/s1.jsonl', 'x\n'.repeat(9), 1);
    made.files.write('/projects/s2.jsonl', '', 1);
    made.files.write(INDEX, 'x'.repeat(28), 1);
    made.at('end-of-loop');
    made.wakeUp();
    const results = made.requests
      .slice(1)
      .map(({ instruction }) => instruction.blocks.map(({ tokens }) => tokens));
    // 12 tokens a file; 28 characters at 2.75. 40 tokens a line: three at most, none is one token; two lines are 80.
    expect(results[0]).toEqual([36, 11]);
    expect(results[1]).toEqual([120, 1, 80, 80, 80]);
    const tokens = (name: keyof typeof memories) => Math.ceil(memoryText(name, memories[name]).length / 2.75);
    expect(results[2]).toEqual([tokens('a'), tokens('b')]);
    expect(results[3]).toEqual([tokens('c')]);
    expect(made.requests.map(({ answer }) => (answer.kind === 'short' ? answer.tokens : null))).toEqual([
      1 + 2 * 45,
      1 + 5 * 45,
      1 + 2 * 45,
      1 + 45,
      // Three lines that the index has not: name, link and description, their ends, and the call around them.
      Math.ceil((3 * '- [a](a.md): d\n'.length + 0) / 2.75) + 45,
      12,
    ]);
    expect(made.files.read(INDEX)!.text).toBe('- [a](a.md): d\n- [b](b.md): d\n- [c](c.md): d\n');
  });

  it('a turn without calls is answered all the same', () => {
    const made = driver();
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.requests[3]!.instruction.blocks).toMatchObject([{ tokens: 1, tool: 'Bash' }]);
    expect(dreamOf(made).outcome).toBe('done');
  });

  it('waits for the answer of a turn before the next', () => {
    const made = driver();
    made.at('end-of-loop');
    made.now += 999;
    expect(made.at('wake')).toEqual([]);
    made.now += 1;
    expect(made.at('wake')).not.toEqual([]);
  });

  it('edits go back with what they put out, one result each', () => {
    const made = driver({ a: 'The audit starts tomorrow too.', b: 'The freeze ends tomorrow too.' });
    const usage = { input: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, output: 7 };
    made.answer = () => made.says('fine', { usage });
    made.at('end-of-loop');
    made.wakeUp();
    const index = made.requests[4]!;
    // Seven tokens of output in two edits.
    expect(index.messages.at(-1)!.blocks.map(({ tokens }) => tokens)).toEqual([4, 3]);
    expect(index.instruction.blocks.map(({ tokens }) => tokens)).toEqual([30, 30]);
    expect(dreamOf(made).details).toMatchObject({ written: 3, dated: 2, wrote: true, requests: 6 });
  });
});

describe('DRM-4 DRM-5 what a dream says and may not do', () => {
  it('a call of a tool is denied and counted, a text is not', () => {
    const made = driver();
    made.answer = (_, n) => made.says('fine', { form: n === 2 ? 'tool-call' : 'normal' });
    made.at('end-of-loop');
    made.wakeUp();
    expect(dreamOf(made).details).toMatchObject({
      denied: 1,
      refusals: 0,
      turns: ['orient: fine', 'gather: [tool-call]', 'consolidate: fine', 'prune: fine', 'prune: fine'],
    });
  });

  it('eighty characters of each of the latest turns are kept', () => {
    const made = driver({}, { 'dreaming.turnsShown': 2 });
    made.answer = () => made.says('0123456789'.repeat(9));
    made.at('end-of-loop');
    made.wakeUp();
    const shown = `prune: ${'0123456789'.repeat(8)}`;
    expect(dreamOf(made).details.turns).toEqual([shown, shown]);
  });

  it('memories that stay inside are no refusal, those that lead out are counted and told', () => {
    const written = (...names: readonly string[]) => names.map((name) => memoryText(name, 'Text.')).join('');
    const made = driver();
    made.answer = (_, n) => made.says(n === 1 ? written('inside') : n === 2 ? written('../out', 'in') : 'ok');
    made.at('end-of-loop');
    expect(made.reports('confine')).toEqual([]);
    made.wakeUp();
    expect(made.reports('confine')).toMatchObject([
      { outcome: 'failed', failure: 'write-refused', details: { refusals: 1 } },
    ]);
    expect(dreamOf(made)).toMatchObject({ outcome: 'done', details: { refusals: 1, denied: 0 } });
  });
});

describe('DRM-2 DRM-5 how a dream ends', () => {
  it('C48 completed: the time of the lock is that of its acquisition, and all that it did is told', () => {
    const files = { npm: 'Use npm for everything.', pnpm: 'No, use pnpm instead of npm.' };
    const made = driver(files, {}, { startedAtMs: 0 });
    made.files.write('/memory/broken.md', 'no head', 1);
    made.files.setMtime('/memory/pnpm.md', 2);
    const startMs = made.now;
    made.at('end-of-loop');
    made.wakeUp();
    const { outcome, reason, details, failure } = dreamOf(made);
    expect([outcome, reason, failure]).toEqual(['done', '5 sessions since the last consolidation', null]);
    // Six turns of a second each: two of reading, one of memories, edits, index, end.
    expect(details).toMatchObject({
      state: 'completed',
      wrote: true,
      sessions: 5,
      runsMs: 6_000,
      requests: 6,
      memoriesBefore: 2,
      memoriesAfter: 1,
      gatheredLines: 10, // five records of two lines
      written: 1,
      paths: [INDEX],
      removed: 1,
      merged: 0,
      contradicted: 1,
      dated: 0,
      reclaimed: false,
      offIndex: 0,
      indexLines: 1,
      indexBytes: '- [pnpm](pnpm.md): d\n'.length,
      corrupt: ['/memory/broken.md'],
    });
    expect(made.files.read(DREAM_LOCK)).toMatchObject({ text: String(ME), mtimeMs: startMs });
    expect(made.files.read('/memory/npm.md')).toBeNull();
    // A memory that nothing changed and an index that is right are not written again.
    made.now += 24 * MS_PER_HOUR;
    for (let i = 1; i <= 5; i++) made.files.setMtime(`/projects/s${i}.jsonl`, made.now);
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.reports('dream')[1]!.details).toMatchObject({ written: 0, wrote: false, requests: 5 });
    expect(made.requests[6]!.instruction.id).toBe('dream-2');
  });

  it.each([
    [{ kind: 'done' }, 'no-answer'],
    [
      { kind: 'failed', failure: { reason: 'overloaded', message: 'm', gapTokens: null, status: 529 } },
      'overloaded',
    ],
  ] as const)('failed with its request: the time goes back, and no turn follows', (outcome, failure) => {
    const made = driver();
    made.files.write(DREAM_LOCK, String(ME), -24 * MS_PER_HOUR);
    made.answer = (_, n) => (n === 2 ? (outcome as unknown as Outcome) : made.says('fine'));
    made.at('end-of-loop');
    made.wakeUp();
    expect(made.reports('turn').map((entry) => [entry.outcome, entry.failure])).toEqual([
      ['done', null],
      ['failed', failure],
    ]);
    expect(dreamOf(made)).toMatchObject({
      outcome: 'failed',
      failure,
      details: { state: 'failed', wrote: false, requests: 2, runsMs: 1_000 },
    });
    expect(made.files.read(DREAM_LOCK)!.mtimeMs).toBe(-24 * MS_PER_HOUR);
    // It may dream again, once the next scan is due.
    made.now += 10 * MS_PER_MINUTE;
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(3);
  });

  it('C48 ended by its user: the lock goes back to the time it had, and no request follows', () => {
    const made = driver({ a: 'Production has 512 MB.' });
    made.files.write(DREAM_LOCK, String(ME), -25 * MS_PER_HOUR);
    made.at('end-of-loop');
    expect(made.requests).toHaveLength(1);
    made.now += 400;
    made.at('end-dream');
    expect(dreamOf(made)).toMatchObject({
      outcome: 'failed',
      failure: 'ended-by-user',
      details: { state: 'killed', runsMs: 400, written: 0, paths: [] },
    });
    expect(made.files.read(DREAM_LOCK)!.mtimeMs).toBe(-25 * MS_PER_HOUR);
    made.wakeUp();
    expect(made.requests).toHaveLength(1);
    // Nothing runs that could be ended.
    expect(made.at('end-dream')).toEqual([]);
  });

  it('INV-12 a dream that lost its lock changes nothing more', () => {
    const made = driver({ a: 'The audit starts tomorrow too.', b: 'The freeze ends tomorrow too.' });
    made.afterAction = (action) => {
      if (action.kind === 'write-file' && action.path.startsWith('/memory/a'))
        made.files.write(DREAM_LOCK, '7', made.now);
      if (action.kind === 'write-file' && action.path.startsWith('/memory/b'))
        made.files.write(DREAM_LOCK, '7', made.now);
    };
    made.at('end-of-loop');
    made.wakeUp();
    const writes = made.actions.flatMap((action) => (action.kind === 'write-file' ? [action.path] : []));
    expect(writes.filter((path) => path !== DREAM_LOCK)).toHaveLength(1);
    expect(dreamOf(made)).toMatchObject({
      failure: 'lock-lost',
      details: { state: 'failed', wrote: true, written: 1 },
    });
    expect(made.reports('dream')).toHaveLength(1);
    expect(made.requests).toHaveLength(4);
    expect(made.files.read(DREAM_LOCK)!.text).toBe('7');
  });

  it('what somebody changed meanwhile is left alone', () => {
    const made = driver({
      a: 'The audit starts tomorrow too.',
      npm: 'Use npm for everything.',
      pnpm: 'No, use pnpm instead of npm.',
    });
    made.files.setMtime('/memory/pnpm.md', 2);
    made.at('end-of-loop');
    for (const name of ['a', 'npm']) made.files.setMtime(`/memory/${name}.md`, made.now);
    made.wakeUp();
    expect(made.files.read('/memory/npm.md')).not.toBeNull();
    expect(made.files.read('/memory/a.md')!.text).toContain('tomorrow');
    // The index alone is written.
    expect(dreamOf(made).details).toMatchObject({ written: 1, removed: 0 });
  });

  it.each([
    ['killed', 'the dream was killed', -24 * MS_PER_HOUR],
    ['crashed', 'the process crashed in a dream', MS_PER_HOUR],
  ] as const)('%s with its process: told with the time it ran', (ending, reason, lockMs) => {
    const made = driver({}, {}, { ending });
    made.files.write(DREAM_LOCK, String(ME), -24 * MS_PER_HOUR);
    made.at('end-of-loop');
    made.now += 500;
    made.at('session-end');
    expect(dreamOf(made)).toMatchObject({
      outcome: 'failed',
      failure: ending,
      reason,
      details: { state: 'killed', runsMs: 500, requests: 1 },
    });
    expect(made.files.read(DREAM_LOCK)!.mtimeMs).toBe(lockMs);
    made.now += 600;
    expect(made.at('wake')).toEqual([]);
  });
});
