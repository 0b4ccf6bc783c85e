import { describe, expect, it } from 'vitest';
import { writeClaudeCode } from '../../../bench/sessions/write-claude-code.js';
import type { ChangeName, ChangeOutcome } from '../../../src/analysis/why/changes.js';
import { sumUp } from '../../../src/analysis/why/sum-up.js';
import { changeNotes } from '../../../src/cli/commands/why/why-document.js';
import type { Transcript } from '../../../src/core/model/transcript.js';
import { readClaudeCode } from '../../../src/transcripts/readers/claude-code/read.js';
import { withSimulatedUsage } from '../../helpers/generators/make-fixture.js';
import { ask, assistant, readSession, result, system, usage, user } from '../../helpers/session.js';
import { BUSY } from '../../helpers/situations/transcripts.js';
import { explained, nano, READ, sessionOf, short, W1, W5 } from './sessions.js';

/** A client whose requests are those of the record and no others. */
const BEFORE_SUGGESTIONS = '2.0.60';

function changeOf(transcript: Transcript, name: ChangeName): ChangeOutcome {
  return explained(transcript).changes.find((change) => change.name === name)!;
}

describe('another lifetime', () => {
  it('of an hour saves what ran out, and pays more for every write', () => {
    const saved = changeOf(
      sessionOf(
        [
          { at: 0, usage: short(10, 0, 20_000, 50) },
          { at: 30, usage: short(10, 20_000, 1_000, 50) },
          { at: 30 + 20 * 60, usage: short(10, 0, 25_000, 50) },
        ],
        BEFORE_SUGGESTIONS,
      ),
      '1-hour lifetime',
    );
    // As recorded 46,000 written at 3.75; with an hour 20,000 + 1,000 + 4,000 at 6 and 21,000 read at 0.30 instead of written.
    const before = nano(46_000, W5);
    const after = nano(25_000, W1) + nano(21_000, READ);
    expect(saved.savedNano).toBe(before - after);
    expect(saved.offNano).toBeGreaterThan(0);
    // It may be off by a share of what it moves: 21,000 written for longer, and the rest of the third request.
    const moved = nano(21_000, W1 - W5) + nano(25_000, W5) - nano(4_000, W1) - nano(21_000, READ);
    expect(saved.offNano).toBeLessThan(moved);
  });

  it('that is the recorded one changes nothing, whatever broke without a reason in the middle of a message', () => {
    const broken = (of: typeof short): Transcript =>
      sessionOf(
        [
          { at: 0, usage: of(10, 0, 20_000, 50) },
          { at: 30, usage: of(10, 20_000, 20_000, 50) },
          { at: 60, usage: of(10, 25_000, 16_000, 50) },
        ],
        BEFORE_SUGGESTIONS,
      );
    expect(changeOf(broken(short), '5-minute lifetime')).toMatchObject({ savedNano: 0, offNano: 0 });
    expect(changeOf(broken(usage), '1-hour lifetime')).toMatchObject({ savedNano: 0, offNano: 0 });
    // All 56,000 that were written cost more for an hour, and nothing is read instead.
    expect(changeOf(broken(short), '1-hour lifetime').savedNano).toBe(-nano(56_000, W1 - W5));
  });
});

it('saves no more than was recorded: what it saves on requests that no recording holds stands apart', () => {
  const boundary = system('c0', 1_800, 'compact_boundary', {
    parentUuid: 'a0',
    compactMetadata: { trigger: 'manual', preTokens: 151_060 },
  });
  const summary = user('s0', 1_801, 'It was about a file.', { parentUuid: 'c0', isCompactSummary: true });
  const extra = { model: 'claude-opus-4-6' };
  const session = explained(
    sessionOf([
      { at: 0, usage: short(10, 150_000, 1_000, 50), extra },
      { at: 1_810, usage: short(10, 0, 20_000, 50), before: [boundary, summary], extra },
    ]),
  );
  const { changes, recordedUsd } = sumUp([session], []);
  const hour = changes.find(({ name }) => name === '1-hour lifetime')!;
  // Recorded are 150,000 read at 0.50, 21,000 written at 6.25 and a little more: $0.21. An hour makes these writes more expensive.
  expect(recordedUsd).toBeCloseTo(0.209, 3);
  expect(hour.usd).toBe(0);
  // The summary, which no line holds, reads the 151,010 of the first prompt instead of writing them, for $0.868. Less what the
  // writes of the two requests cost more: 1,000 tokens, and 20,000 to 25,000 behind the compaction.
  expect(hour.unrecordedUsd).toBeGreaterThan((151_010 * (6.25 - 0.5) - 27_000 * (10 - 6.25)) / 1e6);
  expect(hour.unrecordedUsd).toBeLessThan((151_010 * (6.25 - 0.5) - 21_000 * (10 - 6.25)) / 1e6);
  expect(changeNotes({ changes, sessions: 1 })).toContainEqual(
    expect.stringMatching(/^Not counted: savings on unrecorded requests, .*: \$0\.7\d+ for 1-hour/),
  );
});

it('of a fork counts with the share of its cost that no other session holds', () => {
  const turns = [
    { at: 0, usage: short(10, 0, 20_000, 50) },
    { at: 30, usage: short(10, 20_000, 1_000, 50) },
    { at: 30 + 20 * 60, usage: short(10, 0, 25_000, 50) },
  ];
  const more = { at: 60 + 20 * 60, usage: short(10, 25_000, 1_000, 50) };
  const sessions = [turns, [...turns, more]].map((each) => explained(sessionOf(each, BEFORE_SUGGESTIONS)));
  const { changes, recordedUsd } = sumUp(sessions, []);
  // The first saves 46,000 at 3.75 less 25,000 at 6 and 21,000 at 0.30; the second 1,000 times 2.25 less, of which its own
  // request has the share that its $0.01203 are of $0.19287.
  const [first, second] = [16_200, 16_200 - 2_250];
  expect(recordedUsd).toBeCloseTo(0.19287, 9);
  expect(changes.find(({ name }) => name === '1-hour lifetime')!.usd).toBeCloseTo(
    (first + (second * 12_030) / 192_870) / 1e6,
    8,
  );
});

it('a change that costs or saves was not held back, whatever the client says of its threshold', () => {
  // A client that compacts by itself only where a window is set.
  const recorded = withSimulatedUsage(BUSY, { policy: 'claude-code/2.1.112', cache: { ttl: '1h' } });
  const [file] = writeClaudeCode(recorded).files;
  const { changes } = explained(readClaudeCode(Buffer.from(file!.text), { id: 'busy.jsonl' }));
  const moved = changes.filter(({ savedNano }) => savedNano !== 0);
  expect(moved.map(({ name }) => name)).toContain('5-minute lifetime');
  expect(moved.filter(({ heldBack }) => heldBack !== null)).toEqual([]);
});

it('saves no more than was recorded at the upper end of its interval either', () => {
  const session = explained(sessionOf([{ at: 0, usage: usage(0, 0, 20_000, 0) }]));
  const spent = nano(20_000, W1);
  const most = {
    name: '5-minute lifetime',
    savedNano: 0.95 * spent,
    offNano: 0.1 * spent,
    heldBack: null,
  } as const;
  const [change] = sumUp([{ ...session, changes: [most] }], []).changes;
  expect(change).toMatchObject({ usd: (0.95 * spent) / 1e9, low: (0.85 * spent) / 1e9, high: spent / 1e9 });
});

describe('a session of a single request', () => {
  it('would have been cheaper for five minutes', () => {
    const transcript = sessionOf([{ at: 0, usage: usage(10, 16_000, 20_000, 50) }]);
    // Nothing reads the 20,000 again, and for an hour they cost 2.25 dollars a million more.
    expect(changeOf(transcript, '5-minute lifetime').savedNano).toBe(nano(20_000, W1 - W5));
    const session = explained(transcript);
    expect(session.reproduction.kind).toBe('reproduced');
    expect(session.changes.map(({ name, savedNano }) => [name, savedNano])).toEqual([
      ['1-hour lifetime', 0],
      ['5-minute lifetime', nano(20_000, W1 - W5)],
      ['no mid-session switches', 0],
      ['/compact before long pauses', 0],
      ['compact at half the window', 0],
    ]);
    const long = sessionOf([
      { at: 0, usage: usage(10, 0, 20_000, 50) },
      { at: 30, usage: usage(10, 20_000, 1_000, 50) },
    ]);
    const { changes } = sumUp([session, explained(long)], []);
    expect(new Map(changes.map(({ name, sessions }) => [name, sessions]))).toEqual(
      new Map([
        ['1-hour lifetime', 2],
        ['5-minute lifetime', 2],
        ['/compact before long pauses', 2],
        ['compact at half the window', 2],
        ['no mid-session switches', 2],
      ]),
    );
  });
});

describe('compacting at half the window', () => {
  /** Prompts of 20,000 to this many tokens, in steps of 10,000. */
  const growing = (to: number, model: string, version: string): Transcript =>
    sessionOf(
      Array.from({ length: to / 10_000 - 1 }, (_, i) => ({
        at: i * 30,
        usage: usage(10, i === 0 ? 0 : 10_000 + i * 10_000, i === 0 ? 20_000 : 10_000, 50),
        extra: { model },
      })),
      version,
    );
  const half = (transcript: Transcript): ChangeOutcome => changeOf(transcript, 'compact at half the window');

  it('acts at half of what the client took the window for', () => {
    // Up to 2.1.91, 200,000 on a model that takes a million: 90,000 is half of what is left beside the answer (WIN-2, WIN-4).
    expect(half(growing(130_000, 'claude-opus-4-6', '2.1.42')).savedNano).not.toBe(0);
    expect(half(growing(80_000, 'claude-opus-4-6', '2.1.42'))).toMatchObject({ savedNano: 0, offNano: 0 });
    expect(half(growing(130_000, 'claude-opus-4-6', '2.1.100'))).toMatchObject({ savedNano: 0, offNano: 0 });
  });

  it('saves nothing where calls would have gone unanswered, as they are not compared in a study either', () => {
    // No model takes as much. As it happened this was answered; where the policy decides, it is refused.
    const large = sessionOf([
      { at: 0, usage: usage(10, 0, 1_300_000, 50), extra: { model: 'claude-sonnet-4-5' } },
    ]);
    const lost = half(large);
    expect(lost).toMatchObject({ savedNano: 0, offNano: 0, heldBack: 'calls would have gone unanswered' });
    expect(lost.usage).toBeUndefined();
  });

  it('takes no credit where nothing is compacted, though the policy would have stored results that the client did not', () => {
    // 80,000 characters are about 29,000 tokens (2.75 a token); half of a million is far away.
    const from = (i: number) => 20_000 + i * 30_000;
    const lines = Array.from({ length: 5 }, (_, i) => {
      const own = {
        model: 'claude-opus-4-6',
        usage: usage(10, i === 0 ? 0 : from(i - 1), i === 0 ? from(0) : 30_000, 50),
      };
      const fields = (parentUuid: string | null) => ({ parentUuid, version: '2.1.112' });
      return [
        i === 0
          ? user('u0', 0, 'question', fields(null))
          : result(`u${i}`, i * 30, `t${i - 1}`, 'x'.repeat(80_000), fields(`a${i - 1}`)),
        assistant(`a${i}`, i * 30 + 1, `m${i}`, ask(`t${i}`), own, fields(`u${i}`)),
      ];
    });
    expect(half(readSession(lines.flat()))).toMatchObject({ savedNano: 0, offNano: 0, heldBack: null });
  });

  it('is held back where the client does not compact by itself on the model', () => {
    const reached = half(growing(130_000, 'claude-sonnet-4-5', '2.1.200'));
    expect(reached).toMatchObject({ savedNano: 0, offNano: 0 });
    expect(reached.heldBack).toMatch(/does not compact by itself on claude-sonnet-4-5/);
    expect(half(growing(80_000, 'claude-sonnet-4-5', '2.1.200')).heldBack).toBeNull();
    expect(half(growing(130_000, 'claude-sonnet-4-5', '2.1.42')).heldBack).toBeNull();
  });
});

describe('the session of another agent on a model of Anthropic', () => {
  const turns = [
    { at: 0, usage: short(10, 0, 20_000, 50) },
    { at: 30, usage: short(10, 20_000, 1_000, 60) },
    { at: 60, usage: short(10, 21_000, 1_000, 60) },
  ];
  const from = (source: string) => explained({ ...sessionOf(turns), source });

  it('is explained, and no change is tried with the policy of a client that is not its own', () => {
    expect(from('claude-code').changes).toHaveLength(5);
    const other = from('pi');
    expect(other.reproduction).toEqual({
      kind: 'set-aside',
      reason: 'no policy is known to run it forward (pi)',
    });
    expect(other.changes).toEqual([]);
    expect(other.requests).toHaveLength(3);
    // Codex has a policy whose threshold can be lowered, and none of the other settings.
    const codex = from('codex');
    expect(codex.reproduction.kind).toBe('reproduced');
    expect(codex.changes.map(({ name }) => name)).toEqual(['compact at half the window']);
  });
});
